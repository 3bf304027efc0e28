"""Isolated comparison: every layer of b is computed from a's inputs, so that no error is inherited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import inf

import numpy as np

from irops.analysis.signature import Port
from irops.analysis.structure import LayerNode
from irops.backends.backend import Reference
from irops.debugging.compare.agreement import agreement, noisy_layer
from irops.debugging.compare.cause import (
    UNREADY,
    VERBS,
    Other,
    Unlike,
    cause_of_value,
    difference,
    of_constant,
)
from irops.debugging.compare.compared import ComparedLayer, compared_layer
from irops.debugging.compare.given_tolerances import NONE_GIVEN, GivenTolerances, output_names
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Answer, Context, Failure, LayerCall, Source
from irops.debugging.sources.stored import Stored
from irops.diagnostics.diagnostic import EvaluationError
from irops.diagnostics.printable import abridged, plural
from irops.ir.model import Layer, LayerKind
from irops.runtime.evaluator import Evaluator, Progress
from irops.runtime.precision import rounded
from irops.runtime.run import Computed, run_model, walk_model
from irops.runtime.variables import Variables
from irops.values.element import Array, ElementType, element_type_of
from irops.values.shape import Shape
from irops.values.tensors import result_array
from irops.verdicts.judge import judge, judge_layer
from irops.verdicts.metrics import differs
from irops.verdicts.question import Compute, Question
from irops.verdicts.verdict import Judgement, Verdict

PENDING_BYTES = 64 << 20
"""How many bytes of inputs and outputs wait for a source that computes several layers at once."""
PENDING_LAYERS = 48
EXPLAINED = 4
"""For so many wrong layers of stored values, a cause is looked for."""
SKIPPED_KINDS = (LayerKind.PARAMETER, LayerKind.CONSTANT, LayerKind.RESULT, LayerKind.SINK)
"""Layers that compute nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class PendingLayer:
    """A layer with what a gave, until b has computed it. by_definition: whether a is the reference"""

    call: LayerCall
    truth: tuple[Array, ...]
    again: Compute
    noisy: Callable[[int], Sequence[Array]] | None = None
    by_definition: bool = True

    @property
    def size(self) -> int:
        return self.call.size + sum(array.nbytes for array in self.truth)


class Isolated:
    """Collects layers of a's run and has b compute them, several at once where b is a whole runtime.

    by_definition: whether a is the reference
    """

    def __init__(
        self,
        context: Context,
        b: Source,
        report: Callable[[ComparedLayer], None] | None = None,
        tolerances: GivenTolerances = NONE_GIVEN,
        *,
        by_definition: bool = True,
    ) -> None:
        self._tolerances, self._by_definition = tolerances, by_definition
        self.context, self.b = context, b
        self._pending: list[PendingLayer] = []
        self._bytes = 0
        self._layers: dict[tuple[tuple[str, ...], int], ComparedLayer] = {}
        self._report = report

    def layers(self) -> tuple[ComparedLayer, ...]:
        """All layers that were compared, in the order of their first run."""
        self._flush()
        return tuple(self._layers.values())

    def observe(self, computed: Computed) -> None:
        """Take a layer of a's run."""
        node, kind = computed.step.node, computed.step.layer.kind
        if kind in SKIPPED_KINDS or (node.path and self.b.is_whole) or not computed.inputs:
            return
        reason = self._why_skipped(node)
        if reason:
            self._add(node, (Judgement(Verdict.SKIPPED, reason),), ())
            return
        self.take(self._pending_layer(computed))

    def _pending_layer(self, computed: Computed) -> PendingLayer:
        pending = replace(_declared(self.context, computed), by_definition=self._by_definition)
        if not computed.step.op.definition.bodies:
            return pending
        evaluator = Evaluator(self.context.analysis, (Reference(),))
        noisy = noisy_layer(evaluator, computed.step, pending.call.inputs, self.b.arithmetic)
        return replace(pending, noisy=noisy)

    def take(self, pending: PendingLayer) -> None:
        """Have b compute a layer, now or with others."""
        self._pending.append(pending)
        self._bytes += pending.size
        if not self.b.is_whole or self._bytes > PENDING_BYTES or len(self._pending) >= PENDING_LAYERS:
            self._flush()

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
        answers = self.b.compute([one.call for one in pending])
        for one, answer in zip(pending, answers, strict=True):
            self._add(one.call.node, self._judged(one, answer), one.call.inputs)

    def _judged(self, one: PendingLayer, answer: Answer) -> tuple[Judgement, ...]:
        call = one.call
        if isinstance(answer, Failure):
            verdict = Verdict.FAILED if answer.is_fault else Verdict.SKIPPED
            return (Judgement(verdict, str(answer)),)
        arithmetic = self.b.arithmetic
        question = Question(
            call.op,
            call.invocation.attributes,
            call.inputs,
            one.again,
            arithmetic,
            one.noisy,
            one.by_definition,
        )
        judged = judge_layer(question, one.truth, answer)
        return self._tolerances.of_layer(call.node.layer, judged, one.truth, answer)

    def _add(self, node: LayerNode, judgements: Sequence[Judgement], inputs: Sequence[Array | None]) -> None:
        """Keep the worst judgement of a layer, which a loop may run many times."""
        layer = compared_layer(self.context.analysis, node, judgements, inputs)
        key = (node.path, node.layer.id)
        before = self._layers.get(key)
        if before is not None:
            worse = layer.verdict.severity > before.verdict.severity
            layer = replace(layer if worse else before, times=before.times + 1)
        self._layers[key] = layer
        if self._report is not None:
            self._report(layer)


