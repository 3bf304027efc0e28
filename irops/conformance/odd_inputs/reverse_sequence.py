"""Unusual inputs of ReverseSequence, in the attribute names of OpenVINO."""

from __future__ import annotations

import numpy as np

from irops.conformance.odd_inputs.elements import TYPES, distinguishing_elements, lengths
from irops.conformance.odd_inputs.odd_input import ELEMENT_TYPES, OddInput
from irops.values.element import Array

ROWS = {"batch_axis": "0", "seq_axis": "1"}
"""Sequences are rows. Axes are explicit unless their absence is tested, because the defaults are opposite."""


def _data(*shape: int) -> Array:
    return np.arange(np.prod(shape, dtype=np.int64), dtype=np.float32).reshape(shape)


def _of(*numbers: int) -> Array:
    return np.array(numbers, np.int64)


def _lengths(name: str, tensors: Array, constants: tuple[int, ...] = (), rows: int = 2) -> OddInput:
    return OddInput("Lengths", name, (_data(rows, 3), tensors), ROWS, constants)


def _axes(
    name: str, shape: tuple[int, ...], tensors: Array, unranked: tuple[int, ...] = (), **axes: int
) -> OddInput:
    return OddInput(
        "Axes", name, (_data(*shape), tensors), {key: str(value) for key, value in axes.items()}, (), unranked
    )


def _shape(name: str, shape: tuple[int, ...], tensors: Array) -> OddInput:
    return OddInput("Shapes", name, (_data(*shape), tensors), ROWS)


WRAPPED = 2**32 + 2
REVERSE_SEQUENCE = (
    _axes("no axes written: the defaults", (3, 3), _of(1, 2, 3)),
    _axes("equal axes", (3, 2), _of(1, 2, 3), batch_axis=0, seq_axis=0),
    _axes("a batch axis of 2", (1, 2, 3), _of(2, 1, 2), batch_axis=2, seq_axis=1),
    _axes("a sequence axis of 2", (2, 1, 3), _of(2, 3), batch_axis=0, seq_axis=2),
    _axes("both axes from the end", (2, 3), _of(1, 3), batch_axis=-2, seq_axis=-1),
    _axes("both axes from the end, time first", (3, 2), _of(1, 3), batch_axis=-1, seq_axis=-2),
    _axes("sequence axis -1 of rank 3", (2, 2, 3), _of(2, 2), batch_axis=0, seq_axis=-1),
    _axes("an axis beyond the rank", (2, 3), _of(1, 3), batch_axis=0, seq_axis=5),
    _axes("sequence axis -1 of unknown rank", (2, 3), _of(1, 3), (0,), batch_axis=0, seq_axis=-1),
    _axes("batch axis -2 of unknown rank", (2, 3), _of(1, 3), (0,), batch_axis=-2, seq_axis=1),
    _axes("batch axis 7 of unknown rank", (2, 3), _of(1, 3), (0,), batch_axis=7, seq_axis=1),
    _axes("batch axis 7, lengths of unknown rank", (2, 3), _of(1, 3), (1,), batch_axis=7, seq_axis=1),
    _lengths("a length of 0", _of(0, 3)),
    _lengths("beyond the end", _of(4, 3)),
    _lengths("a length of -1", _of(-1, 3)),
    _lengths("a length of -2", _of(-2, 3)),
    _lengths("beyond 32 bits, as an input", _of(WRAPPED, 3)),
    _lengths("beyond 32 bits, as a constant", _of(WRAPPED, 3), (1,)),
    _lengths("too few", _of(2), rows=3),
    _lengths("one for all", _of(2)),
    _lengths("too many", _of(2, 2, 2)),
    _lengths("in a column: rank 2", _of(2, 3).reshape(2, 1)),
    _lengths("a scalar: rank 0", np.array(2, np.int64)),
    _lengths("of i32", lengths("i32", 2, 3)),
    _lengths("of u8", lengths("u8", 2, 3)),
    _lengths("of f32, whole", lengths("f32", 2, 3)),
    _lengths("of f32, fractions", lengths("f32", 2.7, 1.2)),
    _lengths("of f32, not a number", lengths("f32", float("nan"), 3)),
    _lengths("of boolean", lengths("boolean", True, False)),
    _lengths("of string", lengths("string", "2", "3")),
    _shape("data of rank 1", (3,), _of(3, 1, 1)),
    _shape("a scalar as data", (), _of(1)),
    _shape("no steps, lengths of 0", (2, 0), _of(0, 0)),
    _shape("no steps, lengths of 1", (2, 0), _of(1, 1)),
    _shape("no sequences", (0, 3), _of()),
    _shape("another axis of size 0", (2, 3, 0), _of(3, 2)),
    *(
        OddInput(ELEMENT_TYPES, f"data of {kind}", (distinguishing_elements(kind), _of(3)), ROWS)
        for kind in TYPES
    ),
)
