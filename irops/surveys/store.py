"""The rows of a survey in a folder of Parquet files: written as they come, read by the next survey.

A row of a later file replaces that of an earlier one of the same cell. Files are written beside their place
and renamed, so a survey that is killed leaves whole files. When a survey is done, one file replaces all
others. One survey at a time writes to a folder.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self

from irops.diagnostics.printable import abridged, printable
from irops.environment import missing_libraries
from irops.files.output import PendingFiles, claim
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
