"""The verdict on two results of one layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irops.diagnostics.printable import plural
from irops.values.element import STRING, Array, element_type_of
from irops.values.shape import Shape
from irops.verdicts.bounds import Bound, full_bound, quick_bound
from irops.verdicts.metrics import Metrics, differs, metrics_of
from irops.verdicts.question import Question, is_float
from irops.verdicts.random_values import RANDOM
from irops.verdicts.ties import tie
from irops.verdicts.verdict import Judgement, Verdict


def judge_layer(question: Question, truth: Sequence[Array], ours: Sequence[Array]) -> tuple[Judgement, ...]:
    """The judgement of every output of a layer."""
    if len(truth) != len(ours):
        count = plural(len(ours), "output")
        return (Judgement(Verdict.WRONG, f"gives {count}, must give {len(truth)}"),)
    return tuple(judge(question, a, b, index) for index, (a, b) in enumerate(zip(truth, ours)))


def judge(question: Question, truth: Array, ours: Array, output: int = 0) -> Judgement:
    """The judgement of one output. truth: by the definition; ours: the result that is judged."""
    wrong = _unlike(truth, ours)
    if wrong:
        return Judgement(Verdict.WRONG, wrong, None, output)
    if question.type in RANDOM:
        wrong = RANDOM[question.type](question, ours)
        reason = wrong or "the op is random; its range is as defined"
        return Judgement(Verdict.WRONG if wrong else Verdict.RANDOM, reason, metrics_of(truth, ours), output)
    if not truth.size or not differs(truth, ours).any():
        return Judgement(Verdict.EQUAL, "", Metrics(truth.size), output)
    verdict, reason = _difference(question, truth, ours, output)
    return Judgement(verdict, reason, metrics_of(truth, ours), output)


def _unlike(truth: Array, ours: Array) -> str:
    """The difference of types or shapes, or ""."""
    kind, other = element_type_of(truth), element_type_of(ours)
    if kind is not other:
        return f"has element type {other}, must be {kind}"
    if truth.shape != ours.shape:
        return f"has shape {Shape(ours.shape)}, must be {Shape(truth.shape)}"
    return ""


def _difference(question: Question, truth: Array, ours: Array, output: int) -> tuple[Verdict, str]:
    """The verdict on results that differ, and its reason."""
    if element_type_of(truth) is STRING:
        return Verdict.WRONG, _count(differs(truth, ours))
    if not is_float(truth):
        return _of_integers(question, truth, ours, output)
    bound = quick_bound(question, truth)
    outside = _outside(truth, ours, bound)
    if outside.any():
        better = full_bound(question, truth, output)
        if better is not None:
            bound = better
            outside = _outside(truth, ours, bound)
    if not outside.any():
        return Verdict.ROUNDING, f"{_share(truth, ours, bound)} of the error bound of {bound.basis}"
    reason = tie(question, truth, ours, output)
    if reason:
        return Verdict.TIE, reason
    return _fault(question, truth, ours, outside, bound)


def _of_integers(question: Question, truth: Array, ours: Array, output: int) -> tuple[Verdict, str]:
    unequal = differs(truth, ours)
    reason = tie(question, truth, ours, output)
    if reason:
        return Verdict.TIE, reason
    kind = element_type_of(truth)
    if kind.integral and _beyond(question, truth):
        narrow = question.arithmetic.integers_in(kind)
        return Verdict.OVERFLOW, f"{_count(unequal)}; {kind} is computed in {narrow}, and numbers exceed it"
    if kind.integral and kind.bits <= 64:
        low, high = kind.extent
        extreme = (ours == int(low)) | (ours == int(high))
        if extreme[unequal].all():
            return Verdict.SATURATION, f"{_count(unequal)}; all that do are the extremes of {kind}"
    return Verdict.WRONG, _count(unequal)


def _beyond(question: Question, truth: Array) -> bool:
    """Whether integers of a layer exceed the type that they are computed in."""
    for array in (truth, *(array for array in question.inputs if array is not None)):
        kind = element_type_of(array)
        if kind.integral and question.arithmetic.integers_in(kind) is not kind and array.size:
            low, high = question.arithmetic.integers_in(kind).extent
            if int(array.min()) < low or int(array.max()) > high:
                return True
    return False


def _outside(truth: Array, ours: Array, bound: Bound) -> Array:
    """Where two results differ by more than a bound, or one is not finite."""
    with np.errstate(all="ignore"):
        apart = np.abs(_wide(truth) - _wide(ours))
        within: Array = apart <= bound.values
        return differs(truth, ours) & ~within


def _fault(
    question: Question, truth: Array, ours: Array, outside: Array, bound: Bound
) -> tuple[Verdict, str]:
    """Why elements that are outside of the error bound are wrong."""
    finite = np.isfinite(_wide(ours))
    begins = outside & ~finite & np.isfinite(_wide(truth))
    kind = element_type_of(truth)
    if begins.any():
        large = np.abs(_wide(truth)) >= question.arithmetic.greatest(kind) * (1 - 2.0**-8)
        if (large | ~begins).all():
            name = question.arithmetic.computed_in(kind)
            return Verdict.OVERFLOW, f"{_count(begins)}: the numbers exceed the greatest one of {name}"
        what = "NaN" if np.isnan(_wide(ours))[begins].any() else "infinity"
        begin = "begins" if not _any_not_finite(question) else "is"
        return Verdict.NOT_FINITE, f"{what} {begin} here in {plural(int(begins.sum()), 'element')}"
    ends = outside & finite & np.isinf(_wide(truth))
    if ends.any() and (ends | ~outside).all():
        return Verdict.SATURATION, f"{_count(ends)}: finite where the definition gives infinity"
    return Verdict.WRONG, f"{_count(outside)} by up to {_share(truth, ours, bound)} of the error bound"


def _any_not_finite(question: Question) -> bool:
    inputs = (question.inputs[index] for index in question.floats)
    return any(array is not None and not np.isfinite(_wide(array)).all() for array in inputs)


def _count(unequal: Array) -> str:
    return f"{int(unequal.sum()):,} of {unequal.size:,} elements differ"


def _share(truth: Array, ours: Array, bound: Bound) -> str:
    """The greatest quotient of difference and bound."""
    with np.errstate(all="ignore"):
        quotients = np.abs(_wide(truth) - _wide(ours)) / np.broadcast_to(bound.values, truth.shape)
    finite = quotients[np.isfinite(quotients)]
    if not finite.size:
        return "infinitely many times"
    greatest = float(finite.max())
    return f"{greatest:.0%}" if greatest < 10 else f"{greatest:.3g} times"


def _wide(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