def isolated(
    context: Context,
    a: Source,
    b: Source,
    progress: Progress | None = None,
    tolerances: GivenTolerances = NONE_GIVEN,
) -> tuple[ComparedLayer, ...]:
    """Compare every layer of b, computed from a's inputs, with a's outputs.

    Raises:  EvaluationError where a cannot compute the model; SourceFailed
    """
    is_reference = isinstance(a, Layerwise) and a.is_reference
    comparison = Isolated(context, b, tolerances=tolerances, by_definition=is_reference)
    if isinstance(a, Layerwise):
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
    call = LayerCall(context.model, node, node.op, node.invocation, inputs, constant, types)
    return PendingLayer(call, truth, again)


def layers_of_values(context: Context, a: Source) -> Iterator[PendingLayer]:
    """The layers of which a has the inputs and the outputs."""
    root = context.analysis.root
    values: dict[tuple[int, int], Array] = {(number, 0): array for number, array in context.inputs.items()}
    waiting = {key: len(users) for key, users in root.wiring.consumers.items()}
    constants = _Constants(context)
    for value in a.walk(context):
        node = root.layers[value.layer]
        for index, array in enumerate(value.outputs):
            if array is not None:
                values[value.layer, index] = array
        sources = [None if s is None else (s[0].id, s[1]) for s in root.wiring.inputs[value.layer]]
        arrays = [None if s is None else _value(s, values, constants) for s in sources]
        complete = all(s is None or array is not None for s, array in zip(sources, arrays))
        outputs = tuple(array for array in value.outputs if array is not None)
        if complete and len(outputs) == len(value.outputs) and _computes(node):
            assert node.op is not None
            assert node.invocation is not None
            constant = frozenset(k for k, s in enumerate(sources) if s is not None and s not in values)
            types = tuple(map(element_type_of, outputs))
            call = LayerCall(context.model, node, node.op, node.invocation, tuple(arrays), constant, types)
            yield PendingLayer(call, outputs, node.invocation.compute, by_definition=False)
        for source in sources:
            if source is not None and source in values:
                waiting[source] -= 1
                if not waiting[source]:
                    del values[source]


def _value(
    key: tuple[int, int], values: Mapping[tuple[int, int], Array], constants: _Constants
) -> Array | None:
    return values[key] if key in values else constants.value(key)


def _computes(node: LayerNode) -> bool:
    return (
        node.layer.kind not in SKIPPED_KINDS
        and node.op is not None
        and node.invocation is not None
        and not node.op.definition.stateful
        and not node.op.definition.bodies
        and node.op.functions.kernel is not None
    )


class _Constants:
    """Values that follow from constants alone, which sources often lack since they fold them."""

    def __init__(self, context: Context) -> None:
        self._root = context.analysis.root
        self._evaluator = Evaluator(context.analysis, (Reference(),))

    def value(self, key: tuple[int, int]) -> Array | None:
        """The value of an output that depends on constants alone; None for any other."""
        if key[0] not in self._root.constants:
            return None
        node = self._root.layers[key[0]]
        if node.layer.is_constant:
            return self._evaluator.constant(node)
        sources = self._root.wiring.inputs[key[0]]
        arrays = [None if s is None else self.value((s[0].id, s[1])) for s in sources]
        lacking = any(s is not None and array is None for s, array in zip(sources, arrays))
        if lacking or not _computes(node):
            return None
        assert node.invocation is not None
        return np.asarray(node.invocation.compute(arrays)[key[1]])


