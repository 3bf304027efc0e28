"""Values as Python expressions that reproduce every bit."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from irops.values.element import CODED, STRING, Array, ElementType, element_type_of
from irops.values.shape import Shape


def codes(array: Array) -> Array:
    """The bits of the elements as unsigned integers (bytes for elements of 16 bytes); strings unchanged."""
    element_type = element_type_of(array)
    if element_type is STRING:
        return array
    bits: Array = array.view(f"u{array.itemsize}" if array.itemsize <= 8 else f"V{array.itemsize}")
    return bits & np.uint8((1 << element_type.bits) - 1) if element_type.bits < 8 else bits


# Literals.

LONG = 256
"""Arrays of more elements are written compressed."""


def literal(value: Any) -> str:
    """The value of an attribute."""
    return repr(str(value)) if isinstance(value, (ElementType, Shape)) else repr(value)


def array_literal(array: Array) -> str:
    """An array as an expression; for types that neither NumPy nor ml_dtypes has, an array of codes."""
    kind = element_type_of(array)
    if kind is STRING:
        return f"np.array({array.ravel().tolist()!r}, object){_shaped(array.shape)}"
    if kind.name in CODED:
        return _numbers(array.view(np.uint8), "uint8")
    known = array.dtype.type.__module__ == "numpy"
    if known and (not kind.floating or np.isfinite(array).all()):
        return _numbers(array, array.dtype.name)
    if kind.integral:
        return f"{_numbers(array.astype(np.int8), 'int8')}.astype(ml_dtypes.{array.dtype.name})"
    bits = codes(array)
    return f"{_numbers(bits, bits.dtype.name)}.view({'np' if known else 'ml_dtypes'}.{array.dtype.name})"


def _numbers(array: Array, dtype: str) -> str:
    name = "np.bool_" if dtype == "bool" else f"np.{dtype}"
    if array.size == 0:
        return f"np.zeros({array.shape}, {name})"
    if array.size <= LONG:
        return f"np.array({array.tolist()}, {name})"
    packed = base64.b85encode(zlib.compress(array.tobytes(), 9)).decode()
    return (
        f"np.frombuffer(zlib.decompress(base64.b85decode({packed!r})), {name}){_shaped(array.shape)}.copy()"
    )


def _shaped(shape: tuple[int, ...]) -> str:
    return "" if len(shape) == 1 else f".reshape({shape})"
