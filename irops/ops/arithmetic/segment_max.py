"""SegmentMax: the elementwise maximum of each segment of slices."""

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
    segment_count = (num_segments.dims or (ANY,))[0] if num_segments is not None else None
    if ids is not None:
        check_ids(ids, segment_count)
    if segment_count is not None:
        require(segment_count >= 0, "C4", segment_count)
        return data.shape.with_dim(0, segment_count.at_least(0))
    return data.shape.with_dim(0, ANY if ids is None else int(ids.max(initial=-1)) + 1)


def check_ids(ids: Array, segment_count: Dim | None) -> None:
    """Require ascending segment ids, none negative; warn if one is not less than the number of segments."""
    require((ids[:-1] <= ids[1:]).all(), "C2", ids.tolist())
    require((ids >= 0).all(), "C3", ids.tolist())
    last = int(ids.max(initial=-1))
    warn_unless(segment_count is None or last < segment_count, "C5", last, f"{segment_count} segments")


@kernel("SegmentMax-16")
def segment_max(data: Array, segment_ids: Array, num_segments: Array | None, *, fill_mode: str) -> Array:
    ids, kind = as_i64(segment_ids), element_type_of(data)
    count = int(ids.max(initial=-1)) + 1 if num_segments is None else int(num_segments)
    require(count >= 0, "C4", count)
    check_ids(ids, Dim.of(count))
    numbers = as_numbers(data)
    if fill_mode == "zero":
        fill = numbers.dtype.type(0)
    else:
        fill = numbers.dtype.type(kind.extent[0]) if kind.integral else as_numbers(lowest(data))
    result = np.full((count, *data.shape[1:]), fill)
    used_ids = ids[ids < count]
    starts = np.flatnonzero(np.diff(used_ids, prepend=-1))
    if starts.size:
        result[used_ids[starts]] = np.fmax.reduceat(numbers[: used_ids.size], starts, axis=0)
    return converted(result, kind)


def lowest(data: Array) -> Array:
    """The smallest finite number of a floating-point type."""
    import ml_dtypes

    return np.asarray(ml_dtypes.finfo(data.dtype).min, data.dtype)  # type: ignore[no-untyped-call]
