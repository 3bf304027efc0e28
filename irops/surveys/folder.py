"""The folder of a report: what it holds, and that one survey at a time writes to it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from irops.diagnostics.printable import printable
from irops.ir.output import Pending, claim
from irops.surveys.faults import SurveyError
from irops.surveys.store import SCHEMA

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
        with Pending(self.path / name) as (file,):
            file.write(text.encode("utf-8", "surrogateescape"))

    def write_manifest(self, content: Mapping[str, Any]) -> None:
        """Write what the survey was asked for. Raises: OSError"""
        manifest = {"format": FORMAT, "schema": SCHEMA, **content}
        self.write(MANIFEST, json.dumps(manifest, indent=2) + "\n")

    def identities(self) -> Mapping[str, Any]:
        """What Identities.to_json gave the last time; nothing where that cannot be read."""
        try:
            content = json.loads((self.path / IDENTITIES).read_text())
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
        content = json.loads(path.read_bytes())
        schema = content["schema"] if content["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        schema = None
    name = printable(str(path))
    if schema is None:
        raise SurveyError(f"{name} is not that of a survey; choose a new folder for the report")
    if schema != SCHEMA:
        raise SurveyError(
            f"{name} is of a report of schema version {printable(str(schema))}, this irops reads version"
            f" {SCHEMA}; choose a new folder for the report"
        )


def _claimed(handle: int) -> bool:
    """Whether this process has the lock, or the system has no locks."""
    try:
        import fcntl
    except ImportError:
        return True
    del fcntl
    return claim(handle)
