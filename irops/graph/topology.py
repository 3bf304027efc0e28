"""The topology of a graph: its edges, its order, its cycles, and layers that are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Protocol, TypeAlias

from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Port, kind_of

if TYPE_CHECKING:
    import networkx


Source: TypeAlias = tuple[Layer, int]
"""A layer and the index of one of its outputs."""
Consumer: TypeAlias = tuple[Layer, int]
"""A layer and the index of one of its inputs."""


@dataclass(frozen=True, slots=True)
class EdgeFault:
    """An invalid edge. rule: the name of the diagnostic rule."""

    rule: str
    edge: Edge


class Wiring:
    """The edges of one graph as positions of ports; bodies are separate graphs.

    layers: by id, the last one if ids repeat (as in OpenVINO); inputs: by layer id, the source of each input,
    None if it is unconnected; faults: the invalid edges, in the order of the file. Edges of layers with a
    repeated id, or with repeated port labels, are not in faults, since the reader reports these layers.
    """

    def __init__(self, graph: LayerGraph) -> None:
        self.graph = graph
        self.layers: dict[int, Layer] = {layer.id: layer for layer in graph.layers}
        self.inputs: dict[int, list[Source | None]] = {
            layer.id: [None] * len(layer.inputs) for layer in self.layers.values()
        }
        self.faults: list[EdgeFault] = []
        self._affected: set[int] = set()  # layers that an invalid edge should end at
        self._labels: dict[tuple[int, str], dict[int, int]] = {}
        self._is_ambiguous: dict[int, bool] = {}
        self._repeated = _repeated_ids(graph) if len(self.layers) < len(graph.layers) else frozenset()
        self._connect_all(graph.edges)

    @cached_property
    def order(self) -> list[Layer]:
        """The topological order; see irops.graph.topology."""
        return topological_order(self)

    @cached_property
    def consumers(self) -> dict[tuple[int, int], list[Consumer]]:
        """The consumers of each output that has any, by layer id and output index."""
        consumers: dict[tuple[int, int], list[Consumer]] = {}
        for layer_id, sources in self.inputs.items():
            for index, source in enumerate(sources):
                if source is not None:
                    consumers.setdefault((source[0].id, source[1]), []).append((self.layers[layer_id], index))
        return consumers

    @cached_property
    def feeding(self) -> frozenset[int]:
        """The ids of the layers of which an output is used."""
        return frozenset(
            source[0].id for sources in self.inputs.values() for source in sources if source is not None
        )

    @cached_property
    def _with_gaps(self) -> list[Layer]:
        """The layers of which an input has no edge."""
        return [self.layers[layer_id] for layer_id, sources in self.inputs.items() if None in sources]

    @cached_property
    def unconnected(self) -> list[tuple[Layer, int]]:
        """Layers and indices of inputs without an edge, unless an invalid edge may be the cause."""
        if any(fault.edge.to_layer not in self.layers for fault in self.faults):
            return []  # an edge to an unknown layer may be the missing one
        return [
            (layer, index)
            for layer in self._with_gaps
            for index, source in enumerate(self.inputs[layer.id])
            if source is None
            and layer.id not in self._affected
            and not layer.inputs[index].absent
            and not self._ambiguous(layer)
        ]

    @cached_property
    def faulty(self) -> frozenset[int]:
        """The ids of layers with invalid or missing edges, whose other errors may be cascading findings."""
        return frozenset(
            self._affected.union(
                layer.id for layer in self._with_gaps if self._lacks_input(layer.id, self.inputs[layer.id])
            )
        )

    def _lacks_input(self, layer_id: int, sources: list[Source | None]) -> bool:
        return any(
            source is None and not port.absent for source, port in zip(sources, self.layers[layer_id].inputs)
        )

    def _connect_all(self, edges: Sequence[Edge]) -> None:
        """Connect all edges; those whose labels are as OpenVINO writes them without a look-up of labels."""
        layers, inputs = self.layers, self.inputs
        for edge in edges:
            source, target = layers.get(edge.from_layer), layers.get(edge.to_layer)
            if source is not None and target is not None:
                label, index = edge.from_port, edge.to_port
                output = label - len(source.inputs)
                if (
                    0 <= output < len(source.outputs)
                    and source.outputs[output].id == label
                    and 0 <= index < len(target.inputs)
                    and target.inputs[index].id == index
                    and inputs[target.id][index] is None
                ):
                    inputs[target.id][index] = (source, output)
                    continue
            self._connect(edge)

    def _connect(self, edge: Edge) -> None:
        source, target = self.layers.get(edge.from_layer), self.layers.get(edge.to_layer)
        if source is None or target is None:
            self._affected.add(edge.to_layer)
            self.faults.append(EdgeFault("dangling-edge", edge))
            return
        output, index = self.output_index(source, edge.from_port), self.input_index(target, edge.to_port)
        if output is None:
            self._add_fault("unknown-output-port", source, edge)
        elif index is None:
            self._add_fault("unknown-input-port", target, edge)
        elif self.inputs[target.id][index] is not None:
            self._add_fault("multiple-producers", target, edge)
        else:
            self.inputs[target.id][index] = (source, output)

    def _add_fault(self, rule: str, layer: Layer, edge: Edge) -> None:
        self._affected.add(edge.to_layer)
        if not self._ambiguous(layer):
            self.faults.append(EdgeFault(rule, edge))

    def input_index(self, layer: Layer, label: int) -> int | None:
        """The index of the input with a port label, the first one if labels repeat; None if there is none."""
        return self._index(layer, "input", layer.inputs, label, label)

    def output_index(self, layer: Layer, label: int) -> int | None:
        """The index of the output with a port label, like input_index."""
        return self._index(layer, "output", layer.outputs, label, label - len(layer.inputs))

    def _index(self, layer: Layer, side: str, ports: Sequence[Port], label: int, usual: int) -> int | None:
        """usual: the index of the label as OpenVINO writes labels. Others are looked up, so that a layer of
        many ports takes no longer for each of its edges.
        """
        if 0 <= usual < len(ports) and ports[usual].id == label:
            return usual
        labels = self._labels.get((layer.id, side))
        if labels is None:
            labels = {port.id: index for index, port in reversed(list(enumerate(ports)))}
            self._labels[layer.id, side] = labels
        return labels.get(label)

    def _ambiguous(self, layer: Layer) -> bool:
        known = self._is_ambiguous.get(layer.id)
        if known is None:
            known = self._is_ambiguous[layer.id] = layer.id in self._repeated or any(
                len({port.id for port in ports}) < len(ports) for ports in (layer.inputs, layer.outputs)
            )
        return known


def _repeated_ids(graph: LayerGraph) -> frozenset[int]:
    return frozenset(
        layer_id for layer_id, count in Counter(layer.id for layer in graph.layers).items() if count > 1
    )


class Topology(Protocol):
    """Which layers feed which; see irops.graph.topology.Wiring.

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


