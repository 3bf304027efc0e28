"""irops.vjp: the gradients of a model's results with respect to its inputs and constants."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

from irops.analysis.describing import facts_line
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key, declared_fact
from irops.backends.backend import Backend
from irops.backends.lru_cache import LruCache
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, EvaluationError
from irops.diagnostics.rules import rule
from irops.invocation import OpFault, fault_of_limit, out_of_memory
from irops.ir.model import Layer, LayerKind, Model
from irops.limits import Limits
from irops.registry import Registry
from irops.runtime.backward import Backward
from irops.runtime.flow import BackwardStep, Flow
from irops.runtime.plan import Plan, ValueKey
from irops.runtime.run import run_model
from irops.runtime.session import Results, Session
from irops.values.element import DYNAMIC, Array, element_type_of
from irops.values.tensors import as_tensor, fact_of
from irops.values.violation import LimitExceeded

Cotangents = Mapping[Key, Any] | Iterable[Any]
SHOWN = 4
"""How many layers of a path are named from either end."""
MAX_FLOWS = 256
"""For how many plans and sets of wanted tensors the flow of gradients is kept."""


class Gradients(Results):
    """Gradients by the name of their input or constant; a tensor name or an input's position finds them too.

    results: of the forward pass. What no gradient reaches is absent.
    """

    def __init__(self, values: Mapping[str, Array], aliases: Mapping[Key, str], results: Results) -> None:
        super().__init__(values, aliases)
        self.results = results


class GradientSession:
    """A model ready for forward and backward passes; what follows from the model serves every
    training step.
    """

    def __init__(
        self,
        model: Model | ModelAnalysis | str | os.PathLike[str],
        *,
        backends: str | Iterable[str | Backend] | None = None,
        registry: Registry | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.session = Session(model, backends=backends, registry=registry, limits=limits)
        self.analysis = self.session.analysis
        self._names = GradientNames(self.analysis)
        self._flows: LruCache[tuple[Plan, Flow]] = LruCache(MAX_FLOWS)

    def run(self, inputs: Mapping[Key, Any] | Iterable[Any] = ()) -> Results:
        """The model's results, as Session.run gives them."""
        return self.session.run(inputs)

    def vjp(
        self,
        inputs: Mapping[Key, Any] | Iterable[Any],
        cotangents: Cotangents | Callable[[Results], Cotangents],
        *,
        wrt: Key | Collection[Key] | None = None,
    ) -> Gradients:
        """The gradients of one run; see irops.vjp."""
        names, root = self._names, self.analysis.root
        wanted, given = names.wanted(wrt), self._given(inputs)
        plan = self.session.evaluator.plan(root, given)
        late = callable(cotangents)  # then any result may have one
        chosen = dict.fromkeys(names.result_ids) if callable(cotangents) else names.of_results(cotangents)
        flow = self._flow(plan, wanted, chosen, may_lack=late)
        kept_layers = {layer for layer, _ in flow.kept}
        values = run_model(self.session.evaluator, given, kept_layers, self.session.variables)
        results = self.session.named(values)
        if callable(cotangents):
            chosen = names.of_results(cotangents(results))
            flow = self._flow(plan, wanted, chosen)
        fitted = {number: self._fitted(number, value, values[number, 0]) for number, value in chosen.items()}
        kept = {key: values[key] for key in flow.kept}
        values.clear()  # so that what is kept is freed during the backward pass
        found = self._back(flow, kept, fitted)
        gradients = {root.layers[number].layer.name: gradient for number, gradient in found.items()}
        return Gradients(gradients, dict(self.analysis.signature.input_aliases()), results)

    def _given(self, inputs: Mapping[Key, Any] | Iterable[Any]) -> dict[int, Array]:
        """Arrays by layer id: of all Parameters, and of the Consts that are given another value."""
        signature = self.analysis.signature
        named: Mapping[Key, Any] = inputs if isinstance(inputs, Mapping) else dict(enumerate(inputs))
        constants = {key: layer for key in named if (layer := self._names.constant(key)) is not None}
        given = signature.arrays({key: value for key, value in named.items() if key not in constants})
        return given | {layer.id: signature.fit(layer, named[key]) for key, layer in constants.items()}

    def _flow(
        self, plan: Plan, wanted: frozenset[int], chosen: Collection[int], *, may_lack: bool = False
    ) -> Flow:
        """Where gradients flow. Raises EvaluationError where an op lacks a gradient, unless it may."""
        key = (plan, wanted, frozenset(chosen))
        _, flow = self._flows.get(key, lambda: (plan, Flow(plan, wanted, chosen)))
        if flow.missing and not may_lack:
            raise EvaluationError([self._missing(flow, back) for back in flow.missing])
        return flow

    def _missing(self, flow: Flow, back: BackwardStep) -> Diagnostic:
        step = back.step
        path = [
            f"{s.layer.name!r}"
            if s.layer.kind is not LayerKind.OPERATION
            else f"{s.layer.name!r} ({s.op.id})"
            for s in flow.path_through(back)
        ]
        if len(path) > 2 * SHOWN + 1:
            path[SHOWN:-SHOWN] = ["..."]
        message = (
            f"{step.op.id} has no gradient, and one would have to flow through {step.layer.name!r}:"
            f" {' -> '.join(path)}"
        )
        place = self.analysis.location(step.layer)
        return Diagnostic(rule("missing-gradient"), message, place, None, facts_line(step.facts))

    def _fitted(self, number: int, value: Any, result: Array) -> Array:
        """A cotangent as an array of its result's type and shape. Python numbers take the type,
        arrays must have it.
        """
        layer = self.analysis.root.layers[number].layer
        numeric = isinstance(value, (np.ndarray, np.generic))
        try:
            array = as_tensor(value if numeric else np.asarray(value, result.dtype))
        except (TypeError, ValueError) as error:
            message = f"the cotangent of {layer.name!r} cannot be an array: {error}"
            raise self._names.unfit(message, layer) from None
        if not element_type_of(result).differentiable:
            message = (
                f"a cotangent is given for {layer.name!r}, {fact_of(result)}, whose type has no gradients"
            )
            raise self._names.unfit(message, layer)
        if array.dtype != result.dtype or array.shape != result.shape:
            message = f"the cotangent of {layer.name!r} is {fact_of(array)}, must be {fact_of(result)}"
            raise self._names.unfit(message, layer)
        return array

    def _back(
        self, flow: Flow, values: dict[ValueKey, Array], cotangents: Mapping[int, Array]
    ) -> dict[int, Array]:
        evaluator = self.session.evaluator
        backward = Backward(flow, values, evaluator.limits, evaluator.kernel_with_memory)
        try:
            return backward.run(cotangents)
        except OpFault as fault:
            assert backward.current is not None
            raise evaluator.error(backward.current.facts, (), fault) from fault.__cause__
        except LimitExceeded as limit:
            assert backward.current is not None
            raise evaluator.error(backward.current.facts, (), fault_of_limit(limit)) from None
        except MemoryError:
            assert backward.current is not None
            lack = out_of_memory(backward.current.op)
            raise evaluator.error(backward.current.facts, (), lack) from None


