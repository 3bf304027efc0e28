"""Layers that are drawn as parameters of their users: constants, what follows from them, and shapes."""

from __future__ import annotations

from irops.analysis.inferred import Inferred
from irops.analysis.structure import GraphNode, LayerNode
from irops.ir.model import LayerKind
from irops.values.fact import Fact

MAX_SHAPE_ELEMENTS = 16
"""Integer tensors of more elements are not taken for shapes."""


def folded_layers(graph: GraphNode, inferred: Inferred | None, *, with_shapes: bool) -> set[int]:
    """The ids of the layers that are drawn in the boxes of their users.

    with_shapes: also those that compute shapes: integers of at most one dimension, from ShapeOf on.
    """
    constant: set[int] = set()
    shapes: set[int] = set()
    for node in graph.order:
        number = node.layer.id
        sources = [s[0].id for s in graph.wiring.inputs[number] if s is not None]
        if node.layer.kind is LayerKind.CONSTANT:
            constant.add(number)
        elif node.layer.kind is not LayerKind.OPERATION or node.bodies or not node.layer.outputs:
            continue
        elif sources and constant.issuperset(sources):
            constant.add(number)
        elif with_shapes and _is_shape_step(node, sources, constant | shapes, inferred):
            shapes.add(number)
    return _used_by_drawn(graph, constant | shapes)


def _is_shape_step(node: LayerNode, sources: list[int], before: set[int], inferred: Inferred | None) -> bool:
    if inferred is None or node.layer.id not in inferred.layers:
        return False
    follows = node.layer.type == "ShapeOf" or (bool(sources) and before.issuperset(sources))
    return follows and all(_is_small(fact) for fact in inferred.of(node.layer.id).outputs)


def _is_small(fact: Fact) -> bool:
    rank, size = fact.shape.rank, fact.shape.size
    return fact.element_type.integral and rank is not None and rank <= 1 and size.high <= MAX_SHAPE_ELEMENTS


def _used_by_drawn(graph: GraphNode, folded: set[int]) -> set[int]:
    """Without those that a Result gives or nothing uses, which would not be in the picture at all."""
    consumers = graph.wiring.consumers
    for node in reversed(graph.order):
        number = node.layer.id
        if number in folded:
            users = [u for k in range(len(node.layer.outputs)) for u, _ in consumers.get((number, k), ())]
            if not users or any(user.kind is LayerKind.RESULT for user in users):
                folded.discard(number)
    return folded


def behind(graph: GraphNode, number: int, folded: set[int]) -> list[int]:
    """A folded layer and the folded layers that it depends on."""
    found = {number: None}
    ahead = [number]
    while ahead:
        for source in graph.wiring.inputs[ahead.pop()]:
            if source is not None and source[0].id in folded and source[0].id not in found:
                found[source[0].id] = None
                ahead.append(source[0].id)
    return list(found)
