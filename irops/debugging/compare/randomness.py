"""Which values of a model are random, so that two right runs give other ones."""

from __future__ import annotations

from irops.analysis.structure import GraphNode, LayerNode
from irops.verdicts.random_values import RANDOM

FOLLOWS_RANDOM = "follows from random values"


def is_random(node: LayerNode) -> bool:
    """Whether a layer, or one in its bodies, draws numbers."""
    return node.layer.type in RANDOM or any(
        is_random(inner) for body in node.bodies.values() for inner in body.graph.order
    )


def random_layers(graph: GraphNode) -> frozenset[int]:
    """The ids of the layers that draw numbers, and of all that is computed from these."""
    found: set[int] = set()
    for node in graph.order:
        sources = graph.wiring.inputs[node.layer.id]
        if is_random(node) or any(source is not None and source[0].id in found for source in sources):
            found.add(node.layer.id)
    return frozenset(found)
