"""Whether the results of two sources agree: the first question of a comparison.

Both sources compute the model as it is, with its dynamic shapes and without further outputs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from irops.debugging.compare.expected import expectation, in_one_type
from irops.debugging.compare.propagated import propagated
from irops.debugging.compare.randomness import FOLLOWS_RANDOM, random_layers
from irops.debugging.sources.source import Context, Failure, LayerValue, Source, SourceFailed, Values
from irops.diagnostics.printable import shortened
from irops.values.element import Array
from irops.verdicts.arithmetic import Arithmetic
from irops.verdicts.metrics import Metrics, as_numbers, differs
from irops.verdicts.question import is_float
from irops.verdicts.ties import may_tie
from irops.verdicts.verdict import Judgement, Verdict, noted

UNCOMPARED = (Verdict.SKIPPED, Verdict.RANDOM)
"""Verdicts on results that were not compared."""


@dataclass(frozen=True, slots=True)
class ComparedResult:
    """A result of the model with the verdict on it; skipped and random mean that it was not compared."""

    name: str
    judgement: Judgement

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict

    @property
    def reason(self) -> str:
        return self.judgement.reason

    @property
    def metrics(self) -> Metrics | None:
        return self.judgement.metrics

    @property
    def is_fault(self) -> bool:
        return self.verdict.is_fault

    @property
    def is_compared(self) -> bool:
        return self.verdict not in UNCOMPARED

    def to_json(self) -> dict[str, Any]:
        """The result for machines."""
        judged = self.judgement.to_json()
        del judged["output"]
        return {"name": self.name, "compared": self.is_compared, **judged}

    def __repr__(self) -> str:
        return f"<{self.verdict}: result {shortened(self.name)}>"


def compared_results(
    context: Context, a: Source, right: Values | Failure, b: Source, ours: Values | Failure
) -> tuple[ComparedResult, ...]:
    """The verdict on every result, in the order of the model; then those that b alone has."""
    judged = judged_results(context, a, right, b, ours)
    return tuple(ComparedResult(name, judgement) for name, judgement in judged.items())


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
    pairs = {port.name: in_one_type(right[port.name], ours[port.name]) for port in ports}
    ones, others = ({name: pair[side] for name, pair in pairs.items()} for side in (0, 1))
    judged = dict(expectation(context, others, ones, _arithmetic(a, b)).judgements)
    random = random_layers(context.analysis.root)
    for port in ports:
        if port.layer.id in random and judged[port.name].verdict is not Verdict.EQUAL:
            judged[port.name] = Judgement(Verdict.RANDOM, FOLLOWS_RANDOM)
    faults = {name: ours[name] for name, judgement in judged.items() if judgement.is_fault}
    if faults and follows_from_ties(context, a, b, ours):
        tied = Judgement(Verdict.TIE, "follows from ties of layers before it")
        judged.update(dict.fromkeys(faults, tied))
    return judged


def _arithmetic(a: Source, b: Source) -> Arithmetic:
    """That of the less precise of the two."""
    return b.arithmetic if b.arithmetic.precision or not a.arithmetic.precision else a.arithmetic


def follows_from_ties(context: Context, a: Source, b: Source, answer: Values) -> bool:
    """Whether the results of b follow from ties: a run that shows all layers has the same results but for
    rounding, so that no fault is hidden, and none of its layers is wrong.

    answer: the results of b
    """
    root = context.analysis.root
    if not any(node.op is not None and may_tie(node.op) for node in root.order):
        return False
    sources = {
        port.name: root.wiring.inputs[port.layer.id][0]
        for port in context.analysis.signature.results
        if port.name in answer
    }
    shown = _Shown(b, {source[0].id for source in sources.values() if source is not None})
    try:
        layers, _, complete = propagated(context, a, shown)
    except SourceFailed:
        return False
    named: dict[str, Array] = {}
    for name, source in sources.items():
        outputs = shown.values.get(source[0].id, ()) if source is not None else ()
        value = outputs[source[1]] if source is not None and source[1] < len(outputs) else None
        if value is None:
            return False
        named[name] = value
    if not complete or any(layer.is_fault for layer in layers):
        return False
    return expectation(context, answer, named, b.arithmetic).ok


class _Shown(Source):
    """A source of which some values are kept. values: by layer"""

    def __init__(self, source: Source, layers: Collection[int]) -> None:
        self.name, self.arithmetic = source.name, source.arithmetic
        self._source, self._layers = source, layers
        self.values: dict[int, tuple[Array | None, ...]] = {}

    def walk(self, context: Context) -> Iterator[LayerValue]:
        for value in self._source.walk(context):
            if value.layer in self._layers:
                self.values[value.layer] = value.outputs
            yield value

    def results(self, context: Context) -> Values | Failure:
        return self._source.results(context)


def changed(one: Array, other: Array) -> bool:
    """Whether two tensors have another shape or other elements."""
    return one.shape != other.shape or bool(differs(one, other).any())
