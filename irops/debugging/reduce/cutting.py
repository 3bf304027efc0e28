"""Parts of a model as cases: what feeds a part, or a body, is replaced by values that were recorded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from irops.analysis.structure import GraphNode
from irops.backends.catalogue import chain
from irops.debugging.reduce.attempts import Attempts
from irops.debugging.reduce.case import Case, StoredArrays, computes
from irops.debugging.reduce.tensors import constant_layer, joined
from irops.dialects.registry import Registry
from irops.editing.extraction import NamedValue, Scope, Selection, Value, extract
from irops.files.limits import Limits
from irops.graph.topology import Wiring
from irops.ir.model import Layer, LayerKind, Model
from irops.runtime.evaluator import Evaluator, Variables
from irops.runtime.plan import Plan
from irops.runtime.run import run_model
from irops.runtime.session import run
from irops.values.element import Array, element_type_of


class Recording:
    """Values by layer and output. A part of the model is run that begins at values recorded before.

    Bisection asks for values in the middle of what was recorded before, so that all runs together cost about
    two runs of the model.
    """

    def __init__(self, cutting: Cutting, store: StoredArrays, limits: Limits | None = None) -> None:
        self._cutting, self._store, self._limits = cutting, store, limits

    def of(self, wanted: Collection[Value]) -> Mapping[Value, Array]:
        """The values. Raises: EvaluationError where the reference cannot compute them"""
        missing = [value for value in wanted if self._key(value) not in self._store]
        if missing:
            self._record(missing)
        return {value: self._store[self._key(value)] for value in wanted}

    def _record(self, missing: list[Value]) -> None:
        layers = self._cutting.wiring.layers
        ends = [NamedValue(layers[number], index) for number, index in missing]
        part = self._cutting.between(self._behind(missing), ends, self, folded=False)
        results = run(part.model, part.inputs, limits=self._limits, registry=self._cutting.analysis.registry)
        for value, array in zip(missing, results.values(), strict=True):
            self._store.keep(self._key(value), array)

    def _behind(self, values: list[Value]) -> set[int]:
        """The operations that compute values from those that were recorded."""
        wiring, operations = self._cutting.wiring, set[int]()
        ahead = list(dict.fromkeys(number for number, _ in values))
        while ahead:
            number = ahead.pop()
            if number in operations:
                continue
            operations.add(number)
            for source in wiring.inputs[number]:
                if source is None or not computes(source[0]):
                    continue
                if self._key((source[0].id, source[1])) not in self._store:
                    ahead.append(source[0].id)
        return operations

    def _key(self, value: Value) -> tuple[int, Value]:
        return id(self._cutting), value


SHORT = 16
"""A vector of at most this many integers may be a shape, or axes, which many ops require as a constant."""


class Values(Protocol):
    """Gives tensors of a model."""

    def of(self, wanted: Collection[Value]) -> Mapping[Value, Array]: ...


class Cutting:
    """Parts of the graph of a case. operations: the ids of layers that compute, inputs before users"""

    def __init__(self, case: Case, registry: Registry | None = None, limits: Limits | None = None) -> None:
        self.whole = case
        self.analysis = case.analysis(registry, limits)
        self.scope = Scope.of(self.analysis, ())
        self.wiring = self.scope.graph.wiring
        self.operations = tuple(layer.id for layer in depth_first(self.wiring) if computes(layer))

    def part(self, kept: Iterable[int], values: Values | None) -> Case:
        """The case of some operations. values: of what feeds them, None for a model that cannot be run

        Raises:  EvaluationError where the values cannot be computed
        """
        operations = self._with_variables(kept)
        if len(operations) == len(self.operations):
            return self.whole
        ends = [end for number in sorted(operations) for end in self._ends(number, operations)]
        return self.between(operations, ends, values)

    def between(
        self,
        operations: Collection[int],
        ends: list[NamedValue],
        values: Values | None,
        *,
        folded: bool = True,
    ) -> Case:
        """The case of operations with some of their values as results.

        folded: what depends on no input, or is likely to be a shape, becomes a constant in place of an input
        """
        layers, cuts = set(operations), dict[Value, None]()
        for number in operations:
            for source in self.wiring.inputs[number]:
                if source is None or source[0].id in operations:
                    continue
                if computes(source[0]):
                    cuts[source[0].id, source[1]] = None
                else:
                    layers.add(source[0].id)
        selection = Selection(self.scope, layers, cuts, ends)
        model = replace(
            self.whole.model,
            graph=selection.graph(),
            rt_info=None,
            legacy=[],
            unknown=[],
            comments=(),
            source=None,
        )
        known = self._constants(cuts) if values is None else values.of(cuts)
        arrays = {name: known[value] for name, value in selection.cuts.items() if value in known}
        constants = {n for n, v in selection.cuts.items() if n in arrays and self._is_folded(v, arrays[n])}
        if folded:
            model = with_constants(model, {name: arrays.pop(name) for name in constants})
        names = {layer.name for layer in model.layers if layer.kind is LayerKind.PARAMETER}
        return Case(model, {n: a for n, a in {**self.whole.inputs, **arrays}.items() if n in names})

    def _ends(self, number: int, operations: Collection[int]) -> Iterable[NamedValue]:
        """The outputs of an operation that others use, or nobody."""
        layer = self.wiring.layers[number]
        for index in range(len(layer.outputs) if layer.kind is not LayerKind.SINK else 0):
            users = self.wiring.consumers.get((number, index), [])
            if not users or any(user.id not in operations for user, _ in users):
                yield NamedValue(layer, index)

    def _with_variables(self, kept: Iterable[int]) -> set[int]:
        """Operations with those that read or assign the same variables, without which they are invalid."""
        operations = set(kept)
        names = {self.wiring.layers[number].data.get("variable_id") for number in operations} - {None}
        return operations | {
            number
            for number in (self.operations if names else ())
            if self.wiring.layers[number].data.get("variable_id") in names
        }

    def _constants(self, cuts: Collection[Value]) -> dict[Value, Array]:
        """The values that inference computes."""
        facts = {value: self.scope.fact(value).value for value in cuts}
        return {value: array for value, array in facts.items() if array is not None}

    def _is_folded(self, value: Value, array: Array) -> bool:
        if value[0] in self.scope.graph.constants:
            return True
        return element_type_of(array).integral and array.ndim <= 1 and array.size <= SHORT


def with_constants(model: Model, arrays: Mapping[str, Array]) -> Model:
    """A model with constants in place of the Parameters of these names."""
    if not arrays:
        return model
    weights = joined(model.weights)
    layers = [
        constant_layer(layer, arrays[layer.name], weights)
        if layer.kind is LayerKind.PARAMETER and layer.name in arrays
        else layer
        for layer in model.layers
    ]
    return replace(model, graph=replace(model.graph, layers=layers), weights=weights)


# An order of layers in which a layer is near those that compute its inputs.


def depth_first(wiring: Wiring) -> list[Layer]:
    """Layers in topological order; the inputs of a layer come before it, each right after its own inputs.

    Layers on or behind a cycle are left out.
    """
    acyclic = {layer.id for layer in wiring.order}
    done: dict[int, Layer] = {}
    ahead = [(layer, False) for layer in reversed(wiring.order) if not _is_used(wiring, layer)]
    while ahead:
        layer, is_ready = ahead.pop()
        if layer.id in done or layer.id not in acyclic:
            continue
        if is_ready:
            done[layer.id] = layer
            continue
        ahead.append((layer, True))
        ahead += [(source[0], False) for source in reversed(wiring.inputs[layer.id]) if source is not None]
    return list(done.values())


def _is_used(wiring: Wiring, layer: Layer) -> bool:
    return any((layer.id, index) in wiring.consumers for index in range(len(layer.outputs)))


Call = Mapping[int, Array]
"""The values of the Parameters of a body, by layer id."""


def body_cases(case: Case, attempts: Attempts) -> Iterator[tuple[tuple[str, ...], Case]]:
    """The path of each body, and the body as a model, with the values of some of its iterations.

    The first iteration comes first, then the last one, then others.
    Bodies that are not executed are left out.
    Raises:  EvaluationError where the case cannot be computed
    """
    analysis = case.analysis(attempts.registry, attempts.limits)
    if not any(layer.bodies for layer in case.model.layers):
        return
    observer = _Observer(analysis, chain(None))
    run_model(observer, analysis.signature.arrays(case.inputs), (), Variables())
    for path, calls in observer.calls.items():
        if len(path) > 2:
            continue  # bodies of bodies follow, once the outer body is the model
        graph = analysis.by_path[path]
        names = {layer.id: layer.name for layer in graph.parameters}
        model = replace(extract(analysis, path=path), rt_info=None, legacy=[], unknown=[])
        own = {layer.name for layer in model.layers if layer.kind is LayerKind.PARAMETER}
        for call in _in_order(calls):
            yield path, Case(model, {names[n]: array for n, array in call.items() if names[n] in own})


def _in_order(calls: Mapping[int, Call]) -> list[Call]:
    """The first call, the last one, then the others."""
    numbers = sorted(calls)
    return [calls[number] for number in dict.fromkeys((numbers[0], numbers[-1], *numbers))]


class _Observer(Evaluator):
    """Keeps the inputs of some calls of each body: those numbered 0 and powers of 2, and the last one."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.calls: dict[tuple[str, ...], dict[int, Call]] = {}
        self._counts: dict[tuple[str, ...], int] = {}

    def plan(self, graph: GraphNode, given: Mapping[int, Array]) -> Plan:
        if graph.path:
            number = self._counts.get(graph.path, 0)
            self._counts[graph.path] = number + 1
            calls = self.calls.setdefault(graph.path, {})
            if (number - 1) & (number - 2):
                calls.pop(number - 1, None)  # it was the last one
            calls[number] = dict(given)
        return super().plan(graph, given)
