"""irops.vjp: the gradients of a model's results with respect to its inputs and constants."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np

from irops.analysis.describing import facts_line
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key, declared_fact
from irops.analysis.structure import BodyNode, LayerNode
from irops.backends.backend import Backend
from irops.backends.lru_cache import LruCache
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, EvaluationError
from irops.diagnostics.rules import rule
from irops.differentiation.deriving import (
    Applied,
    BodyLayer,
    Derivation,
    DerivedBody,
    NotDerivedError,
    Unsaved,
    array_terms,
    cotangents_of,
    is_part_of_formula,
    rule_of,
    tangents_of,
)
from irops.expansion.expanding import RefusedError
from irops.files.limits import Limits
from irops.ir.model import Layer, LayerKind, Model
from irops.ir.weights import constant
from irops.ops.conversion import as_numbers, converted
from irops.ops.invocation import Invocation, OpFault, fault_of_limit, input_spec, out_of_memory
from irops.registry import Registry, default_registry
from irops.runtime.arrays import require_room, size_in_bytes
from irops.runtime.plan import Plan, Step, ValueKey
from irops.runtime.program import KernelOf
from irops.runtime.run import run_model
from irops.runtime.session import Results, Session
from irops.spec.binding import BY_KERNEL
from irops.spec.body import BodyFunction
from irops.spec.definition import Gradient
from irops.values.element import DYNAMIC, F32, Array, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.tensors import as_tensor, fact_of, value_bytes
from irops.values.violation import LimitExceeded, Violation

# Bodies, as derivatives take them.


def derived_bodies(analysis: ModelAnalysis, node: LayerNode) -> dict[str, DerivedBody]:
    """The bodies of a layer by name."""
    return {name: _derived_body(analysis, body) for name, body in node.bodies.items()}


def _derived_body(analysis: ModelAnalysis, body: BodyNode) -> DerivedBody:
    graph, maps = body.graph, body.maps
    assert maps is not None  # the layer was computed before
    layers, results = [], []
    for node in graph.order:
        layer = node.layer
        sources = tuple(None if s is None else (s[0].id, s[1]) for s in graph.wiring.inputs[layer.id])
        if layer.kind is LayerKind.RESULT:
            continue
        is_plain = layer.kind is LayerKind.OPERATION
        value = partial(constant, analysis.model, layer) if layer.is_constant else None
        inner = derived_bodies(analysis, node)
        layers.append(BodyLayer(layer.id, node.invocation if is_plain else None, sources, value, inner))
    for result in graph.results:
        source = graph.wiring.first(result.id)
        assert source is not None
        results.append((source[0].id, source[1]))
    function = BodyFunction(
        list, body.declared, maps.inputs, maps.outputs, maps.back_edges, iterations=analysis.limits.iterations
    )
    return DerivedBody(tuple(layers), tuple(p.id for p in graph.parameters), tuple(results), function)


# One layer in the backward pass: the arguments of its gradient functions, and what they give.

PortGradient = Array | tuple[Array, ...]
"""The gradient of a port: an array, or a tuple of them for a variadic port."""


class LayerGradients:
    """An op with what its gradient functions need.

    facts: of all inputs and of all outputs; arrays: the inputs and the outputs that were saved, None for the
    others; kernel_of: the kernels that compute gradients too; bodies: of the op, by name.
    """

    def __init__(
        self,
        invocation: Invocation,
        facts: tuple[Sequence[Fact | None], Sequence[Fact]],
        arrays: tuple[Sequence[Array | None], Sequence[Array | None]],
        kernel_of: KernelOf,
        bodies: Mapping[str, DerivedBody] = MappingProxyType({}),
    ) -> None:
        self.invocation, self.op, self._kernel_of = invocation, invocation.op, kernel_of
        self._bodies = bodies
        self._arrays = arrays
        self.inputs = [_static_fact(fact, array) for fact, array in zip(facts[0], arrays[0])]
        self._outputs = [_static_fact(fact, array) for fact, array in zip(facts[1], arrays[1])]

    def _cotangents(self, given: Sequence[Array | None]) -> list[PortGradient]:
        """The gradient of every output of the definition; zeros for those that none reached."""
        filled = []
        for gradient, fact in zip(given, self._outputs):
            assert fact is not None
            filled.append(zeros(fact.shape.to_tuple(), fact.element_type) if gradient is None else gradient)
        ports = self.op.definition.outputs
        return [tuple(filled[index:]) if port.variadic else filled[index] for index, port in enumerate(ports)]

    def gradients(self, given: Sequence[Array | None], indices: Sequence[int]) -> Iterator[tuple[int, Array]]:
        """The gradients of some inputs, out of those of the outputs.

        Raises:  OpFault where a function fails, or gives another type or shape than that of its input
        """
        functions = self.op.functions.gradients
        names = {index: input_spec(self.op, index).name for index in indices}
        by_rule = [index for index in indices if names[index] not in functions]
        if by_rule and all(self._is_empty(index) for index in by_rule):
            yield from ((index, self._zeros(index)) for index in by_rule)
        elif by_rule:
            yield from self._by_rule(given, by_rule)
        cotangents = self._cotangents(given) if len(by_rule) < len(names) else []
        for of in dict.fromkeys(name for name in names.values() if name in functions):
            reached = self._by_function(of, cotangents)
            first = next(k for k, port in enumerate(self.op.definition.inputs) if port.name == of)
            for index in indices:
                if names[index] == of:
                    yield index, self._checked(index, np.asarray(reached[index - first]))

    def _by_function(self, of: str, cotangents: Sequence[PortGradient]) -> tuple[Any, ...]:
        saved = {name: self._saved(name) for name in self.op.definition.gradients[of].saves}
        try:
            return self.invocation.gradient(of, cotangents, saved, self.inputs, self._kernel(of))
        except (OpFault, MemoryError):
            raise
        except Exception as error:
            message = f"the gradient of {of} of {self.op.id} failed: {type(error).__name__}: {error}"
            raise OpFault("failed-kernel", message) from error

    def _by_rule(self, given: Sequence[Array | None], indices: Sequence[int]) -> Iterator[tuple[int, Array]]:
        """The gradients by the rule of the op, computed in f32 where its types are narrower."""
        inputs, outputs = self._terms(indices)
        reaching = [None if array is None else _widened(array) for array in given]
        with self._reasons():
            terms = array_terms(default_registry())
            derivation = Derivation(terms, self.invocation, inputs, outputs, reaching, indices, self._bodies)
            found = cotangents_of(derivation)
        for index in indices:
            value, fact = found[index], self.inputs[index]
            assert fact is not None
            array = None if value is None else converted(as_tensor(value.value), fact.element_type)
            yield index, self._zeros(index) if array is None else self._checked(index, array)

    def tangents(self, given: Mapping[int, Array]) -> Iterator[tuple[int, Array]]:
        """The tangents of the outputs that those of some inputs reach.

        Raises:  OpFault
        """
        if all(self._is_empty(index) for index in given):
            return
        if rule_of(self.op) is None:
            reason = "its gradient is a function of arrays, which has no transpose"
            raise OpFault("missing-gradient", f"{self.op.id} has no forward derivative, because {reason}")
        inputs, outputs = self._terms(list(given))
        with self._reasons():
            wide = {index: _widened(array) for index, array in given.items()}
            step = Applied(self.invocation, tuple(inputs), tuple(outputs), self._bodies)
            found = tangents_of(array_terms(default_registry()), step, wide)
        for index, (value, fact) in enumerate(zip(found, self._outputs)):
            if value is not None and fact is not None:
                yield index, converted(as_tensor(value.value), fact.element_type)

    def _terms(self, indices: Sequence[int]) -> tuple[list[Any], list[Any]]:
        """The inputs and outputs as rules get them, with the elements that these inputs' gradients save."""
        definition, op = self.op.definition, self.op
        saves = {name for index in indices for name in definition.gradients[input_spec(op, index).name].saves}
        ports = [input_spec(op, index).name for index in range(len(self.inputs))]
        inputs = [_term(saves, *each) for each in zip(ports, self.inputs, self._arrays[0])]
        last = len(definition.outputs) - 1
        ports = [definition.outputs[min(index, last)].name for index in range(len(self._outputs))]
        return inputs, [_term(saves, *each) for each in zip(ports, self._outputs, self._arrays[1])]

    @contextmanager
    def _reasons(self) -> Iterator[None]:
        """Raise the reasons of rules, and their failures, as OpFaults."""
        op = self.op
        try:
            with np.errstate(all="ignore"):
                yield
        except (NotDerivedError, RefusedError, OpFault, Violation) as error:
            reason = error.message if isinstance(error, OpFault) else error
            raise OpFault("missing-gradient", f"{op.id} has no gradient here, because {reason}") from None
        except (MemoryError, LimitExceeded):
            raise
        except Exception as error:
            message = f"the gradient of {op.id} failed: {type(error).__name__}: {error}"
            raise OpFault("failed-kernel", message) from error

    def _is_empty(self, index: int) -> bool:
        """Whether an input has no elements, so that not every op of a rule takes it."""
        fact = self.inputs[index]
        return fact is not None and fact.shape.static and 0 in fact.shape.to_tuple()

    def _zeros(self, index: int) -> Array:
        fact = self.inputs[index]
        assert fact is not None
        return zeros(fact.shape.to_tuple(), fact.element_type)

    def _checked(self, index: int, array: Array) -> Array:
        """A gradient of the type and shape of its input. Raises: OpFault"""
        fact = self.inputs[index]
        assert fact is not None
        if not fact.admits(array):
            name = input_spec(self.op, index).name
            message = f"the gradient of {name} of {self.op.id} is {fact_of(array)}, must be {fact}"
            raise OpFault("incorrect-kernel-result", message)
        return array

    def _kernel(self, of: str) -> Callable[..., Any] | None:
        """The kernel of the op, perhaps of a backend, where it computes the gradient."""
        ports = self.op.definition.inputs
        fact = next(self.inputs[index] for index, port in enumerate(ports) if port.name == of)
        replaces = getattr(self.op.functions.gradients[of], BY_KERNEL, False)
        if not replaces or fact is None or not fact.shape.static:
            return None
        return self._kernel_of(self.op, fact)

    def _saved(self, name: str) -> Any:
        definition = self.op.definition
        for ports, arrays in zip((definition.inputs, definition.outputs), self._arrays):
            for place, port in enumerate(ports):
                if port.name != name:
                    continue
                if port.variadic:
                    return tuple(arrays[place:])
                return arrays[place] if place < len(arrays) else None
        raise KeyError(name)


