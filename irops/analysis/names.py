"""Names for sizes that are not known: each has its own, so that where it comes back it is known to be the
same.
"""

from __future__ import annotations

from irops.values.dim import GENERATED_PREFIX, Dim
from irops.values.fact import Fact
from irops.values.shape import Shape


class Names:
    """Gives names that no other size of one inference has: #0, #1 ..., which no caller can give.

    prefix: precedes the numbers, where sizes of several inferences meet
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix, self._next = f"{GENERATED_PREFIX}{prefix}", 0

    def copy(self) -> Names:
        """Names that continue with the same number as these."""
        made = Names()
        made._prefix, made._next = self._prefix, self._next
        return made

    def named(self, facts: list[Fact]) -> list[Fact]:
        """The facts, every size without a symbol under a new name; the same list where all have symbols."""
        for fact in facts:
            if not _all_named(fact.shape):
                break
        else:
            return facts
        return [
            fact if _all_named(fact.shape) else fact.with_shape(self._shape(fact.shape)) for fact in facts
        ]

    def _shape(self, shape: Shape) -> Shape:
        return Shape(self._size(size) for size in shape)

    def _size(self, size: Dim) -> Dim:
        if size.known or size.symbol is not None:
            return size
        name = f"{self._prefix}{self._next}"
        self._next += 1
        return size.named(name)


def _all_named(shape: Shape) -> bool:
    if shape.dims is not None:
        for size in shape.dims:
            if size.low != size.high and size.symbol is None:
                return False
    return True
