"""AdaptiveAvgPool and AdaptiveMaxPool: pooling to a given output size."""

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.partial import entries
from irops.ops.sliding import at
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, ElementType, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require


@shape("AdaptiveAvgPool-8")
def adaptive_pool_shape(data: Fact, output_shape: Fact) -> Shape:
    count = output_shape.shape[0]
    if data.shape.dims is not None:
        count = unify(count, len(data.shape) - 2, "C1")
    if not count.known:
        return UNRANKED
    require(1 <= int(count) <= 3, "C1", f"{count} sizes")
    sizes = entries(output_shape, int(count))
    require(all(size >= 0 for size in sizes), "C2", Shape(sizes))
    return Shape.of(data.shape[0], data.shape[1], *(size.at_least(0) for size in sizes))


@shape("AdaptiveMaxPool-8")
def adaptive_max_pool_shape(data: Fact, output_shape: Fact) -> tuple[Shape, Shape]:
    pooled = adaptive_pool_shape(data, output_shape)
    if data.shape.dims is not None:
        for size, count in zip(data.shape[2:], pooled[2:]):
            require_elements(size, count)
    return pooled, pooled


def require_elements(size: Dim, count: Dim) -> None:
    require(size > 0 or count.low <= 0, "C3", f"output size {count} for an axis of size {size}")


@kernel("AdaptiveAvgPool-8", widen=True)
def adaptive_avg_pool(data: Array, output_shape: Array) -> Array:
    counts = tuple(map(int, as_i64(output_shape)))
    if 0 in (*data.shape[:2], *counts):
        return np.zeros((*data.shape[:2], *counts), data.dtype)
    for axis, count in enumerate(counts, 2):
        sums = np.zeros((*data.shape[:axis], count, *data.shape[axis + 1 :]), data.dtype)
        for position, window in enumerate(windows(data.shape[axis], count)):
            covered = data[at(axis, window)]
            sums[at(axis, position)] = covered.sum(axis=axis) / data.dtype.type(max(covered.shape[axis], 1))
        data = sums
    return data


@kernel("AdaptiveMaxPool-8")
def adaptive_max_pool(
    data: Array, output_shape: Array, *, index_element_type: ElementType
) -> tuple[Array, Array]:
    """Reduce one axis after the other, starting with the last, so that the first of equal maxima is found."""
    counts = tuple(map(int, as_i64(output_shape)))
    if 0 in (*data.shape[:2], *counts):
        empty = (*data.shape[:2], *counts)
        return np.zeros(empty, data.dtype), np.zeros(empty, index_element_type.dtype)
    numbers, kind = as_numbers(data), element_type_of(data)
    maxima = np.where(np.isnan(numbers), -np.inf, numbers).astype(numbers.dtype) if kind.floating else numbers
    indices = np.zeros(data.shape, np.int64)
    stride = 1
    for axis, count in reversed([*enumerate(counts, 2)]):
        require_elements(Dim.of(data.shape[axis]), Dim.of(count))
        shape = (*maxima.shape[:axis], count, *maxima.shape[axis + 1 :])
        pooled, pooled_indices = np.zeros(shape, numbers.dtype), np.zeros(shape, np.int64)
        for position, window in enumerate(windows(data.shape[axis], count)):
            first = maxima[at(axis, window)].argmax(axis=axis, keepdims=True) + window.start
            here = at(axis, slice(position, position + 1))
            pooled[here] = np.take_along_axis(maxima, first, axis)
            pooled_indices[here] = np.take_along_axis(indices, first, axis) + first * stride
        maxima, indices, stride = pooled, pooled_indices, stride * data.shape[axis]
    output = low_bits(maxima, kind) if kind.integral else maxima.astype(data.dtype)
    return output, indices.astype(index_element_type.dtype)


def windows(size: int, count: int) -> list[slice]:
    """The elements of each of count windows, which together cover an axis."""
    return [slice(position * size // count, -(-(position + 1) * size // count)) for position in range(count)]
