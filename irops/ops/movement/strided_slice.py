"""StridedSlice: extract begin:end:stride along axes; masks add, drop or keep axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irops.ops.entries import entries
from irops.ops.movement.slicing import slice_of, sliced_size
from irops.spec.binding import kernel, shape, values
from irops.values.dim import Dim, unify
from irops.values.element import DYNAMIC, Array, as_i64
from irops.values.fact import Fact, holds_dims
from irops.values.shape import MAX_DIM, UNRANKED, Shape
from irops.values.violation import require, warn_unless

Mask = tuple[int, ...]
FIRST, LAST = 0, MAX_DIM
BEFORE_FIRST = -MAX_DIM - 1


@shape("StridedSlice-1")
def strided_slice_shape(
    data: Fact,
    begin: Fact,
    end: Fact,
    stride: Fact | None,
    *,
    begin_mask: Mask,
    end_mask: Mask,
    new_axis_mask: Mask,
    shrink_axis_mask: Mask,
    ellipsis_mask: Mask,
) -> Shape:
    count = unify(begin.shape[0], end.shape[0], "C1")
    if stride is not None:
        count = unify(count, stride.shape[0], "C1")
    kinds = {fact.element_type for fact in (begin, end, stride) if fact is not None} - {DYNAMIC}
    warn_unless(len(kinds) < 2, "C8", *map(str, kinds))
    lengths = [len(mask) for mask in (begin_mask, end_mask, new_axis_mask, shrink_axis_mask, ellipsis_mask)]
    warn_unless(set(lengths) <= {0, lengths[0]}, "C2", lengths)
    at_ellipsis = [i for i, one in enumerate(ellipsis_mask) if one == 1]
    ignored = any(bit(mask, i) for mask in (new_axis_mask, shrink_axis_mask) for i in at_ellipsis)
    warn_unless(not ignored, "C4", f"position {at_ellipsis}")
    if data.shape.dims is None or not count.known:
        return UNRANKED
    begins, ends, steps = (entries(fact, int(count)) for fact in (begin, end, stride))
    sizes = iter(data.shape)
    result: list[Dim | int] = []
    for kind, i in parts(int(count), len(data.shape), new_axis_mask, shrink_axis_mask, ellipsis_mask):
        size = Dim.of(1) if kind == "new" else next(sizes)
        if kind == "shrink":
            check_index(begins[i], size, bit(begin_mask, i))
        elif kind == "slice":
            result.append(
                sliced_size(size, *masked(begins[i], ends[i], steps[i], bit(begin_mask, i), bit(end_mask, i)))
            )
        else:
            result.append(size)
    return Shape(result)


def bit(mask: Mask, i: int) -> bool:
    return i < len(mask) and mask[i] == 1


def parts(
    count: int, rank: int, new_axis_mask: Mask, shrink_axis_mask: Mask, ellipsis_mask: Mask
) -> Iterator[tuple[str, int]]:
    """What to do with each axis, in order, and the position that describes it.

    "new" adds an axis, "shrink" drops one, "slice" slices one, "whole" keeps one. Axes that no position
    describes are kept at the place of the ellipsis, or at the end if there is none.
    """
    ellipses = [i for i in range(count) if bit(ellipsis_mask, i)]
    require(len(ellipses) < 2, "C3", f"positions {ellipses}")
    kinds = ["shrink" if bit(shrink_axis_mask, i) else "slice" for i in range(count)]
    kinds = ["new" if bit(new_axis_mask, i) else kind for i, kind in enumerate(kinds)]
    kinds = ["ellipsis" if i in ellipses else kind for i, kind in enumerate(kinds)]
    described = count - len(ellipses) - kinds.count("new")
    require(described <= rank, "C5", f"{described} positions at rank {rank}")
    for i, kind in enumerate(kinds):
        if kind == "ellipsis":
            yield from [("whole", i)] * (rank - described)
        else:
            yield kind, i
    if not ellipses:
        yield from [("whole", count)] * (rank - described)


def masked(begin: Dim, end: Dim, step: Dim, from_start: bool, to_end: bool) -> tuple[Dim, Dim, Dim]:
    """begin, end and step, where a bound whose mask is set is the end of the axis in that direction."""
    require(step != 0, "C6")
    if step.high < 0:
        return Dim.of(LAST) if from_start else begin, Dim.of(BEFORE_FIRST) if to_end else end, step
    return Dim.of(FIRST) if from_start else begin, Dim.of(LAST) if to_end else end, step


def check_index(index: Dim, size: Dim, from_start: bool) -> None:
    """Require that the index of an axis that is dropped lies inside the axis; from_start: is the first."""
    require(index >= -size and index < size, "C7", index, f"size {size}")
    require(not from_start or index.can_be(0) or (index + size).can_be(0), "C9", index, f"size {size}")


@kernel("StridedSlice-1")
def strided_slice(
    data: Array,
    begin: Array,
    end: Array,
    stride: Array | None,
    *,
    begin_mask: Mask,
    end_mask: Mask,
    new_axis_mask: Mask,
    shrink_axis_mask: Mask,
    ellipsis_mask: Mask,
) -> Array:
    begins, ends, steps = (
        as_i64(a).tolist() for a in (begin, end, np.ones_like(begin) if stride is None else stride)
    )
    sizes = iter(data.shape)
    picks: list[Any] = []
    for kind, i in parts(len(begins), data.ndim, new_axis_mask, shrink_axis_mask, ellipsis_mask):
        size = 1 if kind == "new" else next(sizes)
        if kind == "shrink":
            check_index(Dim.of(begins[i]), Dim.of(size), bit(begin_mask, i))
            picks.append(begins[i])
        elif kind == "slice":
            limits = masked(
                Dim.of(begins[i]), Dim.of(ends[i]), Dim.of(steps[i]), bit(begin_mask, i), bit(end_mask, i)
            )
            picks.append(slice_of(size, *map(int, limits)))
        else:
            picks.append(np.newaxis if kind == "new" else slice(None))
    return data[(*picks, ...)]


@values("StridedSlice-1")
def strided_slice_values(
    data: Array,
    begin: Array,
    end: Array,
    stride: Array | None,
    *,
    begin_mask: Mask,
    end_mask: Mask,
    new_axis_mask: Mask,
    shrink_axis_mask: Mask,
    ellipsis_mask: Mask,
) -> Array | None:
    if any(bound is not None and holds_dims(bound) for bound in (begin, end, stride)):
        return None
    return strided_slice(
        data,
        begin,
        end,
        stride,
        begin_mask=begin_mask,
        end_mask=end_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        ellipsis_mask=ellipsis_mask,
    )
