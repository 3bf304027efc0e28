"""Constants of narrow floating types are combined in f32 and rounded once, where they leave the constants:
see docs/decisions/0003.

Compressed weights are i8, i4 or nf4 constants, shifted and scaled in f16 and then converted to f32. Runtimes
work that out in f32.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from irops.analysis.structure import GraphNode
from irops.dialects import dialect_of_version
from irops.values.element import F32, Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape

NARROW = ("f16", "bf16")


@dataclass(frozen=True, slots=True)
class Constants:
    """The ids of layers that depend on nothing but constants; weights: those that only lead to a MatMul."""

    layers: frozenset[int]
    weights: frozenset[int]


def constants_of(graph: GraphNode) -> Constants:
    """Which layers of a graph are constant."""
    wiring = graph.wiring
    # ops of other dialects compute in the types that their definitions name
    layers = wiring.layers
    found = {n for n in graph.constants if dialect_of_version(layers[n].version).wide_constants}
    weights: set[int] = set()
    for layer in reversed(wiring.order):
        users = [
            user
            for index in range(len(layer.outputs))
            for user, _ in wiring.consumers.get((layer.id, index), ())
        ]
        if (
            layer.id in found
            and users
            and all(user.id in weights or (user.type == "MatMul" and user.id not in found) for user in users)
        ):
            weights.add(layer.id)
    return Constants(frozenset(found), frozenset(weights))


def wide(array: Array | None) -> Array | None:
    """A narrow tensor in f32; any other as it is."""
    narrow = (
        isinstance(array, np.ndarray)
        and array.dtype.itemsize == 2
        and array.dtype.kind in "fV"
        and element_type_of(array).name in NARROW
    )
    return array.astype(np.float32) if narrow and array is not None else array


def wide_types(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Attributes, f32 in place of narrow types: a Convert of weights to f16 gives f32."""
    return {
        name: F32 if isinstance(value, ElementType) and value.name in NARROW else value
        for name, value in attributes.items()
    }


def rounded(array: Array, fact: Fact | None) -> Array:
    """Cast an f32 intermediate back to its declared element type."""
    if (
        fact is not None
        and isinstance(array, np.ndarray)
        and array.dtype == np.float32
        and fact.element_type.name in NARROW
    ):
        return array.astype(fact.element_type.dtype)
    return array


def admits(fact: Fact, array: Array) -> bool:
    """Whether a result is possible for what is inferred, once it is rounded."""
    if fact.element_type.name in NARROW and isinstance(array, np.ndarray) and array.dtype == np.float32:
        return fact.shape.contains(Shape(array.shape))
    return fact.admits(array)
