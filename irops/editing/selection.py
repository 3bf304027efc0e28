"""The layers of a part of a graph, and the Parameters and Results where it is cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from irops.analysis.declaring import port_of
from irops.editing.scope import Scope, Value, Wanted
from irops.ir.model import Edge, Graph, Layer, LayerKind, UniqueNames
from irops.spec.domains import format_value
from irops.values.fact import Fact


class Selection:
    """Layers that are kept, values that become Parameters, values that become results.

    cuts: the value that each new Parameter stands for, by the name of the Parameter
    """

    def __init__(self, scope: Scope, kept: set[int], cuts: Iterable[Value], ends: Sequence[Wanted]) -> None:
        self.scope, self._kept, self._ends = scope, kept, ends
        names = UniqueNames((layer.name for layer in scope.graph.graph.layers if layer.id in kept), mark="_")
        self.cuts: dict[str, Value] = {}
        for value in dict.fromkeys(cuts):
            self.cuts[names.unique(scope.label(value))] = value

    @classmethod
    def between(cls, scope: Scope, cuts: Sequence[Wanted] | None, ends: Sequence[Wanted] | None) -> Selection:
        """What computes some values from others; see irops.extract."""
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
    def around(cls, scope: Scope, layer: Layer, hops: int) -> Selection:
        """What lies within some edges of a layer."""
        inputs, consumers = scope.graph.wiring.inputs, scope.graph.wiring.consumers
        kept = {layer.id}
        frontier = {layer.id}
        for _ in range(hops):
            near = {source[0].id for number in frontier for source in inputs[number] if source is not None}
            for number in frontier:
                for index in range(len(scope.graph.layers[number].layer.outputs)):
                    near |= {user.id for user, _ in consumers.get((number, index), ())}
            frontier = near - kept
            kept |= near
        ahead = [*kept]
        while ahead:  # constants come along whole: cut within them, compressed weights would be rounded
            for source in inputs[ahead.pop()]:
                if source is not None and source[0].id in scope.constants - kept:
                    kept.add(source[0].id)
                    ahead.append(source[0].id)
        cuts = [
            (source[0].id, source[1])
            for number in scope.graph.layers
            if number in kept
            for source in inputs[number]
            if source is not None and source[0].id not in kept
        ]
        return cls(scope, kept, cuts, _ends_of(scope, kept))

    def graph(self) -> Graph:
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
            parameters.append(_parameter(number, name, self.scope.fact(value), self._names(value)))
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
        return Graph([*parameters, *layers.values(), *results], edges)

    def _value(self, edge: Edge) -> Value:
        layer = self.scope.graph.layers[edge.from_layer].layer
        return edge.from_layer, layer.output_index(edge.from_port) or 0

    def _names(self, value: Value) -> tuple[str, ...]:
        return self.scope.graph.layers[value[0]].layer.outputs[value[1]].names

    def _result(
        self,
        end: Wanted,
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
    scope: Scope, starts: set[Value], ends: Sequence[Wanted]
) -> tuple[set[int], set[Value], dict[Value, tuple[Layer, int] | None]]:
    """The layers that ends depend on, the starts that they use, and the inputs of the model that they reach,
    with the layer and input that each feeds.
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
    more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
    message = (
        f"the part is not closed: {edge} leads to an input of the model that is not among the inputs{more}"
    )
    return scope.refusal("open-cut", message, None if by is None else by[0])


def _results_behind(scope: Scope, starts: set[Value] | None) -> list[Wanted]:
    """The results of the graph, as far as they depend on values where some are given."""
    behind: set[int] = set()
    for node in scope.graph.order:
        sources = [s for s in scope.graph.wiring.inputs[node.layer.id] if s is not None]
        if starts is None or any(s[0].id in behind or (s[0].id, s[1]) in starts for s in sources):
            behind.add(node.layer.id)
    found = []
    for result in scope.graph.results:
        source = scope.graph.wiring.inputs[result.id][0]
        if result.id in behind and source is not None:
            found.append(Wanted(*source, result))
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


def _ends_of(scope: Scope, kept: set[int]) -> list[Wanted]:
    """The values of kept layers that others use, or nobody."""
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
                ends.append(Wanted(layer, index))
    return sorted(ends, key=lambda end: end.value)


def _parameter(number: int, name: str, fact: Fact, names: tuple[str, ...]) -> Layer:
    data = {"shape": format_value(fact.shape.unnamed()), "element_type": str(fact.element_type)}
    layer = Layer(number, name, "Parameter", "opset1", data)
    layer.outputs.append(port_of(0, fact, names or (name,)))
    return layer
