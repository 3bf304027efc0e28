"""Propagated comparison: both sources run the whole model; layers inherit the errors of those before them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TypeAlias

from irops.analysis.structure import GraphNode, LayerNode
from irops.debugging.compare.agreement import (
    NONE_IDENTICAL,
    QUIET_KINDS,
    Identical,
    agreement,
    alike,
    noisy_walk,
)
from irops.debugging.compare.compared import ComparedLayer, compared_layer
from irops.debugging.compare.given_tolerances import NONE_GIVEN, GivenTolerances, output_names
from irops.debugging.compare.isolated import layers_of_values
from irops.debugging.compare.randomness import random_values
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context, LayerValue, Source, SourceFailed
from irops.diagnostics.diagnostic import EvaluationError
from irops.diagnostics.printable import abridged
from irops.ir.model import LayerKind
from irops.runtime.evaluator import Progress
from irops.values.element import Array
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.judge import judge_layer
from irops.verdicts.metrics import differs
from irops.verdicts.question import Question
from irops.verdicts.tolerances import EQUAL_AGAIN, NOISE_SEEDS
from irops.verdicts.verdict import Judgement, Verdict

# Layers that differ because rounding decided before them: they follow from their own inputs.
#
# Where TopK selects another of two scores that are nearly equal, all that is gathered by its indices
# differs by more than rounding does. A layer behind such a tie is right if the reference gives its outputs
# for its inputs, both of the run that is compared.

STEPPED = ("FakeQuantize", "FakeConvert", "Round", "Floor", "Ceiling", "Convert", "Sign")
"""Ops whose results jump: a difference within what rounding does may be of whole steps."""
REASON = "follows from its inputs, which rounding decides"


def without_inherited_ties(
    context: Context, b: Source, layers: Sequence[ComparedLayer]
) -> list[ComparedLayer]:
    """The layers; those behind a tie that follow from b's own inputs are ties, too. Raises: SourceFailed"""
    doubtful = _behind_ties(context.analysis.root, layers)
    if not doubtful:
        return list(layers)
    right = _that_follow(context, b, doubtful)
    return [_tied(layer) if layer.id in right else layer for layer in layers]


def _behind_ties(root: GraphNode, layers: Sequence[ComparedLayer]) -> set[int]:
    """The layers that are wrong, but whose result rounding may decide, or that of a layer before them."""
    compared = {layer.id: layer for layer in layers if not layer.path}
    decided: set[int] = set()
    doubtful: set[int] = set()
    for node in root.order:
        number = node.layer.id
        layer = compared.get(number)
        behind = any(source is not None and source[0].id in decided for source in root.wiring.inputs[number])
        verdict = None if layer is None else layer.verdict
        jumps = verdict is Verdict.ROUNDING and node.layer.type in STEPPED
        if verdict is Verdict.TIE or jumps or (behind and verdict is not Verdict.EQUAL):
            decided.add(number)
        if (behind or node.layer.type in STEPPED) and verdict is Verdict.WRONG:
            doubtful.add(number)
    return doubtful


def _that_follow(context: Context, b: Source, doubtful: set[int]) -> set[int]:
    """Those of the layers whose outputs the reference gives for b's inputs of them."""
    right: set[int] = set()
    for pending in layers_of_values(context, b):
        call = pending.call
        if call.node.layer.id not in doubtful:
            continue
        question = Question(
            call.op, call.invocation.attributes, call.inputs, pending.again, b.arithmetic, pending.noisy
        )
        try:
            truth = call.invocation.compute(call.inputs)
        except (Violation, LimitExceeded):
            continue
        if not any(judged.is_fault for judged in judge_layer(question, truth, pending.truth)):
            right.add(call.node.layer.id)
    return right


def _tied(layer: ComparedLayer) -> ComparedLayer:
    judged = tuple(
        replace(one, verdict=Verdict.TIE, reason=REASON, excess=1.0) if one.is_fault else one
        for one in layer.judgements
    )
    return replace(layer, judgements=judged, inputs=())


Outputs: TypeAlias = tuple[Array | None, ...]


@dataclass(frozen=True, slots=True)
class Propagated:
    """The layers that both sources have, notes, whether b ran to the end, the ids of the layers of a, how b
    rounds weights where layers are compared without that, and the values that both have alike as they are.
    """

    layers: tuple[ComparedLayer, ...]
    notes: tuple[str, ...]
    complete: bool
    in_a: frozenset[int]
    compressed: tuple[str, ...] = ()
    identical: Identical = NONE_IDENTICAL


