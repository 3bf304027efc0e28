"""The weights of a model: a file, of which parts are read or mapped when first needed, or bytes in memory.

Two counts say how much was read: what readers asked for, which is the same for local and remote files and
does not depend on what a cache has; and what came from remote file systems.
"""

import mmap
import os
import stat
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable
from errno import EACCES
from pathlib import Path
from threading import Lock, RLock
from typing import IO, BinaryIO, Self

from irops.files.output import note_read, read_at
from irops.files.urls import Place, StrPath


class _Count:
    """A sum to which several threads add."""

    __slots__ = ("_lock", "total")

    def __init__(self) -> None:
        self._lock, self.total = Lock(), 0

    def add(self, size: int) -> None:
        with self._lock:
            self.total += size


_READ, _FETCHED = _Count(), _Count()
count_read = _READ.add
"""Count bytes of a model or of weights that a reader got, from wherever they came."""
count_fetched = _FETCHED.add
"""Count bytes that came from a remote file system."""


def bytes_read() -> int:
    """The bytes of models and weights that were read since the process began.

    The difference of two calls is what was read in between, by all threads: each constant counts as often as
    it is read or mapped, a block of a remote file only with the bytes that were asked for.
    """
    return _READ.total


def bytes_fetched() -> int:
    """The bytes that came from remote file systems since the process began; none if a cache had them."""
    return _FETCHED.total


TEXT_BYTES = 1 << 28
"""The most bytes of a file beside models that is read as a whole."""


class NotRegular(OSError):
    """A path does not refer to a regular file that may be read. The text says why: "is a folder"."""


