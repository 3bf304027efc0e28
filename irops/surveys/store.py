"""The rows of a survey in a folder of Parquet files: written as they come, read by the next survey.

A row of a later file replaces that of an earlier one of the same cell. Files are written beside their place
and renamed, so a survey that is killed leaves whole files. When a survey is done, one file replaces all
others. The name of a file holds a digest of its content: a file that was damaged is set aside, its cells are
done again, and the survey says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Self

from irops.diagnostics.printable import abridged, printable
from irops.files.extras import missing_libraries
from irops.ir.abandoned import remove_abandoned
from irops.ir.pending import Pending
from irops.ir.regular import NotRegular, OversizedFile, bounded_bytes
from irops.surveys.faults import SurveyError
from irops.surveys.row import Row

SCHEMA = 1
"""The version of the columns and of what they mean."""
VERSION_KEY = b"irops.survey"
MAX_PART = 1 << 30
"""The greatest number of bytes of a file that is read."""
FLUSH_SECONDS, FLUSH_ROWS = 2.0, 2000
"""After this time, or so many rows, those that there are are written."""
_PART = re.compile(r"part-(\d{6,})(?:-([0-9a-f]{16}))?\.parquet")
_UNFINISHED = re.compile(r"\.part-\d{6,}-[0-9a-f]{16}\.parquet\.[0-9a-f]{8}\.part")
ASIDE = ".damaged"
"""What is appended to the name of a damaged file."""
_VALUES = attrgetter(*(field.name for field in fields(Row)))
Place = tuple[str, str]


class RowStore:
    """The rows of a survey, by cell; a context manager, which ends regular writing.

    folder: of the Parquet files; it is created when there are rows
    rows: those of all sound files; faults: what is wrong with the others, by path

    Raises:  OSError if a file cannot be read: its rows are not known, and it stays where it is
    """

    def __init__(self, folder: Path) -> None:
        require_pyarrow()
        self._folder = folder
        self.rows: dict[Place, Row] = {}
        self.faults: dict[Path, str] = {}
        self._parts = []
        for number, part in sorted(parts_of(folder)):
            try:
                self.rows.update((row.place, row) for row in read_part(part))
            except SurveyError as error:
                self.faults[part] = str(error)
            else:
                self._parts.append((number, part))
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

    def set_aside(self) -> tuple[str, ...]:
        """Rename files that cannot be read, so that no survey meets them again; sentences that say so.

        Raises:  OSError
        """
        remove_abandoned(self._folder, _UNFINISHED)
        sentences = []
        for part, fault in self.faults.items():
            aside = part.with_name(f"{part.name}{ASIDE}")
            part.replace(aside)
            sentences.append(f"{fault}; its cells are done again, and the file is kept as {aside.name}")
        return tuple(sentences)

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
        content = parquet_of(rows)
        part = self._folder / f"part-{number:06d}-{_digest(content)}.parquet"
        with Pending(part) as (file,):
            file.write(content)
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


def parquet_of(rows: Iterable[Row]) -> bytes:
    """Rows as the content of a Parquet file."""
    import pyarrow
    from pyarrow import parquet

    columns = list(zip(*map(_VALUES, rows))) or [()] * len(fields(Row))
    schema = _schema()
    arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, schema)]
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def read_part(path: Path) -> list[Row]:
    """The rows of a Parquet file.

    Raises:  SurveyError if it is damaged or something else; OSError if it cannot be read, which says nothing
    of its content
    """
    import pyarrow
    from pyarrow import parquet

    match = _PART.fullmatch(path.name)
    content = _content(path)
    try:
        if match is not None and match[2] != _digest(content):
            raise SurveyError(f"{_damaged(path)}: it does not have the content that was written")
        table = parquet.ParquetFile(pyarrow.BufferReader(content)).read()
        version = (table.schema.metadata or {}).get(VERSION_KEY)
    except (SurveyError, MemoryError):  # pyarrow's own error of memory says nothing of the content either
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = printable(abridged(str(error).partition("\n")[0], 200))
        raise SurveyError(f"{_damaged(path)}: {reason}") from None
    if version is None:
        raise SurveyError(f"{printable(str(path))} is not a part of a survey")
    if version != str(SCHEMA).encode():
        found = printable(version.decode("ascii", "replace"))
        raise SurveyError(
            f"{printable(str(path))} has rows of schema version {found}, this irops reads version {SCHEMA}"
        )
    if table.schema.names != _schema().names or table.schema.types != _schema().types:
        raise SurveyError(f"{_damaged(path)}: its columns are {_listed(table.schema.names)}")
    return [Row(*values) for values in zip(*(column.to_pylist() for column in table.columns))]


def _content(path: Path) -> bytes:
    """Raises: SurveyError if it is no file of a possible size; OSError, which names the file"""
    try:
        return bounded_bytes(path, MAX_PART)
    except (NotRegular, OversizedFile) as error:
        raise SurveyError(f"{_damaged(path)}: {error.strerror or error}") from None
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def require_pyarrow() -> None:
    """Raises: SurveyError, with the extra to install, where pyarrow is missing"""
    lacking = missing_libraries("survey", "pyarrow")
    if lacking is not None:
        raise SurveyError(f"a survey is stored by pyarrow: {lacking}")


def _damaged(path: Path) -> str:
    return f"{printable(str(path))} is damaged"


def _listed(names: Iterable[str]) -> str:
    return printable(abridged(", ".join(names), 200))


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()


def _schema() -> Any:
    import pyarrow

    types = {"seconds": pyarrow.float64(), "bytes": pyarrow.int64()}
    columns = [(field.name, types.get(field.name, pyarrow.string())) for field in fields(Row)]
    return pyarrow.schema(columns, metadata={VERSION_KEY: str(SCHEMA)})