# ---- stored values


def isolated_values(
    context: Context, b: Stored, progress: Progress | None = None, tolerances: GivenTolerances = NONE_GIVEN
) -> tuple[tuple[ComparedLayer, ...], tuple[str, ...]]:
    """Compute every layer again from the stored values of its inputs, and compare with its stored outputs.

    A layer whose inputs are not stored is computed from what is stored before them.
    Returns the layers, and notes about values that are of no layer.

    Raises:  EvaluationError where the layers cannot be computed from what is stored although none is wrong
    """
    judging = _OfStored(context, b, tolerances)
    evaluator = Evaluator(context.analysis, (Reference(),), progress=progress)
    given = {number: judging.input(number, array) for number, array in context.inputs.items()}
    layers: dict[int, ComparedLayer] = {}
    notes: list[str] = []
    try:
        for computed in walk_model(evaluator, given, Variables()):
            if computed.step.layer.kind is LayerKind.RESULT:
                judging.result(computed, layers)
                continue
            layer = judging.layer(computed)
            if layer is not None:
                layers[layer.id] = layer
    except EvaluationError as error:  # as where a wrong size is stored
        if not any(layer.is_fault for layer in layers.values()):
            raise
        notes.append(f"further layers do not take the stored values: {error.diagnostics[0].message}")
    return tuple(layers.values()), (*notes, *judging.notes())


