"""The weights of a model in a remote file: of which little is read for a check, and all for a run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from tempfile import gettempdir, mkdtemp
from threading import Lock
from typing import IO, Any
from weakref import finalize

from irops.files.limits import Limits
from irops.files.storage import OpenFiles, Weights, WeightsChanged, count_read
from irops.files.urls import name_of, without_credentials
from irops.ir.remote.files import NoRanges, RemoteError, RemoteFile, RemoteFileChanged

STEP = 8 << 20
"""Bytes that are copied at once."""


class RemoteWeights(Weights):
    """The bytes of a remote file.

    read and copy_to ask the server for parts; view fetches the whole file, once, to a temporary file that is
    removed with this object. path: the URL without credentials
    """

    __slots__ = ("_blocks", "_fetching", "_folder", "_local", "_remote")
    is_remote = True

    def __init__(self, url: str, limits: Limits) -> None:
        remote: RemoteFile | None = None
        try:
            remote = RemoteFile(url, limits)
            if remote.size is None:
                raise RemoteError("the server does not say how large it is")
        except RemoteError as error:
            self._set(None, without_credentials(url), error.sentence)
        else:
            self._set(remote, remote.name, "")

    def _set(self, remote: RemoteFile | None, path: str, fault: str) -> None:
        super().__init__(None)
        self.path: str | None = path
        self._remote, self._fault = remote, fault
        self._bytes = None
        self._local: Weights | None = None
        self._folder: _Folder | None = None  # that of the temporary file
        self._fetching = Lock()
        if remote is not None:
            self._blocks, self._size = Blocks(remote), remote.size or 0

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes, which have the same version of the file or report that it was changed."""
        return _restored, (self._remote, self.path, self._fault)

    @property
    def name(self) -> str:
        return name_of(self.path or "")

    def view(self, offset: int, size: int) -> memoryview:
        self._within(offset, size)
        return self._whole().view(offset, size)

    def read(self, offset: int, size: int, files: OpenFiles | None = None) -> memoryview:
        """A copy of some of the bytes. Raises the errors of view."""
        self._within(offset, size)
        if self._local is not None or size == 0:
            return self._local.read(offset, size, files) if self._local else memoryview(b"")
        content = self._content(offset, size)
        if content is None:
            return self._whole().read(offset, size, files)
        count_read(size)
        return memoryview(content)

    def copy_to(self, target: IO[bytes], offset: int, size: int) -> None:
        self._within(offset, size)
        for start in range(offset, offset + size, STEP):
            target.write(self.read(start, min(STEP, offset + size - start)))

    def expect(self, places: Iterable[tuple[int, int]]) -> None:
        if self._remote is not None:
            self._blocks.expect((at, size) for at, size in places if at + size <= self._size)

    def keep_open(self) -> None:
        """Nothing is written over a remote file."""

    def local_path(self) -> str | None:
        """The temporary file, which stays there as long as these weights are in use."""
        return self._whole().local_path()

    def _content(self, offset: int, size: int) -> bytes | None:
        """Some of the bytes; None if the server sends no parts."""
        remote = self._remote
        assert remote is not None
        try:
            if size <= BLOCK:
                return self._blocks.read(offset, size)
            content = remote.read(offset, size)
            remote.require_unchanged()
            return content
        except NoRanges:
            return None
        except OSError as error:
            raise self._unreadable(error) from None

    def _whole(self) -> Weights:
        """The temporary file, to which the content is fetched once."""
        with self._fetching:
            if self._local is None:
                if self._size == 0 or self._remote is None:
                    return Weights.of_bytes(b"")
                try:
                    self._local = self._fetched(self._remote, self._size)
                except OSError as error:
                    raise self._unreadable(error) from None
            return self._local

    def _fetched(self, remote: RemoteFile, size: int) -> Weights:
        free = shutil.disk_usage(gettempdir()).free
        if free < size:
            where = f"{gettempdir()} has {free:,} left; TMPDIR names another folder"
            raise RemoteError(f"it has {size:,} bytes to fetch, {where}")
        self._folder = _Folder()
        path = os.path.join(self._folder.name, "weights.bin")
        with open(path, "xb") as file:
            if sum(file.write(step) for step in remote.in_steps(size)) != size:
                raise remote.changed()
        remote.require_unchanged()
        return Weights.of_file(path)

    def _unreadable(self, error: OSError) -> WeightsChanged:
        if isinstance(error, RemoteFileChanged):
            return self._changed()
        return WeightsChanged(f"{self.name} cannot be read: {error.strerror or error}")


class _Folder:
    """A temporary folder, which the process that made it removes with this object."""

    def __init__(self) -> None:
        self.name = mkdtemp(prefix="irops-")
        finalize(self, _remove, self.name, os.getpid())


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # not in a forked child
        shutil.rmtree(folder, ignore_errors=True)


def _restored(remote: RemoteFile | None, path: str, fault: str) -> RemoteWeights:
    weights = RemoteWeights.__new__(RemoteWeights)
    weights._set(remote, path, fault)
    return weights


# Small parts of a remote file: read in blocks that stay in memory, several that are expected together.

BLOCK = 1 << 16
GAP = 2 * BLOCK
"""Up to this many bytes that nobody needs are read between two parts: another request takes longer."""
AT_ONCE = 8
"""How many requests a server gets at the same time."""
EXPECTED = 512
"""How many blocks are fetched because they are probably needed."""
IN_MEMORY = 1024
"""How many blocks of one file stay in memory."""


class Blocks:
    """The blocks of one version of a file."""

    def __init__(self, file: RemoteFile) -> None:
        from fsspec.caching import BlockCache  # is installed where a remote file was opened

        self._file, self._size = file, file.size or 0
        self._expected: list[int] = []
        self._fetched: list[tuple[int, bytes]] = []
        self._cache = BlockCache(BLOCK, self._content, self._size, IN_MEMORY)

    def expect(self, places: Iterable[tuple[int, int]]) -> None:
        """Name offsets and sizes that are probably read: their blocks are fetched with the first one."""
        starts = {
            start
            for offset, size in places
            for start in range(offset - offset % BLOCK, offset + size, BLOCK)
            if self._part(start, min(start + BLOCK, self._size)) is None
        }
        self._expected = sorted(starts)[:EXPECTED]

    def read(self, offset: int, size: int) -> bytes:
        """Some of the bytes. Raises: RemoteFileChanged; RemoteError"""
        return bytes(self._cache._fetch(offset, offset + size))

    def _content(self, start: int, end: int) -> bytes:
        """A block that is not in memory, of the version that the file had when it was opened."""
        end = min(end, self._size)
        if self._expected:
            self._fetch_expected()
        content = self._part(start, end)
        if content is None:
            content = self._file.read(start, end - start)
            self._file.require_unchanged()
        return content

    def _part(self, start: int, end: int) -> bytes | None:
        """A part of what was fetched because it was expected."""
        for begin, content in self._fetched:
            if begin <= start and end <= begin + len(content):
                return content[start - begin : end - begin]
        return None

    def _fetch_expected(self) -> None:
        from fsspec.utils import merge_offset_ranges

        starts, self._expected = self._expected, []
        ends = [min(start + BLOCK, self._size) for start in starts]
        _, starts, ends = merge_offset_ranges([""] * len(starts), starts, ends, max_gap=GAP)
        sizes = [end - start for start, end in zip(starts, ends)]
        with ThreadPoolExecutor(min(AT_ONCE, len(starts)) if self._file.is_concurrent else 1) as threads:
            contents = list(threads.map(self._file.read, starts, sizes))
        self._file.require_unchanged()
        self._fetched = list(zip(starts, contents))
