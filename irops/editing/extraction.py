"""irops.extract: a part of a model as a model of its own."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from irops.analysis.declaring import port_of
from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse, graph_at
from irops.analysis.structure import GraphNode
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.dialects import dialect_of_version
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.files.storage import JoinedWeights, Weights
from irops.graph.topology import Wiring
from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Model, Port, UniqueNames
from irops.ir.weights import declared_end
from irops.runtime.plan import NARROW
from irops.runtime.session import run
from irops.spec.attributes import format_value
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.packing import pack

Value = tuple[int, int]
"""The id of a layer, and the index of one of its outputs."""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value that was named. layer: which gives it; result: the Result by which it was named, if it was"""

    layer: Layer
    index: int
    result: Layer | None = None

    @property
    def value(self) -> Value:
        return self.layer.id, self.index


class Scope:
    """A graph of a model with what is inferred for it."""

    def __init__(self, analysis: ModelAnalysis, graph: GraphNode, inferred: Inferred | None) -> None:
        self.analysis, self.graph, self.inferred = analysis, graph, inferred

    @classmethod
    def of(cls, analysis: ModelAnalysis, path: tuple[str, ...]) -> "Scope":
        """The graph that a path leads to. Raises: the errors of graph_at"""
        return cls(analysis, *graph_at(analysis, path))

    def fact(self, value: Value) -> Fact:
        """The inferred Fact of a value."""
        outputs = [] if self.inferred is None else self.inferred.of(value[0]).outputs
        return outputs[value[1]] if value[1] < len(outputs) else Fact()

    def label(self, value: Value) -> str:
        """The name of a value: that of its layer, with the index where the layer has several outputs."""
        layer = self.graph.layers[value[0]].layer
        return layer.name if len(layer.outputs) == 1 else f"{layer.name}:{value[1]}"

    def find(self, name: Any) -> NamedValue:
        """The value of a name; see extraction.Name. Raises: DiagnosticError, with a suggestion"""
        if isinstance(name, tuple):
            return self._output(self._named(name[0])[0], name[1])
        layer, index = self._named(name)
        if index is not None:
            return self._output(layer, index)
        if layer.kind is LayerKind.RESULT:
            source = self.graph.wiring.source(layer.id)
            if source is not None:
                return NamedValue(*source, layer)
        if len(layer.outputs) != 1:
            many = f'name one of them, "{layer.name}:0"' if layer.outputs else "it gives no value"
            raise self._refusal(f"{layer} has {len(layer.outputs)} outputs; {many}")
        return NamedValue(layer, 0)

    def _output(self, layer: Layer, index: int) -> NamedValue:
        if not 0 <= index < len(layer.outputs):
            raise self._refusal(f"{layer} has no output {index}; it has {len(layer.outputs)}")
        return NamedValue(layer, index)

    def _named(self, name: str | int) -> tuple[Layer, int | None]:
        try:
            return self.graph.names.one(name)
        except KeyError as error:
            raise self._refusal(error.args[0]) from None

    def _refusal(self, message: str) -> DiagnosticError:
        return self.refusal("unknown-value", message)

    def refusal(self, name: str, message: str, layer: Layer | None = None) -> DiagnosticError:
        """The error of a rule at a layer, or at the model."""
        place = self.analysis.location(layer, self.graph.path)
        return DiagnosticError([Diagnostic(rule(name), message, place)])


