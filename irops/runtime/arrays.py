"""Arrays on their way into and out of kernels."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from irops.analysis.layer import LayerFault
from irops.spec.op import Op
from irops.values.element import DYNAMIC, STRING, Array, ElementType, element_type_of, tagged
from irops.values.fact import Fact
from irops.values.shape import MAX_DIM, MAX_AXES, Shape


def as_tensor(given: Any, wanted: ElementType = DYNAMIC) -> Array:
    """What a caller gives, as the array that kernels take: strings as objects, codes tagged; nothing is
    converted.

    Raises:  ValueError where no element type is held so
    """
    array = np.asarray(given)
    if array.dtype.kind in "UST":
        array = array.astype(object)
    if wanted is not DYNAMIC and array.dtype == np.uint8 and wanted.dtype == np.uint8:
        array = tagged(array, wanted)
    if array.dtype == object:
        other = next((item for item in array.flat if not isinstance(item, (str, bytes))), "")
        if not isinstance(other, (str, bytes)):
            raise ValueError(f"it has {other!r} among its elements, which is no number and no string")
    element_type_of(array)
    return array


def fact_of(array: Array, *, with_value: bool = False) -> Fact:
    """What is known of an array: all."""
    return Fact(element_type_of(array), Shape(array.shape), array if with_value else None)


def result_array(result: Any, fact: Fact) -> Array:
    """A kernel's result as an array of the inferred type; NumPy turns arrays without axes into scalars on the
    way.
    """
    if isinstance(result, np.ndarray):
        array = result
    elif fact.element_type is STRING:
        array = np.empty((), dtype=object)
        array[()] = result
    else:
        array = np.asarray(result)
    return tagged(array, fact.element_type) if array.dtype == np.uint8 else array


def hold_possible(op: Op, outputs: Iterable[Fact]) -> None:
    """Demand that arrays can have the shapes of an op's outputs. Raises: LayerFault"""
    for fact in outputs:
        dims = fact.shape.dims or ()
        if len(dims) > MAX_AXES:
            raise LayerFault(
                "unsupported-array",
                f"{op.id} gives a tensor of {len(dims)} axes; arrays have {MAX_AXES} at most",
            )
        if (
            fact.element_type is not DYNAMIC
            and prod(max(dim.low, 1) for dim in dims) * fact.element_type.dtype.itemsize > MAX_DIM
        ):
            raise LayerFault("unsupported-array", f"{op.id} gives {fact}; no array has such sizes")


def out_of_memory(op: Op) -> LayerFault:
    return LayerFault("out-of-memory", f"{op.id} does not fit into the memory of this machine")


def size_in_bytes(facts: list[Fact]) -> float:
    """How many bytes tensors of these facts take in memory, where their sizes are known."""
    return sum(
        fact.shape.size.low * max(fact.element_type.dtype.itemsize, 1)
        for fact in facts
        if fact.element_type is not DYNAMIC
    )
