"""Reduce a failing case further than Hypothesis does: shorten axes, simplify types, elements and layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from irops.conformance.trial import Trial, TrialInput
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of, tagged

PLAIN = ("f32", "i32")
FEW = 8
"""A vector of at most this many elements may contain axes, sizes or lengths."""


def reduced(trial: Trial, fails: Callable[[Trial], bool]) -> Trial:
    """The smallest trial reachable in steps that all fail."""
    step: Trial | None = trial
    while step is not None:
        trial = step
        step = next((smaller for smaller in _smaller(trial) if fails(smaller)), None)
    return trial


def _smaller(trial: Trial) -> Iterator[Trial]:
    """Smaller trials, the largest reductions first."""
    sizes = sorted(
        {
            size
            for trial_input in trial.inputs
            if trial_input is not None
            for size in trial_input.array.shape
            if size
        },
        reverse=True,
    )
    for size in sizes:
        for cut in _cuts(size):
            yield replace(
                trial,
                inputs=tuple(
                    None if trial_input is None else _cut(trial_input, _axes(trial_input, size), cut)
                    for trial_input in trial.inputs
                ),
            )
    for index, trial_input in enumerate(trial.inputs):
        if trial_input is not None:
            for axis, size in enumerate(trial_input.array.shape):
                for cut in _cuts(size):
                    yield _at(trial, index, _cut(trial_input, {axis}, cut))
    for index, trial_input in enumerate(trial.inputs):
        if trial_input is not None:
            if trial_input.layout != "plain":
                yield _at(trial, index, TrialInput(trial_input.array))
            yield from (
                _at(trial, index, replace(trial_input, array=array))
                for array in (*_simpler(trial_input.array), *_lower_numbers(trial_input.array))
            )


def _cuts(size: int) -> Iterator[slice]:
    """Shorter slices of an axis, from its start and from its end."""
    for length in dict.fromkeys((0, 1, size // 2, size - 1)):
        if 0 <= length < size:
            yield slice(0, length)
            yield slice(size - length, size)


def _cut(trial_input: TrialInput, axes: set[int], cut: slice) -> TrialInput:
    if not axes:
        return trial_input
    return replace(
        trial_input,
        array=trial_input.array[
            tuple(cut if axis in axes else slice(None) for axis in range(trial_input.array.ndim))
        ].copy(),
    )


def _simpler(array: Array) -> Iterator[Array]:
    """The same numbers in a simpler type, and consecutive numbers in place of many elements."""
    kind = element_type_of(array)
    if kind is STRING:
        return
    if kind.name not in PLAIN:
        for name in PLAIN:
            if (element_type(name).floating, element_type(name).integral) == (kind.floating, kind.integral):
                with np.errstate(all="ignore"):
                    yield array.astype(element_type(name).dtype)
    if not _may_be_parameters(array):
        counting = _counting(array.shape, kind)
        if counting.tobytes() != array.tobytes():
            yield counting


def _counting(shape: tuple[int, ...], kind: ElementType) -> Array:
    numbers = np.arange(int(np.prod(shape))) % (1000 if kind.bits > 8 else 2 ** (kind.bits - 1))
    return tagged(
        numbers.reshape(shape).astype(np.uint8 if kind.dtype == np.uint8 else np.float32).astype(kind.dtype),
        kind,
    )


def _may_be_parameters(array: Array) -> bool:
    """Whether an array may contain axes, sizes or lengths. These are lowered; other arrays are replaced by
    consecutive numbers.
    """
    return array.ndim == 1 and array.size <= FEW


def _lower_numbers(array: Array) -> Iterator[Array]:
    """The array with one positive element lowered."""
    kind = element_type_of(array)
    if not _may_be_parameters(array) or not (kind.integral or kind.floating):
        return
    for index in np.ndindex(array.shape):
        number = float(array[index])
        if 0 < number < 2.0**53:
            for lower in dict.fromkeys((0, number // 2, number - 1)):
                if 0 <= lower < number:
                    changed = array.copy()
                    changed[index] = lower
                    yield changed


def _axes(trial_input: TrialInput, size: int) -> set[int]:
    return {axis for axis, length in enumerate(trial_input.array.shape) if length == size}


def _at(trial: Trial, index: int, trial_input: TrialInput) -> Trial:
    return replace(trial, inputs=(*trial.inputs[:index], trial_input, *trial.inputs[index + 1 :]))
