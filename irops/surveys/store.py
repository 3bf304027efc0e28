"""The rows of a survey in a folder of Parquet files: written as they come, read by the next survey.

A row of a later file replaces that of an earlier one of the same cell. Files are written beside their place
and renamed, so a survey that is killed leaves whole files. When a survey is done, one file replaces all
others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Self

from irops.backends.extras import missing_libraries
from irops.diagnostics.printable import abridged, printable
from irops.ir.output import Pending
from irops.surveys.faults import SurveyError
from irops.surveys.row import Row

SCHEMA = 1
"""The version of the columns and of what they mean."""
VERSION_KEY = b"irops.survey"
FLUSH_SECONDS, FLUSH_ROWS = 2.0, 2000
"""After this time, or so many rows, those that there are are written."""
_PART = re.compile(r"part-(\d{6,})\.parquet")
_VALUES = attrgetter(*(field.name for field in fields(Row)))
Place = tuple[str, str]


class Store:
    """The rows of a survey, by cell; a context manager, which ends regular writing.

    folder: of the Parquet files; it is created when there are rows

    Raises:  SurveyError for files that are not those of a survey, or of another version
    """

    def __init__(self, folder: Path) -> None:
        require_pyarrow()
        self._folder = folder
        self._parts = sorted(parts_of(folder))
        self.rows: dict[Place, Row] = {row.place: row for _, part in self._parts for row in read_part(part)}
        self._pending: list[Row] = []
        self._lock = Lock()
        self._closed = Event()
        self._fault: OSError | None = None
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def add(self, row: Row) -> None:
        """Keep a row; it is written soon, also if no other row follows. Raises: OSError"""
        with self._lock:
            self.rows[row.place] = row
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
        self.rows = {row.place: row for row in rows}
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
    with Pending(path) as (file,):
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
        raise SurveyError(f"{_damaged(path)}: {reason}") from None
    if version is None:
        raise SurveyError(f"{path} is not a part of a survey; move it to another folder")
    if version != str(SCHEMA).encode():
        found = printable(version.decode("ascii", "replace"))
        raise SurveyError(
            f"{path} has rows of schema version {found}, this irops reads version {SCHEMA}; choose another"
            " folder for the report"
        )
    if table.schema.names != _schema().names or table.schema.types != _schema().types:
        raise SurveyError(f"{_damaged(path)}: its columns are {', '.join(table.schema.names)}")
    return [Row(*values) for values in zip(*(column.to_pylist() for column in table.columns))]


def require_pyarrow() -> None:
    """Raises: SurveyError, with the extra to install, where pyarrow is missing"""
    lacking = missing_libraries("survey", "pyarrow")
    if lacking is not None:
        raise SurveyError(f"a survey is stored by pyarrow: {lacking}")


def _damaged(path: Path) -> str:
    return f"{path} is damaged; remove it, and the survey does its cells again"


def _schema() -> Any:
    import pyarrow

    types = {"seconds": pyarrow.float64(), "bytes": pyarrow.int64()}
    columns = [(field.name, types.get(field.name, pyarrow.string())) for field in fields(Row)]
    return pyarrow.schema(columns, metadata={VERSION_KEY: str(SCHEMA)})