class Selection:
    """Layers that are kept, values that become Parameters, values that become results.

    cuts: the value that each new Parameter stands for, by the name of the Parameter
    """

    def __init__(
        self, scope: Scope, kept: set[int], cuts: Iterable[Value], ends: Sequence[NamedValue]
    ) -> None:
        self.scope, self._kept, self._ends = scope, kept, ends
        names = UniqueNames((layer.name for layer in scope.graph.graph.layers if layer.id in kept), mark="_")
        self.cuts: dict[str, Value] = {}
        for value in dict.fromkeys(cuts):
            self.cuts[names.unique(scope.label(value))] = value

    @classmethod
    def between(
        cls, scope: Scope, cuts: Sequence[NamedValue] | None, ends: Sequence[NamedValue] | None
    ) -> "Selection":
        """The layers that compute some values from others; see irops.extract."""
        starts = {cut.value for cut in cuts or ()}
        if ends is None:
            ends = _results_behind(scope, starts if cuts is not None else None)
        kept, used, missing = _upstream(scope, starts, ends)
        if cuts is not None and missing:
            raise _not_closed(scope, missing)
        for cut in cuts or ():
            if cut.value not in used:
                raise scope.refusal(
                    "open-cut", f"no output depends on the input {scope.label(cut.value)!r}", cut.layer
                )
        parameters = {number for number, _ in missing}
        own = {v for v in starts if scope.graph.layers[v[0]].layer.kind is LayerKind.PARAMETER}
        kept |= parameters | {number for number, _ in own}
        new = [cut.value for cut in cuts or () if cut.value not in own]
        return cls(scope, kept | _sinks(scope, kept, starts), new, ends)

    @classmethod
    def around(cls, scope: Scope, layer: Layer, hops: int) -> "Selection":
        """The layers within some edges of a layer."""
        inputs, consumers = scope.graph.wiring.inputs, scope.graph.wiring.consumers
        kept = {layer.id}
        frontier = {layer.id}
        for _ in range(min(hops, len(scope.graph.layers))):
            near = {source[0].id for number in frontier for source in inputs[number] if source is not None}
            for number in frontier:
                for index in range(len(scope.graph.layers[number].layer.outputs)):
                    near |= {user.id for user, _ in consumers.get((number, index), ())}
            frontier = near - kept
            kept |= near
        return cls.of_layers(scope, kept)

    @classmethod
    def of_layers(cls, scope: Scope, kept: set[int]) -> "Selection":
        """Some layers, with the constants that they need; what others of them give becomes Parameters."""
        inputs, kept = scope.graph.wiring.inputs, {*kept}
        ahead = [*kept]
        while ahead:  # constants are taken whole: cut within them, compressed weights would be rounded
            for source in inputs[ahead.pop()]:
                if source is not None and source[0].id in scope.graph.constants - kept:
                    kept.add(source[0].id)
                    ahead.append(source[0].id)
        used = [source for number in scope.graph.layers if number in kept for source in inputs[number]]
        cuts = [(s[0].id, s[1]) for s in used if s is not None and s[0].id not in kept]
        return cls(scope, kept, cuts, _ends_of(scope, kept))

    def graph(self) -> LayerGraph:
        """The layers and edges of the part."""
        whole = self.scope.graph.graph
        layers = {layer.id: layer for layer in whole.layers if layer.id in self._kept}
        edges = [edge for edge in whole.edges if edge.to_layer in layers and edge.from_layer in layers]
        sources = {value: name for name, value in self.cuts.items()}
        number = max(self.scope.graph.layers, default=-1)
        parameters: list[Layer] = []
        ids: dict[Value, int] = {}
        for value, name in sources.items():
            number += 1
            ids[value] = number
            output = self.scope.graph.layers[value[0]].layer.outputs[value[1]]
            parameters.append(parameter(number, name, self.scope.fact(value), output.names or (name,)))
        edges = [edge for edge in edges if self._value(edge) not in ids]
        for layer in list(layers.values()):
            for index, source in enumerate(self.scope.graph.wiring.inputs[layer.id]):
                if source is not None and (source[0].id, source[1]) in ids:
                    edges.append(Edge(ids[source[0].id, source[1]], 0, layer.id, layer.inputs[index].id))
        names = UniqueNames((*(layer.name for layer in layers.values()), *self.cuts), mark="_")
        results: list[Layer] = []
        for end in self._ends:
            if end.result is not None and end.result.id in layers:
                continue
            number += 1
            results.append(self._result(end, number, names, layers, ids, edges))
        return LayerGraph([*parameters, *layers.values(), *results], edges)

    def _value(self, edge: Edge) -> Value:
        layer = self.scope.graph.layers[edge.from_layer].layer
        return edge.from_layer, layer.output_index(edge.from_port) or 0

    def _result(
        self,
        end: NamedValue,
        number: int,
        names: UniqueNames,
        layers: dict[int, Layer],
        ids: dict[Value, int],
        edges: list[Edge],
    ) -> Layer:
        label = self.scope.label(end.value)
        result = Layer(number, names.unique(label), "Result", "opset1")
        fact = self.scope.fact(end.value)
        result.inputs.append(port_of(0, fact))
        if end.value in ids:
            edges.append(Edge(ids[end.value], 0, number, 0))
            return result
        layer = layers[end.layer.id]
        port = layer.outputs[end.index]
        if label not in port.names:  # by which the result is known
            outputs = [*layer.outputs]
            outputs[end.index] = replace(port, names=(*port.names, label))
            layers[layer.id] = replace(layer, outputs=outputs)
        edges.append(Edge(layer.id, port.id, number, 0))
        return result


