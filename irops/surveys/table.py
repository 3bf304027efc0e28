"""The table of a survey, as irops.survey gives it; files for programs; what differs between two surveys.

What is in results.* depends on the models and the settings alone: neither on time, nor on machine or order.
"""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from typing import Any, overload

from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import plural, printable
from irops.files.output import PendingFiles, local_target
from irops.surveys.store import (
    SCHEMA,
    SOUND,
    STATUSES,
    Row,
    existing_report,
    parts_of,
    rank,
    read_part,
    require_pyarrow,
    write_part,
)
from irops.surveys.tasks import SurveyError


def results_csv(rows: Iterable[Row]) -> str:
    """Model, task, status, bytes and detail of each row."""
    contents = ((row.model, row.task, row.status, row.bytes, row.detail) for row in rows)
    return _csv(("model", "task", "status", "bytes", "detail"), contents)


def timings_csv(rows: Iterable[Row]) -> str:
    """Model, task and seconds of each row."""
    times = ((row.model, row.task, "" if row.seconds is None else f"{row.seconds:.6f}") for row in rows)
    return _csv(("model", "task", "seconds"), times)


def results_json(rows: Iterable[Row]) -> str:
    """The rows with their details as objects, one on each line."""
    lines = ",\n".join(
        f'{{"model":{json.dumps(row.model)},"task":{json.dumps(row.task)},"status":"{row.status}",'
        f'"bytes":{json.dumps(row.bytes)},"detail":{row.detail}}}'
        for row in rows
    )
    return f'{{"schema":{SCHEMA},"rows":[\n{lines}\n]}}\n'


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    """A value as spreadsheets take it: control characters escaped, and no text taken for a formula."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell with its statuses in the other survey and in this one; None where it is not in it."""

    model: str
    task: str
    before: str | None
    after: str | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Differences:
    """The cells whose status differs. new: in this survey alone; gone: in the other one alone."""

    better: tuple[CellChange, ...] = ()
    worse: tuple[CellChange, ...] = ()
    new: tuple[CellChange, ...] = ()
    gone: tuple[CellChange, ...] = ()

    @property
    def is_worse(self) -> bool:
        """Whether a cell is worse, or a new one is neither pass nor warn."""
        return bool(self.worse) or any(change.after not in SOUND for change in self.new)

    def to_json(self) -> dict[str, Any]:
        """The differences for machines."""
        kinds = {"better": self.better, "worse": self.worse, "new": self.new, "gone": self.gone}
        changes = {kind: [change.to_json() for change in found] for kind, found in kinds.items()}
        return {"schema": SCHEMA, "is_worse": self.is_worse, **changes}


def rows_of_report(path: Path) -> list[Row]:
    """The rows of a report. Raises: SurveyError where there is no such report"""
    parts = sorted(parts_of(existing_report(path).results))
    return list({row.place: row for _, part in parts for row in read_part(part)}.values())


def differences(before: Iterable[Row], after: Iterable[Row]) -> Differences:
    """The differences between the rows of another survey and those of this one."""
    old, new = ({row.place: row.status for row in rows} for rows in (before, after))
    changes = [
        CellChange(*place, old.get(place), new.get(place)) for place in sorted(old.keys() | new.keys())
    ]
    both = [change for change in changes if change.before is not None and change.after is not None]
    return Differences(
        better=tuple(change for change in both if _moved(change) < 0),
        worse=tuple(change for change in both if _moved(change) > 0),
        new=tuple(change for change in changes if change.before is None),
        gone=tuple(change for change in changes if change.after is None),
    )


def _moved(change: CellChange) -> int:
    """By how many places the status is worse."""
    assert change.before is not None
    assert change.after is not None
    return rank(change.after) - rank(change.before)


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
        with PendingFiles(local_target(path)) as (file,):
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
        """A table for notebooks: the rows, the worst first."""
        worst = sorted(self.rows, key=lambda row: -STATUSES.index(row.status))
        rows = (
            (row.model, row.task, row.status, "" if row.seconds is None else f"{row.seconds:.3f}", row.detail)
            for row in worst
        )
        return html_table(repr(self)[1:-1], ("model", "task", "status", "seconds", "detail"), rows)
