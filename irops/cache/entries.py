"""Entries of the cache: files with a checksum, named by what they depend on.

An entry is read only if it is whole, has the name that its checksum was made for, and belongs to this user;
everything else is as if there were no entry. Entries are written beside their place and renamed, so that
other processes see them whole or not at all. Nothing is flushed to the disk: what a crash of the system cuts
off fails its checksum. A folder that cannot be written is no error.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b

MAX_BYTES = 256 << 20
"""The greatest size of all entries together; the oldest are removed."""
SHARDS = 64
"""The number of folders that the entries are distributed over; each holds its part of MAX_BYTES."""
MAX_ENTRY = MAX_BYTES // SHARDS
"""The size in bytes from which an entry is not kept."""
DAY = 86_400.0
"""Seconds after which an entry that is read counts as new again, and a part of one as abandoned."""
SMALL, TRIMMED_OF = 1 << 16, 16
"""A folder is trimmed after each large entry, and after one of so many small ones."""
MAGIC = b"irops cache 1 "
_ENTRY = re.compile(r"[0-9a-f]{64}(\.[0-9a-f]{8}\.part)?")
_READING = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_WRITING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def key_of(*parts: bytes) -> str:
    """The name of the entry that depends on some bytes: another one for any change of any of them."""
    digest = blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def read_entry(folder: str, key: str, renewed_after: float = DAY) -> bytes | None:
    """The content of an entry; None if there is none that is whole.

    renewed_after: seconds after which an entry that is read counts as new again
    """
    path = _path(folder, key)
    try:
        handle = os.open(path, _READING)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_ENTRY or not is_own(status):
                return None
            content = file.read(MAX_ENTRY + 1)
    except (OSError, ValueError):
        return None
    head, _, body = content.partition(b"\n")
    if head != _head(key, body):
        return None
    if time.time() - status.st_mtime > renewed_after:  # the entries that nobody reads are removed first
        with suppress(OSError):
            os.utime(path)
    return body


def write_entry(folder: str, key: str, body: bytes, max_bytes: int | None = None) -> bool:
    """Keep an entry. Whether it is kept: it may be too large, and the folder may not be writable.

    max_bytes: the greatest size of all entries of the folder together, MAX_BYTES by default
    """
    max_bytes = MAX_BYTES if max_bytes is None else max_bytes
    content = b"%b\n%b" % (_head(key, body), body)
    if len(content) > min(MAX_ENTRY, max_bytes // SHARDS):
        return False
    path = _path(folder, key)
    part = f"{path}.{os.urandom(4).hex()}.part"
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(os.path.dirname(path), 0o700)
        try:
            with os.fdopen(os.open(part, _WRITING, 0o600), "wb") as file:
                file.write(content)
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise
    except (OSError, ValueError):
        return False
    if len(content) > SMALL or int(key[-2:], 16) % TRIMMED_OF == 0:
        _trim(os.path.dirname(path), max_bytes // SHARDS)
    return True


def _trim(shard: str, max_bytes: int) -> None:
    """Remove the oldest entries of a shard, until those that are left take max_bytes."""
    now, total = time.time(), 0
    entries = sorted(_in_shard(shard), reverse=True)
    for modified, size, path in entries:
        total += size
        if total > max_bytes or (path.endswith(".part") and now - modified > DAY):
            with suppress(OSError):  # another process removes it too
                os.unlink(path)


def _path(folder: str, key: str) -> str:
    return os.path.join(folder, f"{int(key[:4], 16) % SHARDS:02x}", key)


def _head(key: str, body: bytes) -> bytes:
    return MAGIC + key_of(key.encode(), body).encode()


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to this user: what others write is not believed."""
    return sys.platform == "win32" or status.st_uid == os.geteuid()


def _in_shard(shard: str) -> Iterator[tuple[float, int, str]]:
    """The time, size and path of each entry, whole or not."""
    try:
        with os.scandir(shard) as found:
            for one in found:
                if _ENTRY.fullmatch(one.name):
                    with suppress(OSError):  # it was removed meanwhile
                        status = one.stat(follow_symlinks=False)
                        yield status.st_mtime, status.st_size, one.path
    except OSError:
        return
