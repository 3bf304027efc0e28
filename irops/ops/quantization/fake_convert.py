"""FakeConvert: simulate a conversion to an 8-bit floating-point type."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require

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
    require(
        np.broadcast_shapes(data.shape, scale.shape) == data.shape,
        "C1",
        Shape(data.shape),
        Shape(scale.shape),
    )
    zero = np.zeros((), data.dtype) if shift is None else shift
    shifted = np.subtract(np.multiply(data, scale, dtype=data.dtype), zero, dtype=data.dtype)
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
    small = np.where(size < SMALLEST, np.float32(0), np.trunc(to_four_bits(clamped) / SMALLEST) * SMALLEST)
    return np.where(size < SMALLEST_NORMAL, small, clamped.astype(ml_dtypes.float8_e4m3fn).astype(np.float32))


def to_four_bits(numbers: Array) -> Array:
    """The nearest numbers with four significant bits, ties to even."""
    fraction, exponent = np.frexp(numbers)
    return np.ldexp(np.rint(fraction * np.float32(16)) / np.float32(16), exponent)
