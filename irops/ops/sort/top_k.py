"""TopK, SearchSorted, and the regions of Detectron with the greatest scores."""

from math import prod

import numpy as np

from irops.ops.movement.gather import taken_along
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, UNKNOWN, Dim, unify
from irops.values.element import Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless

MAX_FRACTION = 0.25
"""Up to this fraction of an axis, the elements are selected before they are sorted."""


@shape("TopK-11")
def top_k_shape(data: Fact, k: Fact, *, axis: int, sort: str, stable: bool) -> tuple[Shape, Shape]:
    require(not stable or sort != "none", "C4", f"sort {sort}")
    return _selected_shapes(data, k, axis)


def _selected_shapes(data: Fact, k: Fact, axis: int) -> tuple[Shape, Shape]:
    count = check_count((k.dims or (UNKNOWN,))[0], data.shape[axis])
    selected = data.shape.with_dim(axis, count)
    return selected, selected


def check_count(k: Dim, size: Dim) -> Dim:
    """The number of elements to select, between 0 and size. Raises Violation if k is out of range."""
    require(k >= 0, "C2", k)
    require(k <= size, "C1", k, f"{size} elements")
    warn_unless(k >= 1, "C3", k)
    return k.at_least(0) if k.high <= size.high else Dim(max(k.low, 0), size.high)


@shape("TopK-1", "TopK-3")
def top_k_1_shape(data: Fact, k: Fact, *, axis: int) -> tuple[Shape, Shape]:
    return _selected_shapes(data, k, axis)


@kernel("TopK-1", "TopK-3", "TopK-11")
def top_k(
    data: Array, k: Array, *, axis: int, mode: str, sort: str, index_element_type: ElementType
) -> tuple[Array, Array]:
    count = int(as_i64(k))
    check_count(Dim.of(count), Dim.of(data.shape[axis]))
    keys = comparable(data)
    if mode == "max":  # NaN stays last
        keys = ~keys if keys.dtype.kind in "biu" else -keys
    first = np.moveaxis(keys, axis, -1)
    rows = first.reshape(prod(first.shape[:-1]), first.shape[-1])  # NumPy sorts arrays of at most 32 axes
    order = first_in_order(rows, count)
    if sort == "index":
        order = np.sort(order, axis=-1)
    chosen = np.moveaxis(order.reshape(*first.shape[:-1], count), -1, axis)
    return taken_along(data, chosen, axis), chosen.astype(index_element_type.dtype, copy=False)


def first_in_order(rows: Array, count: int) -> Array:
    """The indices of the `count` smallest keys of each row, ascending by key.

    Equal keys are ordered by index; NaN is greater than all numbers.
    """
    if not rows.size or count > MAX_FRACTION * rows.shape[-1]:
        return np.argsort(rows, axis=-1, kind="stable")[:, :count]
    if count == 0:
        return np.zeros((len(rows), 0), np.intp)
    chosen = rows <= np.partition(rows, count - 1, axis=-1)[:, count - 1, np.newaxis]
    unique = np.count_nonzero(chosen, axis=-1) == count  # else more keys equal the last, or it is NaN
    indices = np.empty((len(rows), count), np.intp)
    candidates = np.nonzero(chosen[unique])[1].reshape(-1, count)
    order = np.argsort(np.take_along_axis(rows[unique], candidates, -1), axis=-1, kind="stable")
    indices[unique] = np.take_along_axis(candidates, order, -1)
    indices[~unique] = np.argsort(rows[~unique], axis=-1, kind="stable")[:, :count]
    return indices


def comparable(data: Array) -> Array:
    """Convert elements to a type that NumPy sorts fast, keeping their order.

    The codes of u1, u3, u6 and nf4 have the same order as the values that they represent.
    """
    if data.dtype.kind in "biu" or data.dtype.itemsize > 2:
        return data
    return data.astype(np.int16 if data.dtype.name.startswith(("int", "uint")) else np.float32)


@shape("SearchSorted-15")
def search_sorted_shape(sorted_sequence: Fact, values: Fact) -> Shape:
    sequences, searched = sorted_sequence.shape, values.shape
    if sorted_sequence.value is not None:
        check_order(sorted_sequence.value)
    if sequences.dims is None:
        return searched
    if searched.dims is None:
        return UNRANKED if len(sequences) == 1 else Shape.of(*sequences[:-1], ANY)
    if len(sequences) == 1:
        return searched
    require(len(sequences) == len(searched), "C1", sequences, searched)
    return Shape.of(*(unify(a, b, "C2") for a, b in zip(sequences[:-1], searched[:-1])), searched[-1])


@kernel("SearchSorted-15")
def search_sorted(
    sorted_sequence: Array, values: Array, *, right_mode: bool, output_type: ElementType
) -> Array:
    check_order(sorted_sequence)
    first = np.zeros(values.shape, np.int64)
    remaining = np.full(values.shape, sorted_sequence.shape[-1], np.int64)
    while remaining.size and remaining.max() > 0:  # bisection: each step halves the remaining range
        half = remaining // 2
        middle = first + half
        last = max(sorted_sequence.shape[-1] - 1, 0)
        at = np.minimum(middle, last)
        of_one = sorted_sequence.ndim == 1
        elements = sorted_sequence[at] if of_one else taken_along(sorted_sequence, at, -1)
        beyond = (remaining > 0) & (elements <= values if right_mode else elements < values)
        first = np.where(beyond, middle + 1, first)
        remaining = np.where(beyond, remaining - half - 1, half)
    return first.astype(output_type.dtype)


def check_order(sequences: Array) -> None:
    """Warn about the first position at which a sequence is not in ascending order."""
    with np.errstate(invalid="ignore"):
        descents = np.argwhere(~(sequences[..., 1:] >= sequences[..., :-1]))
    if len(descents):
        before = tuple(descents[0])
        after = (*before[:-1], before[-1] + 1)
        warn_unless(
            False, "C3", f"{sequences[after]} after {sequences[before]} at {[int(index) for index in after]}"
        )


@shape("ExperimentalDetectronTopKROIs-6")
def top_rois_shape(rois: Fact, probabilities: Fact, *, max_rois: int) -> Shape:
    unify(rois.shape[1], 4, "C1")
    unify(rois.shape[0], probabilities.shape[0], "C2")
    return Shape.of(max_rois, 4)


@kernel("ExperimentalDetectronTopKROIs-6", widen=True)
def top_rois(rois: Array, probabilities: Array, *, max_rois: int) -> Array:
    order = np.argsort(-probabilities, kind="stable")[:max_rois]
    return np.pad(rois[order], ((0, max_rois - len(order)), (0, 0)))
