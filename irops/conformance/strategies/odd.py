"""Unusual inputs of Reverse and ReverseSequence in any dialect, some of them invalid: trials like others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from irops.conformance.trial import Trial, TrialInput
from irops.spec.op import Op
from irops.values.element import BOOLEAN, Array, element_type

WRAPPED = 2**32 + 2
"""A length that is valid where only its low 32 bits are read."""
ROWS = {"batch_axis": 0, "seq_axis": 1}
"""Sequences are rows. Axes are explicit unless their absence is tested, because the defaults are opposite."""
SEQUENCES: tuple[tuple[tuple[int, ...], str, Sequence[float], Mapping[str, int]], ...] = (
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
REVERSED: tuple[tuple[tuple[int, ...], str, Sequence[float], str], ...] = (
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
        for shape, kind, axes, mode in REVERSED:
            yield Trial(op, (_data(shape), _numbers(axes, kind)), {"mode": mode})
        yield Trial(op, (WORDS, _numbers((1,), "i64")), {"mode": "index"})
    elif base == "ReverseSequence-1":
        names = {a.stands_for or name: name for name, a in op.definition.attributes.items()}
        for shape, kind, lengths, axes_by_name in SEQUENCES:
            texts = {names[name]: str(axis) for name, axis in axes_by_name.items()}
            yield Trial(op, (_data(shape), _numbers(lengths, kind)), texts)
        yield Trial(op, (WORDS, _numbers((2, 3), "i64")), {names[name]: str(ROWS[name]) for name in ROWS})


def _data(shape: tuple[int, ...]) -> TrialInput:
    return TrialInput(np.arange(np.prod(shape, dtype=np.int64), dtype=np.float32).reshape(shape))


def _numbers(values: Sequence[float], kind: str) -> TrialInput:
    array: Array = np.array(values, bool if kind == BOOLEAN.name else None).astype(element_type(kind).dtype)
    return TrialInput(array)
