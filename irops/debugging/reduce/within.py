"""Reduce a body within its op, where the fault does not show without the op."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from irops.debugging.reduce.attempts import Attempts
from irops.debugging.reduce.bisection import without_each
from irops.debugging.reduce.bodies import body_cases
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.constants import constant_layer, joined
from irops.debugging.reduce.cutting import Cutting
from irops.debugging.reduce.recording import Recording
from irops.debugging.reduce.stored_arrays import StoredArrays
from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.scope import Value
from irops.ir.joined_weights import JoinedWeights
from irops.ir.model import Edge, Graph, Layer, Model


def with_smaller_bodies(case: Case, attempts: Attempts) -> Case:
    """The case with constants in place of operations of its bodies: their values in the first iteration."""
    if not attempts.judge.needs_values:
        return case
    for layer in case.model.layers:
        for name in layer.bodies:
            case = _with_smaller_body(case, layer.id, name, attempts)
    return case


def _with_smaller_body(case: Case, number: int, name: str, attempts: Attempts) -> Case:
    path = (case.model.layer(number).name, name)
    body = next((body for at, body in body_cases(case, attempts) if at == path), None)
    if body is None:
        return case
    store, cases = StoredArrays(), dict[tuple[int, ...], Case]()
    try:
        cutting = Cutting(body, attempts.registry, attempts.limits)
        values = Recording(cutting, store, attempts.limits)

        def fails(operations: Sequence[int]) -> bool:
            try:
                smaller = _Constants(case.model, number, name, cutting, values).without(set(operations))
            except DiagnosticError:  # a value cannot be computed
                return False
            cases[tuple(operations)] = Case(smaller, case.inputs)
            return attempts.fails(cases[tuple(operations)])

        return cases.get(tuple(without_each(cutting.operations, fails)), case)
    finally:
        store.close()


class _Constants:
    """Puts constants in place of operations of one body."""

    def __init__(self, model: Model, number: int, name: str, cutting: Cutting, values: Recording) -> None:
        self.model, self.number, self.name = model, number, name
        self.cutting, self.values = cutting, values

    def without(self, kept: Collection[int]) -> Model:
        """The model with the operations of the body that are kept. Raises: EvaluationError"""
        layer = self.model.layer(self.number)
        weights = joined(self.model.weights)
        graph = self._graph(layer.bodies[self.name].graph, kept, weights)
        bodies = {**layer.bodies, self.name: replace(layer.bodies[self.name], graph=graph)}
        layers = [replace(layer, bodies=bodies) if one is layer else one for one in self.model.layers]
        return replace(self.model, graph=replace(self.model.graph, layers=layers), weights=weights)

    def _graph(self, graph: Graph, kept: Collection[int], weights: JoinedWeights) -> Graph:
        dropped = set(self.cutting.operations) - set(kept)
        used = {
            (edge.from_layer, self._index(edge))
            for edge in graph.edges
            if edge.from_layer in dropped and edge.to_layer not in dropped
        }
        arrays = self.values.of(used)
        number = max(layer.id for layer in graph.layers)
        constants: dict[Value, Layer] = {}
        for value in sorted(used):
            number += 1
            port = self._layer(value[0]).outputs[value[1]]
            name = f"{self._layer(value[0]).name}/{value[1]}"
            blank = Layer(number, name, "Const", "opset1", outputs=[replace(port, id=0)])
            constants[value] = constant_layer(blank, arrays[value], weights)
        edges = [self._redirected(edge, constants) for edge in graph.edges if edge.to_layer not in dropped]
        feeding = {edge.from_layer for edge in edges}
        layers = [*constants.values(), *(layer for layer in graph.layers if layer.id not in dropped)]
        return Graph([layer for layer in layers if not layer.is_constant or layer.id in feeding], edges)

    def _redirected(self, edge: Edge, constants: dict[Value, Layer]) -> Edge:
        constant = constants.get((edge.from_layer, self._index(edge)))
        return edge if constant is None else replace(edge, from_layer=constant.id, from_port=0)

    def _index(self, edge: Edge) -> int:
        return self._layer(edge.from_layer).output_index(edge.from_port) or 0

    def _layer(self, number: int) -> Layer:
        return self.cutting.wiring.layers[number]
