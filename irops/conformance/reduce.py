"""Making a case that fails smaller by hand, where the search for a smaller one has left it large: cutting,
and putting in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from irops.conformance.trial import Given, Trial
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of, tagged

PLAIN = ("f32", "i32")
FEW = 8
"""Elements up to which a vector may be one of axes, sizes or lengths."""


def reduced(trial: Trial, fails: Callable[[Trial], bool]) -> Trial:
    """The smallest of what can be made of a trial step by step, each step failing as it does."""
    step: Trial | None = trial
    while step is not None:
        trial = step
        step = next((smaller for smaller in _smaller(trial) if fails(smaller)), None)
    return trial


def _smaller(trial: Trial) -> Iterator[Trial]:
    """Trials with less in them; the steepest steps first."""
    sizes = sorted(
        {size for given in trial.inputs if given is not None for size in given.array.shape if size},
        reverse=True,
    )
    for size in sizes:
        for cut in _cuts(size):
            yield replace(
                trial,
                inputs=tuple(
                    None if given is None else _cut(given, _axes(given, size), cut) for given in trial.inputs
                ),
            )
    for place, given in enumerate(trial.inputs):
        if given is not None:
            for axis, size in enumerate(given.array.shape):
                for cut in _cuts(size):
                    yield _at(trial, place, _cut(given, {axis}, cut))
    for place, given in enumerate(trial.inputs):
        if given is not None:
            if given.layout != "plain":
                yield _at(trial, place, Given(given.array))
            yield from (
                _at(trial, place, replace(given, array=array))
                for array in (*_plainer(given.array), *_lower(given.array))
            )


def _cuts(size: int) -> Iterator[slice]:
    """Shorter pieces of an axis, from its start and from its end."""
    for left in dict.fromkeys((0, 1, size // 2, size - 1)):
        if 0 <= left < size:
            yield slice(0, left)
            yield slice(size - left, size)


def _cut(given: Given, axes: set[int], cut: slice) -> Given:
    if not axes:
        return given
    return replace(
        given,
        array=given.array[
            tuple(cut if axis in axes else slice(None) for axis in range(given.array.ndim))
        ].copy(),
    )


def _plainer(array: Array) -> Iterator[Array]:
    """The same numbers in a plainer type; and in place of many numbers, such as count up."""
    kind = element_type_of(array)
    if kind is STRING:
        return
    if kind.name not in PLAIN:
        for name in PLAIN:
            if (element_type(name).floating, element_type(name).integral) == (kind.floating, kind.integral):
                with np.errstate(all="ignore"):
                    yield array.astype(element_type(name).dtype)
    if not _counts(array):
        counted = _counted(array.shape, kind)
        if counted.tobytes() != array.tobytes():
            yield counted


def _counted(shape: tuple[int, ...], kind: ElementType) -> Array:
    numbers = np.arange(int(np.prod(shape))) % (1000 if kind.bits > 8 else 2 ** (kind.bits - 1))
    return tagged(
        numbers.reshape(shape).astype(np.uint8 if kind.dtype == np.uint8 else np.float32).astype(kind.dtype),
        kind,
    )


def _counts(array: Array) -> bool:
    """Whether an array may be one of axes, sizes or lengths: these are made lower, all else is made to count
    up.
    """
    return array.ndim == 1 and array.size <= FEW


def _lower(array: Array) -> Iterator[Array]:
    """Of a few numbers that are not negative, one lower."""
    kind = element_type_of(array)
    if not _counts(array) or not (kind.integral or kind.floating):
        return
    for place in np.ndindex(array.shape):
        number = float(array[place])
        if 0 < number < 2.0**53:
            for lower in dict.fromkeys((0, number // 2, number - 1)):
                if 0 <= lower < number:
                    less = array.copy()
                    less[place] = lower
                    yield less


def _axes(given: Given, size: int) -> set[int]:
    return {axis for axis, length in enumerate(given.array.shape) if length == size}


def _at(trial: Trial, place: int, given: Given) -> Trial:
    return replace(trial, inputs=(*trial.inputs[:place], given, *trial.inputs[place + 1 :]))
