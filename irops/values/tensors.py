"""Arrays as tensors: what callers and kernels give, with an element type."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.values.element import DYNAMIC, STRING, Array, ElementType, element_type_of, tagged
from irops.values.fact import Fact
from irops.values.foreign import array_of, is_foreign
from irops.values.shape import Shape


def as_tensor(given: Any, wanted: ElementType = DYNAMIC) -> Array:
    """The array for kernels from a caller's value: strings become objects, codes are tagged.

    wanted: the declared element type, which distinguishes packed types that share a dtype
    Raises:  ValueError if the dtype of the array has no element type, or the array is on another device
    """
    array = array_of(given) if is_foreign(given) else np.asarray(given)
    if array.dtype.kind in "UST":
        array = array.astype(object)
    if wanted is not DYNAMIC and array.dtype == np.uint8 and wanted.dtype == np.uint8:
        array = tagged(array, wanted)
    if array.dtype == object:
        other = next((item for item in array.flat if not isinstance(item, (str, bytes))), "")
        if not isinstance(other, (str, bytes)):
            raise ValueError(f"it has {other!r} among its elements, which is neither a number nor a string")
    element_type_of(array)
    return array


def fact_of(array: Array, *, with_value: bool = False) -> Fact:
    """The Fact of an array: its element type and shape, and its value if asked for."""
    return Fact(element_type_of(array), Shape(array.shape), array if with_value else None)


def result_array(result: Any, fact: Fact) -> Array:
    """The result of a kernel as an array of the inferred type; NumPy gives scalars for rank 0."""
    if isinstance(result, np.ndarray):
        array = result
    elif fact.element_type is STRING:
        array = np.empty((), dtype=object)
        array[()] = result
    else:
        array = np.asarray(result)
    return tagged(array, fact.element_type) if array.dtype == np.uint8 else array
