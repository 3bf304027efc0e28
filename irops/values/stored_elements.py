"""Elements as .npy files store them, which support NumPy's own types only.

Other types are stored as their bits: bf16 as uint16, f8 as uint8, types of less than a byte as one code per
uint8. Strings are stored as text of fixed width.
"""

from __future__ import annotations

import numpy as np

from irops.values.element import CODED, STRING, Array, ElementType, element_type_of, tagged

_PLAIN = "?bBhHiIlLqQefdFD"


def as_stored(array: Array) -> Array:
    """An array of a type that NumPy can store, with the same bits."""
    kind = element_type_of(array)
    if kind is STRING:
        return array.astype(str)
    if array.dtype.char in _PLAIN:
        return np.asarray(array).view(np.uint8) if kind.name in CODED else array
    if kind.bits < 8:
        return (
            array.astype(np.int8).view(np.uint8) & (2**kind.bits - 1)
            if kind.integral
            else array.view(np.uint8)
        )
    return array.view(f"u{array.dtype.itemsize}")


def as_declared(array: Array, kind: ElementType) -> Array:
    """Reinterpret a loaded array as the declared type, if it stores the bits of a type that NumPy lacks."""
    if kind.name in CODED:
        return tagged(array, kind) if array.dtype == np.uint8 else array
    if kind.kind == "dynamic" or array.dtype == kind.dtype or array.dtype.kind not in "uV":
        return array
    if kind.dtype.char in _PLAIN or array.dtype.itemsize != kind.dtype.itemsize:
        return array
    if kind.bits < 8 and kind.kind == "signed":
        codes = array.view(np.uint8).astype(np.int8)
        return np.where(codes >= 2 ** (kind.bits - 1), codes - 2**kind.bits, codes).astype(kind.dtype)
    return (
        array.view(np.uint8).astype(kind.dtype) if kind.bits < 8 and kind.integral else array.view(kind.dtype)
    )
