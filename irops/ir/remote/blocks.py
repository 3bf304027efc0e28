"""Small parts of a remote file: read in blocks, of which neighbours are asked for together, and kept."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from irops.files.cache.entries import key_of, read_entry, write_entry
from irops.files.cache.folder import cache_folder
from irops.files.cache.remote import BLOCKS, MINUTE, block_bytes
from irops.ir.remote.remote_file import RemoteFile

BLOCK = 1 << 16
GAP = 2
"""Up to this many blocks that nobody needs are read between two that are: another request takes longer."""
AT_ONCE = 8
"""How many requests a server gets at the same time."""
EXPECTED = 512
"""How many blocks are fetched because they are probably needed."""
IN_MEMORY = 1024
"""How many blocks of one file stay in memory."""

_MEMORY = Lock()
"""Held while blocks in memory are replaced. One for all, so that Weights can be copied and pickled."""


class Blocks:
    """The blocks of one version of a file."""

    __slots__ = ("_expected", "_file", "_memory", "_size")

    def __init__(self, file: RemoteFile) -> None:
        self._file, self._size = file, file.size or 0
        self._memory: OrderedDict[int, bytes] = OrderedDict()
        self._expected: set[int] = set()

    def expect(self, places: Iterable[tuple[int, int]]) -> None:
        """Name offsets and sizes that are probably read: their blocks are fetched with the first one."""
        numbers = {number for offset, size in places for number in _numbers(offset, size)}
        self._expected = set(sorted(numbers)[:EXPECTED])

    def read(self, offset: int, size: int) -> bytes:
        """Some of the bytes. Raises: RemoteFileChanged; RemoteError"""
        numbers = _numbers(offset, size)
        blocks = self._blocks(numbers)
        content = b"".join(blocks[number] for number in numbers)
        start = offset - numbers[0] * BLOCK if numbers else 0
        return content[start : start + size]

    def _blocks(self, numbers: Iterable[int]) -> dict[int, bytes]:
        blocks: dict[int, bytes] = {}
        missing: list[int] = []
        for number in numbers:
            block = self._memory.get(number) or self._kept(number)
            if block is None:
                missing.append(number)
            else:
                blocks[number] = block
        if missing:
            blocks |= self._fetched(missing)
        with _MEMORY:
            for number, block in blocks.items():
                self._memory[number] = block
                self._memory.move_to_end(number)
            while len(self._memory) > IN_MEMORY:
                self._memory.popitem(last=False)
        return blocks

    def _fetched(self, numbers: list[int]) -> dict[int, bytes]:
        """Blocks that the server sends, all of the version that the file had when it was opened."""
        expected, self._expected = self._expected, set()
        numbers += [number for number in expected - {*numbers} if self._kept(number) is None]
        blocks: dict[int, bytes] = {}
        runs = list(_runs(numbers))
        for (first, last), content in zip(runs, self._contents(runs)):
            for number in range(first, last + 1):
                blocks[number] = content[(number - first) * BLOCK : (number - first + 1) * BLOCK]
        self._file.require_unchanged()
        for number, block in blocks.items():
            self._keep(number, block)
        return blocks

    def _contents(self, runs: list[tuple[int, int]]) -> Iterable[bytes]:
        """The bytes of blocks that follow one another, of several such runs at the same time."""
        places = [(first * BLOCK, min((last + 1) * BLOCK, self._size)) for first, last in runs]
        if len(places) == 1 or not self._file.is_concurrent:
            return [self._file.read(start, end - start) for start, end in places]
        with ThreadPoolExecutor(min(AT_ONCE, len(places))) as threads:
            return list(threads.map(lambda place: self._file.read(place[0], place[1] - place[0]), places))

    def _kept(self, number: int) -> bytes | None:
        folder = cache_folder()
        if folder is None or not self._file.version.is_certain:
            return None
        return read_entry(os.path.join(folder, BLOCKS), self._key(number), MINUTE)

    def _keep(self, number: int, block: bytes) -> None:
        folder = cache_folder()
        if folder is not None and self._file.version.is_certain:
            write_entry(os.path.join(folder, BLOCKS), self._key(number), block, block_bytes())

    def _key(self, number: int) -> str:
        file = self._file
        return key_of(file.identity.encode(), file.version.text.encode(), b"%d %d" % (BLOCK, number))


def _numbers(offset: int, size: int) -> range:
    """The blocks that have some bytes."""
    return range(offset // BLOCK, -(-(offset + size) // BLOCK)) if size else range(0)


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """The first and last of blocks that are asked for together."""
    ordered = sorted(numbers)
    first = last = ordered[0]
    for number in ordered[1:]:
        if number - last > GAP + 1:
            yield first, last
            first = number
        last = number
    yield first, last
