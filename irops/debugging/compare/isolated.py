"""Isolated comparison: both compute every layer from the same inputs, so that no error is inherited.

The inputs are a's. Where b gives values alone (stored ones, another model), they are b's own, from which a
computes each layer again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from irops.analysis.structure import LayerNode
from irops.backends.backend import Reference
from irops.debugging.compare.compared_layer import ComparedLayer, compared_layer
from irops.debugging.compare.noise import rounding_within
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Answer, Context, Failure, LayerCall, LayerValue, Source
from irops.ir.model import LayerKind
from irops.runtime.evaluator import Evaluator, Progress, Variables
from irops.runtime.plan import PlannedLayer, constants_of, rounded, wide, wide_types
from irops.runtime.run import Computed, run_model
from irops.values.arrays import result_array
from irops.values.element import DYNAMIC, Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.verdicts.judge import in_one_type, judge_layer
from irops.verdicts.question import Arithmetic, Compute, Judgement, Question, Verdict

PENDING_BYTES = 64 << 20
"""How many bytes of inputs and outputs wait for a source that computes several layers at once."""
PENDING_LAYERS = 48  # BATCH_LAYERS of a device, which compiles no more as one model


@dataclass(frozen=True, slots=True, eq=False)
class PendingLayer:
    """A layer with what a gave, until b has computed it. step: of a layer with bodies, in a's run"""

    call: LayerCall
    truth: tuple[Array, ...]
    again: Compute
    step: PlannedLayer | None = None

    @property
    def size(self) -> int:
        return self.call.size + sum(array.nbytes for array in self.truth)


class Isolated:
    """Collects layers of a's run and has b compute them, several at once where b is a whole runtime."""

    def __init__(self, context: Context, b: Source) -> None:
        self.context, self.b = context, b
        self._pending: list[PendingLayer] = []
        self._bytes = 0
        self._layers: dict[tuple[tuple[str, ...], int], ComparedLayer] = {}

    def layers(self) -> tuple[ComparedLayer, ...]:
        """All layers that were compared, in the order of their first run."""
        self._flush()
        return tuple(self._layers.values())

    def observe(self, computed: Computed) -> None:
        """Take a layer of a's run."""
        node, kind = computed.step.node, computed.step.layer.kind
        if kind is not LayerKind.OPERATION or (node.path and self.b.is_whole) or not computed.inputs:
            return
        reason = self._why_skipped(node)
        if reason:
            self._add(node, (Judgement(Verdict.SKIPPED, reason),), ())
            return
        self.take(_declared(self.context, computed))

    def take(self, pending: PendingLayer) -> None:
        """Have b compute a layer, now or with others."""
        self._pending.append(pending)
        self._bytes += pending.size
        if not self.b.is_whole or self._bytes > PENDING_BYTES or len(self._pending) >= PENDING_LAYERS:
            self._flush()

    def take_given(self, given: PendingLayer, a: Source) -> None:
        """Judge outputs that b gives for a layer by what a computes from b's inputs."""
        call, question = as_declared(self.context, given, self.b.arithmetic)
        (right,) = a.compute([call])
        if isinstance(right, Failure):
            self._add(call.node, (Judgement(Verdict.SKIPPED, f"{a.name} {right}"),), call.inputs)
            return
        pairs = [in_one_type(np.asarray(one), other) for one, other in zip(right, given.truth)]
        ones, others = [one for one, _ in pairs], [other for _, other in pairs]
        judged = self._judgements(question, call, ones, [*others, *given.truth[len(pairs) :]])
        self._add(call.node, judged, call.inputs)

    def _judgements(
        self, question: Question, call: LayerCall, truth: Sequence[Array], ours: Sequence[Array]
    ) -> tuple[Judgement, ...]:
        """By error bounds, or where the layer or a tensor of it has a tolerance, by that."""
        judged = judge_layer(question, truth, ours)
        if len(truth) != len(ours):
            return judged
        names = [(call.node.layer.name, *port.names) for port in call.node.layer.outputs]
        tolerances = self.context.tolerances
        return tuple(map(tolerances.judged, judged, names, truth, ours))

    def _why_skipped(self, node: LayerNode) -> str:
        """Why a layer cannot be computed alone; "" if it can."""
        assert node.op is not None
        definition = node.op.definition
        if definition.stateful:
            return "has a state"
        if definition.bodies and not self.b.is_whole:
            return "has bodies, whose layers are compared"
        if node.op.functions.kernel is None:
            return "has no reference kernel"
        return ""

    def _flush(self) -> None:
        pending, self._pending, self._bytes = self._pending, [], 0
        if not pending:
            return
        answers = self.b.compute([pending_layer.call for pending_layer in pending])
        for one, answer in zip(pending, answers, strict=True):
            self._add(one.call.node, self._judged(one, answer), one.call.inputs)

    def _judged(self, one: PendingLayer, answer: Answer) -> tuple[Judgement, ...]:
        call = one.call
        if isinstance(answer, Failure):
            verdict = Verdict.FAILED if answer.is_fault else Verdict.SKIPPED
            return (Judgement(verdict, str(answer)),)
        arithmetic = self.b.arithmetic
        question = Question(call.op, call.invocation.attributes, call.inputs, one.again, arithmetic)
        if one.step is not None:
            within = rounding_within(self.context.analysis, one.step, call.inputs, arithmetic)
            question = replace(question, rounding_within=within)
        return self._judgements(question, call, one.truth, answer)

    def _add(self, node: LayerNode, judgements: Sequence[Judgement], inputs: Sequence[Array | None]) -> None:
        """Keep the worst judgement of a layer, which a loop may run many times."""
        layer = compared_layer(self.context.analysis, node, judgements, inputs)
        if not self.context.tolerances.concern(node.layer):
            layer = by_definition(self.context, self.b, layer)
        key = (node.path, node.layer.id)
        before = self._layers.get(key)
        if before is not None:
            worse = layer.verdict.severity > before.verdict.severity
            layer = replace(layer if worse else before, times=before.times + 1)
        self._layers[key] = layer


