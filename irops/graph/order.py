"""In what order the layers of a graph can be worked out, and what forbids it."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from irops.ir.model import Layer, LayerKind

if TYPE_CHECKING:
    import networkx

    from irops.graph.wiring import Wiring


def topological_order(wiring: Wiring) -> list[Layer]:
    """Parameters first, then each layer after those that feed it; else the order of the file.

    Layers on a cycle, and those behind one, are left out.
    """
    layers = sorted(wiring.layers.values(), key=lambda layer: layer.kind is not LayerKind.PARAMETER)
    return layers if _in_order(layers, wiring) else _sorted_out(layers, wiring)


def _in_order(layers: list[Layer], wiring: Wiring) -> bool:
    done: set[int] = set()
    for layer in layers:
        for source in wiring.inputs[layer.id]:
            if source is not None and source[0].id not in done:
                return False
        done.add(layer.id)
    return True


def _sorted_out(layers: list[Layer], wiring: Wiring) -> list[Layer]:
    """Kahn's order: of the layers that are ready, always the first of the file."""
    place = {layer.id: k for k, layer in enumerate(layers)}
    waits = {layer.id: sum(source is not None for source in wiring.inputs[layer.id]) for layer in layers}
    feeds: dict[int, list[int]] = {}
    for layer in layers:
        for source in wiring.inputs[layer.id]:
            if source is not None:
                feeds.setdefault(source[0].id, []).append(layer.id)
    ready = [place[layer_id] for layer_id, count in waits.items() if count == 0]
    heapify(ready)
    order: list[Layer] = []
    while ready:
        layer = layers[heappop(ready)]
        order.append(layer)
        for fed in feeds.get(layer.id, ()):
            waits[fed] -= 1
            if waits[fed] == 0:
                heappush(ready, place[fed])
    return order


def cycles(wiring: Wiring) -> list[list[Layer]]:
    """A shortest cycle through the first layer of each component of layers that feed one another, in the
    order of the file.
    """
    if len(wiring.order) == len(wiring.layers):
        return []
    import networkx

    done = {layer.id for layer in wiring.order}
    graph: networkx.DiGraph[int] = networkx.DiGraph(
        (source[0].id, layer_id)
        for layer_id, sources in wiring.inputs.items()
        if layer_id not in done
        for source in sources
        if source is not None and source[0].id not in done
    )
    place = {layer_id: k for k, layer_id in enumerate(wiring.layers)}
    found = []
    for component in networkx.strongly_connected_components(graph):
        first = min(component, key=place.__getitem__)
        if len(component) > 1 or graph.has_edge(first, first):
            found.append(_way_around(graph.subgraph(component), first))
    found.sort(key=lambda cycle: place[cycle[0]])
    return [[wiring.layers[layer_id] for layer_id in cycle] for cycle in found]


def _way_around(component: networkx.DiGraph[int], first: int) -> list[int]:
    """The layers of a shortest cycle, from first on, along the edges."""
    import networkx

    came_from: dict[int, int] = {}
    last = first
    for before, layer_id in networkx.bfs_edges(component, first):
        if component.has_edge(last, first):
            break
        came_from[layer_id], last = before, layer_id
    way = [last]
    while way[-1] != first:
        way.append(came_from[way[-1]])
    return way[::-1]


def feeding_layers(wiring: Wiring, sinks: list[Layer]) -> set[int]:
    """The ids of the layers from which a way leads to one of the sinks, the sinks among them."""
    seen = {layer.id for layer in sinks}
    ahead = list(seen)
    while ahead:
        for source in wiring.inputs[ahead.pop()]:
            if source is not None and source[0].id not in seen:
                seen.add(source[0].id)
                ahead.append(source[0].id)
    return seen
