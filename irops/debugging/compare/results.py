"""Whether results agree, of two sources or of one and what is expected; and how much was compared.

Both sources compute the model as it is, with its dynamic shapes and without further outputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Signature
from irops.debugging.compare.compared_layer import ComparedLayer, Judged
from irops.debugging.compare.noise import (
    FOLLOWS_RANDOM,
    NOISE_SEEDS,
    Decisions,
    agreement,
    may_jump,
    noisy_walk,
    question_of,
    random_layers,
)
from irops.debugging.compare.propagated import propagated
from irops.debugging.sources.source import Context, Failure, LayerValue, Source, SourceFailed, Values
from irops.diagnostics.printable import abridged, plural, printable, shortened
from irops.ir.model import LayerKind
from irops.ir.numpy_files import as_declared
from irops.values.element import Array, element_type_of
from irops.verdicts.judge import in_form_of, in_one_type
from irops.verdicts.metrics import as_numbers, differs
from irops.verdicts.question import (
    AGREEING,
    DECLARED,
    ROUNDOFF,
    Arithmetic,
    Judgement,
    Verdict,
    is_float,
    noted,
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """The judgement of each result that is expected, by name. missing: the results that nobody expects."""

    judgements: Mapping[str, Judgement]
    missing: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all results are as expected, but for rounding."""
        return not any(judgement.is_fault for judgement in self.judgements.values())

    def lines(self, source: str) -> list[str]:
        """The lines to print. source: where the expected values are from"""
        agreeing = sum(not judgement.is_fault for judgement in self.judgements.values())
        lines = [f"{agreeing} of {plural(len(self.judgements), 'result')} as in {source}"]
        for name, judgement in self.judgements.items():
            reason = f": {judgement.reason}" if judgement.reason else ""
            lines.append(f"  {printable(name)} {judgement.verdict}{reason}")
        if self.missing:
            names = ", ".join(map(printable, self.missing))
            lines.append(f"  not in {source}: {names}")
        return lines


def expectation(
    context: Context,
    results: Mapping[str, Array],
    expected: Mapping[str, Array],
    arithmetic: Arithmetic = DECLARED,
    *,
    with_ties: bool = True,
) -> Expectation:
    """Compare results by name with expected arrays, by the name or position of the result or its tensor.

    Where they differ, two further runs show what rounding alone does in this model. arithmetic: of the less
    precise of the two; with_ties: rounding may also decide levels and elements, of which results alone do not
    show whether they were decided
    Raises:  KeyError, with a suggestion, for an expected array that is no result; EvaluationError
    """
    signature = context.analysis.signature
    wanted = {key if key in results else _result(signature, key): array for key, array in expected.items()}
    noisy: list[Mapping[int, LayerValue]] = []
    judgements: dict[str, Judgement] = {}
    for name, array in wanted.items():
        declared = as_declared(array, element_type_of(results[name]))
        result, note = in_form_of(declared, results[name], "expected is")
        if result is None:
            judgements[name] = Judgement(Verdict.WRONG, note)
            continue
        judgement = agreement(declared, result, [], arithmetic)
        if judgement.is_fault and judgement.metrics is not None:
            noisy = noisy or _noisy_results(context, arithmetic, None if with_ties else Decisions(context))
            source = context.analysis.root.wiring.source(signature.result(name).layer.id)
            assert source is not None
            judgement = _of_layer(context, (source[0].id, source[1]), declared, result, noisy, arithmetic)
        judgements[name] = noted(judgement, note)
    return Expectation(judgements, tuple(name for name in results if name not in wanted))


def _result(signature: Signature, key: str) -> str:
    try:
        return signature.result(key).name
    except KeyError:
        if not key.isdecimal() or len(key) > 9:  # int() refuses texts of thousands of digits
            raise
        return signature.result(int(key)).name


