"""The outputs of ops that irops does not define are taken from the file."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.ir.model import Model
from irops.ir.read import loads
from irops.ir.storage import Weights

TEXT = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="?,2,3" element_type="u8"/>
<output><port id="0" precision="U8"><dim>-1</dim><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="picture" type="Planes" version="com.example:1"><input><port id="0"><dim>-1</dim>
<dim>2</dim><dim>3</dim></port></input>
<output><port id="1" precision="U8"><dim>-1</dim><dim>4</dim></port></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"><dim>-1</dim>
<dim>4</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""


def test_the_outputs_of_an_undefined_op_are_as_declared():
    model, _ = loads(TEXT.encode())
    assert str(irops.infer(model)["picture", 0]) == "u8[?,4]"
    assert [d.code for d in irops.check(model).diagnostics] == ["IR304"]


def test_other_inputs_than_declared_leave_its_shape_open():
    model, _ = loads(TEXT.encode())
    assert str(irops.infer(model, inputs={"x": "1,2,3"})["picture", 0]) == "u8[?,4]"
    assert str(irops.infer(model, inputs={"x": "1,4,3"})["picture", 0]) == "u8[...]"


def with_pattern(pattern: list[int]) -> Model:
    """A Reshape of 6 elements whose pattern was [2,3] when ports were declared, and a branch beside it."""
    graph = irops.Graph("reshaped")
    x = graph.parameter("x", "f32", [6])
    rows = graph.ops.Reshape(x, np.int64([2, 3]), special_zero=False, name="rows")
    active = graph.ops.ReLU(rows, name="active")
    graph.result(graph.ops.Concat(active, rows, axis=0, name="both"), name="y")
    graph.result(graph.ops.Tanh(x, name="beside"), name="z")
    model = graph.model()
    model.weights = Weights.of_bytes(np.int64(pattern).tobytes())
    return model


def declaring(model: Model, name: str, dims: tuple[int, ...]) -> Model:
    """The model in which a layer declares other dimensions of its first output."""
    next(layer for layer in model.layers if layer.name == name).outputs[0].dims = dims
    return model


@pytest.mark.parametrize("pattern", [[2, 4], [3, 4], [1, 3]])
def test_declared_sizes_behind_a_violated_constraint_are_not_reported_as_well(pattern):
    """OpenVINO refuses the pattern; whether it or the declarations of the ports are right, nobody knows."""
    found = irops.check(with_pattern(pattern)).diagnostics
    assert [(d.code, d.location.layer_id) for d in found] == [("IR401", 2)]
    assert str(irops.infer(with_pattern(pattern))["rows", 0]) == f"f32[{pattern[0]},{pattern[1]}]"


def test_declared_sizes_that_do_not_follow_from_a_violated_constraint_are_reported():
    found = irops.check(declaring(with_pattern([2, 4]), "beside", (7,))).diagnostics
    assert [d.code for d in found] == ["IR401", "IR405"]
    assert "output 0 of layer" in found[1].message
    assert '"beside"' in found[1].message


def test_declared_sizes_are_reported_where_the_layer_of_the_fault_declares_what_is_inferred():
    """Then the declarations behind it are wrong by themselves."""
    model = declaring(with_pattern([2, 4]), "rows", (2, 4))
    found = irops.check(model).diagnostics
    assert {d.code for d in found} == {"IR401", "IR405"}


def test_a_pattern_of_as_many_elements_makes_the_declared_sizes_wrong():
    found = irops.check(with_pattern([3, 2])).diagnostics
    assert {d.code for d in found} == {"IR405"}


def test_declared_sizes_of_a_body_and_behind_it_follow_from_a_violated_constraint_in_the_body():
    graph = irops.Graph("whole")
    body = irops.Graph("body")
    rows = body.ops.Reshape(body.parameter("part", "f32", [1, 6]), np.int64([1, 2, 3]), special_zero=False)
    body.result(body.ops.ReLU(rows, name="active"), "made")
    parts = {"part": graph.sliced(graph.parameter("x", "f32", [4, 6]), axis=0)}
    every = graph.TensorIterator(body, parts, [graph.stacked("made", axis=0)], name="loop")[0]
    graph.result(graph.ops.Tanh(every, name="behind"), "y")
    model = graph.model()
    assert irops.check(model).ok
    model.weights = Weights.of_bytes(np.int64([1, 2, 4]).tobytes())
    assert [d.code for d in irops.check(model).diagnostics] == ["IR401"]
