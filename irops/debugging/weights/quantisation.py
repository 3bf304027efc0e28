"""Constants that are stored as codes: a Convert, a zero point that is subtracted, a scale that multiplies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irops.analysis.structure import GraphNode
from irops.ir.model import Layer

PASSING = ("Convert", "Reshape")
"""Ops between a constant and its use that change no number."""


@dataclass(frozen=True, slots=True)
class Quantisation:
    """How the codes of a constant become numbers: (code - zero point) * scale.

    scale, zero_point: the constants, None where there is none; group: the elements that one scale belongs to.
    """

    scale: Layer
    zero_point: Layer | None
    group: int


def quantisation_of(graph: GraphNode, layer: Layer, elements: int) -> Quantisation | None:
    """How a constant is dequantised; None where it is not converted and multiplied by a constant."""
    zero_point: Layer | None = None
    for user, index in _users(graph, layer):
        if user.type == "Subtract" and index == 0:
            zero_point = _constant_input(graph, user, 1)
            users = list(_users(graph, user))
        else:
            users = [(user, index)]
        for scaled, scaled_index in users:
            scale = _constant_input(graph, scaled, 1 - scaled_index) if scaled.type == "Multiply" else None
            if scale is not None:
                return Quantisation(scale, zero_point, _group(elements, scale))
    return None


def _users(graph: GraphNode, layer: Layer) -> Iterator[tuple[Layer, int]]:
    """The layers that use the first output, and by which input; behind those that change no number."""
    for user, index in graph.wiring.consumers.get((layer.id, 0), ()):
        if user.type in PASSING and index == 0:
            yield from graph.wiring.consumers.get((user.id, 0), ())
        else:
            yield user, index


def _constant_input(graph: GraphNode, layer: Layer, index: int) -> Layer | None:
    """The constant that an input comes from, also through layers that change no number."""
    sources = graph.wiring.inputs[layer.id]
    source = sources[index] if 0 <= index < len(sources) else None
    steps = 0
    while source is not None and source[0].type in PASSING and steps < len(PASSING):
        source = graph.wiring.inputs[source[0].id][0]
        steps += 1
    return source[0] if source is not None and source[0].is_constant else None


def _group(elements: int, scale: Layer) -> int:
    count = 1
    for part in scale.data.get("shape", "").split(","):
        count *= int(part) if part.strip().isdecimal() else 1
    return elements // count if count else 0
