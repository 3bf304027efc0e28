"""Clamp: limit every element to the range from min to max."""

from __future__ import annotations

from math import ceil, floor, inf

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.spec.binding import kernel, shape, values
from irops.values.dim import Dim, maximum, minimum
from irops.values.element import Array, ElementType, element_type_of
from irops.values.fact import Fact, each_dim
from irops.values.shape import Shape
from irops.values.violation import require


@shape("Clamp-1")
def clamp_shape(data: Fact, *, min: float, max: float) -> Shape:
    require(min <= max, "C1", f"{min:g} to {max:g}")
    return data.shape


@kernel("Clamp-1", widen=True)
def clamp(data: Array, *, min: float, max: float) -> Array:
    kind = element_type_of(data)
    if not kind.integral:
        return clipped(data, min, max)
    return low_bits(clipped(as_numbers(data), *whole_bounds(kind, min, max)), kind)


@values("Clamp-1")
def clamp_dims(data: Array, *, min: float, max: float, result_type: ElementType) -> Array:
    low, high = whole_bounds(result_type, min, max) if result_type.integral else (min, max)
    return each_dim(lambda dim: minimum(maximum(dim, bound_dim(low)), bound_dim(high)), data)


def bound_dim(bound: float) -> Dim:
    """The interval of the integers around a bound; only one value if the bound is an integer or infinite."""
    return Dim(bound, bound) if abs(bound) == inf else Dim(floor(bound), ceil(bound))


def clipped(numbers: Array, low: float, high: float) -> Array:
    return np.minimum(np.maximum(numbers, low, dtype=numbers.dtype), high, dtype=numbers.dtype)


def whole_bounds(kind: ElementType, low: float, high: float) -> tuple[int, int]:
    """The bounds as integers of a type: rounded inwards, and limited to its range."""
    type_min, type_max = map(int, kind.extent)
    return (
        type_min if low == -inf else _median(type_min, ceil(low) if low < inf else type_max, type_max),
        type_max if high == inf else _median(type_min, floor(high) if high > -inf else type_min, type_max),
    )


def _median(low: int, number: int, high: int) -> int:
    return sorted((low, number, high))[1]