def _of_layer(
    context: Context,
    source: tuple[int, int],
    expected: Array,
    result: Array,
    noisy: Sequence[Mapping[int, LayerValue]],
    arithmetic: Arithmetic,
) -> Judgement:
    """The judgement of a result that an output of a layer gives. noisy: the layers that give results"""
    number, index = source
    values = [run[number] for run in noisy if number in run]
    runs = [array for value in values if (array := value.outputs[index]) is not None]
    ask = partial(question_of, context.analysis.root.layers[number], values, arithmetic)
    return agreement(expected, result, runs, arithmetic, ask, index)


def _noisy_results(
    context: Context, arithmetic: Arithmetic, decisions: Decisions | None
) -> list[Mapping[int, LayerValue]]:
    """The layers that give results, by id, in two runs with other rounding errors."""
    wiring = context.analysis.root.wiring
    sources = [wiring.source(port.layer.id) for port in context.analysis.signature.results]
    wanted = {source[0].id for source in sources if source is not None}
    first = noisy_walk(context, arithmetic, NOISE_SEEDS[0])
    second = noisy_walk(context, arithmetic, NOISE_SEEDS[1], decisions)
    found: list[dict[int, LayerValue]] = [{}, {}]
    for pair in zip_longest(first if decisions is None else decisions.of(first), second):
        for values, value in zip(found, pair):
            if value is not None and value.layer in wanted:
                values[value.layer] = value
    return [*found]


UNCOMPARED = (Verdict.SKIPPED, Verdict.RANDOM)
"""Verdicts on results that were not compared."""


@dataclass(frozen=True, slots=True)
class ComparedResult(Judged):
    """A result of the model with the verdict on it; skipped and random mean that it was not compared.

    cause: what another model has otherwise there, where it is wrong
    """

    name: str
    judgement: Judgement
    cause: str = ""

    @property
    def is_compared(self) -> bool:
        return self.verdict not in UNCOMPARED

    def noted(self, note: str) -> ComparedResult:
        """The result, with a note behind its reason."""
        return replace(self, judgement=noted(self.judgement, note))

    def to_json(self) -> dict[str, Any]:
        """The result for machines."""
        judged = self.judgement.to_json()
        del judged["output"]
        return {"name": self.name, "compared": self.is_compared, **judged, "cause": self.cause}

    def __repr__(self) -> str:
        return f"<{self.verdict}: result {shortened(self.name)}>"


def compared_results(
    context: Context, a: Source, right: Values | Failure, b: Source, ours: Values | Failure
) -> tuple[ComparedResult, ...]:
    """The verdict on every result, in the order of the model; then those that b alone has."""
    judged = judged_results(context, a, right, b, ours)
    wrong = [port for port in context.analysis.signature.results if judged[port.name].is_fault]
    causes = {port.name: b.cause(context, port.layer.id) for port in wrong}
    return tuple(ComparedResult(name, one, causes.get(name, "")) for name, one in judged.items())


def judged_results(
    context: Context, a: Source, right: Values | Failure, b: Source, ours: Values | Failure
) -> Mapping[str, Judgement]:
    """The judgement of every result by name. right, ours: by a and by b"""
    ports = context.analysis.signature.results
    if isinstance(right, Failure) or isinstance(ours, Failure):
        judgement = _without_values(a, right, ours)
        return {port.name: judgement for port in ports}
    names = [port.name for port in ports]
    judged = _that_show_something(_of_values(context, a, right, b, ours), right, ours)
    lacking = {
        name: Judgement(Verdict.SKIPPED, f"{(b if name in right else a).name} has no value of it")
        for name in names
        if name not in judged
    }
    further = {
        name: Judgement(Verdict.SKIPPED, f"{a.name} has no such result") for name in ours if name not in names
    }
    return {name: judged.get(name) or lacking[name] for name in names} | further


