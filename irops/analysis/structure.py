"""The structure of a model: its graphs with their topology, ops and port maps, and the checks of its edges.

Nothing of it depends on shapes.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from irops.analysis.invocation import Invocation, OpFault, Texts
from irops.diagnostics.diagnostic import Diagnostic, Location, errors_of
from irops.diagnostics.rules import rule
from irops.dialects import Dialect, dialect_of
from irops.dialects.registry import Registry, default_registry
from irops.files.limits import Limits
from irops.graph.topology import LayerGroups, MapFault, PortMaps, Wiring, cycles, port_maps
from irops.ir.locate import SourceText
from irops.ir.model import Body, Edge, Layer, LayerGraph, LayerKind, Model, Port
from irops.ir.names import LayerNames
from irops.ir.read import HARMLESS
from irops.spec.op import NoOp, Op
from irops.values.element import element_type
from irops.values.fact import Fact
from irops.values.shape import Shape


def declared_variables(model: Model) -> Mapping[str, Fact]:
    """The variables declared by ReadValue layers, by variable_id; the first declaration of each.

    Malformed declarations are ignored.
    """
    variables: dict[str, Fact] = {}
    for _, layer in model.walk():
        data = layer.data
        if "variable_id" in data and layer.type.lower() == "readvalue":
            try:
                kind, shape = data.get("variable_type", "dynamic"), data.get("variable_shape", "...")
                fact = Fact(element_type(kind), Shape.parse(shape))
            except ValueError:
                continue
            variables.setdefault(data["variable_id"], fact)
    return variables


Path = tuple[str, ...]
"""The names of layers and bodies from the model down to a graph: ("loop_node", "body")."""

MAX_DIGITS = 19
"""Numbers of fewer digits are within 64 bits."""
NO_BODIES: Mapping[str, Any] = MappingProxyType({})
"""The bodies of a layer that has none: one object for all of them."""


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
    bodies: "Mapping[str, BodyNode]" = field(default_factory=lambda: NO_BODIES)
    is_misconnected: bool = False


@dataclass(eq=False, slots=True)
class BodyNode:
    """A body of a layer. outer: the graph of the layer; maps: by positions, None where they are faulty.

    declared: what its Parameters declare, as Facts.
    """

    body: Body
    layer: Layer
    outer: "GraphNode"
    graph: "GraphNode"
    maps: PortMaps | None
    faults: tuple[MapFault, ...]
    declared: tuple[Fact, ...] = ()


@dataclass(eq=False)
class GraphNode:
    """One graph of a model: the outermost, or a body. outer: the graph around it."""

    graph: LayerGraph
    path: Path
    outer: "GraphNode | None"
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

    @property
    def sinks(self) -> list[Layer]:
        """The layers that OpenVINO computes a graph for: Results and Assigns, those misspelled in case as
        well.
        """
        kinds = (LayerKind.RESULT, LayerKind.SINK)
        return self.current(self.groups.where(lambda layer: layer.intended_kind in kinds))

    def current(self, layers: list[Layer]) -> list[Layer]:
        """The layers without those whose id a later layer has, too."""
        wired = self.wiring.layers
        if len(wired) == len(self.graph.layers):
            return layers
        return [layer for layer in layers if wired.get(layer.id) is layer]

    @cached_property
    def constants(self) -> frozenset[int]:
        """The ids of constants, and of the layers that are computed from constants alone: not of layers that
        keep a state, draw numbers or have bodies.
        """
        found: set[int] = set()
        for node in self.order:
            if node.layer.is_constant or self._is_computed_from(found, node):
                found.add(node.layer.id)
        return frozenset(found)

    def _is_computed_from(self, layers: Collection[int], node: LayerNode) -> bool:
        op, sources = node.op, self.wiring.inputs[node.layer.id]
        if (
            op is None
            or op.definition.stateful
            or op.definition.bodies
            or node.layer.kind is LayerKind.RESULT
        ):
            return False
        used = [source[0].id for source in sources if source is not None]
        return bool(used) and all(number in layers for number in used)

    @cached_property
    def bodies(self) -> tuple[BodyNode, ...]:
        """The bodies of the graph's layers."""
        return tuple(body for node in self.layers.values() if node.bodies for body in node.bodies.values())

    def find(self, key: int | str) -> LayerNode:
        """The layer that a key of names stands for; KeyError, with suggestions, if there is none."""
        return self.layers[self.names.one(key)[0].id]

    @cached_property
    def names(self) -> LayerNames[Layer]:
        """The layers by what they are called."""
        return LayerNames((number, node.layer) for number, node in self.layers.items())

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
        self._said: dict[tuple[str, ...], tuple[str, str]] = {}
        """The first missing op of each notes: the others are reported without them."""
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
    def editable(self) -> SourceText | None:
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

    def _graph(self, graph: LayerGraph, path: Path, outer: GraphNode | None) -> GraphNode:
        node = GraphNode(graph, path, outer, Wiring(graph))
        misconnected, layers = node.wiring.faulty, node.layers
        resolved: dict[tuple[str, str], Op | NoOp] = {}
        for number, layer in node.wiring.layers.items():
            key = (layer.type, layer.version)
            op = resolved.get(key)
            if op is None:
                op = resolved[key] = self.registry.resolve(*key)
                if isinstance(op, NoOp) and op.once and self._said.setdefault(op.notes, key) != key:
                    op = resolved[key] = replace(op, notes=())
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
        """The Fact that a Parameter of a body declares, or an unknown Fact if that is malformed."""
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