class _OfStored:
    """Judges layer after layer of a run that goes on with the stored values."""

    def __init__(self, context: Context, b: Stored, tolerances: GivenTolerances) -> None:
        self._context, self._b, self._tolerances = context, b, tolerances
        self._explained = 0
        self._stored: set[tuple[int, int]] = set()
        self._of_other_shape: dict[tuple[int, int], Array] = {}
        self._ports = {port.layer.id: port for port in context.analysis.signature.results}

    def input(self, number: int, array: Array) -> Array:
        """The stored value of an input, where there is one of its shape."""
        node = self._context.analysis.root.layers[number]
        stored = self._b.value(node.layer, 0, element_type_of(array))
        return array if stored is None or stored.shape != array.shape else stored

    def layer(self, computed: Computed) -> ComparedLayer | None:
        """The verdict on a layer with stored outputs, which later layers are computed from."""
        step = computed.step
        number, kind = step.layer.id, step.layer.kind
        if kind in SKIPPED_KINDS or step.constant:  # what uses a wrong constant is wrong, and says so
            self._stored.update((number, index) for index in range(len(computed.outputs)))
            return None
        pending = self._with_stored_shapes(_declared(self._context, computed))
        if pending is None:
            return None
        judgements: list[Judgement] = []
        for index, array in enumerate(pending.truth):
            stored = self._b.output(self._context, step.layer, index, element_type_of(array))
            if stored is None:
                continue
            judgements.append(self._judged(pending, array, stored, index))
            if stored.shape == computed.outputs[index].shape:
                computed.outputs[index] = stored.astype(computed.outputs[index].dtype, copy=False)
            else:
                self._of_other_shape[number, index] = stored
            self._stored.add((number, index))
        if not judgements:
            return None
        found = compared_layer(self._context.analysis, step.node, judgements, pending.call.inputs)
        if not found.is_fault or self._explained == EXPLAINED:
            return found
        self._explained += 1
        return replace(found, cause=_cause_in_stored(self._context, self._b, pending, found.judgement.output))

    def _with_stored_shapes(self, pending: PendingLayer) -> PendingLayer | None:
        """A layer with the stored inputs whose shapes are others than those of the run, which goes on without
        them; None where it does not take them.
        """
        number, call = pending.call.node.layer.id, pending.call
        sources = self._context.analysis.root.wiring.inputs[number]
        keys = [None if source is None else (source[0].id, source[1]) for source in sources]
        if not any(key in self._of_other_shape for key in keys if key is not None):
            return pending
        if call.op.definition.bodies or call.op.definition.stateful:
            return None
        inputs = tuple(
            array if key is None else self._of_other_shape.get(key, array)
            for key, array in zip(keys, call.inputs)
        )
        facts = self._context.analysis.infer().of(number).outputs
        try:
            truth = call.invocation.compute(inputs)
        except UNREADY:
            return None
        made = tuple(result_array(item, fact) for item, fact in zip(truth, facts))
        return replace(pending, call=replace(call, inputs=inputs), truth=made, again=call.invocation.compute)

    def result(self, computed: Computed, layers: dict[int, ComparedLayer]) -> None:
        """Accuse the layer in front of a result that is stored with another value than that of the layer."""
        root = self._context.analysis.root
        source, array = root.wiring.inputs[computed.step.layer.id][0], computed.inputs[0]
        if source is None or array is None or (source[0].id, source[1]) not in self._stored:
            return
        array = self._of_other_shape.get((source[0].id, source[1]), array)
        port = self._ports[computed.step.layer.id]
        stored = self._b.result(port, element_type_of(array))
        if stored is None:
            return
        if stored.shape != array.shape:
            shapes = " → ".join(str(Shape(one.shape)) for one in (array, stored))
            judgement = Judgement(Verdict.WRONG, f"the result has shape {shapes}", excess=inf)
        else:
            given = self._tolerances.judgement(port.names, array, stored)
            judgement = given or agreement(array, stored, [], self._b.arithmetic)
        before = layers.get(source[0].id)
        if not judgement.is_fault or (before is not None and before.is_fault):
            return
        layer = compared_layer(
            self._context.analysis,
            root.layers[source[0].id],
            (replace(judgement, output=source[1]),),
            [array],
        )
        layers[layer.id] = replace(layer, cause=self._cause_at_result(port, source, array, stored))

    def _cause_at_result(self, port: Port, source: tuple[Layer, int], array: Array, stored: Array) -> str:
        """What a stored result may be in place of the value that it is stored to be."""
        result = f"the result {abridged(port.name, 60)}"
        others = _others(self._context, self._b, port.layer.id, 0) if stored.shape == array.shape else ()
        alike = (other for other in others if other.array.shape == stored.shape)
        same = (other.title for other in alike if not differs(other.array, stored).any())
        found = next(same, None)
        if found is not None:
            return f"{result} uses {found}, in place of output {source[1]}"
        text = f"{result} is another value than its output {source[1]}, as if a layer were added between"
        what = difference(array, stored)
        return f"{text}: it {what}" if what.partition(" ")[0] in VERBS else text

    def _judged(self, pending: PendingLayer, array: Array, stored: Array, index: int) -> Judgement:
        call = pending.call
        if array.shape == stored.shape:
            given = self._tolerances.judgement(output_names(call.node.layer, index), array, stored)
            if given is not None:
                return replace(given, output=index)
        definition = call.op.definition
        sources = self._context.analysis.root.wiring.inputs[call.node.layer.id]
        alone = all(source is None or (source[0].id, source[1]) in self._stored for source in sources)
        if definition.bodies or definition.stateful or not alone:
            judged = agreement(array, stored, [], self._b.arithmetic) if array.shape == stored.shape else None
            if judged is not None:
                return replace(judged, output=index)
        question = Question(
            call.op, call.invocation.attributes, call.inputs, pending.again, self._b.arithmetic
        )
        return judge(question, array, stored, index)

    def notes(self) -> Iterator[str]:
        unknown = self._b.unknown(self._context)
        if unknown:
            listed = ", ".join(abridged(name, 60) for name in unknown[:4])
            more = f" and {len(unknown) - 4} more" if len(unknown) > 4 else ""
            yield f"{plural(len(unknown), 'stored value')} of no layer of the model: {listed}{more}"


def _cause_in_stored(context: Context, b: Stored, pending: PendingLayer, output: int) -> str:
    """What the stored value of an output may come from."""
    call, array = pending.call, pending.truth[output]
    stored = b.output(context, call.node.layer, output, element_type_of(array))
    definition = call.op.definition
    if stored is None:
        return ""
    if definition.stateful:
        return f"the value {difference(array, stored)}"
    number, root = call.node.layer.id, context.analysis.root
    constant = {
        index: b.value(*source, element_type_of(own))
        for index, (source, own) in enumerate(zip(root.wiring.inputs[number], call.inputs))
        if source is not None and own is not None and source[0].id in root.constants
    }
    case = Unlike(
        call.invocation,
        context.analysis.registry,
        [port.name for port in definition.inputs],
        call.inputs,
        constant,
        pending.again,
        lambda index: _others(context, b, number, index),
        array,
        stored,
        output,
    )
    return cause_of_value(case)


