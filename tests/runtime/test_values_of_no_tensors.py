"""Inputs and results that are lists, None or dicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import irops
from irops.ir.model import Edge, Graph, Layer, Model, Port

ROWS = np.ones((2, 3), np.float32)


def passing(type: str) -> Model:
    """A model of ONNX that returns its input."""
    data = {"shape": "...", "element_type": "dynamic", "type": type}
    layers = [
        Layer(0, "x", "Parameter", "onnx:18", data, [], [Port(0, names=("x",))]),
        Layer(1, "y", "Result", "onnx:18", {}, [Port(0)]),
    ]
    return Model("m", graph=Graph(layers, [Edge(0, 0, 1, 0)]), dialect="onnx", opsets={"onnx": 18})


@pytest.mark.parametrize("verify", [False, True])
@pytest.mark.parametrize(
    ("type", "value"),
    [
        ("sequence(f32[?,3])", [ROWS, ROWS[:1]]),
        ("sequence(f32[?,3])", []),
        ("optional(f32[?,3])", None),
        ("optional(f32[?,3])", ROWS),
        ("optional(sequence(f32[?,3]))", [ROWS]),
        ("map(i64,f32[])", {1: 0.5}),
        ("sequence(map(string,f32[]))", [{"a": 0.5}, {"b": 1.0}]),
    ],
)
def test_a_value_is_declared_checked_inferred_and_passed_through(type: str, value: Any, verify: bool) -> None:
    model = passing(type)
    assert irops.check(model).ok
    assert str(irops.infer(model)["y", 0]) == type
    np.testing.assert_equal(irops.run(model, {"x": value}, verify=verify)["y"], value)


@pytest.mark.parametrize(
    ("type", "value", "message"),
    [
        (
            "sequence(f32[?,3])",
            [np.ones((2, 4), np.float32)],
            r"is sequence\(f32\[2,4\] \* 1\), must be sequence",
        ),
        ("sequence(f32[?,3])", ROWS, "is a ndarray, must be a list"),
        ("optional(f32[?,3])", [ROWS[:, :2]], r"must be optional\(f32\[\?,3\]\)"),
        ("map(i64,f32[])", {"a": 1.0}, "must be map"),
    ],
)
def test_other_values_are_refused(type: str, value: Any, message: str) -> None:
    with pytest.raises(irops.EvaluationError, match=message):
        irops.run(passing(type), {"x": value})


def test_a_shape_for_an_input_that_is_a_sequence_is_refused() -> None:
    with pytest.raises(irops.DiagnosticError, match="has no shape of its own"):
        irops.infer(passing("sequence(f32[?,3])"), {"x": "2,3"})
