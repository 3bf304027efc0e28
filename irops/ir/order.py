"""The topological order of a graph, its cycles, and the layers that results depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Protocol

from irops.ir.model import Layer, LayerKind, kind_of

if TYPE_CHECKING:
    import networkx


class Topology(Protocol):
    """Which layers feed which; see irops.ir.wiring.Wiring.

    layers: by id, in the order of the file; inputs: by layer id, the source of each input, None if it is
    unconnected; order: the layers in topological order, without those that depend on a cycle.
    """

    @property
    def layers(self) -> Mapping[int, Layer]: ...
    @property
    def inputs(self) -> Mapping[int, Sequence[tuple[Layer, int] | None]]: ...
    @property
    def order(self) -> Sequence[Layer]: ...


def topological_order(topology: Topology) -> list[Layer]:
    """Parameters first, then each layer after its producers; otherwise in the order of the file.

    Layers on a cycle, and those that depend on one, are omitted.
    """
    layers: list[Layer] = []
    others: list[Layer] = []
    for layer in topology.layers.values():
        kind = layer.own_kind or kind_of(layer.type)
        (layers if kind is LayerKind.PARAMETER else others).append(layer)
    layers += others
    return layers if _is_ordered(layers, topology) else _sorted(layers, topology)


def _is_ordered(layers: list[Layer], topology: Topology) -> bool:
    inputs = topology.inputs
    done: set[int] = set()
    for layer in layers:
        number = layer.id
        for source in inputs[number]:
            if source is not None and source[0].id not in done:
                return False
        done.add(number)
    return True


def _sorted(layers: list[Layer], topology: Topology) -> list[Layer]:
    """Kahn's algorithm, choosing the first ready layer in the order of the file."""
    position = {layer.id: k for k, layer in enumerate(layers)}
    pending = {layer.id: sum(source is not None for source in topology.inputs[layer.id]) for layer in layers}
    consumers: dict[int, list[int]] = {}
    for layer in layers:
        for source in topology.inputs[layer.id]:
            if source is not None:
                consumers.setdefault(source[0].id, []).append(layer.id)
    ready = [position[layer_id] for layer_id, count in pending.items() if count == 0]
    heapify(ready)
    order: list[Layer] = []
    while ready:
        layer = layers[heappop(ready)]
        order.append(layer)
        for consumer in consumers.get(layer.id, ()):
            pending[consumer] -= 1
            if pending[consumer] == 0:
                heappush(ready, position[consumer])
    return order


def cycles(topology: Topology) -> list[list[Layer]]:
    """A shortest cycle through the first layer of each strongly connected component, in file order."""
    if len(topology.order) == len(topology.layers):
        return []
    import networkx

    done = {layer.id for layer in topology.order}
    graph: networkx.DiGraph[int] = networkx.DiGraph(
        (source[0].id, layer_id)
        for layer_id, sources in topology.inputs.items()
        if layer_id not in done
        for source in sources
        if source is not None and source[0].id not in done
    )
    position = {layer_id: k for k, layer_id in enumerate(topology.layers)}
    shortest = []
    for component in networkx.strongly_connected_components(graph):
        first = min(component, key=position.__getitem__)
        if len(component) > 1 or graph.has_edge(first, first):
            shortest.append(_shortest_cycle(graph.subgraph(component), first))
    shortest.sort(key=lambda cycle: position[cycle[0]])
    return [[topology.layers[layer_id] for layer_id in cycle] for cycle in shortest]


def _shortest_cycle(component: networkx.DiGraph[int], first: int) -> list[int]:
    """The layers of a shortest cycle through first, starting with it, along the edges."""
    import networkx

    predecessor: dict[int, int] = {}
    last = first
    for before, layer_id in networkx.bfs_edges(component, first):
        if component.has_edge(last, first):
            break
        predecessor[layer_id], last = before, layer_id
    path = [last]
    while path[-1] != first:
        path.append(predecessor[path[-1]])
    return path[::-1]


def feeding_layers(
    topology: Topology,
    layers: Iterable[int],
    enter: Callable[[tuple[Layer, int]], bool] | None = None,
) -> set[int]:
    """The ids of layers, and of all that they depend on.

    enter: whether to go on to the layer of a value that one of them takes; to all of them by default
    """
    inputs = topology.inputs
    seen = set(layers)
    ahead = list(seen)
    while ahead:
        for source in inputs[ahead.pop()]:
            if source is not None:
                number = source[0].id
                if number not in seen and (enter is None or enter(source)):
                    seen.add(number)
                    ahead.append(number)
    return seen
