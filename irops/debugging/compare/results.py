"""Whether the results of two models, or of two runs of one, agree: the first question of a comparison.

The models run as they are, without further outputs, and a device compiles them as users have it compile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np

from irops.analysis.structure import LayerNode
from irops.debugging.compare.agreement import (
    Alike,
    Identical,
    alike,
    judged_by_rounding,
    judged_results,
)
from irops.debugging.compare.compared import ComparedLayer, ComparedResult, Reason
from irops.debugging.compare.given_tolerances import NONE_GIVEN, GivenTolerances
from irops.debugging.sources.source import Context, Failure, Source, Values
from irops.values.element import Array, element_type_of
from irops.verdicts.arithmetic import Arithmetic
from irops.verdicts.verdict import Judgement, Verdict

Judging = Callable[[Context, Mapping[str, Array], Mapping[str, Array], Arithmetic], Mapping[str, Judgement]]


@dataclass(frozen=True, slots=True)
class Computed:
    """The results of a and of b, or why there are none."""

    right: Values | Failure
    ours: Values | Failure

    @classmethod
    def of(cls, context: Context, a: Source, b: Source) -> Computed:
        """Run both models as they are. Raises: EvaluationError"""
        return cls(a.results(context), b.results(context))


def compared_results(
    context: Context,
    a: Source,
    b: Source,
    computed: Computed,
    tolerances: GivenTolerances = NONE_GIVEN,
    random: Collection[LayerNode] = (),
) -> tuple[tuple[ComparedResult, ...], tuple[str, ...]]:
    """The verdict on each result, and notes. random: layers whose values one side does not take

    Raises:  EvaluationError
    """
    right, ours = computed.right, computed.ours
    values = tuple({} if isinstance(found, Failure) else found for found in (right, ours))
    matched = b.matched_results(context)
    notes = [f"{a.name} gives no results: {right}"] if isinstance(right, Failure) else []
    judged = judged_values(context, values[0], values[1], _arithmetic(a, b), tolerances)
    random_results = context.analysis.root.following(node.layer.id for node in random)
    found = []
    for port in context.analysis.signature.results:
        left_out: Reason | None = None
        if isinstance(ours, Failure) and ours.is_fault:
            judgement = Judgement(Verdict.FAILED, str(ours), excess=inf)
        elif port.layer.id in random_results and not _is_equal(judged.get(port.name)):
            judgement, left_out = Judgement(Verdict.RANDOM, "follows from random values"), "random"
        elif port.name in judged:
            judgement = judged[port.name]
        elif isinstance(ours, Failure):
            judgement, left_out = Judgement(Verdict.SKIPPED, str(ours)), "declined"
        else:
            left_out = "not in B" if port.name in values[0] else "not in A"
            source = b if left_out == "not in B" else a
            judgement = Judgement(Verdict.SKIPPED, f"{source.name} has no value of it")
        result = ComparedResult(port.name, port.position, judgement, left_out=left_out)
        if matched is not None and port.position in matched.pairs:
            partner, kind = matched.pairs[port.position]
            result = replace(result, other=partner.name, matched_by=kind)
        found.append(result)
    for port in matched.theirs if matched is not None else ():
        judgement = Judgement(Verdict.SKIPPED, f"{a.name} has no such result")
        found.append(ComparedResult(port.name, len(found), judgement, left_out="not in A"))
    return tuple(_with_values(found, *values)), tuple(notes)


def _with_values(found: list[ComparedResult], right: Values, ours: Values) -> Iterator[ComparedResult]:
    """The results; those without a finite element show nothing, and count as compared only beside others."""
    hollow = {
        result.name: reason
        for result in found
        if result.is_compared and not result.is_fault and result.name in right and result.name in ours
        if (reason := _hollow(right[result.name], ours[result.name]))
    }
    others = any(result.is_compared and result.name not in hollow for result in found)
    for result in found:
        why = hollow.get(result.name)
        if why is None:
            yield result
        elif others:
            yield replace(result, judgement=replace(result.judgement, reason=why))
        else:
            judgement = Judgement(Verdict.SKIPPED, f"{why}; other inputs may show more")
            yield replace(result, judgement=judgement, left_out="no values")


def _hollow(one: Array, other: Array) -> str:
    """Why equal values show nothing, or ""."""
    if one.size == 0 or other.size == 0:
        return "it has no elements"
    if not element_type_of(one).floating or not element_type_of(other).floating:
        return ""
    finite = any(np.isfinite(np.asarray(array, np.float64)).any() for array in (one, other))
    return "" if finite else "none of its elements is finite, on either side"


def results_behind_faults(
    context: Context,
    a: Source,
    b: Source,
    computed: Computed,
    tolerances: GivenTolerances,
    results: tuple[ComparedResult, ...],
    identical: Identical,
    layers: Iterable[ComparedLayer],
) -> tuple[ComparedResult, ...]:
    """The results; those that a wrong layer leads to differ if they differ by more than rounding does.

    Usually they may differ by more, since rounding may make values jump, as between two levels of
    a FakeQuantize. Behind a layer that is wrong, no such benefit of the doubt is due.
    Raises:  EvaluationError
    """
    wrong = [layer for layer in layers if layer.is_fault]
    if not wrong:
        return results
    names = {layer.path[0] for layer in wrong if layer.path}
    inner = [node for node in context.analysis.root.order if node.layer.name in names]
    faulty = {layer.id for layer in wrong if not layer.path} | {node.layer.id for node in inner}
    behind = context.analysis.root.following(faulty)
    ports = context.analysis.signature.results
    compared = (result for result in results if result.is_compared)
    doubtful = [result.name for result in compared if ports[result.position].layer.id in behind]
    judging = partial(judged_by_rounding, identical=identical)
    return _judged_again(context, _arithmetic(a, b), computed, tolerances, results, doubtful, judging)


def results_behind_identical_values(
    context: Context,
    a: Source,
    b: Source,
    computed: Computed,
    tolerances: GivenTolerances,
    results: tuple[ComparedResult, ...],
    identical: Identical,
) -> tuple[ComparedResult, ...]:
    """The results; what they differ by must be the rounding of layers behind values that both have alike.

    Raises:  EvaluationError
    """
    if not identical:
        return results
    judging = partial(judged_results, identical=identical)
    names = [result.name for result in results if result.is_compared]
    return _judged_again(context, _arithmetic(a, b), computed, tolerances, results, names, judging)


def _judged_again(
    context: Context,
    arithmetic: Arithmetic,
    computed: Computed,
    tolerances: GivenTolerances,
    results: tuple[ComparedResult, ...],
    doubtful: Sequence[str],
    judging: Judging,
) -> tuple[ComparedResult, ...]:
    """The results; of those in doubt, some that agree but for rounding may differ by another judgement."""
    right, ours = computed.right, computed.ours
    agreeing = [
        result.name
        for result in results
        if result.name in doubtful and result.verdict in (Verdict.ROUNDING, Verdict.TIE)
    ]
    if isinstance(right, Failure) or isinstance(ours, Failure) or not agreeing:
        return results
    values = [{name: one[name] for name in agreeing if name in one} for one in (right, ours)]
    judged = judged_values(context, values[0], values[1], arithmetic, tolerances, judging)
    return tuple(
        replace(result, judgement=judged[result.name])
        if result.name in judged and judged[result.name].is_fault
        else result
        for result in results
    )


def _is_equal(judgement: Judgement | None) -> bool:
    return judgement is not None and judgement.verdict is Verdict.EQUAL


def _arithmetic(a: Source, b: Source) -> Arithmetic:
    """The less precise of the two."""
    return b.arithmetic if b.arithmetic.precision or not a.arithmetic.precision else a.arithmetic


def judged_values(
    context: Context,
    right: Values,
    ours: Values,
    arithmetic: Arithmetic,
    tolerances: GivenTolerances,
    judging: Judging = judged_results,
) -> Mapping[str, Judgement]:
    """The judgement of each result that both have. judging: by which noise"""
    found: dict[str, Judgement] = {}
    pairs: dict[str, Alike] = {}
    for port in context.analysis.signature.results:
        if port.name in right and port.name in ours:
            pair = alike(right[port.name], ours[port.name])
            if isinstance(pair, str):
                found[port.name] = Judgement(Verdict.WRONG, pair, excess=inf)
            else:
                given = tolerances.judgement(port.names, pair.one, pair.other)
                if given is None:
                    pairs[port.name] = pair
                else:
                    found[port.name] = given
    for precision in dict.fromkeys(pair.arithmetic(arithmetic) for pair in pairs.values()):
        names = [name for name, pair in pairs.items() if pair.arithmetic(arithmetic) == precision]
        ones, others = ({n: pairs[n].one for n in names}, {n: pairs[n].other for n in names})
        found |= judging(context, others, ones, precision)
    return {name: _with_note(judgement, pairs.get(name)) for name, judgement in found.items()}


def _with_note(judgement: Judgement, pair: Alike | None) -> Judgement:
    """The judgement with how the declarations differ."""
    if pair is None or not pair.note:
        return judgement
    return replace(judgement, reason="; ".join(filter(None, (judgement.reason, pair.note))))
