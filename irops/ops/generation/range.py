"""Range: the numbers from start on, step by step, before stop."""

from __future__ import annotations

from math import ceil, floor, inf, isfinite

import numpy as np

from irops.ops.conversion import as_numbers, low_bits, rounded
from irops.ops.partial import lifted, whole
from irops.spec.binding import kernel, shape, values
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import Array, ElementType, element_type_of
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape
from irops.values.violation import require

Number = int | float
TOO_LONG = 2**64


@shape("Range-4")
def range_shape(start: Fact, stop: Fact, step: Fact, *, output_type: ElementType) -> Shape:
    first, last, stride = (
        None if fact.value is None else number(fact.value, output_type) for fact in (start, stop, step)
    )
    require(stride != 0, "C2", f"step {stride}")
    if first is not None and last is not None and stride is not None:
        return Shape.of(length(first, last, stride))
    return Shape.of(length_in_part(around(start, first), around(stop, last), around(step, stride)))


@kernel("Range-4")
def range_of(start: Array, stop: Array, step: Array, *, output_type: ElementType) -> Array:
    first, last, stride = (number(item, output_type) for item in (start, stop, step))
    require(stride != 0, "C2", f"step {stride}")
    count = length(first, last, stride)
    if output_type.integral:
        turns = np.arange(count, dtype=np.uint64)  # modulo 2 to the 64, so modulo any fewer bits
        return low_bits(np.uint64(first % 2**64) + turns * np.uint64(stride % 2**64), output_type)
    return rounded(float(first) + np.arange(count, dtype=np.float64) * float(stride), output_type)


@shape("Range-1")
def range_1_shape(start: Fact, stop: Fact, step: Fact) -> Shape:
    return range_shape(start, stop, step, output_type=start.element_type)


@kernel("Range-1")
def range_1(start: Array, stop: Array, step: Array) -> Array:
    return range_of(start, stop, step, output_type=element_type_of(start))


@values("Range-1")
def range_1_dims(start: Array, stop: Array, step: Array, *, result_type: ElementType) -> Array | None:
    return range_dims(start, stop, step, output_type=result_type)


@values("Range-4")
def range_dims(start: Array, stop: Array, step: Array, *, output_type: ElementType) -> Array | None:
    first, last, stride = (whole(lifted(item).item()) for item in (start, stop, step))
    count = length_in_part(first, last, stride)
    if not count.known or not output_type.integral:
        return None
    return dims_array([first + stride * turn for turn in range(int(count))])


def number(item: Array, output_type: ElementType) -> Number:
    """The value of a scalar, an integer exactly; where the output is made of integers, without what is behind
    the point.
    """
    value: Number = as_numbers(item).item()
    require(isfinite(value), "C1", value)
    return int(value) if output_type.integral else value


def length(start: Number, stop: Number, step: Number) -> int:
    """max(ceil((stop - start) / step), 0): exact for integers, in f64 if one is a float."""
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return max(-((start - stop) // step), 0)
    turns = (stop - start) / step
    return max(ceil(turns), 0) if abs(turns) < inf else TOO_LONG if turns > 0 else 0


def around(fact: Fact, known: Number | None) -> Dim:
    """What is known of a scalar, drawn outward to whole numbers."""
    if known is not None:
        return Dim(floor(known), ceil(known))
    return whole(fact.dims[0]) if fact.dims else UNKNOWN


def length_in_part(start: Dim, stop: Dim, step: Dim) -> Dim:
    """What is known of the length, from bounds of start, stop and step."""
    if step.low <= 0 <= step.high:
        return ANY
    up, stride = (stop - start, step) if step.low > 0 else (start - stop, -step)
    return (up if stride == 1 else up.ceil_div(stride)).at_least(0)