def _term(saves: Collection[str], name: str, fact: Fact | None, array: Array | None) -> Any:
    """A tensor as rules get it: widened to f32 if it is narrower; what is not saved has type and shape."""
    if fact is None:
        return None
    if array is not None and name in saves:
        return _widened(array)
    narrow = fact.element_type.floating and fact.element_type.bits < 32
    return Unsaved(Fact(F32 if narrow else fact.element_type, fact.shape))


def _widened(array: Array) -> Array:
    kind = element_type_of(array)
    return array.astype(np.float32) if kind.floating and kind.bits < 32 else array


def _static_fact(fact: Fact | None, array: Array | None) -> Fact | None:
    """The Fact of a tensor, with its exact shape if the tensor was kept."""
    return fact if fact is None or array is None else Fact(fact.element_type, Shape(array.shape))


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
        return frozenset(layer.id for layer in layers if not self._is_unbounded(layer))

    def _is_unbounded(self, layer: Layer) -> bool:
        """Whether all elements of a constant are infinite or the largest of their type, which stand for it:
        there is no number beyond them that a derivative could be taken toward.
        """
        if not layer.is_constant or not declared_fact(layer).element_type.floating:
            return False
        elements = constant(self.analysis.model, layer)
        if not elements.size:
            return False
        largest = ml_dtypes.finfo(elements.dtype).max  # type: ignore[no-untyped-call]
        return all(bool((abs(part) >= largest).all()) for part in (elements.ravel()[:1], elements))

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