def propagated(
    context: Context,
    a: Source,
    b: Source,
    progress: Progress | None = None,
    tolerances: GivenTolerances = NONE_GIVEN,
    identical: Identical = NONE_IDENTICAL,
) -> Propagated:
    """Compare the values of all layers that both sources have.

    Raises:  EvaluationError, SourceFailed
    """
    ended, seen = _EndOfRun(), set[int]()
    walks: list[Iterator[LayerValue]] = [
        _recorded(a.walk(context), seen),
        ended.watching(b.walk(context)),
        *(noisy_walk(context, b.arithmetic, seed, identical=identical) for seed in NOISE_SEEDS),
    ]
    is_reference = isinstance(a, Layerwise) and a.is_reference
    comparison = _Propagated(context, b, tolerances, a_is_base=is_reference)
    aligned = _Aligned(walks, required=2)
    nodes = context.analysis.root.layers
    total = len(nodes)
    layers: list[ComparedLayer] = []
    for done, (number, values) in enumerate(aligned):
        node = nodes[number]
        if node.layer.kind not in QUIET_KINDS:
            layers.append(comparison.layer(node, values))
        if progress is not None:
            progress(done + 1, total, node.layer)
    if ended.layer in nodes:
        failed = Judgement(Verdict.FAILED, f"refused: {ended.reason}", excess=inf)
        layers.append(compared_layer(context.analysis, nodes[ended.layer], (failed,)))
    order = {node.layer.id: index for index, node in enumerate(context.analysis.root.order)}
    layers.sort(key=lambda layer: order[layer.id])
    if not ended.reason:
        layers = without_inherited_ties(context, b, layers)
    notes = (f"the run of {b.name} ended early: {ended.reason}",) if ended.reason else ()
    return Propagated(tuple(layers), notes, not ended.reason, frozenset(seen))


def _recorded(walk: Iterator[LayerValue], seen: set[int]) -> Iterator[LayerValue]:
    """The values of a walk; seen: takes the ids of their layers."""
    for value in walk:
        seen.add(value.layer)
        yield value


def without_passing_differences(
    root: GraphNode,
    layers: Sequence[ComparedLayer],
    agreeing: Collection[int] = (),
    differing: Collection[int] = (),
) -> tuple[ComparedLayer, ...]:
    """The layers; those that differ although all that uses them is equal again are no faults.

    Two conversions of one network may lay out a value differently and agree behind it. Layers that were not
    compared are passed over: what uses these counts. A layer with a cause stays a fault, and one on which
    another fault, or a Result that differs, depends: values that are equal but for rounding may hide
    a difference, as sums with -1e9 do. No difference goes through values that are the same to the last bit.
    agreeing, differing: the ids of Results
    """
    compared = {
        layer.id: layer
        for layer in layers
        if not layer.path and layer.verdict not in (Verdict.SKIPPED, Verdict.RANDOM)
    }
    equal_again, leading = set(agreeing), set(differing)
    for node in reversed(root.order):
        number = node.layer.id
        layer = compared.get(number)
        if node.layer.kind in (LayerKind.RESULT, LayerKind.SINK):
            continue
        faulty = list(range(len(node.layer.outputs)))
        if layer is not None:
            faulty = [judged.output for judged in layer.judgements if judged.excess > EQUAL_AGAIN]
        users = _users(root, number, faulty)
        leads = not leading.isdisjoint(_users(root, number, range(len(node.layer.outputs))))
        is_passing = not leads or not faulty
        if is_passing and users <= equal_again and (layer is None or layer.verdict is not Verdict.FAILED):
            equal_again.add(number)
            if layer is not None and layer.is_fault and not layer.cause:
                compared[number] = layer = _passing(layer, is_used=bool(users))
        if (layer is not None and layer.is_fault) or (leads and not _is_same(layer, node)):
            leading.add(number)
    return tuple(layer if layer.path else compared.get(layer.id, layer) for layer in layers)


def _is_same(layer: ComparedLayer | None, node: LayerNode) -> bool:
    """Whether all outputs of a layer are the same to the last bit."""
    return (
        layer is not None
        and layer.verdict is Verdict.EQUAL
        and len(layer.judgements) == len(node.layer.outputs)
    )


def _users(root: GraphNode, number: int, outputs: Iterable[int]) -> set[int]:
    """The ids of the layers that use some outputs of a layer."""
    return {user.id for index in outputs for user, _ in root.wiring.consumers.get((number, index), ())}


