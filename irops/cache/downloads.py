"""Whole files that were fetched from elsewhere, and are kept while there is room.

A file is written beside its place and renamed when it is complete, so that other processes see it whole or
not at all. While it is in use, a shared lock keeps it from being removed; without locks, a removed file stays
readable to those who have it open. The files that were used longest ago are removed first.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from irops.cache.entries import is_own

_FILE = re.compile(r"[0-9a-f]{64}(\.[0-9a-f]{8}\.part)?")
ABANDONED = 60.0
"""Seconds after which a part that nobody writes is removed."""
POLL = 0.1
"""Seconds between two looks at whether another process is done with fetching the same file."""


class NoRoom(OSError):
    """A file is larger than what is kept, or than what the disk has."""


class Downloads:
    """The files in a folder. max_bytes: their greatest size together."""

    def __init__(self, folder: str, max_bytes: int) -> None:
        self.folder, self.max_bytes = folder, max_bytes

    def kept(self, key: str, size: int) -> BinaryIO | None:
        """A file that is kept, open for reading; None if there is none. It stays until it is closed."""
        path = os.path.join(self.folder, key)
        try:
            file = open(path, "rb")  # noqa: SIM115
        except OSError:
            return None
        status = os.fstat(file.fileno())
        is_whole = stat.S_ISREG(status.st_mode) and status.st_size == size and is_own(status)
        if not is_whole or not _lock(file, exclusive=False) or not os.path.exists(path):
            file.close()
            return None
        with suppress(OSError):  # the time of modification stays: who maps the file compares it
            os.utime(path, ns=(time.time_ns(), status.st_mtime_ns))
        return file

    def fetched(self, key: str, size: int, fetch: Callable[[IO[bytes]], None]) -> BinaryIO:
        """The file of a key, as kept gives it; fetch writes it if it is not there.

        Of several processes that need the same file, one fetches it and the others wait.
        Raises:  NoRoom; OSError; what fetch raises
        """
        os.makedirs(self.folder, 0o700, exist_ok=True)
        with self._turn(key):
            file = self.kept(key, size)
            if file is None:
                self._make_room(size)
                self._write(key, fetch)
                file = self.kept(key, size)
        if file is None:
            raise OSError(None, f"the fetched file does not have its {size:,} bytes")
        return file

    def usage(self) -> tuple[int, int]:
        """The number of files and their size in bytes."""
        sizes = [size for _, size, _ in self._all()]
        return len(sizes), sum(sizes)

    def _make_room(self, size: int) -> None:
        if size > self.max_bytes:
            raise NoRoom(None, f"it has {size:,} bytes; the cache keeps {self.max_bytes:,}")
        entries = sorted(self._all())
        total = size + sum(entry[1] for entry in entries)
        for last_used, entry_size, path in entries:
            abandoned = path.endswith(".part") and time.time() - last_used > ABANDONED
            if (total > self.max_bytes or abandoned) and _removed(path):
                total -= entry_size
        free = os.statvfs(self.folder) if hasattr(os, "statvfs") else None
        if free is not None and free.f_bavail * free.f_frsize < size:
            raise NoRoom(None, f"it has {size:,} bytes; the disk has {free.f_bavail * free.f_frsize:,} left")

    def _write(self, key: str, fetch: Callable[[IO[bytes]], None]) -> None:
        path = os.path.join(self.folder, key)
        part = f"{path}.{os.urandom(4).hex()}.part"
        try:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            with os.fdopen(handle, "wb") as file:
                _lock(file, exclusive=False)  # so that no other process takes it for abandoned
                fetch(file)
                file.flush()
                os.fsync(handle)
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise

    @contextmanager
    def _turn(self, key: str) -> Iterator[None]:
        """Wait until no other process fetches this file."""
        path = Path(self.folder, f".{key}.lock")
        with path.open("ab") as file:
            while not _lock(file, exclusive=True):
                time.sleep(POLL)
            try:
                yield
            finally:
                with suppress(OSError):
                    path.unlink()

    def _all(self) -> Iterator[tuple[float, int, str]]:
        """The time of the last use, the size and the path of each file, whole or not."""
        with suppress(OSError, ValueError), os.scandir(self.folder) as entries:
            for entry in entries:
                if _FILE.fullmatch(entry.name):
                    with suppress(OSError):  # it was removed meanwhile
                        status = entry.stat(follow_symlinks=False)
                        yield max(status.st_atime, status.st_mtime), status.st_size, entry.path


def _removed(path: str) -> bool:
    """Remove a file, unless it is in use; whether it was removed."""
    try:
        with open(path, "rb") as file:
            if not _lock(file, exclusive=True):
                return False
            os.unlink(path)
    except OSError:
        return False
    return True


def _lock(file: IO[bytes], *, exclusive: bool) -> bool:
    """Lock an open file; whether that was possible, or the system has no locks."""
    try:
        import fcntl

        fcntl.flock(file.fileno(), (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return True
    return True