def _that_show_something(
    judged: Mapping[str, Judgement], right: Values, ours: Values
) -> Mapping[str, Judgement]:
    """The judgements; results that agree without a finite element show nothing, and count as compared only
    beside others that do.
    """
    hollow = {
        name: why
        for name, judgement in judged.items()
        if judgement.verdict not in UNCOMPARED and not judgement.is_fault
        if (why := _why_hollow(right[name], ours[name]))
    }
    if any(name not in hollow and one.verdict not in UNCOMPARED for name, one in judged.items()):
        return {**judged, **{name: noted(judged[name], why) for name, why in hollow.items()}}
    skipped = {
        name: Judgement(Verdict.SKIPPED, f"{why}, which shows nothing; compare with other inputs")
        for name, why in hollow.items()
    }
    return {**judged, **skipped}


def _why_hollow(one: Array, other: Array) -> str:
    """Why two values that agree show nothing; "" where they show something."""
    if not one.size:
        return "it has no elements"
    if not (is_float(one) and is_float(other)):
        return ""
    finite = any(bool(np.isfinite(as_numbers(array)).any()) for array in (one, other))
    return "" if finite else "all its elements are NaN or infinite"


def _without_values(a: Source, right: Values | Failure, ours: Values | Failure) -> Judgement:
    """The judgement of all results where a source gives none."""
    if isinstance(right, Failure):
        return Judgement(Verdict.SKIPPED, f"{a.name} gives no results: {right}")
    assert isinstance(ours, Failure)
    return Judgement(Verdict.FAILED if ours.is_fault else Verdict.SKIPPED, str(ours))


def _of_values(context: Context, a: Source, right: Values, b: Source, ours: Values) -> dict[str, Judgement]:
    """The judgement of the results that both have."""
    ports = [port for port in context.analysis.signature.results if port.name in right and port.name in ours]
    pairs = {port.name: _in_narrower_type(right[port.name], ours[port.name]) for port in ports}
    ones, others = ({name: pair[side] for name, pair in pairs.items()} for side in (0, 1))
    expected = expectation(context, others, ones, _arithmetic(a, b), with_ties=not b.gives_all(context))
    judged = dict(expected.judgements)
    random = random_layers(context.analysis.root)
    for port in ports:
        if port.layer.id in random and judged[port.name].verdict is not Verdict.EQUAL:
            judged[port.name] = Judgement(Verdict.RANDOM, FOLLOWS_RANDOM)
        pair = ones[port.name], others[port.name]
        judged[port.name] = context.tolerances.judged(judged[port.name], port.names, *pair)
    faults = [name for name, judgement in judged.items() if judgement.is_fault]
    if faults and follows_from_ties(context, a, b, ours):
        judged |= dict.fromkeys(faults, Judgement(Verdict.TIE, "follows from ties of layers before it"))
    return judged


def _in_narrower_type(one: Array, other: Array) -> tuple[Array, Array]:
    """Two values of a result; floats of different types in the one with the larger rounding errors, or in the
    wider one where a number would become infinite: an overflow must show.
    """
    kinds = element_type_of(one), element_type_of(other)
    if kinds[0] is kinds[1] or not all(kind.floating for kind in kinds):
        return one, other
    narrower = max(kinds, key=lambda kind: ROUNDOFF[kind.name]).dtype
    with np.errstate(all="ignore"):
        pair = one.astype(narrower), other.astype(narrower)
    overflows = any((np.isfinite(a) & ~np.isfinite(b)).any() for a, b in zip((one, other), pair))
    return in_one_type(one, other) if overflows else pair


def _arithmetic(a: Source, b: Source) -> Arithmetic:
    """That of the less precise of the two."""
    return b.arithmetic if b.arithmetic.precision or not a.arithmetic.precision else a.arithmetic


