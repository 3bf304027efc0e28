"""Propagated comparison: both sources run the whole model; layers inherit the errors of those before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import log10

import numpy as np

from irops.analysis.structure import LayerNode
from irops.debugging.compare.compared_layer import ComparedLayer, compared_layer
from irops.debugging.compare.isolated import HeldValues, as_declared, by_definition
from irops.debugging.compare.noise import (
    FOLLOWS_RANDOM,
    STEPPED,
    Decisions,
    agreement,
    may_jump,
    noisy_walk,
    question_of,
    random_layers,
)
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context, LayerValue, Source, SourceFailed
from irops.diagnostics.diagnostic import EvaluationError
from irops.diagnostics.printable import abridged
from irops.ir.model import LayerKind
from irops.runtime.evaluator import Progress
from irops.values.element import Array, element_type_of
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.judge import in_form_of, in_one_type, judge_layer
from irops.verdicts.metrics import DECADES
from irops.verdicts.policy import STEP
from irops.verdicts.question import AGREEING, Judgement, Question, Verdict, is_float, noted, worst
from irops.verdicts.ties import RANDOM


def propagated(
    context: Context,
    a: Source,
    b: Source,
    progress: Progress | None = None,
    seen: Callable[[LayerValue], object] = lambda _: None,
) -> tuple[tuple[ComparedLayer, ...], tuple[str, ...], bool]:
    """Compare the values of all layers that both sources have.

    seen: called with each value of b
    Returns the layers, notes, and whether b ran to the end.

    Raises:  EvaluationError, SourceFailed
    """
    ended = _Ended()
    walks: list[Iterator[LayerValue]] = [a.walk(context), ended.watching(b.walk(context), seen)]
    decisions = Decisions(context) if b.gives_all(context) else None
    is_reference = isinstance(a, Layerwise) and a.is_reference
    if not is_reference:
        walks.append(noisy_walk(context, b.arithmetic, seed=1))
    if decisions is not None:
        base = 0 if is_reference else 2
        walks[base] = decisions.of(walks[base])
    walks.append(noisy_walk(context, b.arithmetic, 2, decisions))
    comparison = _Propagated(context, b, a_is_base=is_reference)
    aligned = _Aligned(walks, required=2)
    nodes = context.analysis.root.layers
    total = len(nodes)
    layers: list[ComparedLayer] = []
    for done, (number, values) in enumerate(aligned):
        node = nodes[number]
        if node.layer.kind is LayerKind.OPERATION:
            layers.append(comparison.layer(node, values))
        else:
            comparison.pass_over(values)
        if progress is not None:
            progress(done + 1, total, node.layer)
    if ended.layer in nodes:
        failed = Judgement(Verdict.FAILED, f"refused: {ended.reason}")
        layers.append(compared_layer(context.analysis, nodes[ended.layer], (failed,)))
    order = {node.layer.id: index for index, node in enumerate(context.analysis.root.order)}
    layers.sort(key=lambda layer: order[layer.id])
    notes: list[str] = []
    if ended.reason:
        notes.append(f"the run of {b.name} ended early: {ended.reason}")
    return tuple(layers), tuple(notes), not ended.reason


class _OwnInputs:
    """Judges layers by what the reference gives for their own inputs, those of the run that is compared.

    A layer is wrong if that is something else, however little noise makes of it. Where a device runs the
    model as a whole, this is asked alone of what rounding decides: where TopK selects another of two equal
    elements, or an element falls on another level of FakeQuantize, what is computed from it differs by more
    than rounding does, and noise says little of it: where one level changes in another run, all of a small
    tensor may be as far off.
    """

    def __init__(self, context: Context, b: Source) -> None:
        self._context, self._b = context, b
        self._wiring = context.analysis.root.wiring.inputs
        self._held = HeldValues(context)
        self._decided: set[int] = set()
        self._wrong: set[int] = set()

    def add(self, value: LayerValue) -> None:
        """Take the outputs of a layer, before it is judged."""
        self._held.add(value)

    def judged(self, node: LayerNode, value: LayerValue, layer: ComparedLayer) -> ComparedLayer:
        """The layer, as a tie where it is one."""
        sources = {source[0].id for source in self._wiring[node.layer.id] if source is not None}
        behind = not sources.isdisjoint(self._decided)
        jumped = _has_jumped(node, layer)
        is_doubtful = layer.verdict is Verdict.WRONG and (behind or may_jump(self._context, node))
        is_doubtful = is_doubtful and sources.isdisjoint(self._wrong)
        is_allowed = layer.verdict is Verdict.ROUNDING and (behind or jumped or not self._b.is_whole)
        if is_doubtful or (is_allowed and not self._context.tolerances.concern(node.layer)):
            follows = self._follows(value)
            if is_doubtful and follows in AGREEING:
                layer = layer.judged_as(Verdict.TIE, "follows from its inputs, which rounding decides")
            elif is_allowed and follows is not None and follows.is_fault:
                layer = layer.refused("its inputs give something else")
            elif is_allowed and follows is Verdict.ROUNDING:
                layer = by_definition(self._context, self._b, layer)
        is_decided = layer.verdict is Verdict.TIE or jumped
        if is_decided or (behind and layer.verdict is not Verdict.EQUAL):
            self._decided.add(node.layer.id)
        if layer.is_fault:
            self._wrong.add(node.layer.id)
        return layer

    def release(self, value: LayerValue) -> None:
        """Let go of what nothing else is computed from."""
        self._held.release(value)

    def _follows(self, value: LayerValue) -> Verdict | None:
        """The verdict on the outputs by the inputs; None where these are not known."""
        pending = self._held.pending(value)
        if pending is None:
            return None
        _, question = as_declared(self._context, pending, self._b.arithmetic)
        try:
            truth = [np.asarray(array) for array in question.again(question.inputs)]
        except (Violation, LimitExceeded):
            return None
        pairs = [in_one_type(one, other) for one, other in zip(truth, pending.truth)]
        return worst(judge_layer(question, [one for one, _ in pairs], [other for _, other in pairs])).verdict


def _has_jumped(node: LayerNode, layer: ComparedLayer) -> bool:
    """Whether elements differ by as much as a step, which noise allows where others jump."""
    if node.layer.type not in STEPPED or layer.verdict is not Verdict.ROUNDING:
        return False
    histograms = [judged.metrics.histogram for judged in layer.judgements if judged.metrics is not None]
    return any(any(histogram[DECADES.index(round(log10(STEP))) :]) for histogram in histograms)


class _Ended:
    """Why a walk ended early, which is a finding: the layer, -1 where it is not known, and the reason."""

    def __init__(self) -> None:
        self.layer, self.reason = -1, ""

    def watching(
        self, walk: Iterator[LayerValue], seen: Callable[[LayerValue], object]
    ) -> Iterator[LayerValue]:
        """The values up to the end."""
        try:
            for value in walk:
                seen(value)
                yield value
        except SourceFailed as failed:
            self.reason = str(failed.failure)
        except EvaluationError as error:
            first = error.diagnostics[0]
            self.reason = first.message
            place = first.location
            if place.layer_id is not None and not place.path:
                self.layer = place.layer_id


class _Aligned:
    """Several walks side by side: the values of one layer together, as soon as all walks have come to it."""

    def __init__(self, walks: Sequence[Iterator[LayerValue]], required: int) -> None:
        self._walks, self._required = list(walks), required

    def __iter__(self) -> Iterator[tuple[int, list[LayerValue | None]]]:
        waiting: list[dict[int, LayerValue]] = [{} for _ in self._walks]
        ahead = set(range(len(self._walks)))
        while ahead:
            for index in sorted(ahead):
                value = next(self._walks[index], None)
                if value is None:
                    ahead.discard(index)
                else:
                    waiting[index][value.layer] = value
            yield from self._ready(waiting, ahead)

    def _ready(
        self, waiting: list[dict[int, LayerValue]], ahead: set[int]
    ) -> Iterator[tuple[int, list[LayerValue | None]]]:
        for number in list(waiting[0]):
            if all(number in values or index not in ahead for index, values in enumerate(waiting)):
                values = [queue.pop(number, None) for queue in waiting]
                if all(value is not None for value in values[: self._required]):
                    yield number, values
        if 0 not in ahead:  # nobody asks for the layers that the first walk lacks
            for queue in waiting[1:]:
                for number in [number for number in queue if number not in waiting[0]]:
                    del queue[number]


class _Propagated:
    """Judges layer after layer; knows which differ already, and which follow from random values."""

    def __init__(self, context: Context, b: Source, *, a_is_base: bool) -> None:
        self._context, self._arithmetic, self._a_is_base = context, b.arithmetic, a_is_base
        self._own = _OwnInputs(context, b)
        self._random = random_layers(context.analysis.root)
        self._wrong: dict[int, str] = {}

    def pass_over(self, values: Sequence[LayerValue | None]) -> None:
        """Take the values of a layer that is not compared."""
        second = values[1]
        assert second is not None
        self._own.add(second)
        self._own.release(second)

    def layer(self, node: LayerNode, values: Sequence[LayerValue | None]) -> ComparedLayer:
        """The verdict on a layer. values: by a, by b, and of noisy runs"""
        first, second = values[0], values[1]
        assert first is not None
        assert second is not None
        failure = second.failure or first.failure
        if failure is not None and not (first.outputs and second.outputs):
            self.pass_over(values)
            verdict = Verdict.FAILED if failure.is_fault else Verdict.SKIPPED
            return self._alone(node, verdict, str(failure))
        noisy = [value for value in values[2:] if value is not None]
        if self._a_is_base:
            noisy.insert(0, first)
        judgements = [
            self._judged(node, index, one, other, noisy)
            for index, (one, other) in enumerate(zip(first.outputs, second.outputs))
            if one is not None and other is not None
        ]
        if not judgements:
            self.pass_over(values)
            return self._alone(node, Verdict.SKIPPED, "no output that both sources have")
        self._own.add(second)
        layer = self._own.judged(node, second, compared_layer(self._context.analysis, node, judgements))
        self._own.release(second)
        if layer.is_fault:
            self._wrong[node.layer.id] = node.layer.name
        elif second.failure is not None:  # the reference computed it in place of b, so it says nothing of b
            return self._alone(node, Verdict.SKIPPED, str(second.failure))
        return layer

    def _alone(self, node: LayerNode, verdict: Verdict, reason: str) -> ComparedLayer:
        return compared_layer(self._context.analysis, node, (Judgement(verdict, reason),))

    def _judged(
        self, node: LayerNode, index: int, one: Array, other: Array, noisy: Sequence[LayerValue]
    ) -> Judgement:
        """The judgement of one output. noisy: the layer in runs with other rounding errors"""
        if node.layer.id in self._random:
            return self._random_judged(node, index, other, noisy)
        arithmetic = self._arithmetic
        if is_float(one) and is_float(other) and element_type_of(one) is not element_type_of(other):
            arithmetic = arithmetic.no_finer_than(element_type_of(one), element_type_of(other))
        one, other = in_one_type(one, other)
        formed, note = in_form_of(one, other)
        if formed is None:
            return Judgement(Verdict.WRONG, f"{self._origin(node)}{note}", None, index)
        outputs = [value.outputs[index] for value in noisy if index < len(value.outputs)]
        runs = [array for array in outputs if array is not None]
        ask = partial(question_of, node, noisy, self._arithmetic)
        judged = noted(agreement(one, formed, runs, arithmetic, ask, index), note)
        names = (node.layer.name, *node.layer.outputs[index].names)
        judged = self._context.tolerances.judged(judged, names, one, formed)
        origin = self._origin(node) if judged.is_fault else ""
        return replace(judged, reason=f"{origin}{judged.reason}", output=index)

    def _random_judged(
        self, node: LayerNode, index: int, other: Array, runs: Sequence[LayerValue]
    ) -> Judgement:
        """The judgement of what follows from random values; those that a layer draws have a range."""
        wrong = ""
        if node.layer.type in RANDOM and node.invocation is not None and runs and runs[0].inputs:
            question = Question.of(node.invocation, runs[0].inputs, self._arithmetic)
            wrong = RANDOM[node.layer.type](question, other)
        verdict = Verdict.WRONG if wrong else Verdict.RANDOM
        return Judgement(verdict, wrong or FOLLOWS_RANDOM, None, index)

    def _origin(self, node: LayerNode) -> str:
        """From which layer an error is inherited, if from one."""
        for source in self._context.analysis.root.wiring.inputs[node.layer.id]:
            if source is not None and source[0].id in self._wrong:
                return f"its input {abridged(source[0].name, 60)} differs already; "
        return ""
