"""The bytes of constants in a file that is written: each content once, and none of them loaded as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, NamedTuple

from irops.ir.storage import Weights

_SMALL = 1 << 16
"""Bytes of a content that is read in any case. A larger one is read only if it may equal another one."""
_SAMPLE = 1 << 14
_STEP = 1 << 20


class _Large(NamedTuple):
    """A large content that is in the file. digested: whether its place is known by a digest of all bytes."""

    weights: Weights
    offset: int
    place: int
    digested: bool = False


class Contents:
    """Appends contents of weights to a file.

    Large contents are copied in the kernel. Those of one size and equal samples of their bytes are compared
    by digests of all bytes, which are read in steps.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._end = file, 0
        self._places: dict[tuple[int, bytes], int] = {}
        self._by_sample: dict[tuple[int, bytes], _Large] = {}

    def append(self, weights: Weights, offset: int, size: int) -> int:
        """The position of a content in the file, to whose end it is written unless it is there already.

        Raises:  ValueError if the bytes are outside the weights; WeightsChanged; OSError
        """
        return (self._small if size <= _SMALL else self._large)(weights, offset, size)

    def _small(self, weights: Weights, offset: int, size: int) -> int:
        content = weights.read(offset, size)
        key = size, _digest([content])
        if key not in self._places:
            self._places[key] = self._reserve(size)
            self._file.write(content)
        return self._places[key]

    def _large(self, weights: Weights, offset: int, size: int) -> int:
        middle = (size - _SAMPLE) // 2
        starts = (0, middle, size - _SAMPLE)
        sample = size, _digest(weights.read(offset + start, _SAMPLE) for start in starts)
        like = self._by_sample.get(sample)
        if like is None:
            place = self._copy(weights, offset, size)
            self._by_sample[sample] = _Large(weights, offset, place)
            return place
        if not like.digested:
            self._places[size, _digest_of_all(like.weights, like.offset, size)] = like.place
            self._by_sample[sample] = like._replace(digested=True)
        key = size, _digest_of_all(weights, offset, size)
        if key not in self._places:
            self._places[key] = self._copy(weights, offset, size)
        return self._places[key]

    def _copy(self, weights: Weights, offset: int, size: int) -> int:
        weights.copy_to(self._file, offset, size)
        return self._reserve(size)

    def _reserve(self, size: int) -> int:
        place, self._end = self._end, self._end + size
        return place


def _digest_of_all(weights: Weights, offset: int, size: int) -> bytes:
    starts = range(0, size, _STEP)
    return _digest(weights.read(offset + start, min(_STEP, size - start)) for start in starts)


def _digest(pieces: Iterable[memoryview]) -> bytes:
    from hashlib import blake2b  # slow to import, and most commands write no model

    digest = blake2b(digest_size=32)
    for piece in pieces:
        digest.update(piece)
    return digest.digest()