def as_declared(context: Context, given: PendingLayer, arithmetic: Arithmetic) -> tuple[LayerCall, Question]:
    """A layer of which a source gives the values, with inputs of the types that this model declares.

    In a narrower type of another model, an overflow would not show.
    """
    known = context.analysis.infer().of(given.call.node.layer.id)
    inputs = tuple(map(_in_declared_type, given.call.inputs, known.inputs))
    types = tuple(
        kind if fact is None or fact.element_type is DYNAMIC else fact.element_type
        for fact, kind in zip(known.outputs, given.call.types)
    )
    call = replace(given.call, inputs=inputs, types=types)
    arithmetic = arithmetic.no_finer_than(*map(element_type_of, given.truth))
    return call, Question(call.op, call.invocation.attributes, inputs, given.again, arithmetic)


def _in_declared_type(array: Array | None, known: Fact | None) -> Array | None:
    """An input of another model, whose floats may be of another type than those of this one."""
    kind = DYNAMIC if known is None else known.element_type
    if array is None or not (kind.floating and element_type_of(array).floating):
        return array
    return array.astype(kind.dtype, copy=False)


def by_definition(context: Context, b: Source, layer: ComparedLayer) -> ComparedLayer:
    """A layer that differs although its inputs are the same. What another model computes by other attributes
    or weights is wrong, however little it differs; what stands around it there may round otherwise.
    """
    if layer.verdict is not Verdict.ROUNDING or layer.path or not b.is_matched:
        return layer
    other = b.other_definition(context, layer.id)
    if other:
        return layer.refused(f"{b.name} has {other}")
    return replace(layer, cause=b.cause(context, layer.id))


def isolated(
    context: Context, a: Source, b: Source, progress: Progress | None = None
) -> tuple[ComparedLayer, ...]:
    """Compare every layer of b with a's outputs for the same inputs.

    Raises:  EvaluationError where a cannot compute the model; SourceFailed
    """
    comparison = Isolated(context, b)
    if not b.computes_layers:
        for given in layers_of_values(context, b):
            comparison.take_given(given, a)
    elif isinstance(a, Layerwise):
        backends = (a.backend,) if a.is_reference else (a.backend, Reference())
        evaluator = Evaluator(context.analysis, backends, progress=progress)
        run_model(evaluator, context.inputs, (), Variables(), observer=comparison.observe)
    else:
        for pending in layers_of_values(context, a):
            comparison.take(pending)
    return comparison.layers()


def _declared(context: Context, computed: Computed) -> PendingLayer:
    """A layer in the element types that it declares; constants may have been computed in wider ones."""
    step = computed.step
    inputs = tuple(
        array if array is None or fact is None else rounded(array, fact)
        for array, fact in zip(computed.inputs, step.facts.inputs)
    )
    node = step.node
    assert node.op is not None
    assert node.invocation is not None
    truth = tuple(computed.outputs)
    again: Compute = computed.again
    if step.constant and any(one is not other for one, other in zip(inputs, computed.inputs)):
        invocation = node.invocation
        again = invocation.compute
        facts = step.facts.outputs
        truth = tuple(result_array(item, fact) for item, fact in zip(again(inputs), facts))
    elif step.constant:
        truth = tuple(rounded(array, fact) for array, fact in zip(truth, step.facts.outputs))
    constant = frozenset(
        index
        for index in range(len(inputs))
        if step.constant or (index < len(step.rounding) and step.rounding[index] is not None)
    )
    types = tuple(map(element_type_of, truth))
    known = () if node.path else context.analysis.infer().of(node.layer.id).inputs
    call = LayerCall(context.model, node, node.op, node.invocation, inputs, constant, types, tuple(known))
    return PendingLayer(call, truth, again, step if node.op.definition.bodies and not step.constant else None)


