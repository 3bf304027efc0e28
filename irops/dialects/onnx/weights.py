"""The bytes of a model's constants, collected from memory and files without copying."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple, TypeAlias

from irops.ir.storage import OpenFiles, Weights


class Stored(NamedTuple):
    """Bytes in a file, which are read when they are needed."""

    weights: Weights
    offset: int
    size: int


Piece: TypeAlias = memoryview | Stored


def size_of(piece: Piece) -> int:
    """The number of bytes of a piece."""
    return piece.size if isinstance(piece, Stored) else len(piece)


def content_of(piece: Piece) -> memoryview:
    """The bytes of a piece. Raises: WeightsChanged if a file is not what it was"""
    return piece.weights.view(piece.offset, piece.size) if isinstance(piece, Stored) else piece


class Gathered(Weights):
    """Pieces of memory and of files, one behind the other as if they were one file. name: of the
    model, for messages.
    """

    __slots__ = ("_name", "_pieces", "_starts")

    def __init__(self, name: str) -> None:
        super().__init__(None)
        self._name = name
        self._starts: list[int] = []
        self._pieces: list[Piece] = []

    @property
    def name(self) -> str:
        return self._name

    def add(self, piece: Piece) -> int:
        """Put a piece behind the others; where it begins."""
        start, size = self._size, size_of(piece)
        if size:
            self._starts.append(start)
            self._pieces.append(piece)
            self._size += size
        return start

    def view(self, offset: int, size: int) -> memoryview:
        """Some of the bytes of one piece, uncopied; ValueError where they are not all there."""
        if size == 0:
            return memoryview(b"")
        piece, begin = self._piece(offset, size)
        if isinstance(piece, Stored):
            return piece.weights.view(piece.offset + begin, size)
        return piece[begin : begin + size]

    def read(self, offset: int, size: int, files: OpenFiles | None = None) -> memoryview:
        """As view; bytes of a file are read, and not mapped."""
        if size == 0:
            return memoryview(b"")
        piece, begin = self._piece(offset, size)
        if isinstance(piece, Stored):
            return piece.weights.read(piece.offset + begin, size, files)
        return piece[begin : begin + size]

    def _piece(self, offset: int, size: int) -> tuple[Piece, int]:
        """The piece that has some of the bytes, and where in it they begin."""
        place = bisect_right(self._starts, offset) - 1
        if place >= 0 and size > 0:
            begin = offset - self._starts[place]
            if begin + size <= size_of(self._pieces[place]):
                return self._pieces[place], begin
        raise ValueError(f"bytes {offset} to {offset + size} of {self._size} are out of range")
