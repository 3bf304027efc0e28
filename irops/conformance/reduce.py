"""Reduce a failing case further than Hypothesis does: shorten axes, simplify types, elements and layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from irops.conformance.trial import Trial, TrialInput
from irops.debugging.reduce.case import (
    axes_of,
    counting,
    in_plain_types,
    lower_numbers,
    may_be_parameters,
    shorter,
    sliced,
)
from irops.values.element import STRING, Array, element_type_of


def reduced(trial: Trial, fails: Callable[[Trial], bool]) -> Trial:
    """The smallest trial reachable in steps that all fail."""
    step: Trial | None = trial
    while step is not None:
        trial = step
        step = next((smaller for smaller in _smaller(trial) if fails(smaller)), None)
    return trial


def _smaller(trial: Trial) -> Iterator[Trial]:
    """Smaller trials, the largest reductions first."""
    present = {k: item for k, item in enumerate(trial.inputs) if item is not None}
    sizes = {size for trial_input in present.values() for size in trial_input.array.shape if size}
    for size in sorted(sizes, reverse=True):
        for cut in shorter(size):
            yield replace(
                trial,
                inputs=tuple(
                    None if item is None else _cut(item, axes_of(item.array, size), cut)
                    for item in trial.inputs
                ),
            )
    for index, trial_input in present.items():
        for axis, size in enumerate(trial_input.array.shape):
            for cut in shorter(size):
                yield _at(trial, index, _cut(trial_input, {axis}, cut))
    for index, trial_input in present.items():
        if trial_input.layout != "plain":
            yield _at(trial, index, TrialInput(trial_input.array))
        for array in _simpler(trial_input.array):
            yield _at(trial, index, replace(trial_input, array=array))


def _cut(trial_input: TrialInput, axes: set[int], cut: slice) -> TrialInput:
    return replace(trial_input, array=sliced(trial_input.array, axes, cut)) if axes else trial_input


def _simpler(array: Array) -> Iterator[Array]:
    """The same numbers in a plain type, consecutive numbers in place of many elements, lower numbers."""
    kind = element_type_of(array)
    yield from in_plain_types(array)
    if kind is not STRING and not may_be_parameters(array):
        consecutive = counting(array.shape, kind)
        if consecutive.tobytes() != array.tobytes():
            yield consecutive
    yield from lower_numbers(array)


def _at(trial: Trial, index: int, trial_input: TrialInput) -> Trial:
    return replace(trial, inputs=(*trial.inputs[:index], trial_input, *trial.inputs[index + 1 :]))
