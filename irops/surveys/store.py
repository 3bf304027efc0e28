"""The rows of a survey: in a file of JSON lines, and as a table, with files for other programs.

A row is written as it comes, and read by the next survey. A later line replaces an earlier one of the same
cell; a survey that is killed may leave a line cut off, whose cell is done again. When a survey is done, its
rows replace the file. One survey at a time writes to a folder.

What is in results.* depends on the models and the settings alone: neither on time, nor on machine or order.
"""

import csv
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, overload

from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import plural, printable
from irops.files.output import PendingFiles, claim, local_target
from irops.files.storage import content_of, open_regular
from irops.surveys.tasks import SurveyError

STATUSES = ("pass", "warn", "unsupported", "fail", "error", "timeout", "memory", "crash", "lost")
"""The best first: pass; warn: only warnings; unsupported: a source declines the model; fail: findings that
are errors, values that differ, a release that does not read it; error: not judged; timeout, memory, crash:
how a bounded process ended; lost: the workers were lost again and again.
"""
SOUND = ("pass", "warn")
"""The statuses of models without a fault."""


@dataclass(frozen=True, slots=True)
class Row:
    """The result of one cell.

    model: its path or URL as it was given; seconds, bytes: what the cell took and read, None where that is
    not known; detail: JSON; key: a digest of all that the result depends on, "" for a result that may be
    another one the next time; irops, runtime: versions of what computed it.
    """

    model: str
    task: str
    status: str
    seconds: float | None
    bytes: int | None
    detail: str
    key: str = ""
    irops: str = ""
    runtime: str = ""

    @property
    def details(self) -> dict[str, Any]:
        """The detail as an object: findings, counts of findings by rule, ops, a message …"""
        content: dict[str, Any] = json.loads(self.detail)
        return content

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings by rule, those that are not listed included."""
        counts: dict[str, int] = self.details.get("counts", {}) if '"counts":' in self.detail else {}
        return counts

    @property
    def is_sound(self) -> bool:
        """Whether the status is pass or warn."""
        return self.status in SOUND

    @property
    def place(self) -> tuple[str, str]:
        """The key of the cell: model and task."""
        return self.model, self.task

    def __repr__(self) -> str:
        return f"<{self.status}: {self.task} of {self.model}>"


def rank(status: str) -> int:
    """The place of a status among all; the best is 0."""
    return STATUSES.index(status)


FORMAT = "irops survey"
MANIFEST, ROWS, IDENTITIES, LOCK = "survey.json", "rows.jsonl", "identities.json", ".lock"


class ReportFolder:
    """A folder with a report, locked while a survey writes to it; a context manager.

    Raises:  SurveyError where the folder is something else, cannot be written, or another survey writes to it
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = -1

    def __enter__(self) -> Self:
        _require_report(self.path, may_be_new=True)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(
                self.path / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666
            )
        except OSError as error:
            raise SurveyError(
                f"the report {printable(str(self.path))} cannot be written: {error.strerror}"
            ) from None
        if not _claimed(self._lock):
            os.close(self._lock)
            raise SurveyError(f"another survey writes to {printable(str(self.path))}; wait until it ends")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._lock)

    @property
    def rows(self) -> Path:
        """The file of rows."""
        return self.path / ROWS

    def write(self, name: str, text: str) -> None:
        """Write a file of the report: whole, or not at all. Raises: OSError"""
        with PendingFiles(self.path / name) as (file,):
            file.write(text.encode("utf-8", "surrogateescape"))

    def write_manifest(self, content: Mapping[str, Any]) -> None:
        """Write what the survey was asked for. Raises: OSError"""
        manifest = {"format": FORMAT, "schema": SCHEMA, **content}
        self.write(MANIFEST, json.dumps(manifest, indent=2) + "\n")

    def identities(self) -> Mapping[str, Any]:
        """The last result of Identities.to_json; nothing where that cannot be read."""
        try:
            content = json.loads(content_of(self.path / IDENTITIES))
        except (OSError, ValueError, RecursionError):  # they are computed again
            return {}
        return content if isinstance(content, dict) else {}


def existing_report(path: Path) -> ReportFolder:
    """A report that is read and not written. Raises: SurveyError where there is none"""
    _require_report(path, may_be_new=False)
    return ReportFolder(path)


def _require_report(path: Path, *, may_be_new: bool) -> None:
    name = printable(str(path))
    try:
        names = {entry.name for entry in os.scandir(path)}
    except FileNotFoundError:
        if may_be_new:
            return
        raise SurveyError(f"there is no report {name}") from None
    except NotADirectoryError:
        raise SurveyError(f"{name} is a file; a report is a folder") from None
    except OSError as error:
        raise SurveyError(f"the report {name} cannot be read: {error.strerror}") from None
    if MANIFEST in names:
        _require_manifest(path / MANIFEST)
    elif not may_be_new:
        raise SurveyError(f"{name} is not the report of a survey: it has no {MANIFEST}")
    elif any(not one.startswith(".") for one in names):
        raise SurveyError(f"{name} holds other files and no {MANIFEST}; choose a new folder for the report")


