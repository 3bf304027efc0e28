"""Where files may be written, and how: completely or not at all, one of a pair never without the other.

One decision for every output of every command: no output replaces a file that the same command reads, under
any name: a model, its weights, inputs, a baseline. And nothing but a model replaces a file that holds a model
or its weights. Temporary files are claimed while they are written, and removed if the process that wrote them
was killed.
"""

import os
import re
import shutil
import signal
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from time import monotonic, sleep, time
from types import TracebackType
from typing import IO

from irops.files.urls import Place, StrPath, without_credentials

MIN_AGE = 60.0
"""Seconds after which something unclaimed counts as abandoned: another process may be about to claim it."""


def claim(handle: int, *, without_locks: bool = False) -> bool:
    """Lock an open file or folder until it is closed or the process ends; whether that was possible, or
    without_locks on a system that has no locks.
    """
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return without_locks
    except OSError:  # claimed by another process, or no locks in this file system
        return False
    return True


def remove_abandoned(folder: Path, name: str, *, is_folder: bool = False) -> None:
    """Remove the files (or folders) of a folder whose whole names match a regular expression, if they are old
    and no process has claimed them. A name has random characters that no user's file has by chance.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if re.fullmatch(name, entry.name):
                with suppress(OSError):  # another process removes it, or it belongs to another user
                    if (entry.is_dir if is_folder else entry.is_file)(follow_symlinks=False):
                        _remove_if_abandoned(entry)


def _remove_if_abandoned(entry: os.DirEntry[str]) -> None:
    if time() - entry.stat().st_mtime < MIN_AGE:
        return
    handle = os.open(entry.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not claim(handle):
            return
        if entry.is_dir():
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)
    finally:
        os.close(handle)


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


def read_at(file: int, offset: int, size: int) -> bytes:
    """Bytes of a file at a place, fewer if it ends before."""
    content = _read_once(file, offset, size)
    while len(content) < size:  # a system reads some 2 GiB at a time
        more = _read_once(file, offset + len(content), size - len(content))
        if not more:
            break
        content += more
    return content


def _read_once(file: int, offset: int, size: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(file, size, offset)
    os.lseek(file, offset, os.SEEK_SET)
    return os.read(file, size)


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
            sleep(0.005)  # flock itself waits without end, so it is asked again and again
        except OSError:  # a file system without locks
            break
    os.close(handle)
    return None


INTERRUPTIONS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def _private(path: str, flags: int) -> int:
    """Open what will replace a file that others may not read: until it has its mode, nobody else reads it."""
    return os.open(path, flags, 0o600)


class PendingFiles:
    """Temporary files, open for writing, in the folders of their targets.

    A context manager: at the end of the block the files are flushed to disk and renamed to the targets; if
    the block raises, they are deleted and the targets stay unchanged. Readers that use folder_lock see all
    targets renamed or none, and Ctrl-C waits until all are renamed. A process that is killed in between
    leaves what is not renamed under a name that `left_of_pair` knows.
    """

    def __init__(self, *targets: Path) -> None:
        self.targets = targets
        # eight random digits, by which __enter__ finds those that killed writers left
        self._parts = [target.with_name(f".{target.name}.{os.urandom(4).hex()}.part") for target in targets]
        self._files: list[IO[bytes]] = []

    def __enter__(self) -> list[IO[bytes]]:
        try:
            for target, part in zip(self.targets, self._parts):
                if target.exists() and not target.is_file():
                    raise OSError(f"{target} exists and is not a regular file, so it cannot be replaced")
                remove_abandoned(target.parent, rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.part")
                with signals_blocked(), errors_naming(target):
                    self._files.append(open(part, "xb", opener=_private if target.exists() else None))
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
            os.fsync(file.fileno())  # before the rename: a crash must not leave the name of an empty file
            file.close()
            if target.exists():
                copy_ownership(target, part)  # before the rename: readers never see it with other rights
        folders = sorted({target.parent for target in self.targets})
        with folder_lock(folders[0], exclusive=True), signals_blocked():
            try:
                if len(self.targets) > 1:
                    self._announce()
                for target, part in zip(self.targets, list(self._parts)):
                    part.replace(target)
                    del self._parts[0]  # what is left tells _half_done how far this came
            except OSError as error:
                raise self._half_done(error) from None
            finally:
                self._discard()  # names that another writer gives its files as soon as the lock ends
        for folder in folders:
            _sync_folder(folder)

    def _announce(self) -> None:
        """Give the files the names by which a reader knows what is left of them."""
        first, *others = self.targets
        for other in others:
            if left := left_of_pair(other, first):
                left.replace(other)
        for index, target in enumerate(self.targets):
            self._parts[index] = self._parts[index].replace(_pending(target))

    def _half_done(self, error: OSError) -> OSError:
        """The error where a file cannot be renamed. Where others were, what belongs to them is kept."""
        done = self.targets[: -len(self._parts)]
        if not done:
            return error
        rest = " and ".join(part.name for part in self._parts)
        self._parts.clear()
        replaced = " and ".join(target.name for target in done)
        return OSError(error.errno, f"{error.strerror}; {replaced} was replaced, and {rest} belongs to it")

    def _discard(self) -> None:
        for file in self._files:
            with suppress(OSError):  # buffered data that cannot be written is not needed any more
                file.close()
        while self._parts:  # the first one last: alone it is not taken for what is left of a pair
            self._parts[-1].unlink(missing_ok=True)
            del self._parts[-1]


def _pending(target: Path) -> Path:
    return target.with_name(f".{target.name}.pending")


def left_of_pair(target: Path, first: Path) -> Path | None:
    """The new content of a file that is written after another one, where a writer ended between the two.

    None where both are of one writing.
    """
    left = _pending(target)
    try:
        if not left.exists() or _pending(first).exists():
            return None
        return None if target.exists() and target.stat().st_mtime > left.stat().st_mtime else left
    except OSError:  # a name that the system does not accept
        return None


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
def signals_blocked(numbers: Collection[int] = INTERRUPTIONS) -> Iterator[None]:
    """Delay signals to this thread, by default interruptions, until the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
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


