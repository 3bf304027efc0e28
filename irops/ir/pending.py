"""Files that come into being whole, or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from irops.ir.turns import in_turn

INTERRUPTIONS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Pending:
    """Files open for writing under other names, in the folders of their targets.

    As a context manager: after the block they are on the disk and then renamed, one after the other; if the
        block raises, they
    are gone and the targets as they were. Nobody who takes turns sees some renamed and others not, and Ctrl-C
    waits until all are.
    """

    def __init__(self, *targets: Path) -> None:
        self.targets = targets
        self._parts = [target.with_name(f".{target.name}.{secrets.token_hex(4)}.part") for target in targets]
        self._files: list[IO[bytes]] = []

    def __enter__(self) -> list[IO[bytes]]:
        try:
            for target, part in zip(self.targets, self._parts):
                if target.exists() and not target.is_file():
                    raise OSError(f"{target} is there, and is no file that could be replaced")
                with undisturbed(), told_of(target):
                    self._files.append(part.open("xb"))
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
            with undisturbed():
                self._discard()

    def _commit(self) -> None:
        for file, target, part in zip(self._files, self.targets, self._parts):
            file.flush()
            os.fsync(file.fileno())
            file.close()
            if target.exists():
                shutil.copymode(target, part)
        folders = sorted({target.parent for target in self.targets})
        with in_turn(folders[0], alone=True), undisturbed():
            for target, part in zip(self.targets, self._parts):
                part.replace(target)
        for folder in folders:
            _sync_folder(folder)

    def _discard(self) -> None:
        for file in self._files:
            with suppress(OSError):  # what was not yet written cannot be; it is not wanted any more
                file.close()
        for part in self._parts:
            part.unlink(missing_ok=True)


@contextmanager
def told_of(target: Path) -> Iterator[None]:
    """Errors of the block name the file that is wanted, not the one beside it."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileNotFoundError(error.errno, f"there is no folder {target.parent}", str(target)) from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None


@contextmanager
def undisturbed() -> Iterator[None]:
    """Interruptions of this thread wait until the block is done."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _sync_folder(folder: Path) -> None:
    """Make renamings in a folder last; a system that has no such thing needs none."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
