"""Unusual inputs of Reverse."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from irops.conformance.odd_inputs.elements import TYPES, distinguishing_elements, lengths
from irops.conformance.odd_inputs.odd_input import ELEMENT_TYPES, OddInput
from irops.values.element import Array

INDEX, MASK = {"mode": "index"}, {"mode": "mask"}
DATA = np.arange(6, dtype=np.float32).reshape(2, 3)


def _of(*numbers: int) -> Array:
    return np.array(numbers, np.int64)


def _flags(*flags: bool) -> Array:
    return np.array(flags, np.bool_)


def _axes(name: str, axes: Array, *, constant: bool = False, data: Array = DATA) -> OddInput:
    return OddInput("Axes by number", name, (data, axes), INDEX, (1,) if constant else ())


def _mask(name: str, axes: Array, unranked: tuple[int, ...] = ()) -> OddInput:
    return OddInput("Axes by flag", name, (DATA, axes), MASK, (), unranked)


def _mode(name: str, axes: Array, attributes: Mapping[str, str]) -> OddInput:
    return OddInput("Modes", name, (DATA, axes), attributes)


REVERSE = (
    _axes("none: a copy", _of()),
    _axes("from the end", _of(-1)),
    _axes("twice the same", _of(1, 1)),
    _axes("twice the same, once from the end", _of(1, -1)),
    _axes("more axes than the rank", _of(0, 0, 0, 0, 0)),
    _axes("beyond the rank, as an input", _of(2)),
    _axes("beyond the rank, as a constant", _of(2), constant=True),
    _axes("-100, as an input", _of(-100)),
    _axes("-100, as a constant", _of(-100), constant=True),
    _axes("rank 0", np.array(1, np.int64)),
    _axes("rank 2", _of(0, 1).reshape(1, 2)),
    _axes("of u8", lengths("u8", 1)),
    _axes("of i4", lengths("i4", 1)),
    _axes("of f32", lengths("f32", 1)),
    _axes("of boolean", _flags(False, True)),
    _axes("of string", lengths("string", "1")),
    _axes("none, of a scalar", _of(), data=np.array(7, np.float32)),
    _axes("0, of a scalar", _of(0), data=np.array(7, np.float32)),
    _axes("of a size of 0", _of(0), data=np.zeros((0, 3), np.float32)),
    _mask("all false: a copy", _flags(False, False)),
    _mask("too few flags", _flags(True)),
    _mask("too many flags", _flags(True, False, True)),
    _mask("too few flags, data of unknown rank", _flags(True), (0,)),
    _mask("too many flags, data of unknown rank", _flags(True, False, True), (0,)),
    _mask("of i64", _of(0, 1)),
    _mode("no mode", _of(1), {}),
    _mode("mode INDEX", _of(1), {"mode": "INDEX"}),
    _mode("mode both", _of(1), {"mode": "both"}),
    *(
        OddInput(ELEMENT_TYPES, f"data of {kind}", (distinguishing_elements(kind), _of(1)), INDEX)
        for kind in TYPES
    ),
)