# Where gradients flow in a graph, and which values of the forward pass they need.

Inputs = dict[int, tuple[int, ...]]
"""By a layer's id, the indices of some of its inputs."""


@dataclass(frozen=True, slots=True)
class BackwardStep:
    """A layer that gradients flow through, into some of its inputs. needs: values of the forward pass."""

    step: Step
    inputs: tuple[int, ...]
    needs: tuple[ValueKey, ...]


class Flow:
    """The layers on the paths from results back to the tensors whose gradients are wanted, the last layer
    first.

    wanted, results: ids of layers; missing: the steps whose op states no gradient; kept: how often values of
    the forward pass are needed in the backward pass.
    """

    def __init__(self, plan: Plan, wanted: Collection[int], results: Collection[int]) -> None:
        self.wanted = frozenset(wanted)
        steps = {step.layer.id: step for step in plan.steps}
        on_path = _leading(plan, _dependent(plan, steps, self.wanted), results)
        self.steps = tuple(
            _backward_step(step, on_path[step.layer.id])
            for step in reversed(plan.steps)
            if step.layer.id in on_path
        )
        self.missing = tuple(back for back in self.steps[::-1] if lacking(back) is not None)
        self.kept = Counter(key for back in self.steps for key in back.needs)

    def path_through(self, missing: BackwardStep) -> list[Step]:
        """The layers of a path that a step lies on, from a wanted tensor to a result."""
        by_layer = {back.step.layer.id: back for back in self.steps}
        users = {
            source[0]: back
            for back in self.steps
            for source in (back.step.sources[index] for index in back.inputs)
            if source is not None
        }
        before, after = [missing], [missing]
        while before[-1].step.layer.id not in self.wanted:
            source = before[-1].step.sources[before[-1].inputs[0]]
            assert source is not None
            before.append(by_layer[source[0]])
        while after[-1].step.layer.id in users:
            after.append(users[after[-1].step.layer.id])
        return [back.step for back in (*before[::-1], *after[1:])]


