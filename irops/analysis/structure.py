"""The graphs of a model as nodes: topology, ops, invocations, and the port maps of bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from irops.diagnostics.diagnostic import Diagnostic, Location, errors_of
from irops.diagnostics.printable import abridged
from irops.diagnostics.rules import rule
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects import Dialect, dialect_of, dialect_of_version
from irops.files.limits import Limits
from irops.ir.layer_groups import LayerGroups
from irops.ir.locate import Source
from irops.ir.model import SHOWN, BackEdge, Body, Graph, Layer, LayerKind, Model, PortMapping
from irops.ir.order import feeding_layers
from irops.ir.read import HARMLESS
from irops.ir.wiring import Wiring
from irops.ops.invocation import Invocation, OpFault, Texts
from irops.registry import Registry, default_registry
from irops.spec.body import (
    CURRENT_ITERATION,
    EXECUTION_CONDITION,
    OUTER,
    BodyInput,
    BodyOutput,
    Cut,
    Feedback,
)
from irops.spec.op import NoOp, Op
from irops.values.fact import Fact

Item = TypeVar("Item")
PURPOSES = {"input": CURRENT_ITERATION, "output": EXECUTION_CONDITION}
RANGE_CHECK = 'OpenVINO refuses the file with "vector::_M_range_check"'
AT_CHECK = 'OpenVINO refuses the file with "unordered_map::at"'


@dataclass(frozen=True, slots=True)
class MapFault:
    """What is wrong with a port map. rule: the name of the diagnostic rule; at: the byte offset of the cause.

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
        captures = dialect_of_version(self.layer.version).bodies_capture
        inputs = [
            BodyInput(
                None if m.external_port_id == -1 else m.external_port_id,
                self.parameters[m.internal_layer_id],
                _cut(m),
                m.purpose,
                m.at,
                captures and OUTER in m.extra,
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
        if misdirected or len(mapped) < len(self.body.inputs) or self.body.incomplete:
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


# The structure.

Path = tuple[str, ...]
"""The names of layers and bodies from the model down to a graph: ("loop_node", "body")."""

MAX_DIGITS = 19
"""Numbers of fewer digits are within 64 bits."""
NO_BODIES: Mapping[str, Any] = MappingProxyType({})
"""The bodies of a layer that has none: one object for all of them."""

SHAPES = frozenset({"ShapeOf", "Shape", "Size"})
"""The types of ops, of all dialects, that read nothing but the shape of their input."""


@dataclass(eq=False, slots=True)
class LayerNode:
    """A layer with its op. missing: why there is no op; invocation: the op with the layer's attributes.

    bodies: by name; is_misconnected: its inputs are not what the file meant, as other findings report.
    """

    layer: Layer
    path: Path
    op: Op | None = None
    missing: NoOp | None = None
    invocation: Invocation | None = None
    bodies: Mapping[str, BodyNode] = field(default_factory=lambda: NO_BODIES)
    is_misconnected: bool = False

    def own(self, inputs: Sequence[Item]) -> Sequence[Item]:
        """The inputs of the op, without those behind them that only its bodies take."""
        if not self.bodies or self.op is None:
            return inputs
        entries = [entry for body in self.bodies.values() if body.maps for entry in body.maps.inputs]
        if not any(entry.captured for entry in entries):
            return inputs
        fixed = sum(not port.variadic for port in self.op.definition.inputs)
        ports = [entry.port for entry in entries if entry.port is not None and not entry.captured]
        return inputs[: max(fixed, max(ports, default=-1) + 1)]


@dataclass(eq=False, slots=True)
class BodyNode:
    """A body of a layer. outer: the graph of the layer; maps: by positions, None where they are faulty.

    declared: what its Parameters declare, as Facts.
    """

    body: Body
    layer: Layer
    outer: GraphNode
    graph: GraphNode
    maps: PortMaps | None
    faults: tuple[MapFault, ...]
    declared: tuple[Fact, ...] = ()


@dataclass(eq=False)
class GraphNode:
    """One graph of a model: the outermost, or a body. outer: the graph around it."""

    graph: Graph
    path: Path
    outer: GraphNode | None
    wiring: Wiring
    layers: dict[int, LayerNode] = field(default_factory=dict)

    @cached_property
    def order(self) -> tuple[LayerNode, ...]:
        """The layers in an order in which they can be computed; those on or behind a cycle are left out."""
        return tuple(self.layers[layer.id] for layer in self.wiring.order)

    @cached_property
    def groups(self) -> LayerGroups:
        """The layers by type, version and kind."""
        return LayerGroups(self.graph.layers)

    @cached_property
    def parameters(self) -> tuple[Layer, ...]:
        return tuple(self.groups.of_kinds(LayerKind.PARAMETER))

    @cached_property
    def results(self) -> tuple[Layer, ...]:
        return tuple(self.groups.of_kinds(LayerKind.RESULT))

    @cached_property
    def constants(self) -> frozenset[int]:
        """The ids of constants, and of the layers whose inputs all follow from constants.

        Layers without a known op, with state or random values (`stateful` in their definition), and with
        bodies do not follow from constants, whatever their inputs are.
        """
        found: set[int] = set()
        for node in self.order:
            if node.layer.is_constant or self._follows(node, found):
                found.add(node.layer.id)
        return frozenset(found)

    def preceding(
        self, layers: Iterable[int], enter: Callable[[tuple[Layer, int]], bool] | None = None
    ) -> set[int]:
        """The ids of layers, and of all that they are computed from. enter: as in ir.order.feeding_layers"""
        return feeding_layers(self.wiring, layers, enter)

    def following(self, layers: Iterable[int]) -> set[int]:
        """The ids of layers, and of all that is computed from them."""
        found = set(layers)
        for node in self.order if found else ():
            sources = self.wiring.inputs[node.layer.id]
            if any(source is not None and source[0].id in found for source in sources):
                found.add(node.layer.id)
        return found

    @cached_property
    def of_shapes(self) -> frozenset[int]:
        """The ids of layers whose values follow from constants and from the shapes of other values alone."""
        found = set(self.constants)
        for node in self.order:
            if (node.op is not None and node.op.definition.type in SHAPES) or self._follows(node, found):
                found.add(node.layer.id)
        return frozenset(found)

    def _follows(self, node: LayerNode, constants: set[int]) -> bool:
        op, sources = node.op, self.wiring.inputs[node.layer.id]
        if op is None or op.definition.stateful or op.definition.bodies or not sources:
            return False
        if node.layer.kind is not LayerKind.OPERATION:
            return False
        return all(source is None or source[0].id in constants for source in sources)

    @property
    def sinks(self) -> list[Layer]:
        """What OpenVINO computes a graph for: Results and Assigns, those misspelled in case as well."""
        kinds = (LayerKind.RESULT, LayerKind.SINK)
        return self.current(self.groups.where(lambda layer: layer.intended_kind in kinds))

    def current(self, layers: list[Layer]) -> list[Layer]:
        """The layers without those whose id a later layer has, too."""
        wired = self.wiring.layers
        if len(wired) == len(self.graph.layers):
            return layers
        return [layer for layer in layers if wired.get(layer.id) is layer]

    @cached_property
    def bodies(self) -> tuple[BodyNode, ...]:
        """The bodies of the graph's layers."""
        return tuple(body for node in self.layers.values() if node.bodies for body in node.bodies.values())

    def find(self, key: int | str) -> LayerNode:
        """The layer of an id or a name, the first of equal names; KeyError, with a suggestion, if
        there is none.
        """
        number = self._numbers.get(key) if isinstance(key, str) else key
        if number is None or number not in self.layers:
            raise KeyError(f"there is no layer {key!r}{did_you_mean(key, self._numbers)}")
        return self.layers[number]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The ids of layers by name."""
        return {node.layer.name: number for number, node in reversed(self.layers.items())}

    @property
    def what(self) -> str:
        """How messages call the graph."""
        return "the body" if self.outer else "the graph"


class ModelStructure:
    """The graphs of a model, wired once. Immutable once built, so that threads may share it.

    registry: where ops are looked up; read_findings: what the reader reported, if the model was read for a
    check.
    """

    def __init__(
        self,
        model: Model,
        registry: Registry | None = None,
        limits: Limits | None = None,
        read_findings: Iterable[Diagnostic] = (),
    ) -> None:
        self.model = model
        self.dialect: Dialect = dialect_of(model)
        self.registry = registry or default_registry()
        self.limits = limits or Limits()
        self.partially_read: frozenset[Path] = frozenset(
            d.location.path for d in errors_of(read_findings) if d.name not in HARMLESS
        )
        """The graphs that the reader could not take in full: what is absent there may only be unread."""
        self._invocations: dict[str, dict[Texts, Invocation]] = {}
        self._constants: dict[tuple[str, str, str], Invocation] = {}
        self.root = self._graph(model.graph, (), None)
        self.graphs: tuple[GraphNode, ...] = tuple(_walk(self.root))
        self.by_path: dict[Path, GraphNode] = {graph.path: graph for graph in self.graphs}

    @property
    def fully_read(self) -> tuple[GraphNode, ...]:
        """The graphs that the reader took in full."""
        return tuple(graph for graph in self.graphs if graph.path not in self.partially_read)

    @property
    def bodies(self) -> Iterator[BodyNode]:
        for graph in self.graphs:
            yield from graph.bodies

    @property
    def editable(self) -> Source | None:
        """The text that fixes can change; None where the model is not of a file, or in another encoding."""
        source = self.model.source
        return source if source is not None and source.as_stored else None

    @cached_property
    def op_counts(self) -> Mapping[tuple[str, str], int]:
        """How many layers there are of each type and version."""
        return Counter((layer.type, layer.version) for _, layer in self.model.walk())

    def location(
        self, layer: Layer | None = None, path: Path = (), at: int | None = None, attribute: str | None = None
    ) -> Location:
        """The place of a layer, of an element at a byte offset, or of an attribute of that element."""
        return self.model.location(layer, path, at, attribute)

    def finding(
        self,
        name: str,
        message: str,
        at: int,
        graph: GraphNode,
        layer: Layer | None = None,
        *,
        attribute: str | None = None,
        **more: Any,
    ) -> Diagnostic:
        """A finding of the rule of that name, at the element of that byte offset or at one of its attributes.

        more: the other fields of a Diagnostic; notes about OpenVINO are dropped for models of other dialects
        """
        if not self.dialect.runtime_notes:
            more["notes"] = tuple(note for note in more.get("notes", ()) if "OpenVINO" not in note)
        place = self.location(layer, graph.path, at, attribute)
        return Diagnostic(rule(name), message, place, **more)

    def _graph(self, graph: Graph, path: Path, outer: GraphNode | None) -> GraphNode:
        node = GraphNode(graph, path, outer, Wiring(graph))
        misconnected, layers = node.wiring.faulty, node.layers
        resolved: dict[tuple[str, str], Op | NoOp] = {}
        for number, layer in node.wiring.layers.items():
            key = (layer.type, layer.version)
            op = resolved.get(key)
            if op is None:
                op = resolved[key] = self.registry.resolve(*key)
            bodies = self._bodies(node, layer) if layer.bodies else NO_BODIES
            faulty = number in misconnected
            if isinstance(op, NoOp):
                layers[number] = LayerNode(layer, path, None, op, None, bodies, faulty)
            else:
                invocation = self._invocation(op, layer)
                layers[number] = LayerNode(layer, path, op, None, invocation, bodies, faulty)
        return node

    def _bodies(self, graph: GraphNode, layer: Layer) -> Mapping[str, BodyNode]:
        bodies = {}
        for name, body in layer.bodies.items():
            inner = self._graph(body.graph, (*graph.path, layer.name, name), graph)
            maps, faults = port_maps(layer, body)
            declared = tuple(map(self._declared, inner.parameters))
            bodies[name] = BodyNode(body, layer, graph, inner, maps, faults, declared)
        return bodies

    def _invocation(self, op: Op, layer: Layer) -> Invocation:
        """The invocation of a layer, shared by all layers of the same op and attributes."""
        texts = (*layer.data, *layer.data.values())
        of_op = self._invocations.get(op.id)
        if of_op is None:
            of_op = self._invocations[op.id] = {}
        invocation = of_op.get(texts)
        if invocation is None:
            like = self._constant_like(op, layer.data) if layer.is_constant else None
            invocation = Invocation(op, layer.data) if like is None else like.with_texts(texts)
            of_op[texts] = invocation
        return invocation

    def _constant_like(self, op: Op, data: Mapping[str, str]) -> Invocation | None:
        """The invocation of a constant that differs only in the place of its bytes, and is free of faults."""
        if not _has_plain_place(op, data):
            return None
        key = (op.id, data["element_type"], data["shape"])
        like = self._constants.get(key)
        if like is None:
            like = self._constants[key] = Invocation(op, data)
        return like if like.usable and not like.faults else None

    def _declared(self, parameter: Layer) -> Fact:
        """What a Parameter of a body declares; an unknown Fact where that is malformed."""
        op = self.registry.resolve(parameter.type, parameter.version)
        if isinstance(op, NoOp):
            return Fact()
        invocation = self._invocation(op, parameter)
        try:
            return invocation.infer(())[0] if invocation.usable else Fact()
        except OpFault:
            return Fact()


def _has_plain_place(op: Op, data: Mapping[str, str]) -> bool:
    """Whether a constant has the usual four attributes, and its place in two numbers that are valid for sure:
    those of another constant are then as good.
    """
    offset, size = data.get("offset"), data.get("size")
    if not offset or not size or len(data) != 4 or "element_type" not in data or "shape" not in data:
        return False
    digits = offset + size
    is_plain = digits.isascii() and digits.isdigit() and max(len(offset), len(size)) < MAX_DIGITS
    return is_plain and {"offset", "size"} <= op.counts


def _walk(graph: GraphNode) -> Iterator[GraphNode]:
    """A graph and those within it. Not recursive, in the order in which checks report."""
    ahead = [graph]
    while ahead:
        graph = ahead.pop()
        yield graph
        ahead.extend(body.graph for body in graph.bodies)