def open_regular(path: StrPath) -> BinaryIO:
    """A regular file, open for reading. Follows symbolic links.

    Raises:  NotRegular, without opening anything; OSError
    """
    if Place.of(path).is_remote:
        raise NotRegular("is a URL, and only models and their weights are read from URLs")
    require_regular(os.stat(path))
    # If the path becomes a pipe between stat and open, O_NONBLOCK prevents open from waiting for a writer.
    of_system = (getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
    handle = os.open(path, os.O_RDONLY | sum(of_system))
    try:
        status = os.fstat(handle)
        require_regular(status)
        note_read(status, path)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


POINTERS = (b"version https://git-lfs.github.com/spec/", b"/annex/objects/")
"""How files begin that stand for others in a repository."""
POINTER_SIZES = range(50, 1025)


def head_of(path: StrPath, size: int) -> bytes:
    """The first bytes of a regular file. Raises: NotRegular; OSError"""
    with open_regular(path) as file:
        return file.read(size)


def content_of(path: StrPath, most: int = TEXT_BYTES) -> bytes:
    """The content of a file beside models: settings, a baseline, a list, what a command has written.

    Raises:  NotRegular, also where it has more bytes than `most`; OSError
    """
    content = head_of(path, most + 1)
    if len(content) > most:
        raise NotRegular(f"has more than {most:,} bytes")
    return content


def require_regular(status: os.stat_result) -> None:
    """Raises: NotRegular if the status is not that of a regular file"""
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(kind(status.st_mode))


def kind(mode: int) -> str:
    """The kind of file that a mode other than a regular file's denotes: is a folder."""
    for test, what in (
        (stat.S_ISDIR, "folder"),
        (stat.S_ISFIFO, "pipe"),
        (stat.S_ISSOCK, "socket"),
        (stat.S_ISCHR, "device"),
        (stat.S_ISBLK, "device"),
    ):
        if test(mode):
            return f"is a {what}"
    return "is not a regular file"


class OpenFiles:
    """Files of weights that stay open between reads within a block, which belongs to one thread."""

    def __init__(self) -> None:
        self._files: dict[Hashable, BinaryIO] | None = None

    def __enter__(self) -> Self:
        self._files = {}
        return self

    def __exit__(self, *_: object) -> None:
        files, self._files = self._files or {}, None
        for file in files.values():
            file.close()

    def of(self, owner: Hashable, opened: Callable[[], BinaryIO]) -> BinaryIO | None:
        """The file of an owner, opened when it is first needed; None outside the block."""
        if self._files is None:
            return None
        file = self._files.get(owner)
        if file is None:
            file = self._files[owner] = opened()
        return file


_OPENING = RLock()
"""Held while a file is opened or mapped. One for all, so that Weights can be copied and pickled."""
_STEP = 1 << 22
"""Bytes that are copied at a time."""


class WeightsChanged(ValueError):
    """The file is no longer the one that existed when the model was read."""


class Weights:
    """The bytes of a .bin file, or bytes in memory. Bytes are read on demand; the file is never locked.

    If a mapped file is truncated, the system kills a process that accesses the mapping. So only view, which
    evaluation needs, maps the file; read and copy_to copy. After view,
    copy_to or keep_open the file stays open, so that it remains readable if another takes its path.
    """

    __slots__ = ("_bytes", "_digests", "_fault", "_file", "_identity", "_size", "path")

    def __init__(self, path: str | None, data: bytes = b"") -> None:
        self.path = path
        self._bytes = memoryview(data) if path is None else None
        self._file: BinaryIO | None = None
        self._size, self._fault = len(data), ""
        self._digests: dict[tuple[int, int], bytes] = {}
        self._identity: tuple[int, int, int, int] | None = None  # of the file, if there is one
        if path is not None:
            self._inspect(path)

    @staticmethod
    def of_file(path: StrPath) -> "Weights":
        """The bytes of a file. The file need not exist; fault is then set."""
        return Weights(os.fspath(path))

    @staticmethod
    def of_bytes(data: bytes) -> "Weights":
        return Weights(None, data)

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return "the .bin" if self.path is None else Path(self.path).name

    @property
    def fault(self) -> str | None:
        """The reason why the file has no readable bytes ("does not exist"); None if it has."""
        return self._fault or None

    @property
    def size(self) -> int:
        """The number of bytes; 0 if there is no file."""
        return self._size

    def holds(self, offset: int, size: int) -> bool:
        """Whether these bytes exist."""
        return 0 <= offset <= offset + size <= self._size

    def view(self, offset: int, size: int) -> memoryview:
        """Some of the bytes, without a copy.

        Raises:  ValueError if they are out of range; WeightsChanged if the file changed after the model was
            read
        """
        self._within(offset, size)
        content = self._bytes
        if content is None:
            content = self._mapped()
            count_read(size)
        self.require_unchanged()
        return content[offset : offset + size]

    def read(self, offset: int, size: int, files: OpenFiles | None = None) -> memoryview:
        """A copy of some of the bytes, unless they are in memory already. Raises the errors of view.

        files: keeps the file open for further reads; by default it is closed
        """
        self._within(offset, size)
        if self.path is None:
            return self.view(offset, size)
        file = self._file
        if file is None and files is not None:
            file = files.of(self, self._opened)
        if file is not None:
            self._require_same(file)
            content = read_at(file.fileno(), offset, size)
        else:
            with self._opened() as file:
                content = read_at(file.fileno(), offset, size)
        if len(content) < size:
            raise self._changed()
        count_read(size)
        return memoryview(content)

    def digest(self, offset: int, size: int) -> bytes:
        """A hash of some of the bytes, which is computed once. Raises the errors of view."""
        found = self._digests.get((offset, size))
        if found is None:
            from hashlib import blake2b  # loads OpenSSL; few checks compare weights

            # 16 bytes: no two contents have one digest by chance, and few bytes are kept
            found = self._digests[offset, size] = blake2b(self.view(offset, size), digest_size=16).digest()
        self.require_unchanged()
        return found

    def copy_to(self, target: IO[bytes], offset: int, size: int) -> None:
        """Append some of the bytes to a file, in pieces; pieces of zeros become holes of the file.

        Raises the errors of view, and OSError.
        """
        self._within(offset, size)
        self.keep_open()
        for start in range(offset, offset + size, _STEP):
            content = bytes(self.read(start, min(_STEP, offset + size - start)))
            if content.count(0) < len(content):
                target.write(content)
            else:
                target.truncate(target.seek(len(content), os.SEEK_CUR))
        self.require_unchanged()

    def expect(self, places: Iterable[tuple[int, int]]) -> None:
        """Name offsets and sizes that are probably read. Remote weights alone read the names, and ask for all
        together.
        """

    def keep_open(self) -> None:
        """Open the file, if there is one. Raises: WeightsChanged if it is not what it was"""
        with _OPENING:
            if self._file is None and self.path is not None and not self._fault:
                self._file = self._opened()

    def local_path(self) -> str | None:
        """The absolute path of the file, for libraries that open it themselves; None if there is no file."""
        return None if self.path is None else os.path.abspath(self.path)

    def require_unchanged(self) -> None:
        """Check that a file that was opened is unchanged. Raises: WeightsChanged if not"""
        if self._file is not None:
            self._require_same(self._file)

    def _require_same(self, file: BinaryIO) -> None:
        if _identity(os.fstat(file.fileno())) != self._identity:
            raise self._changed()

    def _within(self, offset: int, size: int) -> None:
        if not self.holds(offset, size):
            raise ValueError(f"bytes {offset} to {offset + size} are outside the {self._size} bytes")

    def _changed(self) -> WeightsChanged:
        return WeightsChanged(f"{self.name} was changed after the model was read; read the model again")

    def _inspect(self, path: str) -> None:
        try:
            status = os.stat(path)
            require_regular(status)
            if not os.access(path, os.R_OK):
                raise PermissionError(EACCES, os.strerror(EACCES))
        except NotRegular as error:
            self._fault = str(error)
        except ValueError as error:  # a path that no system accepts, with a null character for example
            self._fault = f"cannot be read: {error}"
        except OSError as error:
            is_absent = isinstance(error, FileNotFoundError)
            self._fault = "does not exist" if is_absent else f"cannot be read: {error.strerror}"
        else:
            if status.st_size in POINTER_SIZES and head_of(path, 50).startswith(POINTERS):
                self._fault = "is a pointer of Git LFS or git-annex, which did not fetch the weights"
                return
            self._size, self._identity = status.st_size, _identity(status)
            note_read(status, path)

    def _mapped(self) -> memoryview:
        """All bytes; maps the file, once, even if several threads ask at the same time."""
        with _OPENING:
            if self._bytes is None:
                self._bytes = self._map()
            return self._bytes

    def _map(self) -> memoryview:
        if self._size == 0 or self.path is None:
            return memoryview(b"")
        file = self._file or self._opened()
        try:
            mapped = memoryview(mmap.mmap(file.fileno(), self._size, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:  # ValueError: the file was truncated after it was opened
            if file is not self._file:
                file.close()
            raise WeightsChanged(f"{self.name} cannot be mapped: {error}") from None
        self._file = file
        return mapped

    def _opened(self) -> BinaryIO:
        """The open file, checked to be unchanged. Raises: WeightsChanged"""
        assert self.path is not None
        try:
            file = open_regular(self.path)
        except OSError as error:
            raise WeightsChanged(f"{self.name} cannot be read any more: {error.strerror or error}") from None
        try:
            self._require_same(file)
        except BaseException:
            file.close()
            raise
        return file

    def __repr__(self) -> str:
        return f"<Weights {self.name}, {self.size} bytes>"


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class JoinedWeights(Weights):
    """Weights behind one another, which are addressed as one: those of a file, and bytes that were added.

    Each region that is asked for lies within one of them. Neither are copied. reserved: the offset from which
    bytes are added, so that none of them takes the place of one that the first weights lack.
    """

    __slots__ = ("_parts", "_reserved", "_starts")
    ALIGNMENT = 64
    """Each of the parts starts at a multiple of this, so that elements can be accessed in place."""

    def __init__(self, first: Weights, reserved: int = 0) -> None:
        super().__init__(None)
        self._reserved = reserved
        self.path, self._fault = first.path, first.fault or ""
        self._parts, self._starts = [first], [0]
        self._size = first.size

    def local_path(self) -> str | None:
        """None: they are more than a file."""
        return None

    @property
    def is_single(self) -> bool:
        """Whether nothing was appended."""
        return len(self._parts) == 1

    def append(self, weights: Weights) -> int:
        """Add weights at the end; the offset at which they start."""
        start = -(-max(self._size, self._reserved) // self.ALIGNMENT) * self.ALIGNMENT
        self._parts.append(weights)
        self._starts.append(start)
        self._size = start + weights.size
        self._fault = ""  # what is missing from the first is reported where a constant needs it
        return start

    def copy(self) -> "JoinedWeights":
        """The same parts, to which others can be added."""
        made = JoinedWeights(self._parts[0], self._reserved)
        made._parts, made._starts = list(self._parts), list(self._starts)
        made._size, made._fault = self._size, self._fault
        return made

    def holds(self, offset: int, size: int) -> bool:
        index = bisect_right(self._starts, offset) - 1
        return offset >= 0 and self._parts[index].holds(offset - self._starts[index], size)

    def view(self, offset: int, size: int) -> memoryview:
        part, start = self._part(offset, size)
        return part.view(offset - start, size)

    def read(self, offset: int, size: int, files: OpenFiles | None = None) -> memoryview:
        part, start = self._part(offset, size)
        return part.read(offset - start, size, files)

    def digest(self, offset: int, size: int) -> bytes:
        part, start = self._part(offset, size)
        return part.digest(offset - start, size)

    def copy_to(self, target: IO[bytes], offset: int, size: int) -> None:
        part, start = self._part(offset, size)
        part.copy_to(target, offset - start, size)

    def keep_open(self) -> None:
        for part in self._parts:
            part.keep_open()

    def require_unchanged(self) -> None:
        for part in self._parts:
            part.require_unchanged()

    def _part(self, offset: int, size: int) -> tuple[Weights, int]:
        self._within(offset, size)
        index = bisect_right(self._starts, offset) - 1
        return self._parts[index], self._starts[index]
