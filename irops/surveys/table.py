"""The table of a survey, as irops.survey gives it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from irops.diagnostics.printable import plural
from irops.html_table import html_table
from irops.ir.output import Pending, local_target
from irops.surveys.differences import Differences
from irops.surveys.exports import results_csv
from irops.surveys.faults import SurveyError
from irops.surveys.row import STATUSES, Row
from irops.surveys.store import require_pyarrow, write_part

COLUMNS = ("model", "task", "status", "seconds", "bytes", "detail")


@dataclass(frozen=True, slots=True, repr=False)
class SurveyTable(Sequence[Row]):
    """The rows of a survey, one for each model and task, sorted by both.

    done: how many cells this survey did; the others were unchanged since an earlier one; notes: sentences
    about what was left out; output: the folder of the report; differences: from another report.
    """

    rows: tuple[Row, ...]
    done: int = 0
    notes: tuple[str, ...] = ()
    output: Path | None = None
    differences: Differences | None = None

    @property
    def ok(self) -> bool:
        """Whether every row is pass or warn."""
        return all(row.is_sound for row in self.rows)

    @property
    def unchanged(self) -> int:
        """The number of cells that an earlier survey did."""
        return len(self.rows) - self.done

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """The number of rows of each status, the best status first, by task."""
        counts: dict[str, Counter[str]] = {}
        for row in self.rows:
            counts.setdefault(row.task, Counter())[row.status] += 1
        return {
            task: {status: found[status] for status in STATUSES if status in found}
            for task, found in sorted(counts.items())
        }

    def rules(self, count: int | None = 10) -> list[tuple[str, int, int]]:
        """The most frequent rules, all for None: code, number of models, number of findings."""
        findings: Counter[str] = Counter()
        models: dict[str, set[str]] = {}
        for row in self.rows:
            for code, number in row.counts.items():
                findings[code] += number
                models.setdefault(code, set()).add(row.model)
        order = sorted(findings, key=lambda code: (-len(models[code]), -findings[code], code))
        return [(code, len(models[code]), findings[code]) for code in order[:count]]

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame. Raises: SurveyError where pandas is not installed"""
        try:
            from pandas import DataFrame
        except ImportError:
            raise SurveyError("pandas is not installed; pip install pandas installs it") from None
        return DataFrame([[getattr(row, name) for name in COLUMNS] for row in self.rows], columns=COLUMNS)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write all columns to a Parquet file. Raises: SurveyError without pyarrow; OSError"""
        require_pyarrow()
        write_part(self.rows, Path(path))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write what does not depend on time to a CSV file. Raises: OSError"""
        with Pending(local_target(path)) as (file,):
            file.write(results_csv(self.rows).encode("utf-8", "surrogateescape"))

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __bool__(self) -> bool:
        """True even without rows, unlike other sequences."""
        return True

    def __repr__(self) -> str:
        statuses = Counter(row.status for row in self.rows)
        counted = ", ".join(f"{statuses[status]} {status}" for status in STATUSES if status in statuses)
        models = len({row.model for row in self.rows})
        return f"<Survey of {plural(models, 'model')}: {counted or 'no rows'}>"

    def _repr_html_(self) -> str:
        """What notebooks show: the rows, the worst first."""
        worst = sorted(self.rows, key=lambda row: -STATUSES.index(row.status))
        rows = (
            (row.model, row.task, row.status, "" if row.seconds is None else f"{row.seconds:.3f}", row.detail)
            for row in worst
        )
        return html_table(repr(self)[1:-1], ("model", "task", "status", "seconds", "detail"), rows)
