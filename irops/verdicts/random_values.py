"""Ops whose results are random: what the definition says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from irops.values.element import Array
from irops.verdicts.question import Question

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


def _numbers(_question: Question, ours: Array) -> str:
    outside = ~np.isfinite(ours)
    return f"{int(outside.sum())} elements are no numbers" if outside.any() else ""


def _accepted(_question: Question, _ours: Array) -> str:
    return ""


RANDOM: Mapping[str, Property] = {
    "RandomUniform": _random_uniform,
    "Multinomial": _multinomial,
    "RandomNormal": _numbers,
    "RandomNormalLike": _numbers,
    "RandomUniformLike": _numbers,
    "Bernoulli": _accepted,
    "Dropout": _accepted,
}
"""By op type, of all dialects."""
