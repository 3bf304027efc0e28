"""Trials of Reverse and ReverseSequence: valid, just out of range, odd ones, and very large ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


REVERSED: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...] = (
    *(
        ("f32", (8, 3, 600, 720), axes)
        for axes in ((0,), (1,), (2,), (3,), (1, 3), (2, 3), (0, 2), (0, 1, 2, 3))
    ),
    ("u8", (40_000_003,), (0,)),
    ("f16", (20_000_003,), (0,)),
    ("i64", (5_000_003,), (0,)),
    ("u8", (13, 3_000_017), (1,)),
    ("i8", (5_000_011, 7), (1,)),
    ("u16", (3_000_017, 5), (0, 1)),
)
"""Element type, shape and axes."""
SEQUENCES: tuple[tuple[str, tuple[int, ...], int, int], ...] = (
    ("f32", (65_536, 160), 0, 1),
    ("f32", (160, 65_536), 1, 0),
    ("f32", (160, 65_536), 0, 1),
    ("f32", (512, 64, 320), 1, 0),
    ("f32", (65_536, 16, 10), 0, 1),
    ("f32", (4, 10, 500, 520), 0, 2),
    ("u8", (40, 1_000_003), 0, 1),
    ("i8", (300_007, 130), 0, 1),
    ("f16", (70_001, 257), 0, 1),
    ("i64", (1000, 5003), 0, 1),
    ("f64", (300, 7, 5, 500), 0, 1),
    ("u8", (3_000_017, 3, 4), 0, 1),
    ("f32", (33, 20, 500, 30), 2, 1),
    ("i16", (70, 5, 60_000), 2, 0),
)
"""Element type, shape, batch_axis and seq_axis."""


def large_reverse_trials(op: Op) -> Iterator[Trial]:
    for kind, shape, axes in REVERSED:
        yield Trial(
            op,
            (TrialInput(filled(element_type(kind), shape, "bits")), TrialInput(np.array(axes))),
            {"mode": "index"},
        )


def large_reverse_sequence_trials(op: Op) -> Iterator[Trial]:
    for kind, shape, batch, seq in SEQUENCES:
        lengths = np.random.default_rng(len(shape)).integers(0, shape[seq] + 1, shape[batch])
        data = TrialInput(filled(element_type(kind), shape, "bits"))
        yield Trial(op, (data, TrialInput(lengths)), {"batch_axis": str(batch), "seq_axis": str(seq)})


WRAPPED = 2**32 + 2
"""A length that is valid where only its low 32 bits are read."""
ROWS = {"batch_axis": 0, "seq_axis": 1}
"""Sequences are rows. Axes are explicit unless their absence is tested, because the defaults are opposite."""
ODD_SEQUENCES: tuple[tuple[tuple[int, ...], str, Sequence[float], Mapping[str, int]], ...] = (
    ((3, 3), "i64", (1, 2, 3), {}),
    ((1, 2, 3), "i64", (2, 1, 2), {"batch_axis": 2, "seq_axis": 1}),
    ((2, 1, 3), "i64", (2, 3), {"batch_axis": 0, "seq_axis": 2}),
    ((2, 3), "i64", (1, 3), {"batch_axis": -2, "seq_axis": -1}),
    ((3, 2), "i64", (1, 3), {"batch_axis": -1, "seq_axis": -2}),
    ((2, 2, 3), "i64", (2, 2), {"batch_axis": 0, "seq_axis": -1}),
    ((3, 2), "i64", (1, 2, 3), {"batch_axis": 0, "seq_axis": 0}),
    *(((2, 3), "i64", (length, 3), ROWS) for length in (0, 4, -1, -2, WRAPPED)),
    ((2, 3), "i32", (2, 3), ROWS),
    ((2, 3), "u8", (2, 3), ROWS),
    ((2, 3), "f32", (2, 3), ROWS),
    ((2, 3), "f32", (2.7, 1.2), ROWS),
    ((2, 3), "f32", (float("nan"), 3), ROWS),
    ((2, 0), "i64", (0, 0), ROWS),
    ((2, 0), "i64", (1, 1), ROWS),
    ((0, 3), "i64", (), ROWS),
    ((2, 3, 0), "i64", (3, 2), ROWS),
)
"""Shape of data, element type and elements of lengths, attributes."""
ODD_REVERSED: tuple[tuple[tuple[int, ...], str, Sequence[float], str], ...] = (
    *(
        ((2, 3), "i64", axes, "index")
        for axes in ((), (-1,), (1, 1), (1, -1), (0, 0, 0, 0, 0), (2,), (-3,), (-100,))
    ),
    ((2, 3), "u8", (1,), "index"),
    ((2, 3), "i4", (1,), "index"),
    ((), "i64", (), "index"),
    ((), "i64", (0,), "index"),
    ((0, 3), "i64", (0,), "index"),
    ((2, 3), "boolean", (False, False), "mask"),
    ((), "boolean", (), "mask"),
)
"""Shape of data, element type and elements of axes, mode."""
WORDS = TrialInput(np.array([["a", "", "dé"], ["\0", "b", "日本"]], object))


def odd_trials(op: Op) -> Iterator[Trial]:
    """The trials of an op; none of an op that is neither, by its own name or by that of another dialect."""
    base = op.definition.same_as or op.id
    if base == "Reverse-1":
        for shape, kind, axes, mode in ODD_REVERSED:
            yield Trial(op, (_counting(shape), _in_type(axes, kind)), {"mode": mode})
        yield Trial(op, (WORDS, _in_type((1,), "i64")), {"mode": "index"})
    elif base == "ReverseSequence-1":
        names = {a.stands_for or name: name for name, a in op.definition.attributes.items()}
        for shape, kind, lengths, axes_by_name in ODD_SEQUENCES:
            texts = {names[name]: str(axis) for name, axis in axes_by_name.items()}
            yield Trial(op, (_counting(shape), _in_type(lengths, kind)), texts)
        yield Trial(op, (WORDS, _in_type((2, 3), "i64")), {names[name]: str(ROWS[name]) for name in ROWS})


def _counting(shape: tuple[int, ...]) -> TrialInput:
    return TrialInput(np.arange(np.prod(shape, dtype=np.int64), dtype=np.float32).reshape(shape))


def _in_type(values: Sequence[float], kind: str) -> TrialInput:
    array: Array = np.array(values, bool if kind == BOOLEAN.name else None).astype(element_type(kind).dtype)
    return TrialInput(array)
