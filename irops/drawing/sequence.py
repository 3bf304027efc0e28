"""The layers of a graph in an order that keeps together what belongs together."""

from __future__ import annotations

from collections.abc import Collection

from irops.analysis.structure import GraphNode
from irops.ir.model import LayerKind

ENDS = (LayerKind.RESULT, LayerKind.SINK)


def sequence(graph: GraphNode, left_out: Collection[int] = ()) -> list[int]:
    """The ids of the layers, each after its sources, those on cycles last.

    A layer comes as late as its first use allows, so that the layers of a block follow one another, and a
    Result follows what it gives.
    """
    inputs = graph.wiring.inputs
    depth: dict[int, int] = {}
    for node in graph.order:
        sources = [s[0].id for s in inputs[node.layer.id] if s is not None]
        depth[node.layer.id] = 1 + max((depth[s] for s in sources), default=-1)
    shown = [number for number in graph.layers if number in depth and number not in left_out]
    is_end = {number for number in shown if graph.layers[number].layer.kind in ENDS}
    used = {s[0].id for number in shown for s in inputs[number] if s is not None}
    roots = [number for number in shown if number in is_end or number not in used]
    roots.sort(key=lambda number: -depth[number])
    order = _post_order(graph, roots, depth, left_out)
    placed: list[int] = []
    after: dict[int, list[int]] = {}
    positions = {number: place for place, number in enumerate(order)}
    for number in roots:
        if number in is_end:
            sources = [s[0].id for s in inputs[number] if s is not None and s[0].id in positions]
            last = max(sources, key=positions.__getitem__, default=None)
            if last is not None and last not in is_end:
                after.setdefault(last, []).append(number)
    moved = {number for numbers in after.values() for number in numbers}
    for number in order:
        if number not in moved:
            placed.append(number)
            placed.extend(sorted(after.get(number, ())))
    placed.extend(number for number in graph.layers if number not in depth and number not in left_out)
    return placed


def _post_order(
    graph: GraphNode, roots: list[int], depth: dict[int, int], left_out: Collection[int]
) -> list[int]:
    order: list[int] = []
    done: set[int] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            number, is_ready = stack.pop()
            if is_ready:
                order.append(number)
                continue
            if number in done:
                continue
            done.add(number)
            stack.append((number, True))
            sources = dict.fromkeys(s[0].id for s in graph.wiring.inputs[number] if s is not None)
            ahead = [s for s in sources if s in depth and s not in done and s not in left_out]
            stack.extend((s, False) for s in sorted(ahead, key=lambda s: depth[s]))
    return order
