"""The unusual inputs of ops, and the runtimes whose replies to them are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irops.spec.op import Op
from irops.values.element import Array, ElementType, element_type, element_types, foreign_types, tagged

# An unusual input of an op, and the reply of irops or a runtime to it.

ELEMENT_TYPES = "Element types"
"""The group of inputs that are unusual only in their element type."""


@dataclass(frozen=True, slots=True)
class OddInput:
    """An invalid, extreme or unspecified input of an op.

    attributes: as texts, by the names of the OpenVINO op; constants: the indices of constant inputs;
    unranked: the indices of inputs whose rank is unknown before the model runs.
    """

    group: str
    name: str
    inputs: tuple[Array, ...] = field(compare=False)
    attributes: Mapping[str, str] = field(default_factory=dict, compare=False)
    constants: tuple[int, ...] = ()
    unranked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """An unusual input in one dialect."""

    op: str
    names: tuple[str, ...]
    arrays: tuple[Array, ...]
    attributes: Mapping[str, str]
    constants: tuple[int, ...]
    unranked: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What irops or a runtime does with an unusual input.

    kind: computes (an array), accepts (by a checker, without a result), refuses, crashes, hangs, or
    unsupported (not representable there)
    loaded: the model was accepted and its run refused; text: the error message; warnings: those of irops
    """

    kind: str
    text: str = ""
    loaded: bool = False
    array: Array | None = None
    warnings: tuple[str, ...] = ()


# The comparisons of Reverse and ReverseSequence across dialects: their columns and unusual inputs.

# Elements that reveal a conversion of the element type: values that narrower types cannot represent.

TYPES = tuple(kind for kind in (*element_types(), *foreign_types()) if kind.kind != "dynamic")


def distinguishing_elements(kind: ElementType) -> Array:
    """Three elements of a type: its extremes, or numbers that rounding changes, and small ones."""
    if kind.kind == "string":
        return _row(["a", "", "dé"], object)
    if kind.kind == "boolean":
        return _row([True, False, False], np.bool_)
    if kind.kind == "complex":
        return _row([1 + 2j, -0.1j, 3e-9], kind.dtype)
    if kind.kind == "lookup":
        return tagged(np.array([[15, 0, 1]], np.uint8), kind)
    if kind.floating:
        return _floats(kind)
    low, high = map(int, kind.extent)
    return tagged(
        np.array([[high, low, high - 1]], np.uint64 if low == 0 else np.int64).astype(kind.dtype), kind
    )


def lengths(kind: str, *values: float | str) -> Array:
    """A vector of any element type."""
    element_type_ = element_type(kind)
    row: Array = _row(values, element_type_.dtype)[0]
    return tagged(row, element_type_)


def _row(values: Sequence[object], dtype: Any) -> Array:
    array: Array = np.empty((1, len(values)), dtype)
    array[0] = values
    return array


def _floats(kind: ElementType) -> Array:
    """The largest number, the smallest positive one, and a fraction."""
    import ml_dtypes

    about = ml_dtypes.finfo(kind.dtype)  # type: ignore[no-untyped-call]
    return np.array([[about.max, about.smallest_subnormal, 0.3]], kind.dtype)


# Unusual inputs of Reverse.

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


# Unusual inputs of ReverseSequence, in the attribute names of OpenVINO.

ROWS = {"batch_axis": "0", "seq_axis": "1"}
"""Sequences are rows. Axes are explicit unless their absence is tested, because the defaults are opposite."""


def _data(*shape: int) -> Array:
    return np.arange(np.prod(shape, dtype=np.int64), dtype=np.float32).reshape(shape)


def _lengths(name: str, tensors: Array, constants: tuple[int, ...] = (), rows: int = 2) -> OddInput:
    return OddInput("Lengths", name, (_data(rows, 3), tensors), ROWS, constants)


def _sequence_axes(
    name: str, shape: tuple[int, ...], tensors: Array, unranked: tuple[int, ...] = (), **axes: int
) -> OddInput:
    return OddInput(
        "Axes", name, (_data(*shape), tensors), {key: str(value) for key, value in axes.items()}, (), unranked
    )


def _shape(name: str, shape: tuple[int, ...], tensors: Array) -> OddInput:
    return OddInput("Shapes", name, (_data(*shape), tensors), ROWS)