def layers_of_values(context: Context, a: Source) -> Iterator[PendingLayer]:
    """The layers of which a has the inputs and the outputs."""
    values = HeldValues(context)
    for value in a.walk(context):
        values.add(value)
        pending = values.pending(value)
        if pending is not None:
            yield pending
        values.release(value)


class HeldValues:
    """The values of a run, each of them until all layers that use it have been computed. What follows from
    constants alone is the model's own: other weights are a fault of the layer that uses them.
    """

    def __init__(self, context: Context) -> None:
        self._context, self._wiring = context, context.analysis.root.wiring
        self._values: dict[tuple[int, int], Array] = {
            (number, 0): array for number, array in context.inputs.items()
        }
        self._waiting = {key: len(users) for key, users in self._wiring.consumers.items()}
        self._evaluator = Evaluator(context.analysis, (Reference(),))
        self._constants = constants_of(context.analysis.root)

    def add(self, value: LayerValue) -> None:
        """Take the outputs of a layer, but for those of another shape: a fused runtime may store what it
        computes behind the layer under its name.
        """
        if value.layer in self._context.analysis.root.constants:
            return
        known = self._context.analysis.infer().of(value.layer).outputs
        for index, array in enumerate(value.outputs):
            if array is not None and known[index].shape.can_be(Shape(array.shape)):
                self._values[value.layer, index] = array

    def pending(self, value: LayerValue) -> PendingLayer | None:
        """The layer with its inputs; None where some are not known, or it does not compute."""
        node = self._context.analysis.root.layers[value.layer]
        sources = [None if s is None else (s[0].id, s[1]) for s in self._wiring.inputs[value.layer]]
        outputs = tuple(array for array in value.outputs if array is not None)
        is_constant = value.layer in self._context.analysis.root.constants
        if is_constant or len(outputs) != len(value.outputs) or not _computes(node):
            return None
        arrays = [None if s is None else self._value(s) for s in sources]
        if not all(s is None or array is not None for s, array in zip(sources, arrays)):
            return None
        assert node.op is not None
        assert node.invocation is not None
        constant = frozenset(k for k, s in enumerate(sources) if s is not None and s not in self._values)
        types, model = tuple(map(element_type_of, outputs)), self._context.model
        known = tuple(self._context.analysis.infer().of(value.layer).inputs)
        call = LayerCall(model, node, node.op, node.invocation, tuple(arrays), constant, types, known)
        return PendingLayer(call, outputs, node.invocation.compute)

    def release(self, value: LayerValue) -> None:
        """Let go of the inputs of a layer that nothing else uses."""
        for source in self._wiring.inputs[value.layer]:
            key = None if source is None else (source[0].id, source[1])
            if key is not None and key in self._values:
                self._waiting[key] -= 1
                if not self._waiting[key]:
                    del self._values[key]

    def _value(self, key: tuple[int, int]) -> Array | None:
        """A value of the run; what follows from constants, which sources fold, by the reference."""
        if key in self._values or key[0] not in self._context.analysis.root.constants:
            return self._values.get(key)
        return rounded(self._wide(key), self._context.analysis.infer().of(key[0]).outputs[key[1]])

    def _wide(self, key: tuple[int, int]) -> Array:
        """A constant before it is rounded to a narrow type, as it is where it leaves the constants."""
        node = self._context.analysis.root.layers[key[0]]
        if node.layer.is_constant:
            return self._evaluator.constant(node)
        arrays = [None if s is None else self._wide((s[0].id, s[1])) for s in self._wiring.inputs[key[0]]]
        assert node.invocation is not None
        invocation = node.invocation
        if key[0] in self._constants.weights:
            invocation = invocation.with_values(wide_types(invocation.attributes))
        if key[0] in self._constants.layers:
            arrays = [wide(array) for array in arrays]
        return np.asarray(invocation.compute(arrays)[key[1]])


def _computes(node: LayerNode) -> bool:
    return (
        node.layer.kind is LayerKind.OPERATION
        and node.op is not None
        and node.invocation is not None
        and not node.op.definition.stateful
        and not node.op.definition.bodies
        and node.op.functions.kernel is not None
    )
