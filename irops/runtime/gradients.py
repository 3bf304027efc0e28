"""irops.vjp: the gradients of a model's results with respect to its inputs and constants."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irops.analysis.declaring import facts_line
from irops.analysis.invocation import FAULTS, Invocation, OpFault, fault_of, input_spec
from irops.analysis.model_analysis import AnyModel, ModelAnalysis
from irops.analysis.signature import Key, by_key, declared_fact, is_alone
from irops.backends.backend import Backend
from irops.backends.one_op import LruCache
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, EvaluationError
from irops.diagnostics.rules import rule
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.ir.model import Layer, LayerKind
from irops.ops.conversion import as_numbers, converted
from irops.runtime.plan import KernelOf, Plan, PlannedLayer, ValueKey, require_room
from irops.runtime.run import run_model
from irops.runtime.session import Results, Session
from irops.spec.binding import BY_KERNEL
from irops.spec.definition import Gradient
from irops.values.arrays import as_tensor, fact_of
from irops.values.element import DYNAMIC, Array, element_type_of, zeros
from irops.values.fact import Fact, size_in_bytes
from irops.values.shape import Shape

Inputs = dict[int, tuple[int, ...]]
"""By a layer's id, the indices of some of its inputs."""


@dataclass(frozen=True, slots=True)
class BackwardStep:
    """A layer that gradients flow through, into some of its inputs. needs: values of the forward pass."""

    step: PlannedLayer
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
        leading = (step for step in reversed(plan.steps) if step.layer.id in on_path)  # users come first
        self.steps = tuple(_backward_step(step, on_path[step.layer.id]) for step in leading)
        self.missing = tuple(back for back in self.steps[::-1] if back.inputs and states_none(back.step))
        self.kept = Counter(key for back in self.steps for key in back.needs)

    def path_through(self, missing: BackwardStep) -> list[PlannedLayer]:
        """The layers of a path that a step lies on, from a wanted tensor to a result."""
        by_layer = {back.step.layer.id: back for back in self.steps}
        used = ((back.step.sources[index], back) for back in self.steps for index in back.inputs)
        users = {source[0]: back for source, back in used if source is not None}
        before, after = [missing], [missing]
        while before[-1].step.layer.id not in self.wanted:
            source = before[-1].step.sources[before[-1].inputs[0]]
            assert source is not None
            before.append(by_layer[source[0]])
        while after[-1].step.layer.id in users:
            after.append(users[after[-1].step.layer.id])
        return [back.step for back in (*before[::-1], *after[1:])]


def _dependent(plan: Plan, steps: dict[int, PlannedLayer], wanted: Collection[int]) -> Inputs:
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
    """Those of the layers that a result depends on."""
    found: Inputs = {}
    reached = set(results)
    for step in reversed(plan.steps):
        number = step.layer.id
        if number in reached and number in dependent:
            found[number] = dependent[number]
            sources = (step.sources[index] for index in dependent[number])
            reached.update(source[0] for source in sources if source is not None)
    return found


def _passes_gradient(step: PlannedLayer, index: int) -> bool:
    """Whether a gradient flows into an input of a layer, or would have to."""
    stated = gradient_of(step, index)
    if stated is None:
        return step.layer.kind is LayerKind.RESULT or states_none(step)
    return stated.when is None or bool(step.invocation.attributes[stated.when])


def gradient_of(step: PlannedLayer, index: int) -> Gradient | None:
    """The gradient that the definition states for an input of a layer."""
    return step.op.definition.gradients.get(input_spec(step.op, index).name)


def states_none(step: PlannedLayer) -> bool:
    """Whether an op with inputs states no gradient at all."""
    return bool(step.sources) and step.layer.kind is not LayerKind.RESULT and not step.op.definition.gradients


def _backward_step(step: PlannedLayer, inputs: tuple[int, ...]) -> BackwardStep:
    computes = bool(inputs) and step.layer.kind is not LayerKind.RESULT
    return BackwardStep(step, inputs, tuple(dict.fromkeys(_needs(step, inputs))) if computes else ())


def _needs(step: PlannedLayer, inputs: tuple[int, ...]) -> Iterator[ValueKey]:
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


