"""Arrays and attribute values in a form that processes can exchange: pickling loses element types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from irops.values.element import STRING, Array, ElementType, element_type, element_type_of
from irops.values.packing import pack, unpack

Packed: TypeAlias = tuple[str, tuple[int, ...], Any]
"""The name of the element type, the shape, and the bytes (of strings: their list)."""


class _Type(str):
    """The name of an element type among attribute values."""

    __slots__ = ()


def packed(array: Array) -> Packed:
    """An array as it is sent."""
    kind = element_type_of(array)
    if kind is STRING:
        return kind.name, array.shape, array.reshape(-1).tolist()
    if kind.bits < 8:
        return kind.name, array.shape, np.frombuffer(pack(array, kind), np.uint8)
    return kind.name, array.shape, np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def unpacked(item: Packed) -> Array:
    """The array that was sent."""
    name, shape, content = item
    kind = element_type(name, foreign=True)
    if kind is STRING:
        array = np.empty(len(content), object)
        array[:] = content
        return array.reshape(shape)
    return unpack(memoryview(content) if len(content) else bytes(8), kind, shape)


def packed_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attribute values as they are sent."""
    return {
        name: _Type(value.name) if isinstance(value, ElementType) else value
        for name, value in attributes.items()
    }


def unpacked_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attribute values that were sent."""
    return {
        name: element_type(value, foreign=True) if isinstance(value, _Type) else value
        for name, value in attributes.items()
    }