def vjp(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Mapping[Key, Any] | Iterable[Any],
    cotangents: Cotangents | Callable[[Results], Cotangents],
    *,
    wrt: Key | Collection[Key] | None = None,
    backends: str | Iterable[str | Backend] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Gradients:
    """The vector-Jacobian product: gradients of the inputs, by input name, for cotangents of the results.

    inputs: arrays by tensor name, layer name or position; the name of a Const gives it another value
    cotangents: by Result name or position, or a function that is given the results and returns them; results
        without one contribute nothing
    wrt:    the inputs, and Consts by layer name, of which gradients are wanted; by default all inputs of
        floating types
    backends: see irops.run; for the forward pass, and for gradients that are ops themselves, like that of
        ReverseSequence
    Returns: a dict of the gradients that exist; its .results are those of the forward pass
    Raises:  ReadError; EvaluationError, with .diagnostics: as run does, and where an op on the path has no
        gradient (IR621)
    """
    session = GradientSession(model, backends=backends, registry=registry, limits=limits)
    session.session.evaluator.run_once()
    return session.vjp(inputs, cotangents, wrt=wrt)


# The inputs, constants and results that gradients are asked for, and given, by name.


class GradientNames:
    """The inputs and results of a model as its signature has them, and its constants by layer name."""

    def __init__(self, analysis: ModelAnalysis) -> None:
        self.analysis, self.signature = analysis, analysis.signature
        layers = analysis.model.layers
        self._constants = {layer.name: layer for layer in reversed(layers) if layer.is_constant}
        for name in (name for port in self.signature.inputs for name in port.names):
            self._constants.pop(name, None)

    @property
    def result_ids(self) -> list[int]:
        return [port.layer.id for port in self.signature.results]

    def constant(self, key: Key) -> Layer | None:
        """The Const of a name that is not an input's."""
        return self._constants.get(key) if isinstance(key, str) else None

    def wanted(self, wrt: Key | Collection[Key] | None) -> frozenset[int]:
        """The layers whose gradients are wanted: the inputs and constants named, or all inputs that may
        have one.

        Raises:  DiagnosticError where a name is neither (IR602), or the tensor has no gradients (IR623)
        """
        if wrt is None:
            inputs = [port.layer for port in self.signature.inputs]
            return frozenset(layer.id for layer in inputs if _may_have_gradient(layer))
        keys = (wrt,) if isinstance(wrt, (str, int)) else wrt
        layers = [self.constant(key) or self._input(key) for key in keys]
        for layer in layers:
            if not _may_have_gradient(layer):
                fact = declared_fact(layer)
                message = (
                    f"a gradient is asked for of {layer.name!r}, which is {fact}; "
                    f"tensors of {fact.element_type} have none"
                )
                place = self.analysis.location(layer)
                raise EvaluationError([Diagnostic(rule("undifferentiable-input"), message, place)])
        return frozenset(layer.id for layer in layers)

    def _input(self, key: Key) -> Layer:
        try:
            return self.signature.input(key).layer
        except DiagnosticError as error:
            notes = ("gradients are asked for of inputs, and of constants by the name of their layer",)
            found = [Diagnostic(d.rule, d.message, d.location, notes=notes) for d in error.diagnostics]
            raise EvaluationError(found) from None

    def of_results(self, cotangents: Any) -> dict[int, Any]:
        """Cotangents by the id of their Result; given by name or position, in order, or as one array.

        Raises:  EvaluationError (IR622) where there is no such result
        """
        if isinstance(cotangents, (np.ndarray, np.generic, float, int)):
            cotangents = [cotangents]
            count = len(self.signature.results)
            if count != 1:
                raise self.unfit(f"one cotangent is given for {count} results; say by name which it is of")
        named = cotangents if isinstance(cotangents, Mapping) else dict(enumerate(cotangents))
        return {self._result(key).id: value for key, value in named.items() if value is not None}

    def _result(self, key: Key) -> Layer:
        try:
            return self.signature.result(key).layer
        except KeyError as error:
            raise self.unfit(error.args[0]) from None

    def unfit(self, message: str, layer: Layer | None = None) -> EvaluationError:
        """The error for a cotangent that does not fit."""
        return EvaluationError(
            [Diagnostic(rule("incompatible-cotangent"), message, self.analysis.location(layer))]
        )


def _may_have_gradient(layer: Layer) -> bool:
    kind = declared_fact(layer).element_type
    return kind is DYNAMIC or kind.differentiable
