"""Writes files atomically: completely, or not at all."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from irops.ir.abandoned import claim, remove_abandoned
from irops.ir.locks import folder_lock
from irops.ir.ownership import copy_ownership

INTERRUPTIONS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Pending:
    """Temporary files, open for writing, in the folders of their targets.

    A context manager: at the end of the block the files are flushed to disk and renamed to the targets; if
    the block raises, they are deleted and the targets stay unchanged. Readers that use folder_lock see all
    targets renamed or none, and Ctrl-C waits until all are renamed.
    """

    def __init__(self, *targets: Path) -> None:
        self.targets = targets
        self._parts = [target.with_name(f".{target.name}.{os.urandom(4).hex()}.part") for target in targets]
        self._files: list[IO[bytes]] = []

    def __enter__(self) -> list[IO[bytes]]:
        try:
            for target, part in zip(self.targets, self._parts):
                if target.exists() and not target.is_file():
                    raise OSError(f"{target} exists and is not a regular file, so it cannot be replaced")
                remove_abandoned(target.parent, f".{target.name}.", ".part")
                with signals_blocked(), errors_naming(target):
                    self._files.append(part.open("xb"))
                    claim(self._files[-1].fileno())
        except BaseException:
            self._discard()
            raise
        return self._files

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._commit()
        finally:
            with signals_blocked():
                self._discard()

    def _commit(self) -> None:
        for file, target, part in zip(self._files, self.targets, self._parts):
            file.flush()
            os.fsync(file.fileno())
            file.close()
            if target.exists():
                copy_ownership(target, part)
        folders = sorted({target.parent for target in self.targets})
        with folder_lock(folders[0], exclusive=True), signals_blocked():
            for target, part in zip(self.targets, self._parts):
                part.replace(target)
        for folder in folders:
            _sync_folder(folder)

    def _discard(self) -> None:
        for file in self._files:
            with suppress(OSError):  # buffered data that cannot be written is not needed any more
                file.close()
        for part in self._parts:
            part.unlink(missing_ok=True)


@contextmanager
def errors_naming(target: Path) -> Iterator[None]:
    """Make errors of the block name the target instead of its temporary file."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileNotFoundError(error.errno, f"there is no folder {target.parent}", str(target)) from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Delay interruptions of this thread until the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _sync_folder(folder: Path) -> None:
    """Flush the renames in a folder to disk, on systems that support it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