PortGradient = Array | tuple[Array, ...]
"""The gradient of a port: an array, or a tuple of them for a variadic port."""


class LayerGradients:
    """An op with what its gradient functions need.

    facts: of all inputs and of all outputs; arrays: the inputs and the outputs that were saved, None for the
    others; kernel_of: the kernels that compute gradients too.
    """

    def __init__(
        self,
        invocation: Invocation,
        facts: tuple[Sequence[Fact | None], Sequence[Fact]],
        arrays: tuple[Sequence[Array | None], Sequence[Array | None]],
        kernel_of: KernelOf,
    ) -> None:
        self.invocation, self.op, self._kernel_of = invocation, invocation.op, kernel_of
        self._arrays = arrays
        self.inputs = [_static_fact(fact, array) for fact, array in zip(facts[0], arrays[0])]
        self._outputs = [_static_fact(fact, array) for fact, array in zip(facts[1], arrays[1])]

    def cotangents(self, given: Sequence[Array | None]) -> list[PortGradient]:
        """The gradient of every output of the definition; zeros for those that none reached."""
        filled = []
        for gradient, fact in zip(given, self._outputs):
            assert fact is not None
            filled.append(zeros(fact.shape.to_tuple(), fact.element_type) if gradient is None else gradient)
        ports = self.op.definition.outputs
        return [tuple(filled[index:]) if port.variadic else filled[index] for index, port in enumerate(ports)]

    def gradient(self, of: str, cotangents: Sequence[PortGradient]) -> tuple[Any, ...]:
        """The gradients of the inputs of a port. Raises: OpFault where the function fails"""
        saved = {name: self._saved(name) for name in self.op.definition.gradients[of].saves}
        try:
            return self.invocation.gradient(of, cotangents, saved, self.inputs, self._kernel(of))
        except (OpFault, MemoryError):
            raise
        except Exception as error:
            message = f"the gradient of {of} of {self.op.id} failed: {type(error).__name__}: {error}"
            raise OpFault("failed-kernel", message) from error

    def gradient_of(self, index: int, reached: Sequence[Any]) -> Array:
        """The gradient of one input, out of those of its port. Raises: OpFault if it is of another type"""
        name = input_spec(self.op, index).name
        first = next(k for k, port in enumerate(self.op.definition.inputs) if port.name == name)
        fact, array = self.inputs[index], np.asarray(reached[index - first])
        assert fact is not None
        if not fact.admits(array):
            message = f"the gradient of {name} of {self.op.id} is {fact_of(array)}, must be {fact}"
            raise OpFault("incorrect-kernel-result", message)
        return array

    def _kernel(self, of: str) -> Callable[..., Any] | None:
        """The kernel of the op, perhaps of a backend, where it computes the gradient."""
        replaces = getattr(self.op.functions.gradients[of], BY_KERNEL, False)
        return self._kernel_of(self.op)[1] if replaces else None

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


def _static_fact(fact: Fact | None, array: Array | None) -> Fact | None:
    """The Fact of a tensor, with its exact shape if the tensor was kept."""
    return fact if fact is None or array is None else Fact(fact.element_type, Shape(array.shape))