def _upstream(
    scope: Scope, starts: set[Value], ends: Sequence[NamedValue]
) -> tuple[set[int], set[Value], dict[Value, tuple[Layer, int] | None]]:
    """All that lies upstream of the ends: the layers, the starts among their inputs, and the inputs of the
    model, each with a layer and the input of it that it feeds.
    """
    kept: set[int] = {end.result.id for end in ends if end.result is not None}
    used: set[Value] = set()
    missing: dict[Value, tuple[Layer, int] | None] = {}
    ahead: list[tuple[Value, tuple[Layer, int] | None]] = [(end.value, None) for end in ends]
    while ahead:
        value, by = ahead.pop()
        layer = scope.graph.layers[value[0]].layer
        if value in starts:
            used.add(value)
        elif layer.kind is LayerKind.PARAMETER:
            missing.setdefault(value, by)
        elif layer.id not in kept:
            kept.add(layer.id)
            for index, source in enumerate(scope.graph.wiring.inputs[layer.id]):
                if source is not None:
                    ahead.append(((source[0].id, source[1]), (layer, index)))
    return kept, used, missing


def _not_closed(scope: Scope, missing: dict[Value, tuple[Layer, int] | None]) -> Exception:
    value, by = next(iter(missing.items()))
    name = scope.label(value)
    edge = f"the edge from {name!r} to input {by[1]} of {by[0]}" if by is not None else f"the output {name!r}"
    names = ",".join(scope.label(value) for value in missing)
    message = (
        f"the part is not closed: {edge} leads to an input of the model that is not among the inputs; with"
        f" these among them it is: {names}"
    )
    return scope.refusal("open-cut", message, None if by is None else by[0])


def _results_behind(scope: Scope, starts: set[Value] | None) -> list[NamedValue]:
    """The results of the graph, as far as they depend on values where some are given."""
    behind: set[int] = set()
    for node in scope.graph.order:
        sources = [s for s in scope.graph.wiring.inputs[node.layer.id] if s is not None]
        if starts is None or any(s[0].id in behind or (s[0].id, s[1]) in starts for s in sources):
            behind.add(node.layer.id)
    found = []
    for result in scope.graph.results:
        source = scope.graph.wiring.source(result.id)
        if result.id in behind and source is not None:
            found.append(NamedValue(*source, result))
    return found


def _sinks(scope: Scope, kept: set[int], starts: set[Value]) -> set[int]:
    """The Assign layers of variables that the part reads, whose values it computes."""
    layers = [node.layer for node in scope.graph.layers.values()]
    read = {layer.data.get("variable_id") for layer in layers if layer.id in kept}
    return {
        layer.id
        for layer in layers
        if layer.kind is LayerKind.SINK
        and layer.data.get("variable_id") in read - {None}
        and all(
            source is not None and (source[0].id in kept or (source[0].id, source[1]) in starts)
            for source in scope.graph.wiring.inputs[layer.id]
        )
    }


def _ends_of(scope: Scope, kept: set[int]) -> list[NamedValue]:
    """The values of kept layers that other layers use, or that no layer uses."""
    ends = []
    for number in kept:
        layer = scope.graph.layers[number].layer
        if layer.kind is LayerKind.CONSTANT:
            continue
        for index in range(len(layer.outputs)):
            users = scope.graph.wiring.consumers.get((number, index), [])
            if any(user.id not in kept for user, _ in users) or (
                not users and layer.kind is not LayerKind.SINK
            ):
                ends.append(NamedValue(layer, index))
    return sorted(ends, key=lambda end: end.value)


