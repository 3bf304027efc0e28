"""Names for sizes that are not known: each has its own, so that where it comes back it is known to be the
same.
"""

from __future__ import annotations

from itertools import count

from irops.values.dim import GENERATED_PREFIX
from irops.values.fact import Fact
from irops.values.shape import Shape


class Names:
    """Gives names that no other size of one inference has: #0, #1 ..., which no caller can give.

    prefix: precedes the numbers, where sizes of several inferences meet
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix, self._numbers = f"{GENERATED_PREFIX}{prefix}", count()

    def named(self, facts: list[Fact]) -> list[Fact]:
        """The facts, every size without a symbol under a new name."""
        return [
            fact if _all_named(fact.shape) else fact.with_shape(self._shape(fact.shape)) for fact in facts
        ]

    def _shape(self, shape: Shape) -> Shape:
        return Shape(
            size
            if size.known or size.symbol is not None
            else size.named(f"{self._prefix}{next(self._numbers)}")
            for size in shape
        )


def _all_named(shape: Shape) -> bool:
    if shape.dims is not None:
        for size in shape.dims:
            if size.low != size.high and size.symbol is None:
                return False
    return True
