"""The bodies of If, Loop and TensorIterator: as models of their own, or reduced within their op."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from irops.analysis.structure import GraphNode
from irops.backends.catalogue import chain
from irops.debugging.reduce.attempts import Attempts
from irops.debugging.reduce.case import Case
from irops.editing.extraction import extract
from irops.ir.model import LayerKind
from irops.runtime.evaluator import Evaluator
from irops.runtime.plan import Plan
from irops.runtime.run import run_model
from irops.runtime.variables import Variables
from irops.values.element import Array

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