def follows_from_ties(context: Context, a: Source, b: Source, answer: Values) -> bool:
    """Whether the results of b follow from ties: a run that shows all layers has the same results but for
    rounding, so that no fault is hidden, and none of its layers is wrong.

    answer: the results of b
    """
    root, no_outputs = context.analysis.root, tuple[Array | None, ...]()
    if not any(may_jump(context, node) for node in root.order):
        return False
    sources = {
        port.name: root.wiring.source(port.layer.id)
        for port in context.analysis.signature.results
        if port.name in answer
    }
    shown = dict.fromkeys((source[0].id for source in sources.values() if source is not None), no_outputs)

    def keep(value: LayerValue) -> None:
        if value.layer in shown:
            shown[value.layer] = value.outputs

    try:
        layers, _, complete = propagated(context, a, b, seen=keep)
    except SourceFailed:
        return False
    named: dict[str, Array] = {}
    for name, source in sources.items():
        outputs = () if source is None else shown[source[0].id]
        value = outputs[source[1]] if source is not None and source[1] < len(outputs) else None
        if value is None:
            return False
        named[name] = value
    if not complete or any(layer.is_fault for layer in layers):
        return False
    return expectation(context, answer, named, b.arithmetic).ok


def following(
    context: Context, layers: Sequence[ComparedLayer], results: Sequence[ComparedResult]
) -> Iterator[ComparedResult]:
    """The results. One that differs by no more than rounding does is wrong all the same where it follows from
    a wrong layer: the difference is that of a fault.
    """
    root = context.analysis.root
    wrong = {one.id: one.name for one in layers if one.is_fault and not one.is_masked and not one.path}
    for result in results:
        before = set[int]()
        if result.verdict in (Verdict.ROUNDING, Verdict.TIE):
            port = context.analysis.signature.result(result.name)
            before |= {port.layer.id} if context.tolerances.of_tensor(port.names) == (None, None) else set()
        for node in reversed(root.order):  # users before what they use
            if node.layer.id in before:
                before |= {source[0].id for source in root.wiring.inputs[node.layer.id] if source is not None}
        origin = next((name for number, name in wrong.items() if number in before), None)
        if origin is None:
            yield result
        else:
            why = f"{result.reason}, but it follows from {abridged(origin, 60)}, which is wrong"
            yield replace(result, judgement=replace(result.judgement, verdict=Verdict.WRONG, reason=why))


def masked(
    analysis: ModelAnalysis,
    layers: Sequence[ComparedLayer],
    results: Sequence[ComparedResult],
    forms: Collection[int] = (),
) -> frozenset[int]:
    """The layers of a whole run that differ, while all that is computed from them is equal.

    Of a number that is beyond a type, as in the mask of an attention, it need only agree; so it need of other
    forms. forms: the layers that have these, see of_other_form
    """
    strict = _masked(analysis, layers, results, (Verdict.EQUAL,))
    lax = {layer.id for layer in layers if layer.verdict is Verdict.OVERFLOW or layer.id in forms} - strict
    others = {layer.id for layer in layers if layer.is_fault} - lax - strict
    without_effect = lax & _masked(analysis, layers, results, AGREEING) if lax else lax
    following = consequences(analysis, layers, without_effect, others)
    return strict | {number for number in without_effect if not following[number]}


def of_other_form(analysis: ModelAnalysis, layers: Sequence[ComparedLayer]) -> frozenset[int]:
    """The layers that give another shape or type, or other integers: two conversions of a network may compute
    with other sizes and positions.
    """
    inferred = analysis.infer()
    return frozenset(
        layer.id
        for layer in layers
        if layer.verdict is Verdict.WRONG
        and all(
            one.metrics is None or not inferred.of(layer.id).outputs[one.output].element_type.floating
            for one in layer.judgements
            if one.is_fault
        )
    )


def of_used_outputs(analysis: ModelAnalysis, layer: ComparedLayer) -> ComparedLayer:
    """A layer of another model without the faults of outputs that no layer of this model uses."""
    if not layer.is_fault or layer.path:
        return layer
    consumers = analysis.root.wiring.consumers
    judgements = tuple(
        one
        if not one.is_fault or one.verdict is Verdict.FAILED or consumers.get((layer.id, one.output))
        else replace(one, verdict=Verdict.MASKED, reason=f"{one.reason}; nothing uses it")
        for one in layer.judgements
    )
    return replace(layer, judgements=judgements)