def _dependent(plan: Plan, steps: dict[int, Step], wanted: Collection[int]) -> Inputs:
    """The layers that depend on what is wanted, and through which of their inputs."""
    found: Inputs = {}
    for step in plan.steps:
        inputs = tuple(
            index
            for index, source in enumerate(step.sources)
            if source is not None
            and source[0] in found
            and steps[source[0]].facts.outputs[source[1]].element_type.differentiable
            and _passes_gradient(step, index)
        )
        if inputs or step.layer.id in wanted:
            found[step.layer.id] = inputs
    return found


def _leading(plan: Plan, dependent: Inputs, results: Collection[int]) -> Inputs:
    """Those of the layers that lead on to a result."""
    found: Inputs = {}
    reached = set(results)
    for step in reversed(plan.steps):
        number = step.layer.id
        if number in reached and number in dependent:
            found[number] = dependent[number]
            sources = (step.sources[index] for index in dependent[number])
            reached.update(source[0] for source in sources if source is not None)
    return found


def _passes_gradient(step: Step, index: int) -> bool:
    """Whether a gradient flows into an input of a layer, or would have to."""
    stated = gradient_of(step, index)
    if stated is not None:
        if is_part_of_formula(step.op, input_spec(step.op, index).name, step.facts.inputs[index]):
            return False
        return stated.when is None or bool(step.invocation.attributes[stated.when])
    if step.layer.kind is LayerKind.RESULT:
        return True
    reason = step.op.definition.no_gradient(input_spec(step.op, index).name)
    return states_none(step) if reason is None else reason.kind == "none"


def gradient_of(step: Step, index: int) -> Gradient | None:
    """The gradient that the definition states for an input of a layer."""
    return step.op.definition.gradients.get(input_spec(step.op, index).name)


def states_none(step: Step) -> bool:
    """Whether an op with inputs states no gradient at all."""
    return bool(step.sources) and step.layer.kind is not LayerKind.RESULT and not step.op.definition.gradients


def lacking(back: BackwardStep) -> int | None:
    """The first input that a gradient would have to flow into, and that has none."""
    if back.step.layer.kind is LayerKind.RESULT:
        return None
    return next((index for index in back.inputs if gradient_of(back.step, index) is None), None)


def _backward_step(step: Step, inputs: tuple[int, ...]) -> BackwardStep:
    computes = bool(inputs) and step.layer.kind is not LayerKind.RESULT
    return BackwardStep(step, inputs, tuple(dict.fromkeys(_needs(step, inputs))) if computes else ())


