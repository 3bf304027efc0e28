"""SegmentMax: the greatest elements of runs of slices."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, unify
from irops.values.element import Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


@shape("SegmentMax-16")
def segment_max_shape(data: Fact, segment_ids: Fact, num_segments: Fact | None) -> Shape:
    unify(data.shape[0], segment_ids.shape[0], "C1")
    ids = None if segment_ids.value is None else as_i64(segment_ids.value)
    asked = (num_segments.dims or (ANY,))[0] if num_segments is not None else None
    if ids is not None:
        check_ids(ids, asked)
    if asked is not None:
        require(asked >= 0, "C4", asked)
        return data.shape.with_dim(0, asked.at_least(0))
    return data.shape.with_dim(0, ANY if ids is None else int(ids.max(initial=-1)) + 1)


def check_ids(ids: Array, asked: Dim | None) -> None:
    """Hold the numbers of segments to what they must be."""
    require((ids[:-1] <= ids[1:]).all(), "C2", ids.tolist())
    require((ids >= 0).all(), "C3", ids.tolist())
    last = int(ids.max(initial=-1))
    warn_unless(asked is None or last < asked, "C5", last, f"{asked} segments")


@kernel("SegmentMax-16")
def segment_max(data: Array, segment_ids: Array, num_segments: Array | None, *, fill_mode: str) -> Array:
    ids, kind = as_i64(segment_ids), element_type_of(data)
    count = int(ids.max(initial=-1)) + 1 if num_segments is None else int(num_segments)
    require(count >= 0, "C4", count)
    check_ids(ids, Dim.of(count))
    numbers = as_numbers(data)
    if fill_mode == "zero":
        filling = numbers.dtype.type(0)
    else:
        filling = numbers.dtype.type(kind.extent[0]) if kind.integral else as_numbers(lowest(data))
    found = np.full((count, *data.shape[1:]), filling)
    within = ids[ids < count]
    starts = np.flatnonzero(np.diff(within, prepend=-1))
    if starts.size:
        found[within[starts]] = np.fmax.reduceat(numbers[: within.size], starts, axis=0)
    return converted(found, kind)


def lowest(data: Array) -> Array:
    """The least finite number of a floating type."""
    import ml_dtypes

    return np.asarray(ml_dtypes.finfo(data.dtype).min, data.dtype)  # type: ignore[no-untyped-call]
