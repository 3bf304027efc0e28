"""Results that differ because both are right: equal scores, values on a boundary between two levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from irops.values.element import Array, element_type_of
from irops.verdicts.bounds import SAFETY
from irops.verdicts.conditioning import changes
from irops.verdicts.discrete import DISCRETE_CATEGORIES, is_discrete
from irops.verdicts.metrics import differs
from irops.verdicts.question import Question

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
TRIES = 8
"""How often the inputs are changed to see which results are possible."""


def _undecided(question: Question, truth: Array, ours: Array, output: int) -> str:
    """The reference itself gives what ours has, once its inputs change by their roundoff."""
    if not question.floats or not is_discrete(question):
        return ""
    unequal = differs(truth, ours)
    defined, changed = np.asarray(question.again(question.inputs)[output]), changes(question, output, TRIES)
    alike = [result for result in (defined, *changed) if result.shape == truth.shape]
    if question.op.definition.category in DISCRETE_CATEGORIES and changed and len(alike) < 2:
        return "how many elements there are depends on the rounding of the inputs"
    possible = [_possible(question, alike, array) for array in (truth, ours)] if alike else []
    if not possible or (unequal & ~np.logical_and(*possible)).any():
        return ""
    return "the elements that differ depend on the rounding of the inputs"


def _possible(question: Question, results: Sequence[Array], ours: Array) -> Array:
    """Which elements are between those that the reference gives, or are one of them: what is between a number
    and infinity says nothing.
    """
    element, wide = ours.astype(np.float64), [result.astype(np.float64) for result in results]
    finite = np.logical_and.reduce([np.isfinite(result) for result in wide])
    with np.errstate(all="ignore"):
        slack = SAFETY * question.arithmetic.roundoff(element_type_of(ours)) * np.abs(element)
        low, high = np.minimum.reduce(wide) - slack, np.maximum.reduce(wide) + slack
        one_of_them: Array = np.logical_or.reduce([element == result for result in wide])
        return one_of_them | (finite & (element >= low) & (element <= high))
