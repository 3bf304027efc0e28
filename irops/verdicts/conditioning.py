"""How much a result changes when inputs change by their roundoff: the error of any stable algorithm."""

from __future__ import annotations

import numpy as np

from irops.values.element import Array, element_type_of
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.arithmetic import ROUNDOFF
from irops.verdicts.discrete import is_discrete
from irops.verdicts.question import Question

TRIES = 3
"""How often the inputs are changed; each change has random signs."""
SEED = 20_261_122
JUMP = 4096.0
"""Beyond this many roundoffs of the greatest element, the result of a discrete op has jumped."""


def perturbed(question: Question, seed: int, units: float = 1.0) -> list[Array | None]:
    """The inputs, each floating element changed by its roundoff, up or down.

    units: how many times the roundoff
    """
    random = np.random.default_rng((SEED, seed))
    return [
        array if array is None or index not in question.floats else _changed(question, array, random, units)
        for index, array in enumerate(question.inputs)
    ]


def _changed(question: Question, array: Array, random: np.random.Generator, units: float) -> Array:
    kind = element_type_of(array)
    unit = max(question.arithmetic.roundoff(kind), ROUNDOFF["f32"] if kind.bits <= 32 else 0.0)
    signs = np.where(random.integers(0, 2, array.shape, np.int8) > 0, units * unit, -units * unit)
    wide = np.float64 if kind.bits > 16 and array.dtype.kind == "f" else np.float32
    changed: Array = array * (1 + signs) if array.dtype.kind == "c" else array.astype(wide) * (1 + 2 * signs)
    return changed.astype(array.dtype)


def changes(question: Question, output: int, tries: int = TRIES) -> list[Array]:
    """The results for changed inputs; none where changed inputs are not allowed."""
    results = []
    for seed in range(tries):
        try:
            results.append(np.asarray(question.again(perturbed(question, seed))[output]))
        except (Violation, LimitExceeded):
            continue
    return results


def defined(question: Question, output: int) -> Array | None:
    """The result by the definition; None where a first source has inputs that are not allowed."""
    try:
        return np.asarray(question.again(question.inputs)[output])
    except (Violation, LimitExceeded):
        return None


def sensitivity(question: Question, truth: Array, output: int) -> Array:
    """The change of each element, and of elements beside it, when inputs change by their roundoff.

    truth: what the inputs are said to give, which is not what the definition gives where a source is wrong
    """
    wide = np.complex128 if truth.dtype.kind == "c" else np.float64
    right, change = defined(question, output), np.zeros(truth.shape)
    if right is None or right.shape != truth.shape:
        return change
    reference = right.astype(wide)
    for result in changes(question, output):
        if result.shape == truth.shape:
            with np.errstate(all="ignore"):
                change = np.maximum(change, np.nan_to_num(np.abs(result - reference), posinf=0.0))
    if change.ndim == 0 or not change.size:
        return change
    if is_discrete(question):  # a jump is no error; irops.verdicts.ties looks at those
        kind = element_type_of(truth)
        limit = JUMP * question.arithmetic.roundoff(kind) * greatest_finite(reference)
        change = np.where(change > limit, 0.0, change)
    # signs may cancel for one element by chance, but not for a whole row of them
    return np.maximum(change, np.maximum(root_mean_square(change, -1), root_mean_square(change)))


def root_mean_square(array: Array, axis: int | None = None) -> Array:
    """The root of the mean of squares of finite numbers that are not negative; the axes keep size 1. The
    squares do not overflow.
    """
    scale = float(np.max(array, initial=0.0)) or 1.0
    with np.errstate(under="ignore"):
        mean: Array = scale * np.sqrt(np.mean(np.square(array / scale), axis=axis, keepdims=True))
    return mean


def greatest_finite(array: Array) -> float:
    """The greatest magnitude of the finite elements, 0 where there are none."""
    return float(np.max(np.abs(array[np.isfinite(array)]), initial=0.0))
