"""FakeConvert: round floats as types of 8 bits would, and leave them floats."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require

GREATEST = {"f8e4m3": 448.0, "f8e5m2": 57344.0}
LEAST_NORMAL, LEAST = np.float32(2.0**-6), np.float32(2.0**-9)
"""Of f8e4m3: the least normal number, and the least above 0."""


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
    moved = np.subtract(np.multiply(data, scale, dtype=data.dtype), zero, dtype=data.dtype)
    rounded = emulated(moved, destination_type.name).astype(data.dtype)
    return np.asarray(np.divide(np.add(rounded, zero, dtype=data.dtype), scale, dtype=data.dtype))


def emulated(numbers: Array, name: str) -> Array:
    """The numbers as a type of 8 bits holds them, in f32; by way of f16, as OpenVINO has it. NaN stays."""
    import ml_dtypes

    narrow = numbers.astype(np.float16).astype(np.float32)
    held = np.clip(narrow, -GREATEST[name], GREATEST[name])
    if name == "f8e5m2":
        return np.asarray(held.astype(ml_dtypes.float8_e5m2), np.float32)
    size = np.abs(held)
    small = np.where(size < LEAST, np.float32(0), np.trunc(to_four_bits(held) / LEAST) * LEAST)
    return np.where(size < LEAST_NORMAL, small, held.astype(ml_dtypes.float8_e4m3fn).astype(np.float32))


def to_four_bits(numbers: Array) -> Array:
    """The nearest numbers of four significant bits, halves to even."""
    fraction, exponent = np.frexp(numbers)
    return np.ldexp(np.rint(fraction * np.float32(16)) / np.float32(16), exponent)