Identity = tuple[int, int]
"""The device and the inode of a file."""
HEAD_BYTES = 4096
"""Bytes at the start of a file in which the root element of a model is looked for."""
_files_read: ContextVar[dict[Identity, str] | None] = ContextVar("files_read", default=None)
"""The files that the current command has read, each with the path by which it was read first; None where no
command is running.
"""


class TargetRefused(OSError):
    """A file must not be written; the text says why, and names the file."""


class UnwritableModel(ValueError):
    """A model has a text that its format cannot represent, or is to be written over its weights."""


@contextmanager
def noting_files_read() -> Iterator[Mapping[Identity, str]]:
    """Note which files the block, a command, reads, so that it does not write over them."""
    files: dict[Identity, str] = {}
    before = _files_read.set(files)
    try:
        yield files
    finally:
        _files_read.reset(before)


def note_read(status: os.stat_result, path: StrPath) -> None:
    """Note that the current command reads a file."""
    files = _files_read.get()
    if files is not None and status.st_ino:
        files.setdefault((status.st_dev, status.st_ino), os.fspath(path))


def local_target(path: StrPath, *, of_model: bool = False, may_replace: Collection[StrPath] = ()) -> Path:
    """The file that is written for a path: the one that a link leads to.

    of_model: whether a model is written; may_replace: files that are read in order to replace them, as
    check --fix does
    Raises:  TargetRefused
    """
    place = Place.of(path)
    if place.is_remote:
        raise TargetRefused(f"{place} is a URL; irops writes local files only")
    try:
        target = Path(os.path.realpath(place))
    except ValueError:  # a null, or half of a surrogate pair
        raise TargetRefused(f"{path!r} is a path that no system accepts") from None
    _require_unread(path, target, may_replace)
    if not of_model and _belongs_to_model(target):
        raise TargetRefused(
            f"{path} holds a model or its weights, which this would replace; choose another name"
        )
    return target


def _require_unread(path: StrPath, target: Path, may_replace: Collection[StrPath]) -> None:
    files = _files_read.get()
    if not files:
        return
    try:
        status = target.stat()
    except OSError:
        return
    read_as = files.get((status.st_dev, status.st_ino))
    if read_as is None or any(os.path.realpath(Place.of(each)) == str(target) for each in may_replace):
        return
    also = "" if os.path.realpath(read_as) == str(target) else f" (as {without_credentials(read_as)})"
    raise TargetRefused(f"{path} is read by this command{also}, and would be replaced; choose another name")


def _belongs_to_model(target: Path) -> bool:
    match target.suffix.lower():
        case ".xml":
            return _is_ir(target)
        case ".onnx":
            return target.is_file()
        case ".bin":
            return _is_ir(target.with_suffix(".xml"))
    return False


def _is_ir(path: Path) -> bool:
    """Whether a file begins as an IR does."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:  # a pipe is empty
            return b"<net" in file.read(HEAD_BYTES)
    except OSError:
        return False
