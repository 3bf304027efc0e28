"""The topology of a graph: its edges, its order, its cycles, layers that are alike; port maps of its bodies,
validated and in terms of positions.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Protocol, TypeAlias

from irops.diagnostics.printable import abridged
from irops.ir.model import (
    SHOWN,
    BackEdge,
    Body,
    Edge,
    Layer,
    LayerGraph,
    LayerKind,
    Port,
    PortMapping,
    kind_of,
)
from irops.spec.body import CURRENT_ITERATION, EXECUTION_CONDITION, BodyInput, BodyOutput, Cut, Feedback

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

    def source(self, id: int) -> Source | None:
        """The source of the first input of a layer, a Result say; None if it is unconnected or missing."""
        return next(iter(self.inputs[id]), None)

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
            labels = {port.id: index for index, port in reversed(list(enumerate(ports)))}  # the first counts
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
    shortest.sort(key=lambda cycle: position[cycle[0]])  # components come in the order of a set
    return [[topology.layers[layer_id] for layer_id in cycle] for cycle in shortest]


def _shortest_cycle(component: "networkx.DiGraph[int]", first: int) -> list[int]:
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


PURPOSES = {"input": CURRENT_ITERATION, "output": EXECUTION_CONDITION}
RANGE_CHECK = 'OpenVINO refuses the file with "vector::_M_range_check"'
AT_CHECK = 'OpenVINO refuses the file with "unordered_map::at"'


@dataclass(frozen=True, slots=True)
class MapFault:
    """A fault of a port map. rule: the name of the diagnostic rule; at: the byte offset of the cause.

    note: what OpenVINO does; absence: something is missing, which proves nothing of a file that could be read
    only in part; harmless: the map can be followed all the same.
    """

    rule: str
    message: str
    at: int
    note: str
    absence: bool = False
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class PortMaps:
    """The port map and the back edges of a body, in terms of positions."""

    inputs: tuple[BodyInput, ...]
    outputs: tuple[BodyOutput, ...]
    back_edges: tuple[Feedback, ...]


def parameters_of(layers: list[Layer]) -> list[Layer]:
    """The Parameters of a graph, in the order of the file."""
    return [layer for layer in layers if layer.kind is LayerKind.PARAMETER]


def results_of(layers: list[Layer]) -> list[Layer]:
    """The Results of a graph, in the order of the file."""
    return [layer for layer in layers if layer.kind is LayerKind.RESULT]


def port_maps(layer: Layer, body: Body) -> tuple[PortMaps | None, tuple[MapFault, ...]]:
    """The maps of a layer's body, None where they cannot be followed, and all that is wrong with them.

    As OpenVINO reads them: an input's external_port_id is the number of the layer's input; outputs are
    sorted by external_port_id and numbered from 0.
    """
    validation = _Validation(layer, body)
    faults = tuple(validation.faults())
    if any(not fault.harmless for fault in faults):
        return None, faults
    return validation.maps(), faults


class _Validation:
    """The entries of one body's maps, and the layers of the body that they mean."""

    def __init__(self, layer: Layer, body: Body) -> None:
        self.layer, self.body = layer, body
        self.layers = {inner.id: inner for inner in body.graph.layers}
        self.parameters = {p.id: k for k, p in enumerate(parameters_of(body.graph.layers))}
        self.results = {r.id: k for k, r in enumerate(results_of(body.graph.layers))}
        self.is_loop = layer.type.lower() == "loop"

    def maps(self) -> PortMaps:
        """The maps by positions. The entries must be free of faults."""
        numbers = {m.external_port_id for m in self.body.outputs if m.external_port_id >= 0}
        ports: dict[int, int] = {port: k for k, port in enumerate(sorted(numbers))}
        inputs = [
            BodyInput(
                None if m.external_port_id == -1 else m.external_port_id,
                self.parameters[m.internal_layer_id],
                _cut(m),
                m.purpose,
                m.at,
            )
            for m in self.body.inputs
        ]
        outputs = [
            BodyOutput(
                ports.get(m.external_port_id), self.results[m.internal_layer_id], _cut(m), m.purpose, m.at
            )
            for m in self.body.outputs
        ]
        back_edges = [
            Feedback(self.results[e.from_layer], self.parameters[e.to_layer], e.at)
            for e in self.body.back_edges
        ]
        return PortMaps(tuple(inputs), tuple(outputs), tuple(back_edges))

    def faults(self) -> Iterator[MapFault]:
        """All that is wrong, each kind of fault for itself."""
        for side, entries in (("input", self.body.inputs), ("output", self.body.outputs)):
            for entry in entries:
                yield from self._layer_fault(side, entry)
                yield from self._port_fault(side, entry)
                yield from self._purpose_fault(side, entry)
                yield from self._slice_fault(side, entry)
        yield from self._repeated_parameters()
        yield from self._unmapped_parameters()
        yield from self._repeated_outputs()
        for edge in self.body.back_edges:
            yield from self._back_edge_faults(edge)
        yield from self._condition_fault()

    def _unfit(self, layer_id: int, wanted: str) -> str | None:
        """Why the body's layer of an id is not of the wanted type; None if it is."""
        if layer_id in (self.parameters if wanted == "Parameter" else self.results):
            return None
        inner = self.layers.get(layer_id)
        return "which does not exist" if inner is None else f"which is of type {abridged(inner.type, SHOWN)}"

    def _layer_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        wanted = "Parameter" if side == "input" else "Result"
        reason = self._unfit(entry.internal_layer_id, wanted)
        if reason is not None:
            message = (
                f"an {side} of the port map of {self.layer} refers to layer {entry.internal_layer_id} of its"
                f" {self.body.name}, {reason}; it must be a {wanted} there"
            )
            yield MapFault("unknown-internal-layer", message, entry.at, AT_CHECK)

    def _port_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        number, count = entry.external_port_id, len(self.layer.inputs)
        if entry.purpose == PURPOSES[side] and number == -1:
            return
        if number < 0 or (side == "input" and number >= count):
            has = "the number of an output is 0 or more"
            if side == "input":
                has = f"the layer has {count} input{'s' * (count != 1)}, counted from 0"
            message = f"an {side} of the port map of {self.layer} refers to its port {number}; {has}"
            yield MapFault("unknown-external-port", message, entry.at, RANGE_CHECK)

    def _purpose_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        if entry.purpose is None:
            return
        if self.is_loop and entry.purpose == PURPOSES[side]:
            yield from self._number_fault(side, entry)
            return
        allowed = f"{PURPOSES[side]} is the only one" if self.is_loop else "only a Loop has purposes"
        purpose = abridged(entry.purpose, SHOWN)
        message = f'an {side} of the port map of {self.layer} has the purpose "{purpose}"; {allowed}'
        note = "OpenVINO treats the entry as one without a purpose"
        yield MapFault("unknown-purpose", message, entry.at, note, harmless=True)

    def _number_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        """The number of the iteration is no input of the layer, and has no parts."""
        if side == "input" and (entry.external_port_id != -1 or entry.axis is not None):
            number = entry.external_port_id
            what = "an axis" if number == -1 else f"the external_port_id {number}"
            message = (
                f"an input of the port map of {self.layer} with the purpose {entry.purpose} has {what}; it"
                " must have the external_port_id -1 and no axis"
            )
            yield MapFault("unknown-purpose", message, entry.at, "OpenVINO refuses the model", harmless=True)

    def _slice_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        if entry.axis is None:
            return
        what = f"an {side} of the port map of {self.layer} has"
        if entry.stride == 0:
            message = f"{what} the stride 0; it must be a positive or a negative number"
            note = "OpenVINO reads the file, and refuses the model when it compiles it"
        elif entry.part_size < 1:
            message = f"{what} the part_size {entry.part_size}; it must be at least 1"
            note = "OpenVINO divides by it unchecked: 0 ends the process"
        else:
            return
        yield MapFault("invalid-slice", message, entry.at, note)

    def _repeated_parameters(self) -> Iterator[MapFault]:
        seen: set[int] = set()
        for entry in self.body.inputs:
            number = entry.internal_layer_id
            if number in seen:
                parameter = self.layers.get(number, f"layer {number}")
                message = (
                    f"two inputs of the port map of {self.layer} feed {parameter} of its {self.body.name}; a"
                    " Parameter takes one"
                )
                yield MapFault("duplicate-parameter-mapping", message, entry.at, "OpenVINO keeps one of them")
            seen.add(number)

    def _unmapped_parameters(self) -> Iterator[MapFault]:
        mapped = {entry.internal_layer_id for entry in self.body.inputs}
        misdirected = any(self._unfit(number, "Parameter") for number in mapped)
        if misdirected or len(mapped) < len(self.body.inputs):
            return  # an entry that refers to another layer may be the one that is missing
        for inner in self.body.graph.layers:
            if inner.id in self.parameters and inner.id not in mapped:
                message = (
                    f"no input of the port map of {self.layer} feeds {inner} of its {self.body.name}; every"
                    " Parameter of a body takes its value from one"
                )
                note = 'OpenVINO: "Number of inputs must be the same as number of input descriptions"'
                yield MapFault("unmapped-parameter", message, inner.at, note, absence=True)

    def _repeated_outputs(self) -> Iterator[MapFault]:
        seen: set[int] = set()
        for entry in self.body.outputs:
            number = entry.external_port_id
            if number in seen and number >= 0:
                message = (
                    f"two outputs of the port map of {self.layer} give its port {number} from its"
                    f" {self.body.name}; an output takes one"
                )
                note = "OpenVINO keeps the first of them"
                yield MapFault("duplicate-output-mapping", message, entry.at, note)
            seen.add(number)

    def _back_edge_faults(self, edge: BackEdge) -> Iterator[MapFault]:
        ends = (("begins", edge.from_layer, "Result"), ("ends", edge.to_layer, "Parameter"))
        for verb, number, wanted in ends:
            reason = self._unfit(number, wanted)
            if reason is not None:
                message = (
                    f"a back edge of {self.layer} {verb} at layer {number} of its {self.body.name}, {reason};"
                    f" it must be a {wanted}"
                )
                note = AT_CHECK if wanted == "Result" else "OpenVINO silently drops this back edge"
                yield MapFault("dangling-back-edge", message, edge.at, note)

    def _condition_fault(self) -> Iterator[MapFault]:
        has_condition = any(entry.purpose == EXECUTION_CONDITION for entry in self.body.outputs)
        if self.is_loop and not has_condition:
            message = (
                f'no output of the port map of {self.layer} has the purpose "execution_condition"; a Loop'
                " must have one"
            )
            note = "OpenVINO refuses the file"
            yield MapFault("missing-condition", message, self.layer.at, note, absence=True)


def _cut(entry: PortMapping) -> Cut | None:
    if entry.axis is None:
        return None
    return Cut(entry.axis, entry.start, entry.end, entry.stride, entry.part_size)
