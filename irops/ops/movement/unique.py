"""Unique: the unique elements of a tensor, or its unique slices along an axis."""

import numpy as np

from irops.ops.conversion import as_numbers
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim
from irops.values.element import Array, ElementType, as_i64, element_type_of, tagged
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless


@shape("Unique-10")
def unique_shape(data: Fact, axis: Fact | None, *, sorted: bool) -> tuple[Shape, Shape, Shape, Shape]:
    if axis is not None:
        require(axis.shape.size.can_be(1), "C1", axis)
        warn_unless(axis.value is not None, "C2", axis)
    if data.value is not None and (axis is None or axis.value is not None):
        arrays = unique_parts(data.value, None if axis is None else axis.value, sorted)
        first, second, third, fourth = (Shape(array.shape) for array in arrays)
        return first, second, third, fourth
    if axis is None:
        size = data.shape.size
        count = unique_count(size)
        return Shape.of(count), Shape.of(count), Shape.of(size), Shape.of(count)
    if data.shape.dims is None:
        return UNRANKED, Shape.of(ANY), Shape.of(ANY), Shape.of(ANY)
    if axis.value is None:
        return Shape(map(unique_count, data.shape)), Shape.of(ANY), Shape.of(ANY), Shape.of(ANY)
    at = axis_of(axis.value, len(data.shape))
    size = data.shape[at]
    count = unique_count(size)
    return data.shape.with_dim(at, count), Shape.of(count), Shape.of(size), Shape.of(count)


def unique_count(size: Dim) -> Dim:
    """Bounds of the number of unique ones among size elements."""
    return Dim(min(size.low, 1), size.high)


def axis_of(axis: Array | None, rank: int) -> int:
    """The axis counted from 0."""
    assert axis is not None
    number = int(as_i64(axis).item())
    require(-rank <= number < rank, "C3", f"axis {number} at rank {rank}")
    return normal_axes([number], rank, "C3")[0]


def unique_parts(data: Array, axis: Array | None, ascending: bool) -> tuple[Array, Array, Array, Array]:
    """The four outputs: unique, first, which and counts."""
    at = None if axis is None else axis_of(axis, data.ndim)
    width = -1 if data.size else 0
    rows = data.reshape(-1, 1) if at is None else np.moveaxis(data, at, 0).reshape(data.shape[at], width)
    first, which, counts = groups(rows)
    if not ascending:
        order = np.argsort(first, kind="stable")
        first, counts, which = first[order], counts[order], np.argsort(order)[which]
    kind = element_type_of(data)
    kept = data.reshape(-1)[first] if at is None else np.take(data, first, at)
    return tagged(kept, kind), first, which, counts


def groups(rows: Array) -> tuple[Array, Array, Array]:
    """Groups of equal rows, in ascending order.

    Returns the index of the first row of each group, the group of each row, and the size of each group.
    """
    count = len(rows)
    columns = [
        as_numbers(column) if column.dtype != object else np.unique(column, return_inverse=True)[1]
        for column in rows.T
    ]
    order = np.lexsort(columns[::-1]) if columns else np.arange(count)
    starts = np.zeros(count, bool)
    starts[:1] = True
    for column in columns:
        starts[1:] |= column[order][1:] != column[order][:-1]
    group = np.cumsum(starts) - 1
    which = np.empty(count, np.int64)
    which[order] = group
    return order[starts], which, np.bincount(group, minlength=int(starts.sum()))


@kernel("Unique-10")
def unique(
    data: Array,
    axis: Array | None,
    *,
    sorted: bool,
    index_element_type: ElementType,
    count_element_type: ElementType,
) -> tuple[Array, Array, Array, Array]:
    kept, first, which, counts = unique_parts(data, axis, sorted)
    numbers = index_element_type.dtype
    return kept, first.astype(numbers), which.astype(numbers), counts.astype(count_element_type.dtype)
