"""SquaredDifference: (a - b)^2, element by element."""

from __future__ import annotations

from irops.ops.elementwise import Number, elementwise, elementwise_dims


@elementwise_dims("SquaredDifference-1")
@elementwise("SquaredDifference-1")
def squared_difference(a: Number, b: Number) -> Number:
    square: Number = (a - b) * (a - b)
    return square
