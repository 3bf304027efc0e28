"""Small parts of a remote file: read in blocks that stay in memory, several that are expected together."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from irops.ir.remote.remote_file import RemoteFile

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
