"""NonZero: the indices of the elements that are not zero."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim
from irops.values.element import NF4_ZERO, Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("NonZero-3")
def non_zero_shape(data: Fact) -> Shape:
    count = non_zero_count(data)
    if data.shape.rank == 0:
        return Shape.of(count, count)
    return Shape.of(ANY if data.shape.rank is None else data.shape.rank, count)


def non_zero_count(data: Fact) -> Dim:
    """Bounds of the number of elements that are not zero."""
    if data.value is not None:
        return Dim.of(int(np.count_nonzero(is_non_zero(data.value))))
    if data.known is None or data.dims is None:
        return Dim(0, data.shape.size.high)
    return Dim(sum(not dim.can_be(0) for dim in data.dims), sum(dim != 0 for dim in data.dims))


def is_non_zero(data: Array) -> Array:
    """Whether each element is not zero. The zero of strings is the empty string; f8e8m0 has no zero."""
    if data.dtype == object:
        return np.asarray(data != "", dtype=bool)
    return data != NF4_ZERO if element_type_of(data).name == "nf4" else data.astype(bool)


@kernel("NonZero-3")
def non_zero(data: Array, *, output_type: ElementType) -> Array:
    mask = is_non_zero(data)
    if data.ndim == 0:
        return np.zeros((int(mask), int(mask)), output_type.dtype)
    return np.stack(np.nonzero(mask)).astype(output_type.dtype)