def consequences(
    analysis: ModelAnalysis, layers: Sequence[ComparedLayer], forms: Collection[int], faults: Collection[int]
) -> dict[int, set[int]]:
    """Which of some faults follow from each of the layers that have other forms."""
    agreeing = {layer.id for layer in layers if layer.verdict in AGREEING}
    consumers, found = analysis.root.wiring.consumers, dict[int, set[int]]()
    for form in forms:
        behind, waiting = {form}, [form]
        while waiting:
            number = waiting.pop()
            outputs = range(len(analysis.root.layers[number].layer.outputs))
            users = {user.id for index in outputs for user, _ in consumers.get((number, index), ())}
            waiting += users - behind - agreeing
            behind |= users - agreeing
        found[form] = behind.intersection(faults)
    return found


def _masked(
    analysis: ModelAnalysis,
    layers: Sequence[ComparedLayer],
    results: Sequence[ComparedResult],
    agreeing: Collection[Verdict],
) -> frozenset[int]:
    """The layers that differ, while all that is computed from them has one of these verdicts."""
    judged = {layer.id: layer for layer in layers if layer.is_fault or layer.verdict in agreeing}
    equal = {result.name for result in results if result.verdict in agreeing}
    shown = {port.layer.id for port in analysis.signature.results if port.name not in equal}
    consumers = analysis.root.wiring.consumers
    found: set[int] = set()
    for node in reversed(analysis.root.order):
        layer, number = judged.get(node.layer.id), node.layer.id
        if layer is not None and not layer.is_fault:
            continue
        outputs = ((number, index) for index in range(len(node.layer.outputs)))
        users = {user.id for output in outputs for user, _ in consumers.get(output, ())}
        if node.layer.kind is LayerKind.SINK or not shown.isdisjoint(users):
            shown.add(number)
        elif layer is not None and layer.verdict is not Verdict.FAILED:
            found.add(number)
    return frozenset(found)


def changed(one: Array, other: Array) -> bool:
    """Whether two tensors have another shape or other elements."""
    return one.shape != other.shape or bool(differs(one, other).any())


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many layers and results were compared, of how many.

    all_layers: those that compute something; layers_left_out, results_left_out: how many, by reason
    """

    layers: int = 0
    all_layers: int = 0
    results: int = 0
    all_results: int = 0
    layers_left_out: Mapping[str, int] = field(default_factory=dict)
    results_left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_nothing(self) -> bool:
        """Whether neither a layer nor a result was compared."""
        return not self.layers and not self.results

    def to_json(self) -> dict[str, Any]:
        """The coverage for machines."""
        return asdict(self)

    def __str__(self) -> str:
        layers, results = plural(self.all_layers, "layer"), plural(self.all_results, "result")
        return f"{self.layers} of {layers}, {self.results} of {results} compared"


def coverage_of(
    analysis: ModelAnalysis,
    layers: Sequence[ComparedLayer],
    results: Sequence[ComparedResult],
    why_missing: str,
) -> Coverage:
    """The coverage of a comparison. why_missing: the reason for layers that the comparison does not list"""
    left_out = Counter(reason for layer in layers if (reason := _why_left_out(layer)))
    compared = len(layers) - left_out.total()
    listed = {layer.id for layer in layers if not layer.path}
    constant = analysis.root.constants
    for number, node in analysis.root.layers.items():
        if node.layer.kind is LayerKind.OPERATION and number not in listed:
            is_stateful = node.op is not None and node.op.definition.stateful
            reason = "has a state" if is_stateful else why_missing
            left_out["follows from constants alone" if number in constant else reason] += 1
    of_results = Counter(result.reason for result in results if not result.is_compared)
    return Coverage(
        compared,
        compared + left_out.total(),
        len(results) - of_results.total(),
        len(results),
        dict(left_out.most_common()),
        dict(of_results.most_common()),
    )


def _why_left_out(layer: ComparedLayer) -> str:
    """Why a layer that is listed was not compared, without what is special to it; "" where it was."""
    if layer.verdict is Verdict.SKIPPED:
        return layer.reason.partition(":")[0]
    return FOLLOWS_RANDOM if layer.reason == FOLLOWS_RANDOM else ""
