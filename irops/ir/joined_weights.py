"""Weights of several origins, addressed as one."""

from __future__ import annotations

from bisect import bisect_right
from typing import IO

from irops.ir.open_files import OpenFiles
from irops.ir.storage import Weights


class JoinedWeights(Weights):
    """Weights behind one another, which are addressed as one: those of a file, and bytes that were added.

    Each region that is asked for lies within one of them. Neither are copied.
    """

    __slots__ = ("_parts", "_starts")
    ALIGNMENT = 64
    """Each of the parts starts at a multiple of this, so that elements can be accessed in place."""

    def __init__(self, first: Weights) -> None:
        super().__init__(None)
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
        start = -(-self._size // self.ALIGNMENT) * self.ALIGNMENT
        self._parts.append(weights)
        self._starts.append(start)
        self._size = start + weights.size
        self._fault = ""  # what is missing from the first is reported where a constant needs it
        return start

    def copy(self) -> JoinedWeights:
        """The same parts, to which others can be added."""
        made = JoinedWeights(self._parts[0])
        made._parts, made._starts = list(self._parts), list(self._starts)
        made._size, made._fault = self._size, self._fault
        return made

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