SHOWN = 8
"""How many layers of a cycle a message names."""


def edges_end_at_layers(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope, _, edge in _faulty_edges(structure, "dangling-edge"):
        layers = scope.wiring.layers
        begins = edge.from_layer in layers
        verb, absent, there = ("ends", edge.to_layer, "from") if begins else ("starts", edge.from_layer, "to")
        other = layers.get(edge.from_layer, layers.get(edge.to_layer))
        refusal = '"Cannot create layer id:0 from unsupported opset"'
        refused = f"OpenVINO refuses the file with {refusal}, if it reads that far"
        notes = ["OpenVINO ignores this edge" if begins else refused]
        if scope.outer is not None and absent in scope.outer.wiring.layers:
            notes.append(
                f"{scope.outer.wiring.layers[absent]} is outside the body, whose edges cannot refer to it"
            )
        end = f"an edge{f' {there} {other}' if other else ''} {verb} at layer {absent}"
        message = f"{end}, which does not exist in {scope.what}"
        yield structure.finding("dangling-edge", message, edge.at, scope, other, notes=tuple(notes))


def edges_meet_ports(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope, name, edge in _faulty_edges(structure, "unknown-output-port", "unknown-input-port"):
        if name == "unknown-output-port":
            layer, label = scope.wiring.layers[edge.from_layer], edge.from_port
            verb, side, other = "starts", "output", "input"
            ports, elsewhere = layer.outputs, scope.wiring.input_index(layer, label)
        else:
            layer, label = scope.wiring.layers[edge.to_layer], edge.to_port
            verb, side, other = "ends", "input", "output"
            ports, elsewhere = layer.inputs, scope.wiring.output_index(layer, label)
        instead = f", which is an {other}" if elsewhere is not None else ""
        message = f"an edge {verb} at port {label} of {layer}{instead}, {_labels(ports, side)}"
        words = f"Can not find {side} port with id {label} in layer {layer.shown_name}"
        note = f'OpenVINO refuses the file: "{words}"'
        yield structure.finding(name, message, edge.at, scope, layer, notes=(note,))


def no_input_has_two_edges(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope, _, edge in _faulty_edges(structure, "multiple-producers"):
        layer = scope.wiring.layers[edge.to_layer]
        index = scope.wiring.input_index(layer, edge.to_port) or 0
        first, second = scope.wiring.inputs[layer.id][index], scope.wiring.layers[edge.from_layer]
        by = f"twice by {second}" if first is None or first[0] is second else f"by {first[0]} and by {second}"
        message = f"input {index} of {layer} is fed {by}, must have one incoming edge"
        note = 'OpenVINO refuses the file: "has incorrect input with index ..."'
        yield structure.finding("multiple-producers", message, edge.at, scope, layer, notes=(note,))


def every_input_port_is_fed(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.fully_read:
        for layer, index in scope.wiring.unconnected:
            name = f"input {index} (port {layer.inputs[index].id}) of {layer}"
            message = f"{name} has no incoming edge, must have one"
            counted = "OpenVINO counts edges, not ports, and sees an op with fewer inputs"
            note = f"{counted}, or fails with an index out of range"
            yield structure.finding("unconnected-input", message, layer.at, scope, layer, notes=(note,))


def there_are_no_cycles(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        for cycle in cycles(scope.wiring):
            way = [f'{layer.id} "{layer.shown_name}"' for layer in (*cycle[:SHOWN], cycle[0])]
            if len(cycle) > SHOWN:
                way.insert(SHOWN, f"({len(cycle) - SHOWN} more)")
            what = f"the graph has a cycle: {cycle[0]} feeds itself"
            if len(cycle) > 1:
                what = f"the graph has the cycle {' -> '.join(way)}"
            message = f"{what}, must have no cycle"
            note = (
                'OpenVINO refuses the file with "Attempt to access node ... that not in graph" if the cycle'
                " leads to a Result, and ignores the cycle otherwise"
            )
            yield structure.finding("cycle", message, cycle[0].at, scope, cycle[0], notes=(note,))


EDGE_CHECKS = (
    edges_end_at_layers,
    edges_meet_ports,
    no_input_has_two_edges,
    every_input_port_is_fed,
    there_are_no_cycles,
)


def _faulty_edges(structure: ModelStructure, *rules: str) -> Iterator[tuple[GraphNode, str, Edge]]:
    for scope in structure.graphs:
        for fault in scope.wiring.faults:
            if fault.rule in rules:
                yield scope, fault.rule, fault.edge


def _labels(ports: Sequence[Port], side: str) -> str:
    shown = ", ".join(str(port.id) for port in ports[:SHOWN])
    if len(ports) < 2:
        return f"must be port {shown}, its only {side}" if ports else f"which has no {side}s"
    return f"must be one of its {side} ports {shown}{', ...' if len(ports) > SHOWN else ''}"
