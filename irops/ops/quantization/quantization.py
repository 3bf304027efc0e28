"""FakeQuantize and FakeConvert."""

import numpy as np

from irops.ops.stock import pdpd
from irops.spec.binding import kernel, shape
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require, warn_unless


@shape("FakeQuantize-1")
def fake_quantize_shape(
    X: Fact,
    input_low: Fact,
    input_high: Fact,
    output_low: Fact,
    output_high: Fact,
    *,
    levels: int,
    auto_broadcast: str,
) -> Shape:
    require(levels >= 2, "C2", levels)
    shape = all_shapes = X.shape
    for limit in (input_low, input_high, output_low, output_high):
        if auto_broadcast == "none":
            shape = unify_shapes(shape, limit.shape, "C1")
        elif auto_broadcast == "pdpd":
            pdpd(shape, limit.shape, 0, "C1")
        else:
            check_limit(shape, limit.shape)
            all_shapes = broadcast_shapes(all_shapes, limit.shape, "C1")  # limits fit each other, too
    low, high = input_low.value, input_high.value
    if low is not None and high is not None and (low.shape == high.shape or 1 in (low.size, high.size)):
        equal = np.asarray(low == high)
        warn_unless(not equal.any(), "C3", f"{int(equal.sum())} of {equal.size} equal")
    return shape


@kernel("FakeQuantize-1", widen=True)
def fake_quantize(
    X: Array,
    input_low: Array,
    input_high: Array,
    output_low: Array,
    output_high: Array,
    *,
    levels: int,
    auto_broadcast: str,
) -> Array:
    limits = (input_low, input_high, output_low, output_high)
    low, high, bottom, top = (aligned(limit, X.ndim, auto_broadcast) for limit in limits)
    steps = X.dtype.type(levels - 1)
    between = np.rint((X - low) / (high - low) * steps) / steps * (top - bottom) + bottom
    below, above = np.less_equal(X, np.minimum(low, high)), np.greater(X, np.maximum(low, high))
    return np.where(below, bottom, np.where(above, top, between))


def check_limit(data: Shape, limit: Shape) -> None:
    """Require that a limit can be broadcast to the shape of data by NumPy's rule, without enlarging it."""
    both = broadcast_shapes(data, limit, "C1")
    if data.dims is None or both.dims is None or limit.dims is None:
        return
    longer = len(both.dims) - len(data.dims)
    for broadcast_dim, dim in zip(both.dims, (1,) * longer + data.dims):
        require(broadcast_dim.can_be(dim), "C1", data, limit)


def aligned(limit: Array, rank: int, auto_broadcast: str) -> Array:
    """A limit reshaped so that NumPy broadcasts it to data of this rank."""
    if auto_broadcast == "pdpd":
        return limit.reshape(limit.shape + (1,) * (rank - limit.ndim))
    return limit.reshape(limit.shape[max(limit.ndim - rank, 0) :])


LARGEST = {"f8e4m3": 448.0, "f8e5m2": 57344.0}
SMALLEST_NORMAL, SMALLEST = np.float32(2.0**-6), np.float32(2.0**-9)
"""The smallest normal and the smallest subnormal number of f8e4m3."""


@shape("FakeConvert-13")
def fake_convert_shape(data: Fact, scale: Fact, shift: Fact | None) -> Shape:
    affine = scale.shape if shift is None else unify_shapes(scale.shape, shift.shape, "C2")
    both = broadcast_shapes(data.shape, affine, "C1")
    if data.shape.dims is None or both.dims is None:
        return data.shape
    return unify_shapes(data.shape, both, "C1")


@kernel("FakeConvert-13")
def fake_convert(data: Array, scale: Array, shift: Array | None, *, destination_type: ElementType) -> Array:
    scaled = np.multiply(data, scale, dtype=data.dtype)
    require(scaled.shape == data.shape, "C1", Shape(data.shape), Shape(scale.shape))
    zero = np.zeros((), data.dtype) if shift is None else shift
    shifted = np.subtract(scaled, zero, dtype=data.dtype)
    rounded = rounded_to_f8(shifted, destination_type.name).astype(data.dtype)
    return np.asarray(np.divide(np.add(rounded, zero, dtype=data.dtype), scale, dtype=data.dtype))


def rounded_to_f8(numbers: Array, name: str) -> Array:
    """The numbers rounded to an 8-bit type, as f32. Like OpenVINO, rounds to f16 first. NaN stays NaN."""
    import ml_dtypes

    narrow = numbers.astype(np.float16).astype(np.float32)
    clamped = np.clip(narrow, -LARGEST[name], LARGEST[name])
    if name == "f8e5m2":
        return np.asarray(clamped.astype(ml_dtypes.float8_e5m2), np.float32)
    size = np.abs(clamped)
    fraction, exponent = np.frexp(clamped)  # the nearest numbers with four significant bits, ties to even
    nearest = np.ldexp(np.rint(fraction * np.float32(16)) / np.float32(16), exponent)
    small = np.where(size < SMALLEST, np.float32(0), np.trunc(nearest / SMALLEST) * SMALLEST)
    return np.where(size < SMALLEST_NORMAL, small, clamped.astype(ml_dtypes.float8_e4m3fn).astype(np.float32))
