"""The verdict on two results of one layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite

import numpy as np

from irops.diagnostics.printable import plural
from irops.values.element import STRING, Array, element_type_of
from irops.values.shape import Shape
from irops.verdicts.bounds import Bound, exact_result, full_bound, quick_bound
from irops.verdicts.conditioning import changes
from irops.verdicts.metrics import Metrics, differs, metrics_of
from irops.verdicts.question import DISCRETE_CATEGORIES, Question, is_discrete, is_float
from irops.verdicts.tolerances import SAFETY, TIE_CHANGES
from irops.verdicts.verdict import Judgement, Verdict

# Ops whose results are random: what the definition says of them.

Property = Callable[[Question, Array], str]
"""What is wrong with a random result, or ""."""


def _random_uniform(question: Question, ours: Array) -> str:
    low, high = (
        np.asarray(array, np.float64).reshape(-1)[0] for array in question.inputs[1:3] if array is not None
    )
    numbers = ours.astype(np.float64)
    outside = (numbers < low) | (numbers > high) | np.isnan(numbers)
    return f"{int(outside.sum())} elements are outside of {low:g} to {high:g}" if outside.any() else ""


def _multinomial(question: Question, ours: Array) -> str:
    probabilities = question.inputs[0]
    assert probabilities is not None
    classes = probabilities.shape[-1]
    outside = (ours < 0) | (ours >= classes)
    return f"{int(outside.sum())} elements are not of the {classes} classes" if outside.any() else ""


def _accepted(_question: Question, _ours: Array) -> str:
    return ""


RANDOM: Mapping[str, Property] = {
    "RandomUniform": _random_uniform,
    "Multinomial": _multinomial,
    "RandomNormal": _accepted,
    "RandomNormalLike": _accepted,
    "RandomUniformLike": _accepted,
    "Bernoulli": _accepted,
    "Dropout": _accepted,
}
"""By op type, of all dialects."""


# Results that differ because both are right: equal scores, values on a boundary between two levels.

Tie = Callable[[Question, Array, Array, int], str]
"""Why a difference is a tie, or ""."""


def tie(question: Question, truth: Array, ours: Array, output: int) -> str:
    """Why both results are correct, although they differ; "" where no tie explains the difference."""
    return TIES.get(question.type, _undecided)(question, truth, ours, output)


def _top_k(question: Question, truth: Array, ours: Array, output: int) -> str:
    """Indices that differ, where both select equal elements."""
    data = question.inputs[0]
    if data is None or output != 1:
        return ""
    axis = int(question.attributes["axis"])
    size = data.shape[axis]
    if ours.size and (int(ours.min()) < 0 or int(ours.max()) >= size):
        return ""
    chosen = [np.take_along_axis(data, np.asarray(i, np.int64), axis) for i in (truth, ours)]
    if differs(chosen[0], chosen[1]).any():
        return ""
    ordered = np.sort(np.asarray(ours), axis=axis)
    repeated = np.take(ordered, range(1, ordered.shape[axis]), axis) == np.take(
        ordered, range(ordered.shape[axis] - 1), axis
    )
    return "" if repeated.any() else "other elements that compare equal are selected"


def _fake_quantize(question: Question, truth: Array, ours: Array, _: int) -> str:
    """Elements within rounding of the middle between two levels, which differ by one level."""
    data, low, high, out_low, out_high = (
        np.zeros(()) if array is None else array.astype(np.float64) for array in question.inputs[:5]
    )
    levels = float(question.attributes["levels"]) - 1
    unit = question.arithmetic.roundoff(element_type_of(truth))
    with np.errstate(all="ignore"):
        scale = levels / (high - low)
        place = (data - low) * scale
        error = 2 * SAFETY * unit * (np.abs(data) + np.abs(low) + np.abs(high)) * np.abs(scale)
        near = np.abs(place - np.floor(place) - 0.5) <= error
        quantum = (out_high - out_low) / levels
        slack = 4 * SAFETY * unit * np.maximum(np.abs(out_low), np.abs(out_high))
        between = place * quantum + out_low
        halfway = near & (np.abs(ours.astype(np.float64) - between) <= np.abs(quantum) / 2 + slack)
        same = np.abs(truth.astype(np.float64) - ours.astype(np.float64)) <= slack
    if not (same | halfway).all():
        return ""
    return "the elements that differ lie within rounding of the middle between two levels"


def _one_quantum(_: Question, truth: Array, ours: Array, _output: int) -> str:
    """Colours, whose fractions are rounded."""
    apart = np.abs(truth.astype(np.float64) - ours.astype(np.float64))
    integral = element_type_of(truth).integral
    return "one unit of the integers that colours are rounded to" if integral and apart.max() <= 1 else ""


COLOURS = ("NV12toRGB", "NV12toBGR", "I420toRGB", "I420toBGR", "RGBtoNV12", "BGRtoNV12")
TIES: Mapping[str, Tie] = {
    "TopK": _top_k,
    "FakeQuantize": _fake_quantize,
    **dict.fromkeys(COLOURS, _one_quantum),
}


def _undecided(question: Question, truth: Array, ours: Array, output: int) -> str:
    """The reference itself gives what ours has, once its inputs change by their roundoff."""
    if not question.floats or not is_discrete(question):
        return ""
    low = high = truth.astype(np.float64)
    unequal = differs(truth, ours)
    results = changes(question, output, TIE_CHANGES)
    alike = [result for result in results if result.shape == truth.shape]
    if question.op.definition.category in DISCRETE_CATEGORIES and results and not alike:
        return "how many elements there are depends on the rounding of the inputs"
    for result in alike:
        low, high = np.minimum(low, result), np.maximum(high, result)
    with np.errstate(all="ignore"):
        slack = (
            SAFETY * question.arithmetic.roundoff(element_type_of(truth)) * np.abs(truth.astype(np.float64))
        )
        possible = (ours >= low - slack) & (ours <= high + slack)
    if (unequal & ~possible).any():
        return ""
    return "the elements that differ depend on the rounding of the inputs"


# The verdict.


def judge_layer(question: Question, truth: Sequence[Array], ours: Sequence[Array]) -> tuple[Judgement, ...]:
    """The judgement of every output of a layer."""
    if len(truth) != len(ours):
        count = plural(len(ours), "output")
        return (Judgement(Verdict.WRONG, f"gives {count}, must give {len(truth)}", excess=inf),)
    return tuple(judge(question, a, b, index) for index, (a, b) in enumerate(zip(truth, ours)))


def judge(question: Question, truth: Array, ours: Array, output: int = 0) -> Judgement:
    """The judgement of one output. truth: by the definition, or what stands for it; ours: what is judged."""
    wrong = _unlike(truth, ours)
    if wrong:
        return Judgement(Verdict.WRONG, wrong, None, output, inf)
    if question.type in RANDOM:
        wrong = RANDOM[question.type](question, ours)
        reason = wrong or "the op is random; its range is as defined"
        verdict, excess = (Verdict.WRONG, inf) if wrong else (Verdict.RANDOM, 0.0)
        return Judgement(verdict, reason, metrics_of(truth, ours), output, excess)
    if not truth.size or not differs(truth, ours).any():
        return Judgement(Verdict.EQUAL, "", Metrics(truth.size), output)
    verdict, reason, excess = _difference(question, truth, ours, output)
    return Judgement(verdict, reason, metrics_of(truth, ours), output, excess)


def _unlike(truth: Array, ours: Array) -> str:
    """The difference of types or shapes, or ""."""
    kind, other = element_type_of(truth), element_type_of(ours)
    if kind is not other:
        return f"has element type {other}, must be {kind}"
    if truth.shape != ours.shape:
        return f"has shape {Shape(ours.shape)}, must be {Shape(truth.shape)}"
    return ""


def _difference(question: Question, truth: Array, ours: Array, output: int) -> tuple[Verdict, str, float]:
    """The verdict on results that differ, its reason, and the excess."""
    if element_type_of(truth) is STRING:
        return Verdict.WRONG, _count(differs(truth, ours)), inf
    if not is_float(truth):
        verdict, reason = _of_integers(question, truth, ours, output)
        return verdict, reason, inf if verdict.is_fault else 1.0
    bound = quick_bound(question, truth)
    outside = _outside(truth, ours, bound)
    if outside.any():
        better = full_bound(question, _defined(question, truth, output), output)
        if better is not None:
            bound = better
            outside = _outside(truth, ours, bound)
    near = truth
    if outside.any():
        exact = exact_result(question, output)  # the reference rounds, too
        near_exact = (ours,) if question.by_definition else (ours, truth)
        if exact is not None and not any(_outside(exact, one, bound).any() for one in near_exact):
            near, outside = exact, np.zeros_like(outside)
    if not outside.any():
        excess = excess_of(near, ours, bound.values)
        return Verdict.ROUNDING, f"{_times(excess)} of the error bound of {bound.basis}", excess
    reason = _tie(question, truth, ours, output)
    if reason:
        return Verdict.TIE, reason, 1.0
    excess = excess_of(truth, ours, bound.values)
    return *_fault(question, truth, ours, outside, excess), excess


def _defined(question: Question, truth: Array, output: int) -> Array:
    """What the definition gives for the inputs, on which error bounds are based."""
    if question.by_definition:
        return truth
    defined = np.asarray(question.again(question.inputs)[output])
    return defined.astype(truth.dtype) if defined.shape == truth.shape else truth


def _tie(question: Question, truth: Array, ours: Array, output: int) -> str:
    """Why rounding alone decides between the two results, or "". It does not where truth is wrong itself."""
    reason = tie(question, truth, ours, output)
    if reason and not question.by_definition:
        defined = _defined(question, truth, output)
        if judge(replace(question, by_definition=True), defined, truth, output).is_fault:
            return ""
    return reason


def _of_integers(question: Question, truth: Array, ours: Array, output: int) -> tuple[Verdict, str]:
    unequal = differs(truth, ours)
    reason = _tie(question, truth, ours, output)
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
    question: Question, truth: Array, ours: Array, outside: Array, excess: float
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
    return Verdict.WRONG, f"{_count(outside)} by up to {_times(excess)} of the error bound"


def _any_not_finite(question: Question) -> bool:
    inputs = (question.inputs[index] for index in question.floats)
    return any(array is not None and not np.isfinite(_wide(array)).all() for array in inputs)


def _count(unequal: Array) -> str:
    return f"{int(unequal.sum()):,} of {unequal.size:,} elements differ"


def excess_of(truth: Array, ours: Array, allowed: Array) -> float:
    """The greatest quotient of difference and allowed difference; inf where one of the two is not finite."""
    unequal = differs(truth, ours)
    with np.errstate(all="ignore"):
        quotients = np.abs(_wide(truth) - _wide(ours)) / np.broadcast_to(allowed, truth.shape)
    return float(np.nan_to_num(quotients[unequal], nan=inf, posinf=inf).max(initial=0.0))


def _times(excess: float) -> str:
    if not isfinite(excess):
        return "infinitely many times"
    return f"{excess:.0%}" if excess < 10 else f"{excess:.3g} times"


def _wide(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
