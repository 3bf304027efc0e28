"""Examples and counterexamples for pages: run when the page is made."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from irops.conformance.example import expected_outputs, inputs_of, outcome
from irops.diagnostics.diagnostic import Diagnostic
from irops.document.elements import elements_text, tensor_text
from irops.document.layer_xml import LayerText, layer_text
from irops.spec.definition import Case, Tensor
from irops.spec.op import Op
from irops.values.element import Array

MAX_COLUMNS, MAX_ROWS = 12, 24
"""The largest tensors that are shown as tables."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table. begins_slice: whether an index of an axis before the last two changes here."""

    cells: tuple[str, ...]
    begins_slice: bool


@dataclass(frozen=True, slots=True)
class TensorView:
    """A tensor of an example. text: its elements as nested rows; rows: as a table, if it is small."""

    name: str
    type: str
    text: str
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseView:
    """An example after running it: the computed outputs or the diagnostics. xml: its layer in an IR file;
    bodies: name and text of each body of the layer; net: its model, if it is one.
    """

    title: str
    attributes: str
    inputs: tuple[TensorView, ...]
    outputs: tuple[TensorView, ...]
    net: str
    xml: str
    bodies: tuple[tuple[str, str], ...]
    diagnostics: tuple[str, ...]


def case_view(op: Op, case: Case) -> CaseView:
    outputs, diagnostics = outcome(op, case)
    attributes = ", ".join(f"{name}={value}" for name, value in case.attributes.items())
    expected = expected_outputs(op, case)
    tensors = [
        t
        for t in (inputs_of(op, case) if case.net is None else case.tensors)
        if t is not None and not t.output
    ]
    names = (
        [t.name for t in expected]
        if len(expected) == len(outputs)
        else [p.name for p in op.definition.outputs]
    )
    shown = (_array_view(name, array) for name, array in zip(names, outputs))
    text = layer_text(op, case) if case.violates is None else LayerText()
    if op.functions.kernel is None:  # an op of an extension library
        shown = (_tensor_view(tensor) for tensor in expected)
    return CaseView(
        title=case.name or "",
        attributes=attributes,
        inputs=tuple(_tensor_view(t) for t in tensors),
        outputs=tuple(shown),
        net=inspect.cleandoc("\n" + case.net.decode()) if case.net is not None else "",
        xml=text.layer,
        bodies=text.bodies,
        diagnostics=tuple(
            dict.fromkeys(f"{d.severity} {d.code}: {d.message}" for d in _about(op, case, diagnostics))
        ),
    )


def _about(op: Op, case: Case, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics that an example is about: of a counterexample, those of what it violates. Others report
    that it has no values to run with.
    """
    if case.violates is None:
        return diagnostics
    about = (case.violates, f"{op.id}:{case.violates}")
    return [d for d in diagnostics if (d.constraint or d.code) in about] or diagnostics


def _tensor_view(tensor: Tensor) -> TensorView:
    if tensor.value is None:
        return TensorView(tensor.name, f"{tensor.element_type}{tensor.shape}", "")
    return _array_view(tensor.name, tensor.value)


def _array_view(name: str, array: Array) -> TensorView:
    return TensorView(name, tensor_text(array), layout(array), _rows(array))


def _rows(array: Array) -> tuple[Row, ...]:
    """The rows of a table: the last axis from left to right, all others from top to bottom; () if it would be
    too large.
    """
    width = array.shape[-1] if array.ndim else 1
    if not array.size or width > MAX_COLUMNS or array.size > MAX_ROWS * width:
        return ()
    rows = _printable(array).reshape(-1, width)
    height = array.shape[-2] if array.ndim > 2 else len(rows)
    return tuple(
        Row(tuple(_element(row[k, ...]) for k in range(width)), number > 0 and number % height == 0)
        for number, row in enumerate(rows)
    )


def _element(array: Array) -> str:
    return f"{array[()]:.6g}" if array.dtype.kind == "f" else elements_text(array)


def _printable(array: Array) -> Any:
    """The array in a type that NumPy prints as numbers."""
    import numpy as np

    if array.dtype.kind == "V" or array.dtype == object:
        return array.astype(object)
    if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn"):
        return array.astype(np.float32)
    if array.dtype.name in ("int4", "uint4", "int2", "uint2"):
        return array.astype(np.int16)
    return array


def layout(array: Array) -> str:
    """The elements as nested rows, of at most a few hundred characters."""
    import numpy as np

    return np.array2string(
        _printable(array),
        separator=" ",
        threshold=120,
        edgeitems=4,
        max_line_width=100,
        precision=6,
        suppress_small=True,
    )
