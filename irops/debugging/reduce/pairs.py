"""Two models that are reduced together: which values of one are those of the other, and parts of both.

A part of the other model is cut where both models agree in the whole run, and gets the values of the first
model there. So what differs between two parts is a fault within them, and not one that they inherit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from irops.backends.backend import Reference
from irops.debugging.compare.two_models import TwoModels
from irops.debugging.reduce.case import Case, computes
from irops.debugging.reduce.cutting import Cutting, Uncuttable, Values
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.other_model import OtherModel
from irops.debugging.sources.source import Context
from irops.editing.constant_layers import static_parameter
from irops.editing.scope import Value, Wanted
from irops.files.limits import Limits
from irops.ir.model import Layer, LayerKind, Model, Port
from irops.ir.order import feeding_layers
from irops.ir.unique import UniqueNames
from irops.registry import Registry
from irops.values.element import Array


def paired(case: Case, source: OtherModel, registry: Registry | None, limits: Limits | None) -> Case:
    """The case with the model of a source beside its own, whose Results are in the same order.

    Raises:  Uncuttable where a Result has no partner
    """
    analysis = case.analysis(registry, limits)
    other, matching = source.analysis(analysis), source.matching(analysis)
    names = {layer.id: layer.name for layer in other.root.parameters}
    inputs: dict[str, Array] = {}
    for layer in analysis.root.parameters:
        if matching.to.get(layer.id) in names:
            inputs[names[matching.to[layer.id]]] = case.inputs[layer.name]
    missing = sorted(set(names.values()) - set(inputs))
    if missing:
        raise Uncuttable(f"the input {missing[0]!r} of {source.name} has no counterpart in the model")
    results: list[int] = []
    for layer in analysis.root.results:
        if layer.id not in matching.to:
            raise Uncuttable(f"the result {layer.name!r} has no counterpart in {source.name}")
        results.append(matching.to[layer.id])
    return replace(case, other=Case(_with_results(other.model, results), inputs))


def _with_results(model: Model, order: Sequence[int]) -> Model:
    """A model with some of its Results, in an order."""
    results = {layer.id: layer for layer in model.layers if layer.kind is LayerKind.RESULT}
    layers = [layer for layer in model.layers if layer.id not in results]
    edges = [edge for edge in model.edges if edge.to_layer in order or edge.to_layer not in results]
    layers += [results[number] for number in order]
    return replace(model, graph=replace(model.graph, layers=layers, edges=edges))


class PairCutting(Cutting):
    """Parts of both models of a case."""

    def __init__(self, case: Case, registry: Registry | None = None, limits: Limits | None = None) -> None:
        super().__init__(case, registry, limits)
        assert case.other is not None
        self.other = Cutting(case.other, registry, limits)
        source = OtherModel(self.other.analysis, Layerwise(Reference()))
        analysis = self.analysis
        context = Context(analysis, analysis.signature.arrays(case.inputs))
        with closing(TwoModels(context, source)) as models:
            matching, partners = models.matching, models.partners
        theirs = self.other.analysis.root
        named = {layer.name: layer.id for layer in theirs.parameters}
        self._to = dict(matching.to)
        matched = set(
            self._to.values()
        )  # a layer that equals another one by chance has its partner by its place
        places = source.matching(analysis).to
        self._to |= {a: b for a, b in places.items() if a not in self._to and b not in matched}
        self._to |= {p.id: named[p.name] for p in analysis.root.parameters if p.name in named}
        self._to |= {r.id: other.id for r, other in zip(analysis.root.results, theirs.results)}
        self._back: dict[Value, Value] = {}
        for value, other in sorted(partners.items(), key=lambda item: self._to.get(item[0][0]) != item[1][0]):
            self._back.setdefault(other, value)  # of equal values, that of the layer in the same place
        self._back |= {(self._to[p.id], 0): (p.id, 0) for p in analysis.root.parameters}
        self._partners = {value: other for other, value in self._back.items()}

    @property
    def suspects(self) -> list[int]:
        """The layers that differ although all that they use agrees."""
        inputs = self.wiring.inputs
        return [
            number
            for number in self.operations
            if number in self._to
            and any((number, k) not in self._partners for k in range(len(self.wiring.layers[number].outputs)))
            and all(
                source is None or not computes(source[0]) or self._agrees((source[0].id, source[1]))
                for source in inputs[number]
            )
        ]

    def between(
        self, operations: Collection[int], ends: list[Wanted], values: Values | None, *, folded: bool = True
    ) -> Case:
        """The part of the first model, and the part of the other one that gives the same values.

        Raises:  Uncuttable where the other model has no such part; EvaluationError
        """
        case = super().between(operations, ends, values, folded=folded)
        if values is None or not folded:  # a part that is run to record its values
            return case
        for cut in self._sources(operations)[1]:
            if not self._agrees(cut):
                raise Uncuttable(f"the models differ before {self.scope.label(cut)!r}")
        theirs = [self._end(end) for end in ends]
        lent = _Lent(self, values)
        other = self.other.between(self._behind(theirs, operations), theirs, lent)
        return self._joined(case, other, lent.given)

    def _agrees(self, value: Value) -> bool:
        """Whether the other model has an equal value; what follows from constants alone comes along."""
        if value[0] in self.scope.graph.constants:
            return True
        return value in self._partners

    def _end(self, end: Wanted) -> Wanted:
        """The value of the other model that is the value of an end."""
        for user, _ in self.wiring.consumers.get(end.value, ()):
            if user.kind is LayerKind.RESULT:
                source = self.other.wiring.first(self._to[user.id])
                if source is not None:
                    return Wanted(source[0], source[1])
        number = self._to.get(end.layer.id)
        layer = None if number is None else self.other.wiring.layers[number]
        if layer is None or end.index >= len(layer.outputs):
            raise Uncuttable(f"{end.layer.name!r} has no counterpart in the other model")
        return Wanted(layer, end.index)

    def _behind(self, ends: Sequence[Wanted], operations: Collection[int]) -> set[int]:
        """The operations of the other model behind values that both share, up to the ends."""
        return feeding_layers(
            self.other.wiring,
            (end.layer.id for end in ends if computes(end.layer)),
            lambda source: computes(source[0]) and not self._is_cut((source[0].id, source[1]), operations),
        )

    def _is_cut(self, value: Value, operations: Collection[int]) -> bool:
        """Whether the part of the other model begins at a value."""
        if value[0] in self.other.scope.graph.constants:
            return False
        partner = self._back.get(value)
        return partner is not None and partner[0] not in operations

    def first(self, value: Value) -> Value:
        """The value of the first model that a value of the other one is. Raises: Uncuttable"""
        if value not in self._back:
            raise Uncuttable("the other model needs a value that the first one does not have")
        return self._back[value]

    def _joined(self, case: Case, other: Case, given: Mapping[Value, Array]) -> Case:
        """Both parts, with inputs of the same names. given: the values of the other part"""
        labels = {self.other.scope.label(value): self.scope.label(self.first(value)) for value in given}
        for layer in self.other.analysis.root.parameters:
            labels[layer.name] = self.wiring.layers[self._back[layer.id, 0][0]].name
        used = {layer.name for layer in other.model.layers} - labels.keys()
        layers, arrays = [], {}
        for layer in other.model.layers:
            if layer.kind is not LayerKind.PARAMETER:
                layers.append(layer)
                continue
            name = labels.get(layer.name, layer.name)
            name = layer.name if name in used else name
            arrays[name] = other.inputs[layer.name]
            layers.append(replace(layer, name=name))
        other = Case(replace(other.model, graph=replace(other.model.graph, layers=layers)), arrays)
        return with_equal_inputs(replace(case, other=other))


def with_equal_inputs(case: Case) -> Case:
    """The case with the inputs of both models in both of them."""
    if case.other is None:
        return case
    return replace(_with_inputs(case, case.other.inputs), other=_with_inputs(case.other, case.inputs))


def _with_inputs(case: Case, arrays: Mapping[str, Array]) -> Case:
    """The case with Parameters that nothing uses, for values that only the other model has as inputs."""
    added = {name: array for name, array in arrays.items() if name not in case.inputs}
    if not added:
        return case
    number = max((layer.id for layer in case.model.layers), default=-1)
    names = UniqueNames([*(layer.name for layer in case.model.layers), *added], mark="_")
    layers = [
        replace(layer, name=names.unique(layer.name)) if layer.name in added else layer
        for layer in case.model.layers
    ]
    for name, array in added.items():
        number += 1
        blank = Layer(number, name, "Parameter", "opset1", outputs=[Port(0)])
        layers.insert(0, static_parameter(blank, array))
    model = replace(case.model, graph=replace(case.model.graph, layers=layers))
    return replace(case, model=model, inputs={**case.inputs, **added})


def cutting_of(case: Case, registry: Registry | None = None, limits: Limits | None = None) -> Cutting:
    """What makes parts of a case."""
    return (Cutting if case.other is None else PairCutting)(case, registry, limits)


class _Lent:
    """Values of the first model under the values of the other one. given: those that were asked for"""

    def __init__(self, pair: PairCutting, values: Values) -> None:
        self._pair, self._values = pair, values
        self.given: dict[Value, Array] = {}

    def of(self, wanted: Collection[Value]) -> Mapping[Value, Array]:
        """Raises: Uncuttable; EvaluationError"""
        firsts = {value: self._pair.first(value) for value in wanted}
        arrays = self._values.of([*firsts.values()])
        self.given = {value: arrays[first] for value, first in firsts.items()}
        return self.given