class Backward:
    """One backward pass through a flow.

    values: what was kept of the forward pass; values are removed after their last use. kernel_of: the kernels
    that compute gradients too; current: the step that is being computed.
    """

    def __init__(
        self, flow: Flow, values: dict[ValueKey, Array], limits: Limits, kernel_of: KernelOf
    ) -> None:
        self.flow, self.values, self._limits, self._kernel_of = flow, values, limits, kernel_of
        self._bytes_held = sum(array.nbytes for array in values.values())
        self.uses = flow.kept.copy()
        self.gradients: dict[ValueKey, Array] = {}
        self.current: PlannedLayer | None = None

    def run(self, cotangents: Mapping[int, Array]) -> dict[int, Array]:
        """The gradients of what is wanted, where any reaches it; cotangents: of Results. All by layer id.

        Raises:  OpFault and LimitExceeded, of the current step
        """
        found: dict[int, Array] = {}
        for back in self.flow.steps:
            step = self.current = back.step
            number = step.layer.id
            if step.layer.kind is LayerKind.RESULT:
                if number in cotangents:
                    self._add(step.sources[0], cotangents[number])
                continue
            outputs = [self.gradients.pop((number, index), None) for index in range(len(step.facts.outputs))]
            if number in self.flow.wanted and outputs[0] is not None:
                found[number] = outputs[0]
                self._bytes_held += outputs[0].nbytes
            if back.inputs and any(gradient is not None for gradient in outputs):
                self._through(back, outputs)
            self._bytes_held -= sum(gradient.nbytes for gradient in outputs if gradient is not None)
            self._release(back)
        return found

    def _through(self, back: BackwardStep, outputs: list[Array | None]) -> None:
        step = back.step
        inputs = [None if source is None else self.values.get(source) for source in step.sources]
        saved = [self.values.get((step.layer.id, index)) for index in range(len(step.facts.outputs))]
        facts = (step.facts.inputs, step.facts.outputs)
        layer = LayerGradients(step.invocation, facts, (inputs, saved), self._kernel_of)
        cotangents = layer.cotangents(outputs)
        for of in dict.fromkeys(input_spec(step.op, index).name for index in back.inputs):
            indices = [index for index in back.inputs if input_spec(step.op, index).name == of]
            wanted = size_in_bytes(fact for index in indices if (fact := layer.inputs[index]) is not None)
            require_room(self._bytes_held, wanted, self._limits)
            reached = layer.gradient(of, cotangents)
            for index in indices:
                self._add(step.sources[index], layer.gradient_of(index, reached))

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
                self._bytes_held -= 0 if value is None else value.nbytes


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
        model: AnyModel,
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
        names, root, inputs = self._names, self.analysis.root, by_key(inputs)
        wanted, given = names.wanted(wrt), self._given(inputs)
        plan = self.session.evaluator.plan(root, given)
        late = callable(cotangents)  # then any result may have one
        chosen = dict.fromkeys(names.result_ids) if callable(cotangents) else names.of_results(cotangents)
        flow = self._flow(plan, wanted, chosen, may_lack=late)
        kept_layers = {layer for layer, _ in flow.kept}
        values = run_model(self.session.evaluator, given, kept_layers, self.session.variables)
        results = self.session.named(values).like(inputs)
        if callable(cotangents):
            chosen = names.of_results(cotangents(results))
            flow = self._flow(plan, wanted, chosen)
        fitted = {number: self._fitted(number, value, values[number, 0]) for number, value in chosen.items()}
        kept = {key: values[key] for key in flow.kept}
        values.clear()  # so that what is kept is freed during the backward pass
        found = self._back(flow, kept, fitted)
        gradients = {root.layers[number].layer.name: gradient for number, gradient in found.items()}
        return Gradients(gradients, dict(self.analysis.signature.input_aliases()), results).like(inputs)

    def _given(self, named: Mapping[Key, Any]) -> dict[int, Array]:
        """Arrays by layer id: of all Parameters, and of the Consts that are given another value."""
        signature = self.analysis.signature
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
        path = []
        for s in flow.path_through(back):
            op = f" ({s.op.id})" if s.layer.kind is LayerKind.OPERATION else ""
            path.append(f"{s.layer.name!r}{op}")
        if len(path) > 2 * SHOWN + 1:
            path[SHOWN:-SHOWN] = ["..."]
        through = f"{step.layer.name!r}: {' -> '.join(path)}"
        message = f"{step.op.id} has no gradient, and one would have to flow through {through}"
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
        backward = Backward(flow, values, evaluator.limits, evaluator.kernel)
        try:
            return backward.run(cotangents)
        except FAULTS as error:
            step = backward.current
            assert step is not None
            raise evaluator.error(step.facts, (), fault_of(step.op, error)) from error.__cause__


def vjp(
    model: AnyModel,
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
        # reversed: of equal names, the first counts
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
                none = f"tensors of {fact.element_type} have none"
                message = f"a gradient is asked for of {layer.name!r}, which is {fact}; {none}"
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
        if is_alone(cotangents) and not isinstance(cotangents, Mapping):
            count = len(self.signature.results)
            if count != 1:
                raise self.unfit(f"one cotangent is given for {count} results; say by name which it is of")
        named = by_key(cotangents).items()
        return {self._result(key).id: value for key, value in named if value is not None}

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
