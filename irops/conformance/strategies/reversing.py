"""Trials of Reverse-1 and ReverseSequence-1: most of them valid, some just out of range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from irops.conformance.strategies.tensors import filled, kinds, layouts, rarely, shapes, tensors
from irops.conformance.trial import Trial, TrialInput
from irops.spec.op import Op
from irops.values.element import BOOLEAN, Array, ElementType, element_type, tagged

COUNTS = ("i32", "i64", "u8", "i8", "f32")
"""The usual element types of axes and lengths."""
FAR = (2**31 - 1, 2**31, 2**32, 2**32 + 1, 2**63 - 1, -(2**31), -(2**63))


@st.composite
def reverse_trials(draw: st.DrawFn, op: Op) -> Trial:
    """Any axes, including negative and repeated ones; or a mask."""
    data, axes = op.definition.inputs
    shape = draw(shapes(0, 7))
    rank, mode = len(shape), draw(st.sampled_from(["index", "mask"]))
    values: Any
    if mode == "mask":
        kind, values = BOOLEAN, draw(st.lists(st.booleans(), min_size=rank, max_size=rank))
    else:
        kind = draw(kinds(axes.allowed - {"boolean"}, COUNTS))
        values = draw(st.lists(st.integers(-rank, rank - 1), max_size=rank + 2)) if rank else []
        if rarely(draw):
            values = [*values, draw(st.sampled_from((rank, -rank - 1, *FAR)))]
    named = TrialInput(numbers(values, kind), draw(layouts()))
    return Trial(op, (draw(_data(data.allowed, shape)), named), {"mode": mode})


@st.composite
def reverse_sequence_trials(draw: st.DrawFn, op: Op) -> Trial:
    """Any two axes in any order; lengths from 0 to the size of the sequence axis."""
    data, lengths = op.definition.inputs
    shape = draw(shapes(2, 6))
    rank = len(shape)
    batch = draw(st.integers(0, rank - 1))
    seq = (batch + 1 + draw(st.integers(0, rank - 2))) % rank
    kind = draw(kinds(lengths.allowed, COUNTS))
    steps = shape[seq]
    length: st.SearchStrategy[float] = st.one_of(st.integers(0, max(steps, 1)), st.just(steps))
    if kind.floating:
        length = st.one_of(length, st.integers(0, max(steps - 1, 0)).map(lambda whole: whole + 0.75))
    values = draw(_lengths(length, shape[batch]))
    if values and rarely(draw):
        beyond = (steps + 1, -1, *FAR, *((float("nan"), float("inf")) if kind.floating else ()))
        values[draw(st.integers(0, len(values) - 1))] = draw(st.sampled_from(beyond))
    negative = draw(st.sampled_from([(0, 0), (rank, 0), (0, rank), (rank, rank)]))
    texts = {"batch_axis": str(batch - negative[0]), "seq_axis": str(seq - negative[1])}
    return Trial(
        op, (draw(_data(data.allowed, shape)), TrialInput(numbers(values, kind), draw(layouts()))), texts
    )


def reverse_sweep(op: Op) -> Iterator[Trial]:
    """Every element type of either input."""
    data, axes = op.definition.inputs
    for data_input in _each(data.allowed):
        yield Trial(op, (data_input, TrialInput(np.array([1]))), {"mode": "index"})
    for name in sorted(axes.allowed - {"boolean"}):
        yield Trial(op, (PLAIN, TrialInput(numbers([1, 0], element_type(name)))), {"mode": "index"})


def reverse_sequence_sweep(op: Op) -> Iterator[Trial]:
    """Every element type of either input."""
    data, lengths = op.definition.inputs
    texts = {"batch_axis": "0", "seq_axis": "1"}
    for data_input in _each(data.allowed):
        yield Trial(op, (data_input, TrialInput(np.array([5, 3, 1]))), texts)
    for name in sorted(lengths.allowed):
        yield Trial(op, (PLAIN, TrialInput(numbers([1, 4, 3], element_type(name)))), texts)


def _each(allowed: frozenset[str]) -> Iterator[TrialInput]:
    for name in sorted(allowed):
        for fill in ("bits", "edges"):
            yield TrialInput(filled(element_type(name), (3, 5), fill))


PLAIN = TrialInput(filled(element_type("f32"), (3, 5), "counting"))


@st.composite
def _lengths(draw: st.DrawFn, length: st.SearchStrategy[float], count: int) -> list[float]:
    """A length for each batch item; for many items, a few repeated values."""
    distinct = draw(st.lists(length, min_size=min(count, 1), max_size=min(count, 12)))
    return [distinct[k % len(distinct)] for k in range(count)]


@st.composite
def _data(draw: st.DrawFn, allowed: frozenset[str], shape: tuple[int, ...]) -> TrialInput:
    return draw(tensors(draw(kinds(allowed)), shape))


def numbers(values: list[Any], kind: ElementType) -> Array:
    """A vector of numbers in a type; integers out of its range are clipped."""
    low, high = kind.extent
    clipped = [min(max(value, int(low)), int(high)) if kind.integral else value for value in values]
    if kind.integral:
        wide = np.array(clipped, np.uint64 if kind.name == "u64" else np.int64)
        return tagged(wide.astype(kind.dtype), kind)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array(clipped, bool if kind is BOOLEAN else np.float64).astype(kind.dtype)
