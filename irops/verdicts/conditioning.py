"""How much a result changes when inputs change by their roundoff: the error of any stable algorithm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irops.values.element import Array, element_type_of
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.arithmetic import ROUNDOFF
from irops.verdicts.question import Question, is_discrete
from irops.verdicts.tolerances import GAP, INPUT_CHANGES, JUMP, SMALLEST_PART

# Changes that are measured a few times only, smoothed over elements of one tensor.
#
# An element may happen not to change in a few tries, although rounding changes it: what other elements change
# by says how much it may. Elements of another order of magnitude say nothing about it: where a mask adds -1e9
# to the scores of an attention, rounding changes the masked scores by more than the size of all others.


def smoothed(change: Array, values: Array, *, rows: bool = False) -> Array:
    """The change of each element, or the root mean square of that of its part of the tensor, if that is more.

    values: the tensor, real or complex; rows: whether to take the mean of each row (last axis), too
    """
    if not change.size or not change.ndim:
        return change
    with np.errstate(all="ignore"):
        sizes = np.nan_to_num(np.abs(values), posinf=np.finfo(np.float64).max)
        squares = change * change
        bounds = _gaps(sizes)
        if not bounds.size:
            typical = np.sqrt(np.mean(squares))
            if rows:
                typical = np.maximum(typical, np.sqrt(np.mean(squares, axis=-1, keepdims=True)))
            together: Array = np.maximum(change, typical)
            return together
        parts = np.searchsorted(bounds, sizes.reshape(-1))
        sums = np.bincount(parts, squares.reshape(-1), bounds.size + 1)
        means = sums / np.maximum(np.bincount(parts, minlength=bounds.size + 1), 1)
        result: Array = np.maximum(change, np.sqrt(means)[parts].reshape(change.shape))
        return result


def _gaps(sizes: Array) -> Array:
    """The magnitudes below which a part of a tensor ends."""
    ordered = np.sort(sizes, axis=None)
    count = max(int(SMALLEST_PART * ordered.size), 1)
    low, high = ordered[count - 1 : -1], ordered[count:]
    return np.unique(low[(high > GAP * low) & (low > 0)])


SEED = 20_261_122


def perturbed(question: Question, random: np.random.Generator) -> list[Array | None]:
    """The inputs, each floating element changed by its roundoff, up or down."""
    return [
        array if array is None or index not in question.floats else _changed(question, array, random)
        for index, array in enumerate(question.inputs)
    ]


def _changed(question: Question, array: Array, random: np.random.Generator) -> Array:
    kind = element_type_of(array)
    unit = max(question.arithmetic.roundoff(kind), ROUNDOFF["f32"] if kind.bits <= 32 else 0.0)
    signs = np.where(random.integers(0, 2, array.shape, np.int8) > 0, unit, -unit)
    wide = np.float64 if kind.bits > 16 and array.dtype.kind == "f" else np.float32
    changed: Array = array * (1 + signs) if array.dtype.kind == "c" else array.astype(wide) * (1 + 2 * signs)
    return changed.astype(array.dtype)


Changed = Callable[[np.random.Generator], list[Array | None]]
"""Inputs, changed by chance."""


def changes(question: Question, output: int, tries: int = INPUT_CHANGES) -> list[Array]:
    """The results for inputs that are changed by their roundoff; none where these are not allowed."""
    return _results(question, output, tries, lambda random: perturbed(question, random))


def _results(question: Question, output: int, tries: int, changed: Changed) -> list[Array]:
    results = []
    for seed in range(tries):
        try:
            inputs = changed(np.random.default_rng((SEED, seed)))
            results.append(np.asarray(question.again(inputs)[output]))
        except (Violation, LimitExceeded):
            continue
    return results


def sensitivity(question: Question, truth: Array, output: int) -> Array:
    """The change of each element, and of elements beside it, when inputs change by their roundoff."""
    return change_between(question, truth, output, lambda random: perturbed(question, random))


def change_between(question: Question, truth: Array, output: int, changed: Changed) -> Array:
    """The change of each element, and of elements beside it, when inputs change."""
    reference = truth.astype(np.complex128 if truth.dtype.kind == "c" else np.float64)
    change = np.zeros(truth.shape)
    for result in _results(question, output, INPUT_CHANGES, changed):
        if result.shape == truth.shape:
            change = np.maximum(change, np.nan_to_num(np.abs(result - reference), posinf=0.0))
    if change.ndim == 0 or not change.size:
        return change
    if is_discrete(question):  # a jump is no error; irops.verdicts.judge looks at those
        kind = element_type_of(truth)
        limit = JUMP * question.arithmetic.roundoff(kind) * float(np.max(np.abs(reference), initial=0.0))
        change = np.where(change > limit, 0.0, change)
    return smoothed(change, reference, rows=True)