def _require_manifest(path: Path) -> None:
    try:
        schema = _schema_of(content_of(path))
    except OSError:
        schema = None
    name = printable(str(path))
    if schema is None:
        raise SurveyError(f"{name} is not that of a survey; choose a new folder for the report")
    if schema != SCHEMA:
        found = f"{name} is of a report of schema version {printable(str(schema))}"
        hint = "choose a new folder for the report"
        raise SurveyError(f"{found}, this irops reads version {SCHEMA}; {hint}")


def _claimed(handle: int) -> bool:
    """Whether this process has the lock, or the system has no locks."""
    try:
        import fcntl
    except ImportError:
        return True
    del fcntl
    return claim(handle)


SCHEMA = 1
"""The version of the columns and of what they mean."""
HEAD = json.dumps({"format": FORMAT, "schema": SCHEMA, "columns": [field.name for field in fields(Row)]})
"""The first line of a file of rows."""
LINE_BYTES = 1 << 24
"""A longer line is no row; a file has as many rows as there are cells."""
_VALUES = attrgetter(*(field.name for field in fields(Row)))
Place = tuple[str, str]


class Rows:
    """The rows of a survey, by cell: in a file, each written as it comes; without a path, in memory alone.

    notes: on lines that cannot be read, whose cells are done again
    Raises:  SurveyError for a file that is not that of a survey, or of another version
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: IO[str] | None = None
        is_there = path is not None and path.exists()
        rows, damaged = read_rows(path) if path is not None and is_there else ([], 0)
        self.rows: dict[Place, Row] = {row.place: row for row in rows}
        self.notes: tuple[str, ...] = ()
        self._is_compact = is_there and not damaged and len(rows) == len(self.rows)
        if damaged:
            lines = f"{plural(damaged, 'line')} of {printable(str(path))} cannot be read"
            self.notes = (f"{lines}; the cells are done again",)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def add(self, row: Row) -> None:
        """Keep a row. Raises: OSError"""
        if self._file is None and self._path is not None:
            write_rows(self.rows.values(), self._path)  # whole lines, under a head
            self._file = self._path.open("a", encoding="ascii")
            self._is_compact = False
        self.rows[row.place] = row
        if self._file is not None:
            self._file.write(_line(row))
            self._file.flush()

    def compact(self, rows: list[Row]) -> None:
        """Keep these rows and no others, also in the file. Raises: OSError"""
        if self._is_compact and list(self.rows.values()) == rows:
            return
        self.rows = {row.place: row for row in rows}
        self.__exit__()
        if self._path is not None:
            write_rows(rows, self._path)


def _line(row: Row) -> str:
    return f"{json.dumps(_VALUES(row))}\n"


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write a file of rows: whole, or not at all. Raises: OSError"""
    with PendingFiles(path) as (file,):
        for line in (f"{HEAD}\n", *map(_line, rows)):
            file.write(line.encode("ascii"))


def read_rows(path: Path) -> tuple[list[Row], int]:
    """The rows of a file, and how many lines are no rows. Raises: SurveyError"""
    name = printable(str(path))
    try:
        with open_regular(os.fspath(path)) as file:
            schema = _schema_of(file.readline(LINE_BYTES))
            lines = iter(lambda: file.readline(LINE_BYTES), b"") if schema == SCHEMA else ()
            found = [_row_of(line) for line in lines]
    except OSError as error:
        raise SurveyError(f"{name} cannot be read: {error.strerror or error}") from None
    if schema is None:
        raise SurveyError(f"{name} is not that of a survey; move it to another folder")
    if schema != SCHEMA:
        version = f"{name} has rows of schema version {printable(str(schema))}"
        raise SurveyError(
            f"{version}, this irops reads version {SCHEMA}; choose another folder for the report"
        )
    rows = [row for row in found if row is not None]
    return rows, len(found) - len(rows)


def _schema_of(head: bytes) -> Any:
    """The version in a manifest or in the first line of a file of rows; None where it is none."""
    try:
        found = json.loads(head)
        return found["schema"] if found["format"] == FORMAT else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _row_of(line: bytes) -> Row | None:
    """The row of a line; None where the line was cut off or changed."""
    try:
        model, task, status, seconds, size, *texts = json.loads(line)
        numbers = all(isinstance(number, int | float | None) for number in (seconds, size))
        json.loads(texts[0])
        is_row = numbers and status in STATUSES and all(isinstance(one, str) for one in (model, task, *texts))
        return Row(model, task, status, seconds, size, *texts) if is_row else None
    except (ValueError, TypeError, IndexError, RecursionError):
        return None


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
    file = existing_report(path).rows
    rows, _ = read_rows(file) if file.exists() else ([], 0)
    return list({row.place: row for row in rows}.values())


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