WRAPPED = 2**32 + 2
REVERSE_SEQUENCE = (
    _sequence_axes("no axes written: the defaults", (3, 3), _of(1, 2, 3)),
    _sequence_axes("equal axes", (3, 2), _of(1, 2, 3), batch_axis=0, seq_axis=0),
    _sequence_axes("a batch axis of 2", (1, 2, 3), _of(2, 1, 2), batch_axis=2, seq_axis=1),
    _sequence_axes("a sequence axis of 2", (2, 1, 3), _of(2, 3), batch_axis=0, seq_axis=2),
    _sequence_axes("both axes from the end", (2, 3), _of(1, 3), batch_axis=-2, seq_axis=-1),
    _sequence_axes("both axes from the end, time first", (3, 2), _of(1, 3), batch_axis=-1, seq_axis=-2),
    _sequence_axes("sequence axis -1 of rank 3", (2, 2, 3), _of(2, 2), batch_axis=0, seq_axis=-1),
    _sequence_axes("an axis beyond the rank", (2, 3), _of(1, 3), batch_axis=0, seq_axis=5),
    _sequence_axes("sequence axis -1 of unknown rank", (2, 3), _of(1, 3), (0,), batch_axis=0, seq_axis=-1),
    _sequence_axes("batch axis -2 of unknown rank", (2, 3), _of(1, 3), (0,), batch_axis=-2, seq_axis=1),
    _sequence_axes("batch axis 7 of unknown rank", (2, 3), _of(1, 3), (0,), batch_axis=7, seq_axis=1),
    _sequence_axes(
        "batch axis 7, lengths of unknown rank", (2, 3), _of(1, 3), (1,), batch_axis=7, seq_axis=1
    ),
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


@dataclass(frozen=True, slots=True)
class Column:
    """A column: irops with an op of some dialect, or a runtime (its name), compared with irops and that op.

    similar_function: the column is not a runtime of the dialect but a function similar to the op.
    """

    op: str
    runtime: str = ""
    similar_function: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """ops: the compared ops; the unusual inputs use the attribute names of the first."""

    name: str
    title: str
    ops: tuple[str, ...]
    columns: tuple[Column, ...]
    odd: tuple[OddInput, ...]
    text: str


OPENVINO, ONNX, GRAIPHIC = "ReverseSequence-1", "onnx:ReverseSequence-10", "graiphic:ReverseSequence"
COMPARISONS = (
    Comparison(
        "ReverseSequence",
        "ReverseSequence in three dialects",
        (OPENVINO, ONNX, GRAIPHIC),
        (
            Column(OPENVINO),
            Column(OPENVINO, "openvino"),
            Column(ONNX),
            Column(ONNX, "onnx-checker"),
            Column(ONNX, "onnx-reference"),
            Column(ONNX, "onnxruntime"),
            Column(ONNX, "openvino-onnx"),
            Column(GRAIPHIC),
        ),
        REVERSE_SEQUENCE,
        "The two axes have opposite defaults in OpenVINO and in ONNX. Inputs outside of the specifications"
        " are accepted, refused or computed wrongly, depending on the runtime. Graiphic's node is the ONNX"
        " op with additional training parameters; the toolkit runs it with ONNX Runtime.",
    ),
    Comparison(
        "Reverse",
        "Reverse and similar functions",
        ("Reverse-1",),
        (
            Column("Reverse-1"),
            Column("Reverse-1", "openvino"),
            Column("Reverse-1", "openvino-evaluate"),
            Column("Reverse-1", "numpy-flip", similar_function=True),
            Column("Reverse-1", "torch-flip", similar_function=True),
        ),
        REVERSE,
        "Only OpenVINO has this op. In ONNX it is a Slice with steps of -1, and Graiphic's toolkit has no"
        " node for it. The comparison includes similar functions of Python libraries.",
    ),
)


def request_for(odd: OddInput, op: Op) -> Request:
    """An unusual input with the attribute names of an op."""
    renamed = {a.stands_for or name: name for name, a in op.definition.attributes.items()}
    names = tuple(port.name for port in op.definition.inputs)
    attributes = {renamed[name]: text for name, text in odd.attributes.items()}
    return Request(op.id, names, odd.inputs, attributes, odd.constants, odd.unranked)


def comparisons_of(op: str) -> tuple[tuple[str, str], ...]:
    """Name and title of the comparisons that include an op."""
    return tuple((item.name, item.title) for item in COMPARISONS if op in item.ops)
