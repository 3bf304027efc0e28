"""The folder of a report: what it holds, and that one survey at a time writes to it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from errno import ENOLCK, ENOSYS, EOPNOTSUPP
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from irops.diagnostics.printable import Escaped, json_text, printable
from irops.ir.pending import Pending, encoded
from irops.ir.regular import NotRegular, OversizedFile, bounded_bytes
from irops.surveys.faults import SurveyError
from irops.surveys.store import SCHEMA, parts_of

FORMAT = "irops survey"
MAX_IDENTITIES = 1 << 30
"""The greatest number of bytes of what is known of models; more are computed again."""
MANIFEST, RESULTS, IDENTITIES, LOCK = "survey.json", "results", "identities.json", ".lock"


class ReportFolder:
    """A folder with a report, locked while a survey writes to it; a context manager.

    Raises:  SurveyError where the folder is something else, cannot be written, or another survey writes to it
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: tuple[str, ...] = ()
        self._lock = -1

    def __enter__(self) -> Self:
        self.notes = _require_report(self.path, may_be_new=True)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(
                self.path / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666
            )
        except OSError as error:
            raise SurveyError(
                f"the report {printable(str(self.path))} cannot be written: {error.strerror}"
            ) from None
        try:
            _lock(self._lock)
        except OSError as error:
            os.close(self._lock)
            name = printable(str(self.path))
            if isinstance(error, BlockingIOError):
                raise SurveyError(f"another survey writes to {name}; wait until it ends") from None
            raise SurveyError(f"the report {name} cannot be locked: {error.strerror}") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._lock)

    @property
    def results(self) -> Path:
        """The folder of Parquet files."""
        return self.path / RESULTS

    def write(self, name: str, text: Escaped) -> None:
        """Write a file of the report: whole, or not at all. Raises: OSError"""
        with Pending(self.path / name) as (file,):
            file.write(encoded(text))

    def write_manifest(self, content: Mapping[str, Any]) -> None:
        """Write what the survey was asked for. Raises: OSError"""
        manifest = {"format": FORMAT, "schema": SCHEMA, **content}
        self.write(MANIFEST, json_text(manifest))

    def identities(self) -> Mapping[str, Any]:
        """What Identities.to_json gave the last time; nothing where that cannot be read."""
        try:
            content = json.loads(bounded_bytes(self.path / IDENTITIES, MAX_IDENTITIES))
        except (OSError, ValueError, RecursionError):  # they are computed again
            return {}
        return content if isinstance(content, dict) else {}


def existing_report(path: Path) -> ReportFolder:
    """A report that is read and not written. Raises: SurveyError where there is none"""
    _require_report(path, may_be_new=False)
    return ReportFolder(path)


def _require_report(path: Path, *, may_be_new: bool) -> tuple[str, ...]:
    """Sentences about what is damaged, and is written again. Raises: SurveyError"""
    name = printable(str(path))
    try:
        names = {entry.name for entry in os.scandir(path)}
    except FileNotFoundError:
        if may_be_new:
            return ()
        raise SurveyError(f"there is no report {name}") from None
    except NotADirectoryError:
        raise SurveyError(f"{name} is a file; a report is a folder") from None
    except OSError as error:
        raise SurveyError(f"the report {name} cannot be read: {error.strerror}") from None
    if MANIFEST in names:
        return _manifest_notes(path)
    if not may_be_new:
        raise SurveyError(f"{name} is not the report of a survey: it has no {MANIFEST}")
    if any(not one.startswith(".") for one in names):
        raise SurveyError(f"{name} holds other files and no {MANIFEST}; choose a new folder for the report")
    return ()


def _manifest_notes(folder: Path) -> tuple[str, ...]:
    path = folder / MANIFEST
    name = printable(str(path))
    try:
        content = json.loads(bounded_bytes(path))
        schema = content["schema"] if content["format"] == FORMAT else None
    except (NotRegular, OversizedFile, ValueError, KeyError, TypeError, RecursionError):
        schema = None
    except OSError as error:
        raise SurveyError(f"{name} cannot be read: {error.strerror}") from None
    if schema is None and parts_of(folder / RESULTS):
        return (f"{name} is damaged; it is written again",)
    if schema is None:
        raise SurveyError(f"{name} is not that of a survey; choose a new folder for the report")
    if schema != SCHEMA:
        raise SurveyError(
            f"{name} is of a report of schema version {printable(str(schema))}, this irops reads version"
            f" {SCHEMA}; choose a new folder for the report"
        )
    return ()


def _lock(handle: int) -> None:
    """Lock an open file until it is closed, where the system and the file system have locks.

    Raises:  BlockingIOError where another process has the lock; OSError
    """
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (ENOLCK, ENOSYS, EOPNOTSUPP):
            raise