def _needs(step: Step, inputs: tuple[int, ...]) -> Iterator[ValueKey]:
    """The values that are saved, and those whose shapes are not known before they are computed."""
    saved = {name for index in inputs if (stated := gradient_of(step, index)) for name in stated.saves}
    for index, source in enumerate(step.sources):
        is_saved = input_spec(step.op, index).name in saved
        if source is not None and (is_saved or not _static(step.facts.inputs[index])):
            yield source
    ports, outputs = step.op.definition.outputs, step.facts.outputs
    for index, fact in enumerate(outputs):
        if ports[min(index, len(ports) - 1)].name in saved or (len(outputs) > 1 and not _static(fact)):
            yield step.layer.id, index


def _static(fact: Fact | None) -> bool:
    return fact is None or fact.shape.static


BodiesOf = Callable[[LayerNode], Mapping[str, DerivedBody]]
"""The bodies of a layer, by name."""


def layer_gradients(
    step: Step, values: Mapping[ValueKey, Array], kernel_of: KernelOf, bodies_of: BodiesOf
) -> LayerGradients:
    """A layer with what was saved of the forward pass."""
    inputs = [None if source is None else values.get(source) for source in step.sources]
    saved = [values.get((step.layer.id, index)) for index in range(len(step.facts.outputs))]
    facts = (step.facts.inputs, step.facts.outputs)
    return LayerGradients(step.invocation, facts, (inputs, saved), kernel_of, bodies_of(step.node))


def reads_variable(step: Step, assigned: Collection[str]) -> bool:
    """Whether a layer reads a variable that had a value before the run, so that its input has no effect."""
    return (
        step.op.definition.type == "ReadValue" and step.invocation.attributes.get("variable_id") in assigned
    )


# The backward pass: each layer turns the gradients of its outputs into those of its inputs.


class Backward:
    """One backward pass through a flow.

    values: what was kept of the forward pass; values are removed after their last use. kernel_of: the kernels
    that compute gradients too; assigned: the variables that had values before the forward pass, so that no
    gradient reaches their initial values; bodies_of: the bodies of a layer; current: the step that is being
    computed.
    """

    def __init__(
        self,
        flow: Flow,
        values: dict[ValueKey, Array],
        limits: Limits,
        kernel_of: KernelOf,
        assigned: Collection[str] = (),
        bodies_of: BodiesOf = lambda _: MappingProxyType({}),
    ) -> None:
        self._held, self._bodies_of = assigned, bodies_of
        self.flow, self.values, self._limits, self._kernel_of = flow, values, limits, kernel_of
        self._bytes_held = sum(map(value_bytes, values.values()))
        self.uses = flow.kept.copy()
        self.gradients: dict[ValueKey, Array] = {}
        self.current: Step | None = None

    def run(self, cotangents: Mapping[int, Array]) -> dict[int, Array]:
        """The gradients of what is wanted, where any reaches it; cotangents: of Results. All by layer id.

        Raises:  OpFault and LimitExceeded, of the current step
        """
        found: dict[int, Array] = {}
        for back in self.flow.steps:
            step = self.current = back.step
            number = step.layer.id
            if step.layer.kind is LayerKind.RESULT:
                passed = self.gradients.pop((number, 0), None)  # of a Result that another layer reads
                self._bytes_held -= value_bytes(passed)
                for cotangent in (passed, cotangents.get(number)):
                    if cotangent is not None:
                        self._add(step.sources[0], cotangent)
                continue
            outputs = [self.gradients.pop((number, index), None) for index in range(len(step.facts.outputs))]
            if number in self.flow.wanted and outputs[0] is not None:
                found[number] = outputs[0]
                self._bytes_held += value_bytes(outputs[0])
            reaches = back.inputs and any(gradient is not None for gradient in outputs)
            if reaches and not reads_variable(step, self._held):
                self._through(back, outputs)
            self._bytes_held -= sum(map(value_bytes, outputs))
            self._release(back)
        return found

    def _through(self, back: BackwardStep, outputs: list[Array | None]) -> None:
        step = back.step
        layer = layer_gradients(step, self.values, self._kernel_of, self._bodies_of)
        wanted = size_in_bytes(fact for index in back.inputs if (fact := layer.inputs[index]) is not None)
        require_room(self._bytes_held, wanted, self._limits)
        for index, gradient in layer.gradients(outputs, back.inputs):
            self._add(step.sources[index], gradient)

    def _add(self, source: ValueKey | None, gradient: Array) -> None:
        """Add a gradient to those that reach an output."""
        assert source is not None
        before = self.gradients.get(source)
        self.gradients[source] = gradient if before is None else _sum(before, gradient)
        self._bytes_held += gradient.nbytes if before is None else 0

    def _release(self, back: BackwardStep) -> None:
        for key in back.needs:
            self.uses[key] -= 1
            if self.uses[key] == 0:
                value = self.values.pop(key, None)
                self._bytes_held -= value_bytes(value)