def feeding_layers(topology: Topology, sinks: list[Layer]) -> set[int]:
    """The ids of the sinks and of all layers that they depend on."""
    inputs = topology.inputs
    seen = {layer.id for layer in sinks}
    stack = list(seen)
    while stack:
        for source in inputs[stack.pop()]:
            if source is not None:
                number = source[0].id
                if number not in seen:
                    seen.add(number)
                    stack.append(number)
    return seen


class LayerGroups:
    """The layers of a graph by type, version and kind. Immutable, so that threads may share it."""

    def __init__(self, layers: Iterable[Layer]) -> None:
        self._groups: dict[tuple[str, str, LayerKind | None], list[tuple[int, Layer]]] = {}
        groups = self._groups
        for place, layer in enumerate(layers):
            key = (layer.type, layer.version, layer.own_kind)
            group = groups.get(key)
            if group is None:
                groups[key] = [(place, layer)]
            else:
                group.append((place, layer))

    @property
    def first_layers(self) -> list[Layer]:
        """The first layer of each group."""
        return [group[0][1] for group in self._groups.values()]

    def where(self, test: Callable[[Layer], bool]) -> list[Layer]:
        """The layers for which a test is true, in the order of the file.

        test: depends on the type, the version and the kind of a layer alone
        """
        chosen = [group for group in self._groups.values() if test(group[0][1])]
        if len(chosen) == 1:
            return [layer for _, layer in chosen[0]]
        places = sorted((item for group in chosen for item in group), key=lambda item: item[0])
        return [layer for _, layer in places]

    def of_kinds(self, *kinds: LayerKind) -> list[Layer]:
        """The layers of some kinds, in the order of the file."""
        return self.where(lambda layer: layer.kind in kinds)

    def of_type(self, lower: str) -> list[Layer]:
        """The layers of a type, which is given in lower case, in the order of the file."""
        return self.where(lambda layer: layer.type.lower() == lower)
