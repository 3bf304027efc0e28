"""Copies bytes from file to file in the kernel where the system can, so that no copy of them is in memory."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator

_STEP = 1 << 27
"""Bytes that the kernel copies in one call, so that an interruption need not wait for long."""
_BUFFER = 1 << 20
_UNSUPPORTED = frozenset(
    getattr(errno, name)
    for name in ("EXDEV", "EINVAL", "ENOSYS", "EOPNOTSUPP", "EPERM", "ENOTSOCK", "ENOTSUP")
    if hasattr(errno, name)
)
"""Errors of a kernel or file system that does not copy between such files: the next method is used."""


def copy_range(source: int, offset: int, size: int, target: int, place: int) -> None:
    """Copy bytes of one file to a place in another one, by their descriptors.

    Holes of a sparse source are holes of the target too. The target ends behind the copied bytes, or later.
    Raises:  EOFError if the source ends before offset + size; OSError
    """
    end = offset + size
    for start, stop in _ranges_of_data(source, offset, end):
        os.lseek(target, place + start - offset, os.SEEK_SET)
        _copy(source, start, stop - start, target)
    status = os.fstat(source)
    if status.st_size < end:
        raise EOFError(f"the file has {status.st_size} bytes, must have {end}")
    if os.fstat(target).st_size < place + size:
        os.truncate(target, place + size)


def _ranges_of_data(source: int, offset: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges that are not holes. A file of which all blocks are stored is not asked for holes."""
    status = os.fstat(source)
    stored = getattr(status, "st_blocks", None)
    if not hasattr(os, "SEEK_DATA") or stored is None or stored * 512 >= status.st_size:
        yield offset, end
        return
    while offset < end:
        try:
            start = os.lseek(source, offset, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but holes up to the end of the file
                return
            yield offset, end  # a file system that does not report holes
            return
        if start >= end:
            return
        offset = min(os.lseek(source, start, os.SEEK_HOLE), end)
        yield start, offset


def _copy(source: int, offset: int, size: int, target: int) -> None:
    """Copy to the position of the target, by the first method that works."""
    methods = list(_METHODS)
    while size:
        step = min(size, _STEP)
        count = _in_kernel(methods[0], source, offset, step, target) if methods else None
        if count:
            offset, size = offset + count, size - count
        elif methods:
            del methods[0]
        else:
            count = _through_memory(source, offset, min(step, _BUFFER), target)
            offset, size = offset + count, size - count


_Method = Callable[[int, int, int, int], int]


def _in_kernel(method: _Method, source: int, offset: int, size: int, target: int) -> int:
    """How many bytes a method copied; 0 if it does not copy between such files."""
    try:
        return method(source, offset, size, target)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return 0
        raise


def _by_copy_file_range(source: int, offset: int, size: int, target: int) -> int:
    return os.copy_file_range(source, target, size, offset_src=offset)


def _by_sendfile(source: int, offset: int, size: int, target: int) -> int:
    return os.sendfile(target, source, offset, size)


_METHODS = tuple(
    method
    for name, method in (("copy_file_range", _by_copy_file_range), ("sendfile", _by_sendfile))
    if hasattr(os, name)
)
"""How the kernel copies, best first: the first may share blocks of the two files."""


def _through_memory(source: int, offset: int, size: int, target: int) -> int:
    content = memoryview(read_at(source, offset, size))
    if not content:
        raise EOFError(f"the file ends before byte {offset}")
    done = 0
    while done < len(content):
        done += os.write(target, content[done:])
    return done


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