class Forward:
    """One pass of tangents through a flow, from inputs and constants to results. See Backward."""

    def __init__(
        self,
        flow: Flow,
        values: dict[ValueKey, Array],
        limits: Limits,
        kernel_of: KernelOf,
        assigned: Collection[str],
        bodies_of: BodiesOf,
    ) -> None:
        self.flow, self.values, self._limits, self._kernel_of = flow, values, limits, kernel_of
        self._held, self._bodies_of = assigned, bodies_of
        self.current: Step | None = None

    def run(self, given: Mapping[int, Array]) -> dict[int, Array]:
        """The tangents of Results that any reaches; given: of inputs and constants. All by layer id.

        Raises:  OpFault and LimitExceeded, of the current step
        """
        tangents: dict[ValueKey, Array] = {}
        bytes_held = sum(map(value_bytes, self.values.values()))
        found: dict[int, Array] = {}
        for back in reversed(self.flow.steps):
            step = self.current = back.step
            number = step.layer.id
            reaching = {
                index: tangent
                for index in back.inputs
                if (source := step.sources[index]) and (tangent := tangents.get(source)) is not None
            }
            if number in given:
                tangents[number, 0] = given[number]
            elif step.layer.kind is LayerKind.RESULT and reaching:
                found[number] = tangents[number, 0] = reaching[0]
            elif reaching and not reads_variable(step, self._held):
                require_room(bytes_held, size_in_bytes(step.facts.outputs), self._limits)
                layer = layer_gradients(step, self.values, self._kernel_of, self._bodies_of)
                for index, tangent in layer.tangents(reaching):
                    tangents[number, index] = tangent
                    bytes_held += tangent.nbytes
        return found


