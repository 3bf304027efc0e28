"""The layers of a graph in an order that keeps together what belongs together."""

from __future__ import annotations

from collections.abc import Collection

from irops.analysis.structure import GraphNode
from irops.ir.model import LayerKind

ENDS = (LayerKind.RESULT, LayerKind.SINK)


def sequence(graph: GraphNode, left_out: Collection[int] = (), hoist: int | None = None) -> list[int]:
    """The ids of the layers, each after its sources, those on cycles last.

    A layer comes as late as its first use allows, so that the layers of a block follow one another, and a
    Result follows what it gives. hoist: layers whose users are further apart come first, such as those of an
    attention mask, which all blocks use
    """
    inputs = graph.wiring.inputs
    depth = _depths(graph, left_out)
    shown = [number for number in graph.layers if number in depth]
    is_end = {number for number in shown if graph.layers[number].layer.kind in ENDS}
    used = {s[0].id for number in shown for s in inputs[number] if s is not None}
    roots = [number for number in shown if number in is_end or number not in used]
    roots.sort(key=lambda number: -depth[number])
    order = _post_order(graph, roots, depth)
    if hoist is not None:
        apart = _used_apart(graph, order, is_end, hoist)
        hoisted = _post_order(graph, sorted(apart, key=lambda n: depth[n]), depth)
        depth = _depths(
            graph, left_out, frozenset(hoisted)
        )  # so that the first block is no deeper than the others
        order = [*hoisted, *_post_order(graph, roots, depth, hoisted)]
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


def _depths(
    graph: GraphNode, left_out: Collection[int], sources_only: Collection[int] = ()
) -> dict[int, int]:
    """The number of layers in sequence before each; nothing counts before those in sources_only."""
    depth: dict[int, int] = {}
    for node in graph.order:
        if node.layer.id in left_out:
            continue
        sources = [s[0].id for s in graph.wiring.inputs[node.layer.id] if s is not None and s[0].id in depth]
        before = -1 if node.layer.id in sources_only else max((depth[s] for s in sources), default=-1)
        depth[node.layer.id] = 1 + before
    return depth


def _used_apart(graph: GraphNode, order: list[int], ends: set[int], distance: int) -> list[int]:
    """The layers with users further apart than a distance."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for place, number in enumerate(order):
        if number not in ends:
            for source in graph.wiring.inputs[number]:
                if source is not None:
                    first.setdefault(source[0].id, place)
                    last[source[0].id] = place
    return [number for number in order if last.get(number, 0) - first.get(number, 0) > distance]


def _post_order(
    graph: GraphNode,
    roots: list[int],
    depth: dict[int, int],
    before: Collection[int] = (),
) -> list[int]:
    order: list[int] = []
    done: set[int] = set(before)
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
            ahead = [s for s in sources if s in depth and s not in done]
            stack.extend((s, False) for s in sorted(ahead, key=lambda s: depth[s]))
    return order