def parameter(number: int, name: str, fact: Fact, names: tuple[str, ...], port: int = 0) -> Layer:
    """A Parameter of a tensor. names: of the tensor; port: the id of its output"""
    data = {"shape": format_value(fact.shape.unnamed()), "element_type": str(fact.element_type)}
    layer = Layer(number, name, "Parameter", "opset1", data)
    layer.outputs.append(port_of(port, fact, names))
    return layer


def joined(model: Model) -> JoinedWeights:
    """The weights of a model, to which bytes can be added."""
    if isinstance(model.weights, JoinedWeights):
        return model.weights.copy()
    return JoinedWeights(model.weights or Weights.of_bytes(b""), declared_end(model))


def constant_layer(layer: Layer, array: Array, weights: JoinedWeights) -> Layer:
    """A Const in place of a layer with one output: of its id and name. weights: get the bytes"""
    kind = element_type_of(array)
    content = pack(array, kind)
    data = {
        "element_type": str(kind),
        "shape": format_value(array.shape),
        "offset": str(weights.append(Weights.of_bytes(content))),
        "size": str(len(content)),
    }
    return Layer(layer.id, layer.name, "Const", "opset1", data, outputs=[_port(layer, array)])


def first_port(layer: Layer) -> Port:
    return next(iter(layer.outputs), Port(0))  # a source that no layer uses may declare none


def _port(layer: Layer, array: Array) -> Port:
    first = first_port(layer)
    return Port(first.id, element_type_of(array).precision, array.shape, first.names)


def with_constants(model: Model, arrays: Mapping[str, Array]) -> Model:
    """A model with constants in place of the Parameters of these names."""
    if not arrays:
        return model
    weights = joined(model)
    layers = list(model.layers)
    for place, layer in enumerate(layers):
        if layer.kind is LayerKind.PARAMETER and layer.name in arrays:
            layers[place] = constant_layer(layer, arrays[layer.name], weights)
    return replace(model, graph=replace(model.graph, layers=layers), weights=weights)


def with_inputs(analysis: ModelAnalysis, layers: Collection[int]) -> ModelAnalysis:
    """The model with Parameters in place of layers with one output: of their ids, names and places."""
    inferred, graph = analysis.infer(), analysis.model.graph
    changed = list(graph.layers)
    for place, layer in enumerate(changed):
        if layer.id in layers:
            fact, port = inferred.of(layer.id).outputs[0], layer.outputs[0]
            changed[place] = replace(parameter(layer.id, layer.name, fact, port.names, port.id), at=layer.at)
    edges = [edge for edge in graph.edges if edge.to_layer not in layers]
    model = analysis.model.with_graph(LayerGraph(changed, edges))
    return ModelAnalysis(model, analysis.registry, analysis.limits)