def _sum(a: Array, b: Array) -> Array:
    """The sum of two gradients of one type, rounded once."""
    return converted(np.asarray(as_numbers(a) + as_numbers(b)), element_type_of(a))


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
        kept_layers, assigned = {layer for layer, _ in flow.kept}, self.session.variables.keys()
        values = run_model(self.session.evaluator, given, kept_layers, self.session.variables)
        results = self.session.named(values)
        if callable(cotangents):
            chosen = names.of_results(cotangents(results))
            flow = self._flow(plan, wanted, chosen)
        fitted = {number: self._fitted(number, value, values[number, 0]) for number, value in chosen.items()}
        kept = {key: values[key] for key in flow.kept}
        values.clear()  # so that what is kept is freed during the backward pass
        evaluator = self.session.evaluator
        bodies_of = partial(derived_bodies, self.analysis)
        backward = Backward(flow, kept, evaluator.limits, evaluator.kernel_with_memory, assigned, bodies_of)
        found = self._swept(backward, fitted)
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
        index = lacking(back)
        assert index is not None
        name = input_spec(step.op, index).name
        reason = step.op.definition.no_gradient(name)
        because = "irops has no rule for it" if reason is None else reason.text.rstrip(".")
        of = "" if reason is None or reason.of is None else f" of {name}"
        message = (
            f"{step.op.id} has no gradient{of}, because {because}; one would have to flow through"
            f" {step.layer.name!r}: {' -> '.join(path)}"
        )
        place = self.analysis.location(step.layer)
        return Diagnostic(rule("missing-gradient"), message, place, None, facts_line(step.facts))

    def _fitted(self, number: int, value: Any, result: Array, what: str = "cotangent") -> Array:
        """A cotangent or tangent as an array of the type and shape of what it belongs to. Python numbers
        take the type, arrays must have it.
        """
        layer = self.analysis.root.layers[number].layer
        numeric = isinstance(value, (np.ndarray, np.generic))
        try:
            array = as_tensor(value if numeric else np.asarray(value, result.dtype))
        except (TypeError, ValueError) as error:
            message = f"the {what} of {layer.name!r} cannot be an array: {error}"
            raise self._names.unfit(message, layer) from None
        if not element_type_of(result).differentiable:
            message = f"a {what} is given for {layer.name!r}, {fact_of(result)}, whose type has no gradients"
            raise self._names.unfit(message, layer)
        if array.dtype != result.dtype or array.shape != result.shape:
            message = f"the {what} of {layer.name!r} is {fact_of(array)}, must be {fact_of(result)}"
            raise self._names.unfit(message, layer)
        return array

    def jvp(
        self, inputs: Mapping[Key, Any] | Iterable[Any], tangents: Mapping[Key, Any]
    ) -> tuple[Results, Results]:
        """The results of one run and their tangents; see irops.jvp."""
        names, root = self._names, self.analysis.root
        wanted, given = names.wanted(list(tangents)), self._given(inputs)
        plan = self.session.evaluator.plan(root, given)
        flow = self._flow(plan, wanted, names.result_ids)
        kept_layers, assigned = {layer for layer, _ in flow.kept}, self.session.variables.keys()
        kept_layers |= {number for number in wanted if number not in given}
        unsized = {
            (back.step.layer.id, index)
            for back in flow.steps
            for index, fact in enumerate(back.step.facts.outputs)
            if not _static(fact)
        }
        kept_layers |= {layer for layer, _ in unsized}
        values = run_model(self.session.evaluator, given, kept_layers, self.session.variables)
        results = self.session.named(values)
        fitted = {}
        for key, value in tangents.items():
            (number,) = names.wanted(key)
            primal = given[number] if number in given else values[number, 0]
            fitted[number] = self._fitted(number, value, primal, "tangent")
        zeros_of = {
            port.layer.id: np.zeros_like(values[port.layer.id, 0])
            for port in self.analysis.signature.results
            if element_type_of(values[port.layer.id, 0]).differentiable
        }
        kept = {key: values[key] for key in (*flow.kept, *unsized)}
        evaluator = self.session.evaluator
        bodies_of = partial(derived_bodies, self.analysis)
        forward = Forward(flow, kept, evaluator.limits, evaluator.kernel_with_memory, assigned, bodies_of)
        found = {**zeros_of, **self._swept(forward, fitted)}
        ids = {port.layer.id: port.name for port in self.analysis.signature.results}
        named = {ids[number]: tangent for number, tangent in found.items()}
        return results, Results(named, self.analysis.signature.aliases())

    def _swept(self, sweep: Backward | Forward, start: Mapping[int, Array]) -> dict[int, Array]:
        """What a pass gives. Raises: EvaluationError"""
        evaluator = self.session.evaluator
        try:
            return sweep.run(start)
        except OpFault as fault:
            assert sweep.current is not None
            raise evaluator.error(sweep.current.facts, (), fault) from fault.__cause__
        except LimitExceeded as limit:
            assert sweep.current is not None
            raise evaluator.error(sweep.current.facts, (), fault_of_limit(limit)) from None
        except MemoryError:
            assert sweep.current is not None
            lack = out_of_memory(sweep.current.op)
            raise evaluator.error(sweep.current.facts, (), lack) from None


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


def jvp(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Mapping[Key, Any] | Iterable[Any],
    tangents: Mapping[Key, Any],
    *,
    backends: str | Iterable[str | Backend] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> tuple[Results, Results]:
    """The Jacobian-vector product: the results, and their derivatives along a direction of the inputs.

    inputs: see irops.vjp; tangents: the direction, of inputs and of Consts by layer name; the others stay
    backends: see irops.run; for the results
    Returns: the results and their tangents, by name; the tangents are zeros where none reaches a result, and
        absent for results of types that have none
    Raises:  as irops.vjp
    """
    session = GradientSession(model, backends=backends, registry=registry, limits=limits)
    session.session.evaluator.run_once()
    return session.jvp(inputs, tangents)
