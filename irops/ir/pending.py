"""Writes files atomically: completely, or not at all.

What a file has besides its content, and keeps when it is replaced: mode, owner, extended attributes.

Advisory locks on folders, so that a reader never sees one file of a pair before and one after a write.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import IO

from irops.diagnostics.printable import Escaped
from irops.ir.abandoned import claim, remove_abandoned
from irops.ir.targets import Output, local_target

INTERRUPTIONS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

_CREATING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Pending:
    """Temporary files, open for writing, in the folders of their targets.

    A context manager: at the end of the block the files are flushed to disk and renamed to the targets; if
    the block raises, they are deleted and the targets stay unchanged. Readers that use folder_lock see all
    targets renamed or none, and Ctrl-C waits until all are renamed.

    A file of a pair that was renamed alone, because the process was killed in between, is recognised: before
    the first target is renamed, all files have their final content and the names that `finished` gives, and
    targets are renamed in the order of the arguments. So as long as the last target waits, and the first does
    not, the pair is mixed: see is_mixed.
    """

    def __init__(self, *targets: Path) -> None:
        self.targets = targets
        self._parts = [target.with_name(f".{target.name}.{os.urandom(4).hex()}.part") for target in targets]
        self._files: list[IO[bytes]] = []
        self._renamed = 0

    def __enter__(self) -> list[IO[bytes]]:
        try:
            for target, part in zip(self.targets, self._parts):
                if target.exists() and not target.is_file():
                    raise OSError(f"{target} exists and is not a regular file, so it cannot be replaced")
                remove_abandoned(target.parent, _names_of_parts(target))
                with signals_blocked(), errors_naming(target):
                    self._files.append(os.fdopen(os.open(part, _CREATING, 0o600), "wb"))
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
            else:
                part.chmod(0o666 & ~_umask())
        folders = sorted({target.parent for target in self.targets})
        with folder_lock(folders[0], exclusive=True), signals_blocked():
            if len(self.targets) > 1:
                for index, target in enumerate(self.targets):
                    self._parts[index] = self._parts[index].replace(finished(target))
            for target, part in zip(self.targets, self._parts):
                with errors_naming(target):
                    part.replace(target)
                self._renamed += 1
        for folder in folders:
            _sync_folder(folder)

    def _discard(self) -> None:
        for file in self._files:
            with suppress(OSError):  # buffered data that cannot be written is not needed any more
                file.close()
        if not 0 < self._renamed < len(self.targets):  # else the rest of the pair is needed to recognise it
            for part in self._parts[self._renamed :]:
                part.unlink(missing_ok=True)


def finished(target: Path) -> Path:
    """The name of a file of a pair that is whole, until it is renamed to its target."""
    return target.with_name(f".{target.name}.irops-new")


def is_mixed(first: Path, last: Path) -> bool:
    """Whether writing a pair was interrupted after the first file was replaced, and before the last was.

    To be asked while folder_lock is held.
    """
    return os.path.lexists(finished(last)) and not os.path.lexists(finished(first))


def _names_of_parts(target: Path) -> re.Pattern[str]:
    """The names that parts of a target have, and that no other file has."""
    return re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.part")


def _umask() -> int:
    """The permissions that files of this process do not get."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


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


def write_report(path: str | os.PathLike[str], output: Output, text: Escaped) -> None:
    """Write the text of a format to a file. Raises: OSError; TargetRefused"""
    with Pending(local_target(path, output)) as (file,):
        file.write(encoded(text))


def encoded(text: Escaped) -> bytes:
    """The text of a format as a file holds it; names of files that are not UTF-8 keep their bytes."""
    return text.encode("utf-8", "surrogateescape")


def copy_ownership(source: Path, target: Path) -> None:
    """Give target the owner, the mode and the extended attributes (access control lists too) of source.

    What the system does not permit, such as another owner without being root, is left as it is.
    """
    status = source.stat()
    if hasattr(os, "chown"):
        try:
            os.chown(target, status.st_uid, status.st_gid)
        except OSError:
            with suppress(OSError):
                os.chown(target, -1, status.st_gid)
    shutil.copymode(source, target)
    if hasattr(os, "listxattr"):
        with suppress(OSError):  # a file system without extended attributes
            for name in os.listxattr(source):
                with suppress(OSError):
                    os.setxattr(target, name, os.getxattr(source, name))


TIMEOUT = 2.0
"""Seconds after which the block runs without the lock: a process that hangs must not block others."""


@contextmanager
def folder_lock(folder: Path, *, exclusive: bool = False) -> Iterator[None]:
    """Lock a folder during the block: exclusively to write, shared to read.

    On systems and file systems without locks, the block runs without one.
    """
    handle = _lock(folder, exclusive)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock(folder: Path, exclusive: bool) -> int | None:
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except (ImportError, OSError):  # no such locks here, or no such folder, which the caller reports
        return None
    until = monotonic() + TIMEOUT
    while True:
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if monotonic() > until:
                break
            sleep(0.005)
        except OSError:  # a file system without locks
            break
    os.close(handle)
    return None