Name: TypeAlias = str | int | tuple[str | int, int]
"""A value: the name of its tensor; the name or id of the layer that gives it alone; "layer:1" or (layer, 1),
where the layer has several outputs.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a model. cuts: the layer and output that each Parameter of it stands for, by its name

    path: the layers and bodies down to the graph that the part is taken from; whole: how many layers that
    graph has; rounded: the Parameters whose
    values are rounded to f16 or bf16 at the cut, where the whole model computes in f32
    """

    model: Model
    cuts: dict[str, tuple[int, int]]
    path: tuple[str, ...]
    whole: int
    rounded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where a part of a model begins and ends; the parameters of extract of the same names.

    Raises:  ValueError for negative hops, and for around together with inputs or outputs
    """

    inputs: Iterable[Name] | None = None
    outputs: Iterable[Name] | None = None
    around: Name | None = None
    hops: int = 1
    path: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.around is not None and (self.inputs is not None or self.outputs is not None):
            raise ValueError("around is given together with inputs or outputs, must be given alone")
        if self.hops < 0:
            raise ValueError(f"hops is {self.hops}, must be 0 or greater")


def extract(
    model: AnyModel,
    inputs: Iterable[Name] | None = None,
    outputs: Iterable[Name] | None = None,
    *,
    around: Name | None = None,
    hops: int = 1,
    path: Sequence[str] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Model:
    """The part of a model that computes some values from others, as a model of its own.

    inputs: values that become Parameters, of the types and shapes that are inferred for them; by default the
        inputs of the model that the part needs.
    outputs: values that become results; by default the results of the model that depend on the inputs.
    around, hops: in place of both, a layer, and how many edges the part reaches from it each way.
    path: the layers and bodies down to the graph to take a part from: ("loop", "body").
    The constants that the part needs are in it; weights are not copied until the model is written. What
    depends on constants alone is computed in f32 where its type is f16 or bf16: an input in the middle of
    that, such as within compressed weights, is rounded to its type, and results differ by that rounding.
    Raises:  DiagnosticError for a value that does not exist, for an input that no output depends on, and
        where an output depends on an input of the model that is not among the inputs: the message names the
        edge that leads there
    """
    boundary = Boundary(inputs, outputs, around, hops, path)
    analysis = analyse(model, registry, limits)
    return extracted(analysis, boundary).model


def extracted(analysis: ModelAnalysis, boundary: Boundary) -> Part:
    """As extract, with what the Parameters of the part stand for."""
    scope = Scope.of(analysis, tuple(boundary.path))
    return part_of(_selection(scope, boundary))


def part_of(selection: Selection) -> Part:
    """The part that is selected."""
    scope = selection.scope
    model = replace(
        scope.analysis.model, graph=selection.graph(), legacy=[], unknown=[], comments=(), source=None
    )
    whole, rounded = len(scope.graph.layers), tuple(_rounded(scope, selection))
    return Part(model, selection.cuts, scope.graph.path, whole, rounded)


def with_variables(wiring: Wiring, kept: Iterable[int]) -> set[int]:
    """Layers with those that read or assign the same variables, without which they are invalid."""
    numbers = set(kept)
    names = {wiring.layers[number].data.get("variable_id") for number in numbers} - {None}
    return numbers | {n for n, layer in wiring.layers.items() if layer.data.get("variable_id") in names}


def _rounded(scope: Scope, selection: Selection) -> Iterator[str]:
    """The cuts within constants that are computed in f32 whatever their type is; see runtime.precision."""
    for name, value in selection.cuts.items():
        wide = dialect_of_version(scope.graph.layers[value[0]].layer.version).wide_constants
        if wide and value[0] in scope.graph.constants and scope.fact(value).element_type.name in NARROW:
            yield name


def _selection(scope: Scope, boundary: Boundary) -> Selection:
    if boundary.around is not None:
        return Selection.around(scope, scope.find(boundary.around).layer, boundary.hops)
    cuts = None if boundary.inputs is None else [scope.find(name) for name in boundary.inputs]
    ends: list[NamedValue] | None = None
    if boundary.outputs is not None:
        ends = [scope.find(name) for name in boundary.outputs]
    return Selection.between(scope, cuts, ends)


def cut_values(
    part: Part, model: Model | ModelAnalysis, inputs: Mapping[str | int, Any], **options: Any
) -> dict[str, Array]:
    """The values at the Parameters of a part, by name, when the whole model is run on inputs.

    options: those of irops.run. Of the inputs that the part shares with the model, the values as given.
    Raises:  DiagnosticError for a part of a body, whose values differ from iteration to iteration
    """
    analysis = analyse(model)
    if part.path:
        raise Scope.of(analysis, part.path).refusal(
            "open-cut", f"the part is taken from {'/'.join(part.path)}, where values differ each time it runs"
        )
    arrays = analysis.signature.arrays(inputs)
    shared = {layer.id for layer in part.model.layers if layer.kind is LayerKind.PARAMETER} & arrays.keys()
    values = {analysis.root.layers[number].layer.name: arrays[number] for number in shared}
    if part.cuts:
        before = extract(analysis, outputs=part.cuts.values())
        needed = {port.name: arrays[port.layer.id] for port in ModelAnalysis(before).signature.inputs}
        results = run(before, needed, **options)
        values |= dict(zip(part.cuts, results.values(), strict=True))
    return values
