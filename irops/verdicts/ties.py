"""Results that differ because both are right: random ones, equal scores, values on a boundary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.verdicts import bounds
from irops.verdicts.metrics import as_numbers, differs
from irops.verdicts.policy import JUMP, POOLING_TRIES, SAFETY, TIE_TRIES, ULPS
from irops.verdicts.question import Question, is_float

Property = Callable[[Question, Array], str]
"""The fault of a random result, or ""."""


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


def _all_finite(_question: Question, ours: Array) -> str:
    outside = ~np.isfinite(ours)
    return f"{int(outside.sum())} elements are no numbers" if outside.any() else ""


def _accepted(_question: Question, _ours: Array) -> str:
    return ""


RANDOM: Mapping[str, Property] = {
    "RandomUniform": _random_uniform,
    "Multinomial": _multinomial,
    "RandomNormal": _all_finite,
    "RandomNormalLike": _all_finite,
    "RandomUniformLike": _all_finite,
    "Bernoulli": _accepted,
    "Dropout": _accepted,
}
"""By op type, of all dialects."""


Tie = Callable[[Question, Array, Array, int], tuple[Array, str]]
"""Which elements are ties, or equal, and why they are. Each element stands for itself, or for its row."""
NONE = np.zeros((), bool)


def tie(question: Question, truth: Array, ours: Array, output: int) -> tuple[Array, str]:
    """The elements of which both results are correct, although they may differ, and why."""
    return TIES.get(question.type, _undecided)(question, truth, ours, output)


def _top_k(question: Question, truth: Array, ours: Array, output: int) -> tuple[Array, str]:
    """Other elements that are equal, or an order that is not defined.

    With sort none, the order is any; with index, it is that of data; only stable decides between equal ones.
    """
    data = question.inputs[0]
    if data is None:
        return NONE, ""
    axis = int(question.attributes["axis"])
    rows, error = _numbers(data, question.input_error(0))
    arrays = [np.moveaxis(array, axis, -1) for array in (rows, error, truth, ours)]
    selected = _selected_indices if output else _selected_values
    tied = np.broadcast_to(selected(question.attributes, *arrays)[..., np.newaxis], arrays[-1].shape)
    which = "other elements that compare equal" if output else "equal elements"
    order = "" if output else " in an order that is not defined"
    return np.moveaxis(tied, -1, axis), f"{which} are selected{order}"


def _selected_values(
    attributes: Mapping[str, Any], rows: Array, error: Array, truth: Array, ours: Array
) -> Array:
    """The rows of which other values are right: not sorted by value, in another order."""
    if attributes["sort"] == "value":
        return np.zeros(rows.shape[:-1], bool)
    a, b = (as_numbers(array) if is_float(array) else array for array in (truth, ours))
    alike = _are_alike(np.sort(a, -1), np.sort(b, -1), error.max(-1, keepdims=True, initial=0.0))
    if attributes["sort"] == "none":
        return alike
    in_order: Array = alike & _in_order_of(rows, b)
    return np.zeros_like(alike) if attributes.get("stable") else in_order


def _selected_indices(
    attributes: Mapping[str, Any], rows: Array, error: Array, truth: Array, ours: Array
) -> Array:
    """The rows of which other indices are right: they are those of elements that are equal."""
    is_ascending, size = attributes["sort"] == "index", rows.shape[-1]
    valid = np.logical_and(*(_may_be_selected(k, size, ascending=is_ascending) for k in (truth, ours)))
    first, second = (np.where(valid[..., np.newaxis], array, 0).astype(np.int64) for array in (truth, ours))
    a, b = (np.take_along_axis(rows, indices, -1) for indices in (first, second))
    allowed = 2 * np.maximum(*(np.take_along_axis(error, indices, -1) for indices in (first, second)))
    if attributes.get("stable"):
        valid &= allowed.any(-1)
    if attributes["sort"] != "value":
        a, b, allowed = np.sort(a, -1), np.sort(b, -1), allowed.max(-1, keepdims=True, initial=0.0)
    return np.asarray(valid & _are_alike(a, b, allowed))


def _numbers(data: Array, error: Array) -> tuple[Array, Array]:
    """Elements in a type that NumPy compares exactly, and how far each may be off."""
    numbers = as_numbers(data) if is_float(data) else data
    return numbers, np.broadcast_to(error, data.shape)


def _are_alike(one: Array, other: Array, allowed: Array) -> Array:
    """The rows whose elements are equal, or floating and no farther apart than is allowed."""
    alike: Array = ~differs(one, other)
    if one.dtype.kind == "f":
        with np.errstate(all="ignore"):
            alike = np.asarray(alike | (np.abs(one - other) <= allowed))
    return np.asarray(alike.all(-1))


def _in_order_of(rows: Array, selected: Array) -> Array:
    """Of which rows the elements of a selection come one after the other in data."""
    length, count = rows.shape[-1], selected.shape[-1]
    pairs = zip(rows.reshape(-1, length).tolist(), selected.reshape(-1, count).tolist())
    return np.array([_is_subsequence(part, row) for row, part in pairs], bool).reshape(rows.shape[:-1])


def _is_subsequence(part: Sequence[float], row: Sequence[float]) -> bool:
    rest = iter(row)
    return all(any(item == other for other in rest) for item in part)


def _may_be_selected(indices: Array, size: int, *, ascending: bool) -> Array:
    """The rows whose indices are those of different elements."""
    ordered = indices if ascending else np.sort(indices, axis=-1)
    valid = ((indices >= 0) & (indices < size)).all(-1)
    return np.asarray(valid & (ordered[..., 1:] > ordered[..., :-1]).all(-1))


def _fake_quantize(question: Question, truth: Array, ours: Array, _: int) -> tuple[Array, str]:
    """Elements on the other one of two levels, where the input is within rounding of the middle between."""
    data, low, high, out_low, out_high = (bounds.limit_of_levels(question, index) for index in range(5))
    levels = float(question.attributes["levels"]) - 1
    unit = question.arithmetic.roundoff(element_type_of(truth))
    a, b = truth.astype(np.float64), ours.astype(np.float64)
    with np.errstate(all="ignore"):
        scale = np.abs(levels / (high - low))
        place = (data - low) * levels / (high - low)
        rounding = 2 * SAFETY * unit * (np.abs(data) + np.abs(low) + np.abs(high))
        error = (rounding + question.input_error(0)) * scale
        quantum = (out_high - out_low) / levels
        slack = 2 * ULPS * unit * np.maximum(np.abs(out_low), np.abs(out_high))
        middle = ((a + b) / 2 - out_low) / quantum
        one_level = np.abs(np.abs(a - b) - np.abs(quantum)) <= slack
        decided = one_level & (np.abs(place - middle) <= error + slack / np.abs(quantum))
        tied = decided | (np.abs(a - b) <= slack)
    return tied, "the elements that differ lie within rounding of the middle between two levels"


def _max_pool(question: Question, truth: Array, ours: Array, output: int) -> tuple[Array, str]:
    """Other indices that are those of greatest elements once the inputs change by their error."""
    data = question.inputs[0]
    if not output or data is None:
        return NONE, ""
    error = np.broadcast_to(question.input_error(0), data.shape)
    random, possible = np.random.default_rng(bounds.SEED), truth == ours
    for _ in range(POOLING_TRIES if error.any() else 0):
        moved = data + error * random.choice((-1, 1), data.shape)
        possible |= question.again([moved.astype(data.dtype), *question.inputs[1:]])[output] == ours
    return possible, "other elements that are equal but for rounding are the greatest"


def _one_quantum(_: Question, truth: Array, ours: Array, _output: int) -> tuple[Array, str]:
    """Colours, whose fractions are rounded."""
    if not element_type_of(truth).integral:
        return NONE, ""
    apart = np.abs(truth.astype(np.float64) - ours.astype(np.float64))
    return apart <= 1, "one unit of the integers that colours are rounded to"


COLOURS = ("NV12toRGB", "NV12toBGR", "I420toRGB", "I420toBGR", "RGBtoNV12", "BGRtoNV12")
TIES: Mapping[str, Tie] = {
    "TopK": _top_k,
    "FakeQuantize": _fake_quantize,
    "MaxPool": _max_pool,
    "AdaptiveMaxPool": _max_pool,
    **dict.fromkeys(COLOURS, _one_quantum),
}


def may_tie(op: Op) -> bool:
    """Whether results of an op may differ although both are right."""
    return op.definition.type in TIES or bounds.has_jumps(op)


def _undecided(question: Question, truth: Array, ours: Array, output: int) -> tuple[Array, str]:
    """The reference itself gives what ours has, once its inputs change by their roundoff."""
    if not bounds.has_jumps(question.op):
        return NONE, ""
    right, changed = bounds.defined(question, output), bounds.changes(question, output, TIE_TRIES)
    alike = [result for result in changed if result.shape == truth.shape]
    if question.op.definition.category in bounds.DISCRETE_CATEGORIES and changed and not alike:
        return np.ones(truth.shape, bool), "how many elements there are depends on the rounding of the inputs"
    if right is None or right.shape != truth.shape:
        return NONE, ""
    possible = [_possible(question, [right, *alike], array) for array in (truth, ours)]
    return np.logical_and(*possible), "the elements that differ depend on the rounding of the inputs"


def _possible(question: Question, results: Sequence[Array], ours: Array) -> Array:
    """Which elements are those of one of the results that the reference gives, or between two that rounding
    sets apart. What lies between two that a jump sets apart is neither.
    """
    element, wide = ours.astype(np.float64), np.sort([result.astype(np.float64) for result in results], 0)
    roundoff = question.arithmetic.roundoff(element_type_of(ours))
    with np.errstate(all="ignore"):
        slack = SAFETY * roundoff * np.abs(element)
        jump = JUMP * roundoff * bounds.greatest_finite(wide)
        possible: Array = (element == wide).any(0)
        for low, high in zip(wide, [*wide[1:], wide[-1]]):
            end = np.where(high - low <= jump, high, low)
            possible |= (element >= low - slack) & (element <= end + slack)
    return possible
