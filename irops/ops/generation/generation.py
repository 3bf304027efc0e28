"""Eye and Range."""

from math import ceil, floor, inf, isfinite

import numpy as np

from irops.ops.conversion import as_numbers, converted, low_bits, rounded
from irops.ops.partial import as_dims, whole
from irops.spec.binding import kernel, shape, values
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import BOOLEAN, Array, ElementType, as_i64, element_type_of
from irops.values.fact import Fact, dims_array
from irops.values.shape import SCALAR, UNRANKED, Shape
from irops.values.violation import require


@shape("Eye-9")
def eye_shape(num_rows: Fact, num_columns: Fact, diagonal_index: Fact, batch_shape: Fact | None) -> Shape:
    for single in (num_rows, num_columns, diagonal_index):
        require(single.shape.size.can_be(1), "C1", single)
    sizes = Shape.of(*(_size((number.dims or (UNKNOWN,))[0]) for number in (num_rows, num_columns)))
    if batch_shape is None:
        return SCALAR + sizes
    if batch_shape.dims is None:
        count = batch_shape.shape[0]
        return (Shape((ANY,) * int(count)) if count.known and count <= 64 else UNRANKED) + sizes
    return Shape(map(_size, batch_shape.dims)) + sizes


def _size(size: Dim) -> Dim:
    require(size >= 0, "C2", size)
    return size.at_least(0)


@kernel("Eye-9")
def eye(
    num_rows: Array,
    num_columns: Array,
    diagonal_index: Array,
    batch_shape: Array | None,
    *,
    output_type: ElementType,
) -> Array:
    rows, columns, diagonal = (
        int(as_i64(number).item()) for number in (num_rows, num_columns, diagonal_index)
    )
    batch = () if batch_shape is None else tuple(as_i64(batch_shape).tolist())
    require(all(size >= 0 for size in (rows, columns, *batch)), "C2", rows, columns, batch)
    ones = np.arange(columns) - np.arange(rows)[:, np.newaxis] == diagonal
    return np.broadcast_to(
        ones if output_type is BOOLEAN else converted(ones, output_type), (*batch, rows, columns)
    )


Number = int | float
TOO_LONG = 2**64
"""The length of a range that is longer than any axis can be."""


@shape("Range-4")
def range_shape(start: Fact, stop: Fact, step: Fact, *, output_type: ElementType) -> Shape:
    first, last, stride = (
        None if fact.value is None else number(fact.value, output_type) for fact in (start, stop, step)
    )
    require(stride != 0, "C2", f"step {stride}")
    if first is not None and last is not None and stride is not None:
        return Shape.of(length(first, last, stride))
    return Shape.of(
        length_bounds(integer_dim(start, first), integer_dim(stop, last), integer_dim(step, stride))
    )


@kernel("Range-4")
def range_of(start: Array, stop: Array, step: Array, *, output_type: ElementType) -> Array:
    first, last, stride = (number(item, output_type) for item in (start, stop, step))
    require(stride != 0, "C2", f"step {stride}")
    count = length(first, last, stride)
    if output_type.integral:
        steps = np.arange(count, dtype=np.uint64)  # exact modulo 2^64, and so modulo any narrower type
        return low_bits(np.uint64(first % 2**64) + steps * np.uint64(stride % 2**64), output_type)
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
    first, last, stride = (whole(as_dims(item).item()) for item in (start, stop, step))
    count = length_bounds(first, last, stride)
    if not count.known or not output_type.integral:
        return None
    return dims_array([first + stride * number_of_steps for number_of_steps in range(int(count))])


def number(item: Array, output_type: ElementType) -> Number:
    """The value of a scalar; an integer stays exact, and a float is truncated if the output has an integer
    type.
    """
    value: Number = as_numbers(item).item()
    require(isfinite(value), "C1", value)
    return int(value) if output_type.integral else value


def length(start: Number, stop: Number, step: Number) -> int:
    """max(ceil((stop - start) / step), 0): exact for integers, in f64 if one is a float."""
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return max(-((start - stop) // step), 0)
    steps = (stop - start) / step
    if steps == inf:
        return TOO_LONG
    return max(ceil(steps), 0) if steps > 0 else 0


def integer_dim(fact: Fact, value: Number | None) -> Dim:
    """The interval of a scalar, widened to integers. value: its value, if it is known."""
    if value is not None:
        return Dim(floor(value), ceil(value))
    return whole(fact.dims[0]) if fact.dims else UNKNOWN


def length_bounds(start: Dim, stop: Dim, step: Dim) -> Dim:
    """The interval of the length, from the intervals of start, stop and step."""
    if step.low <= 0 <= step.high:
        return ANY
    up, stride = (stop - start, step) if step.low > 0 else (start - stop, -step)
    return (up if stride == 1 else up.ceil_div(stride)).at_least(0)
