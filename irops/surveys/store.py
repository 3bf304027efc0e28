"""The rows of a survey: in a folder of Parquet files, and as a table, with files for other programs.

Rows are written as they come, and read by the next survey. A row of a later file replaces that of an earlier
one of the same cell. Files are written beside their place and renamed, so a survey that is killed leaves
whole files. When a survey is done, one file replaces all others. One survey at a time writes to a folder.

What is in results.* depends on the models and the settings alone: neither on time, nor on machine or order.
"""

import csv
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from operator import attrgetter
from pathlib import Path
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self, overload

from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import abridged, plural, printable
from irops.environment import missing_libraries
from irops.files.output import PendingFiles, claim, local_target
from irops.files.storage import content_of
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
MANIFEST, RESULTS, IDENTITIES, LOCK = "survey.json", "results", "identities.json", ".lock"


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
    def results(self) -> Path:
        """The folder of Parquet files."""
        return self.path / RESULTS

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
        content = json.loads(content_of(path))
        schema = content["schema"] if content["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
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
VERSION_KEY = b"irops.survey"
FLUSH_SECONDS, FLUSH_ROWS = 2.0, 2000
"""After this time, or so many rows, those that there are are written."""
_PART = re.compile(r"part-(\d{6,})\.parquet")
_VALUES = attrgetter(*(field.name for field in fields(Row)))
Place = tuple[str, str]


class DamagedPart(SurveyError):
    """A file of rows cannot be read."""


class Rows:
    """The rows of a survey, by cell, in memory alone; a context manager. notes: on what was found"""

    def __init__(self) -> None:
        self.rows: dict[Place, Row] = {}
        self.notes: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End what was begun."""

    def add(self, row: Row) -> None:
        """Keep a row."""
        self.rows[row.place] = row

    def flush(self) -> None:
        """Write what is not written yet."""

    def compact(self, rows: list[Row]) -> None:
        """Keep these rows and no others."""
        self.rows = {row.place: row for row in rows}


class Store(Rows):
    """Rows in files; leaving the context ends regular writing.

    folder: of the Parquet files; it is created when there are rows. notes: on files that are damaged: they
    get another name, so that their cells are done again

    Raises:  SurveyError for files that are not those of a survey, or of another version
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        require_pyarrow()
        self._folder = folder
        self._parts = sorted(parts_of(folder))
        for number, part in list(self._parts):
            try:
                self.rows |= {row.place: row for row in read_part(part)}
            except DamagedPart as error:
                aside = part.replace(part.with_suffix(".damaged"))
                self._parts.remove((number, part))
                self.notes += (f"{error}; it is {aside.name} now, and its cells are done again",)
        self._pending: list[Row] = []
        self._lock = Lock()
        self._closed = Event()
        self._fault: OSError | None = None
        self._thread: Thread | None = None

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def add(self, row: Row) -> None:
        """Keep a row; it is written soon, also if no other row follows. Raises: OSError"""
        with self._lock:
            super().add(row)
            self._pending.append(row)
        if self._thread is None:
            self._thread = Thread(target=self._flush_regularly, daemon=True, name="irops survey")
            self._thread.start()
        if self._fault is not None:
            raise self._fault
        if len(self._pending) >= FLUSH_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are not written yet. Raises: OSError"""
        with self._lock:
            if self._pending:
                self._write(self._pending)
                self._pending = []

    def _flush_regularly(self) -> None:
        while not self._closed.wait(FLUSH_SECONDS):
            try:
                self.flush()
            except OSError as error:  # raised with the next row
                self._fault = error
                return

    def compact(self, rows: list[Row]) -> None:
        """Let one file with some rows replace all others. Raises: OSError"""
        self.flush()
        super().compact(rows)
        if len(self._parts) == 1 and read_part(self._parts[0][1]) == rows:
            return
        former = self._parts
        self._parts = []
        self._write(rows, 1 + max((number for number, _ in former), default=0))
        for _, part in former:
            part.unlink(missing_ok=True)

    def _write(self, rows: list[Row], number: int | None = None) -> None:
        if number is None:
            number = 1 + max((number for number, _ in self._parts), default=0)
        self._folder.mkdir(exist_ok=True)
        part = self._folder / f"part-{number:06d}.parquet"
        write_part(rows, part)
        self._parts.append((number, part))


def parts_of(folder: Path) -> list[tuple[int, Path]]:
    """The files of a store with their numbers."""
    try:
        names = [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SurveyError(f"the survey in {folder} cannot be read: {error.strerror}") from None
    return [(int(match[1]), folder / name) for name in names if (match := _PART.fullmatch(name))]


def write_part(rows: Iterable[Row], path: Path) -> None:
    """Write rows to a Parquet file. Raises: OSError"""
    import pyarrow
    from pyarrow import parquet

    columns = list(zip(*map(_VALUES, rows))) or [()] * len(fields(Row))
    schema = _schema()
    arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, schema)]
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    with PendingFiles(path) as (file,):
        file.write(sink.getvalue())


def read_part(path: Path) -> list[Row]:
    """The rows of a Parquet file. Raises: SurveyError"""
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(path).read()
        version = (table.schema.metadata or {}).get(VERSION_KEY)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = printable(abridged(str(error).partition("\n")[0], 200))
        raise DamagedPart(f"{printable(str(path))} is damaged: {reason}") from None
    if version is None:
        raise SurveyError(f"{path} is not a part of a survey; move it to another folder")
    if version != str(SCHEMA).encode():
        found = f"{path} has rows of schema version {printable(version.decode('ascii', 'replace'))}"
        hint = "choose another folder for the report"
        raise SurveyError(f"{found}, this irops reads version {SCHEMA}; {hint}")
    if table.schema.names != _schema().names or table.schema.types != _schema().types:
        columns = printable(abridged(", ".join(table.schema.names), 200))
        raise DamagedPart(f"{printable(str(path))} is damaged: its columns are {columns}")
    return [Row(*values) for values in zip(*(column.to_pylist() for column in table.columns))]


def require_pyarrow() -> None:
    """Raises: SurveyError, with the extra to install, where pyarrow is missing"""
    lacking = missing_libraries("survey", "pyarrow")
    if lacking is not None:
        raise SurveyError(f"a survey is stored by pyarrow: {lacking}")


def _schema() -> Any:
    import pyarrow

    types = {"seconds": pyarrow.float64(), "bytes": pyarrow.int64()}
    columns = [(field.name, types.get(field.name, pyarrow.string())) for field in fields(Row)]
    return pyarrow.schema(columns, metadata={VERSION_KEY: str(SCHEMA)})


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
