"""The bytes of a model's constants, collected from memory and files without copying."""

from __future__ import annotations

from bisect import bisect_right

from irops.ir.storage import Weights


class Gathered(Weights):
    """Pieces of memory and of mapped files, one behind the other as if they were one file. name: of the
    model, for messages.
    """

    __slots__ = ("_name", "_pieces", "_starts")

    def __init__(self, name: str) -> None:
        super().__init__(None)
        self._name = name
        self._starts: list[int] = []
        self._pieces: list[memoryview] = []

    @property
    def name(self) -> str:
        return self._name

    def add(self, piece: memoryview) -> int:
        """Put a piece behind the others; where it begins."""
        start = self._size
        if len(piece):
            self._starts.append(start)
            self._pieces.append(piece)
            self._size += len(piece)
        return start

    def view(self, offset: int, size: int) -> memoryview:
        """Some of the bytes of one piece, uncopied; ValueError where they are not all there."""
        if size == 0:
            return memoryview(b"")
        place = bisect_right(self._starts, offset) - 1
        if place >= 0 and size > 0:
            begin = offset - self._starts[place]
            if begin + size <= len(self._pieces[place]):
                return self._pieces[place][begin : begin + size]
        raise ValueError(f"bytes {offset} to {offset + size} of {self._size} are out of range")