def _passing(layer: ComparedLayer, *, is_used: bool) -> ComparedLayer:
    """A layer that differs without an effect."""
    judged = tuple(
        replace(one, verdict=Verdict.NO_EFFECT) if one.is_fault else one for one in layer.judgements
    )
    note = "differs, but all that uses it is equal" if is_used else "differs, but nothing uses it"
    return replace(layer, judgements=judged, note=note, inputs=())


class _EndOfRun:
    """Why a walk ended early, which is a finding: the layer, -1 where it is not known, and the reason."""

    def __init__(self) -> None:
        self.layer, self.reason = -1, ""

    def watching(self, walk: Iterator[LayerValue]) -> Iterator[LayerValue]:
        """The values up to the end."""
        try:
            yield from walk
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

    def __init__(self, context: Context, b: Source, tolerances: GivenTolerances, *, a_is_base: bool) -> None:
        self._context, self._arithmetic, self._a_is_base = context, b.arithmetic, a_is_base
        self._b = b.name
        self._tolerances = tolerances
        self._random = random_values(context.analysis)
        self._wrong: dict[int, str] = {}

    def layer(self, node: LayerNode, values: Sequence[LayerValue | None]) -> ComparedLayer:
        """The verdict on a layer. values: by a, by b, and of noisy runs"""
        first, second = values[0], values[1]
        assert first is not None
        assert second is not None
        failure = second.failure or first.failure
        if failure is not None:
            verdict = Verdict.FAILED if failure.is_fault else Verdict.SKIPPED
            return compared_layer(self._context.analysis, node, (Judgement(verdict, str(failure)),))
        noisy = [value.outputs for value in values[2:] if value is not None]
        if self._a_is_base:
            noisy.insert(0, first.outputs)
        pairs = [
            (index, one, other)
            for index, (one, other) in enumerate(zip(first.outputs, second.outputs))
            if one is not None and other is not None
        ]
        is_random = self._is_random(node, [(one, other) for _, one, other in pairs])
        judgements = [
            Judgement(Verdict.RANDOM, "follows from random values", None, index)
            if is_random
            else self._judged(node, index, one, other, [outputs[index : index + 1] for outputs in noisy])
            for index, one, other in pairs
        ]
        if not judgements:
            judgements.append(Judgement(Verdict.SKIPPED, "the sources have different outputs of it"))
        layer = compared_layer(self._context.analysis, node, judgements)
        if second.declines and not layer.is_fault and node.op is not None:
            reason = f"declined: {self._b} does not compute {node.op.id}"
            layer = compared_layer(self._context.analysis, node, (Judgement(Verdict.SKIPPED, reason),))
        if layer.is_fault:
            self._wrong[node.layer.id] = node.layer.name
        elif layer.reason and layer.verdict is Verdict.EQUAL:
            layer = replace(layer, note=layer.reason)
        return layer

    def _judged(
        self, node: LayerNode, index: int, one: Array, other: Array, noisy: Sequence[Outputs]
    ) -> Judgement:
        """The judgement of one output. noisy: it alone in each noisy run, where the run has it"""
        pair = alike(one, other)
        if isinstance(pair, str):
            return Judgement(Verdict.WRONG, f"{pair}{self._origin(node)}", None, index, excess=inf)
        names = output_names(node.layer, index)
        judged = self._tolerances.judgement(names, pair.one, pair.other)
        if judged is None:
            runs = [array for outputs in noisy for array in outputs if array is not None]
            judged = agreement(pair.one, pair.other, runs, pair.arithmetic(self._arithmetic))
        reason = "; ".join(filter(None, (judged.reason, pair.note)))
        origin = self._origin(node) if judged.is_fault else ""
        return replace(judged, reason=f"{reason}{origin}", output=index)

    def _is_random(self, node: LayerNode, values: Iterable[tuple[Array, Array]]) -> bool:
        """Whether values that differ are random, or follow from random ones; equal ones are judged."""
        return node.layer.id in self._random and any(
            one.shape != other.shape or differs(one, other).any() for one, other in values
        )

    def _origin(self, node: LayerNode) -> str:
        """From which layer an error is inherited, if from one."""
        for source in self._context.analysis.root.wiring.inputs[node.layer.id]:
            if source is not None and source[0].id in self._wrong:
                return f"; its input {abridged(source[0].name, 60)} differs already"
        return ""


def growth(layers: Sequence[ComparedLayer]) -> Mapping[str, float]:
    """The relative error (noise to signal) of each layer in order: the curve over depth."""
    return {layer.name: 10 ** (-layer.metrics.snr / 20) for layer in layers if layer.metrics is not None}
