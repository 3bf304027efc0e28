"""The verdict on two results of one layer."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from irops.diagnostics.printable import plural
from irops.values.element import STRING, Array, element_type_of
from irops.verdicts.bounds import Bound, full_bound, quick_bound
from irops.verdicts.faults import count, fault, greatest_share, outside
from irops.verdicts.forms import in_form_of
from irops.verdicts.metrics import Metrics, differs, metrics_of
from irops.verdicts.question import Question, is_float
from irops.verdicts.random_values import RANDOM
from irops.verdicts.ties import tie
from irops.verdicts.verdict import Judgement, Verdict, noted


def judge_layer(question: Question, truth: Sequence[Array], ours: Sequence[Array]) -> tuple[Judgement, ...]:
    """The judgement of every output of a layer."""
    if len(truth) != len(ours):
        gives = f"gives {plural(len(ours), 'output')}, must give {len(truth)}"
        return (Judgement(Verdict.WRONG, gives),)
    return tuple(judge(question, a, b, index) for index, (a, b) in enumerate(zip(truth, ours)))


def judge(question: Question, truth: Array, ours: Array, output: int = 0) -> Judgement:
    """The judgement of one output. truth: by the definition; ours: the result that is judged."""
    formed, note = in_form_of(truth, ours, "must be")
    if formed is None:
        return Judgement(Verdict.WRONG, note, None, output)
    return noted(_of_values(question, truth, formed, output), note)


def _of_values(question: Question, truth: Array, ours: Array, output: int) -> Judgement:
    """The judgement of an output of the right type and shape."""
    if question.type in RANDOM:
        wrong = RANDOM[question.type](question, ours)
        reason = wrong or "the op is random; its range is as defined"
        return Judgement(Verdict.WRONG if wrong else Verdict.RANDOM, reason, metrics_of(truth, ours), output)
    if not truth.size or not differs(truth, ours).any():
        return Judgement(Verdict.EQUAL, "", Metrics(truth.size), output)
    verdict, reason = _difference(question, truth, ours, output)
    return Judgement(verdict, reason, metrics_of(truth, ours), output)


def _difference(question: Question, truth: Array, ours: Array, output: int) -> tuple[Verdict, str]:
    """The verdict on results that differ, and its reason."""
    if element_type_of(truth) is STRING:
        return Verdict.WRONG, count(differs(truth, ours))
    if not is_float(truth):
        return _of_integers(question, truth, ours, output)
    bound = quick_bound(question, truth)
    beyond = _outside(question, truth, ours, bound)
    if beyond.any():
        better = full_bound(question, truth, output)
        if better is not None:
            bound = better
            beyond = _outside(question, truth, ours, bound)
    if not beyond.any():
        return Verdict.ROUNDING, f"{_share(truth, ours, bound)} of the error bound of {bound.basis}"
    reason = tie(question, truth, ours, output)
    if reason:
        return Verdict.TIE, reason
    begins = " is here" if _any_not_finite(question) else " begins here"
    excess = f"by up to {_share(truth, ours, bound)} of the error bound"
    return fault(truth, ours, beyond, question.arithmetic, excess, begins)


def _of_integers(question: Question, truth: Array, ours: Array, output: int) -> tuple[Verdict, str]:
    unequal = differs(truth, ours)
    reason = tie(question, truth, ours, output)
    if reason:
        return Verdict.TIE, reason
    kind = element_type_of(truth)
    if kind.integral and _beyond(question, truth):
        narrow = question.arithmetic.integers_in(kind)
        return Verdict.OVERFLOW, f"{count(unequal)}; {kind} is computed in {narrow}, and numbers exceed it"
    if kind.integral and kind.bits <= 64:
        low, high = kind.extent
        extreme = (ours == int(low)) | (ours == int(high))
        if extreme[unequal].all():
            return Verdict.SATURATION, f"{count(unequal)}; all that do are the extremes of {kind}"
    return Verdict.WRONG, count(unequal)


def _beyond(question: Question, truth: Array) -> bool:
    """Whether integers of a layer exceed the type that they are computed in."""
    for array in (truth, *(array for array in question.inputs if array is not None)):
        kind = element_type_of(array)
        if kind.integral and question.arithmetic.integers_in(kind) is not kind and array.size:
            low, high = question.arithmetic.integers_in(kind).extent
            if int(array.min()) < low or int(array.max()) > high:
                return True
    return False


def _outside(question: Question, truth: Array, ours: Array, bound: Bound) -> Array:
    return outside(truth, ours, bound.values, question.arithmetic)


def _any_not_finite(question: Question) -> bool:
    inputs = (question.inputs[index] for index in question.floats)
    return any(array is not None and not np.isfinite(_wide(array)).all() for array in inputs)


def _share(truth: Array, ours: Array, bound: Bound) -> str:
    """The greatest quotient of difference and bound."""
    greatest = greatest_share(truth, ours, bound.values)
    if not isfinite(greatest):
        return "infinitely many times"
    if not greatest:
        return "infinity beside the greatest number, within 100%"
    return f"{greatest:.0%}" if greatest < 10 else f"{greatest:.3g} times"


def _wide(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