def _others(context: Context, b: Stored, number: int, index: int) -> Iterator[Other]:
    """The stored values that may be in the place of an input of a layer: those near to it first."""
    root = context.analysis.root
    source = root.wiring.inputs[number][index]
    if source is None:
        return
    kind = context.analysis.infer().of(source[0].id).outputs[source[1]].element_type
    lacks = _stored_value(context, b, *source, kind) is None
    missing = abridged(source[0].name, 60) if lacks else ""
    for one in root.wiring.inputs[source[0].id]:
        array = None if one is None else _stored_value(context, b, *one, kind)
        if one is not None and array is not None:
            yield Other(_title(*one), array, missing)
    for name in b.unknown(context):
        title = f"{abridged(name, 60)}, a stored value of no layer of the model"
        yield Other(title, b.named(name, kind))
    earlier = [node.layer for node in takewhile(lambda node: node.layer.id != number, root.order)]
    for layer in (source[0], *reversed(earlier)):
        for output in range(len(layer.outputs)) if layer.id not in root.constants else ():
            array = _stored_value(context, b, layer, output, kind)
            if array is not None:
                yield Other(_title(layer, output), array)


def _stored_value(context: Context, b: Stored, layer: Layer, index: int, kind: ElementType) -> Array | None:
    if layer.id in context.inputs:
        return context.inputs[layer.id]
    return b.value(layer, index, kind)


def _title(layer: Layer, index: int) -> str:
    name = abridged(layer.name, 60)
    return name if len(layer.outputs) == 1 else f"output {index} of {name}"


def with_stored_causes(
    context: Context,
    b: Stored,
    layers: Sequence[ComparedLayer],
    tolerances: GivenTolerances = NONE_GIVEN,
) -> tuple[ComparedLayer, ...]:
    """Layers of a propagated comparison with stored values; if one is wrong, the first that is wrong by its
    own stored inputs has that verdict, with its cause.
    """
    places = {layer.id: place for place, layer in enumerate(layers) if not layer.path}
    first = next((layer for layer in layers if layer.is_fault), None)
    try:
        alone, _ = isolated_values(context, b, None, tolerances)
    except EvaluationError:  # the stored values are none that the layers take
        return tuple(layers)
    if first is not None and first.id in context.analysis.root.constants:
        cause = _cause_in_constants(context, b, first.id)
        return tuple(replace(layer, cause=cause) if layer is first else layer for layer in layers)
    left_out = {layer.id for layer in layers if layer.verdict in (Verdict.RANDOM, Verdict.SKIPPED)}
    known = places.keys() - left_out
    own = next((layer for layer in alone if layer.is_fault and layer.id in known), None)
    if own is None or (first is not None and places[own.id] > places.get(first.id, -1)):
        return tuple(layers)
    merged = layers[places[own.id]]
    found = replace(merged, cause=own.cause) if merged.is_fault else own
    return tuple(found if layer is merged else layer for layer in layers)


def _cause_in_constants(context: Context, b: Stored, number: int) -> str:
    """What differs in the constants that a layer follows from, or else in the layer."""
    root, constants = context.analysis.root, _Constants(context)
    node = root.layers[number]
    inputs: list[Array | None] = []
    found: list[str] = []
    for index, source in enumerate(root.wiring.inputs[number]):
        own = None if source is None else constants.value((source[0].id, source[1]))
        inputs.append(own)
        if source is None or own is None:
            continue
        stored = b.value(*source, element_type_of(own))
        text = "" if stored is None else difference(own, stored)
        if text:
            found.append(of_constant((), index, text))
    if found or not inputs or not _computes(node):
        return "; ".join(found)
    assert node.op is not None
    assert node.invocation is not None
    truth = tuple(constants.value((number, index)) for index in range(len(node.layer.outputs)))
    values = tuple(array for array in truth if array is not None)
    if len(values) < len(truth):
        return ""
    types = tuple(map(element_type_of, values))
    constant = frozenset(range(len(inputs)))
    call = LayerCall(context.model, node, node.op, node.invocation, tuple(inputs), constant, types)
    return _cause_in_stored(context, b, PendingLayer(call, values, node.invocation.compute), 0)
