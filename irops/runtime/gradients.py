"""irops.vjp: the gradients of a model's results taken back to its inputs and constants."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

from irops.analysis.layer import LayerFault
from irops.analysis.telling import facts_line
from irops.backends.backend import Backend
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError
from irops.diagnostics.rules import rule
from irops.ir.model import Model
from irops.limits import Limits
from irops.registry import Registry
from irops.runtime.arrays import as_tensor, fact_of
from irops.runtime.backward import Backward
from irops.runtime.evaluator import REMEMBERED
from irops.runtime.flow import Flow, Passage
from irops.runtime.gradient_names import Key, Names
from irops.runtime.plan import Plan, ValueKey
from irops.runtime.session import Results, Session
from irops.values.element import Array, element_type_of

Cotangents = Mapping[Key, Any] | Iterable[Any]
SHOWN = 4
"""How many layers of a way are named from either end."""


class Gradients(Results):
    """Gradients by the name of their input or constant; a tensor name or an input's position finds them too.

    results: of the way forward. What no gradient reaches is not there.
    """

    def __init__(self, values: Mapping[str, Array], aliases: Mapping[Key, str], results: Results) -> None:
        super().__init__(values, aliases)
        self.results = results


class GradientSession(Session):
    """A session that also goes back; what was worked out of a model serves every step of a training."""

    def __init__(
        self,
        model: Model | str | os.PathLike[str],
        *,
        backends: str | Iterable[str | Backend] | None = None,
        registry: Registry | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(model, backends=backends, registry=registry, limits=limits)
        self._names = Names(self.model, self._evaluator.inference.wiring(self.model.graph))
        self._flows: dict[tuple[int, frozenset[int], frozenset[int]], tuple[Plan, Flow]] = {}

    def vjp(
        self,
        inputs: Mapping[Key, Any] | Iterable[Any],
        cotangents: Cotangents | Callable[[Results], Cotangents],
        *,
        wrt: Key | Collection[Key] | None = None,
    ) -> Gradients:
        """The gradients of one run; see irops.vjp."""
        names = self._names
        wanted, given = names.wanted(wrt), self._given_beside_constants(inputs)
        plan = self._evaluator.plan(self.model.graph, given, ())
        late = callable(cotangents)  # then any result may have one
        chosen = (
            {layer.id: None for layer in names.results}
            if callable(cotangents)
            else names.of_results(cotangents)
        )
        flow = self._flow(plan, wanted, chosen, may_lack=late)
        values = self._evaluator.run(given, {layer for layer, _ in flow.kept})
        results = self._named(values, frozenset())
        if callable(cotangents):
            chosen = names.of_results(cotangents(results))
            flow = self._flow(plan, wanted, chosen)
        fitting = {
            number: self._fitting_cotangent(number, value, values[number, 0])
            for number, value in chosen.items()
        }
        kept = {key: values[key] for key in flow.kept}
        values.clear()  # so that what is kept is let go on the way back
        found = self._back(flow, kept, fitting)
        return Gradients(
            {self.model.layer(number).name: gradient for number, gradient in found.items()},
            dict(names.aliases()),
            results,
        )

    def _given_beside_constants(self, inputs: Mapping[Key, Any] | Iterable[Any]) -> dict[int, Array]:
        """Arrays by layer id: of all Parameters, and of the Consts that are given another value."""
        named: Mapping[Key, Any] = inputs if isinstance(inputs, Mapping) else dict(enumerate(inputs))
        constants = {key: layer for key in named if (layer := self._names.constant(key)) is not None}
        given = self._given({key: value for key, value in named.items() if key not in constants})
        return given | {layer.id: self._fitting(layer, named[key]) for key, layer in constants.items()}

    def _flow(
        self, plan: Plan, wanted: frozenset[int], chosen: Collection[int], *, may_lack: bool = False
    ) -> Flow:
        """Where gradients flow; raises where they ought to and cannot, unless they may lack."""
        key = (id(plan), wanted, frozenset(chosen))
        found = self._flows.get(key)
        if found is None:
            if len(self._flows) >= REMEMBERED:
                self._flows.pop(next(iter(self._flows)))
            found = self._flows[key] = (
                plan,
                Flow(plan, wanted, chosen),
            )  # with the plan, so that its id stays its own
        flow = found[1]
        if flow.missing and not may_lack:
            raise EvaluationError([self._lack(flow, passage) for passage in flow.missing])
        return flow

    def _lack(self, flow: Flow, passage: Passage) -> Diagnostic:
        step = passage.step
        way = [
            (
                f"{s.layer.name!r}"
                if s.op.definition.type in ("Parameter", "Const", "Result")
                else f"{s.layer.name!r} ({s.op.id})"
            )
            for s in flow.way_through(passage)
        ]
        if len(way) > 2 * SHOWN + 1:
            way[SHOWN:-SHOWN] = ["..."]
        message = (
            f"{step.op.id} has no gradient, and one would have to flow through {step.layer.name!r}:"
            f" {' -> '.join(way)}"
        )
        return Diagnostic(
            rule("missing-gradient"), message, self._names.place(step.layer), None, facts_line(step.known)
        )

    def _fitting_cotangent(self, number: int, value: Any, result: Array) -> Array:
        """A cotangent as an array of its result's type and shape. Python numbers take the type; arrays must
        have it.
        """
        layer = self.model.layer(number)
        try:
            array = as_tensor(
                value if isinstance(value, (np.ndarray, np.generic)) else np.asarray(value, result.dtype)
            )
        except (TypeError, ValueError) as error:
            raise self._names.unfit(
                f"the cotangent of {layer.name!r} cannot be an array: {error}", layer
            ) from None
        if not element_type_of(result).differentiable:
            raise self._names.unfit(
                f"a cotangent is given for {layer.name!r}, {fact_of(result)}, whose type has no gradients",
                layer,
            )
        if array.dtype != result.dtype or array.shape != result.shape:
            raise self._names.unfit(
                f"the cotangent of {layer.name!r} is {fact_of(array)}, must be {fact_of(result)}", layer
            )
        return array

    def _back(
        self, flow: Flow, values: dict[ValueKey, Array], cotangents: Mapping[int, Array]
    ) -> dict[int, Array]:
        backward = Backward(flow, values)
        try:
            return backward.run(cotangents)
        except LayerFault as fault:
            assert backward.current is not None
            raise self._evaluator.error(backward.current.known, (), fault) from fault.__cause__


def vjp(
    model: Model | str | os.PathLike[str],
    inputs: Mapping[Key, Any] | Iterable[Any],
    cotangents: Cotangents | Callable[[Results], Cotangents],
    *,
    wrt: Key | Collection[Key] | None = None,
    backends: str | Iterable[str | Backend] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Gradients:
    """The vector-Jacobian product: what cotangents of the results are as gradients of the inputs, by input
    name.

    inputs: arrays by tensor name, layer name or position; the name of a Const gives it another value
    cotangents: by Result name or position, or a function that is given the results and returns them; of
        results without one,
            nothing flows back
    wrt:    the inputs, and Consts by layer name, of which gradients are wanted; by default all inputs of
        floats
    backends: see irops.run; of the way forward alone
    Returns: a dict of those that a gradient reaches; its .results are those of the way forward
    Raises:  ReadError; EvaluationError, with .diagnostics: as run does, and where an op on the way has no
        gradient (IR621)
    """
    return GradientSession(model, backends=backends, registry=registry, limits=limits).vjp(
        inputs, cotangents, wrt=wrt
    )
