"""CumSum and SegmentMax: along an axis, and over segments of it."""

import numpy as np

from irops.ops.conversion import as_numbers, converted, low_bits
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, unify
from irops.values.element import BOOLEAN, Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


@shape("CumSum-3")
def cum_sum_shape(data: Fact, axis: Fact | None) -> Shape:
    warn_unless(data.element_type is not BOOLEAN, "C4")
    if axis is not None:
        require(axis.shape.size.can_be(1), "C1", axis)
        warn_unless(axis.shape.rank in (None, 0), "C3", axis)
        if axis.value is not None and data.shape.rank is not None:
            normal_axis(axis.value, data.shape.rank)
    return data.shape


@kernel("CumSum-3", widen=True)
def cum_sum(data: Array, axis: Array | None, *, exclusive: bool, reverse: bool) -> Array:
    along = 0 if axis is None else normal_axis(axis, data.ndim)
    boolean = data.dtype == np.bool_
    numbers = np.moveaxis(data if boolean else as_numbers(data), along, 0)
    if reverse:
        numbers = numbers[::-1]
    sums = np.cumsum(numbers, axis=0, dtype=numbers.dtype)  # NumPy adds booleans by a logical or
    if exclusive:
        sums = np.concatenate([np.zeros_like(sums[:1]), sums[:-1]])
    kind = element_type_of(data)
    sums = np.moveaxis(sums[::-1] if reverse else sums, 0, along)
    return low_bits(sums, kind) if kind.integral and not boolean else sums


def normal_axis(axis: Array, rank: int) -> int:
    """The only element of axis, as an axis counted from 0; Violation("C2") if it is out of range."""
    number = int(axis.reshape(-1)[0])
    require(-rank <= number < rank, "C2", f"axis {number} at rank {rank}")
    return number % rank


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
