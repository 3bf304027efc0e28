"""Layers that are not representable are reported with name, op and reason."""

import re

import numpy as np
import pytest
from one_op import one_op_model
from tables import table

import irops
from irops.dialects.registry import default_registry
from irops.editing.translation.node import TargetGraph, Wire
from irops.values.element import element_type

DATA = np.zeros((2, 3), np.float32)


def model_of(op, attributes=None, *inputs, **more):
    return one_op_model(default_registry().op(op), attributes or {}, inputs, **{"fixed": (), **more})[0]


def refusal(model, to="onnx", **more):
    with pytest.raises(irops.DiagnosticError) as caught:
        irops.translate(model, to, **more)
    return [f"{d.code} {d.message}" for d in caught.value.diagnostics]


NO_RANK = "its rank is unknown, but ONNX requires the rank of every input and output of a model"


def test_an_input_of_unknown_rank_is_refused():
    model = model_of("ReLU-1", {}, DATA, shapes={"data": "..."})
    assert refusal(model) == [f'IR923 layer 0 "data0" (Parameter) is not representable in ONNX: {NO_RANK}']


def test_a_result_of_unknown_rank_is_refused():
    model = model_of("Reshape-1", {"special_zero": "true"}, DATA, np.array([3, 2]), shapes={"shape": "?"})
    expected = [f'IR923 layer 3 "{model.layers[3].name}" (Result) is not representable in ONNX: {NO_RANK}']
    assert refusal(model) == expected


@pytest.mark.parametrize("op", ["Reverse-1", "ReverseSequence-1"])
def test_types_that_the_opset_lacks_name_the_opset_that_has_them(op):
    import ml_dtypes

    attributes = {"mode": "index"} if op == "Reverse-1" else {}
    model = model_of(op, attributes, DATA.astype(ml_dtypes.float8_e5m2), np.array([1, 1]), fixed=("axes",))
    assert refusal(model) == [
        f'IR921 layer 2 "subject" ({op[:-2]}) is not representable in ONNX: its data is f8e5m2, which ONNX'
        " has only from opset 19 on, not in 18"
    ]


@pytest.mark.parametrize(("batch", "seq", "reason"), table(__file__, "axes_of_an_unknown_rank"))
def test_axes_of_an_unknown_rank(batch, seq, reason):
    axes = {"batch_axis": batch, "seq_axis": seq}
    model = model_of("ReverseSequence-1", axes, DATA, np.array([1, 1]), shapes={"data": "..."})
    first, second = refusal(model)
    assert first == f'IR923 layer 0 "data0" (Parameter) is not representable in ONNX: {NO_RANK}'
    wanted = f'IR923 layer 2 "subject" (ReverseSequence) is not representable in ONNX: {reason}'
    assert second.removesuffix(" that lists all axes") == wanted


def test_negative_axes_of_a_reverse_of_unknown_rank():
    model = model_of(
        "Reverse-1", {"mode": "index"}, DATA, np.array([-1]), shapes={"data": "..."}, fixed=("axes",)
    )
    assert refusal(model)[1].endswith("axes [-1] count from the end, but the rank of data is unknown")


def test_equal_axes():
    model = model_of("ReverseSequence-1", {"batch_axis": "1", "seq_axis": "1"}, DATA, np.array([1, 1, 1]))
    first, second = refusal(model)
    assert first == "IR924 the model has an error; only models without errors can be translated"
    expected = "IR401 ReverseSequence-1 requires: batch_axis and seq_axis are different axes; got 1 for both"
    assert second == expected


PAIR, U64 = np.zeros(2, np.float32), np.array([1], np.uint64)
NOT_CONSTANT = ".*input_order is not constant, but it is the attribute perm of ONNX's Transpose"


@pytest.mark.parametrize(
    ("op", "attributes", "inputs", "reason"),
    [
        ("Add-1", {"auto_broadcast": "pdpd"}, (DATA, PAIR), "IR921 .* auto_broadcast is pdpd"),
        ("MatMul-1", {"transpose_a": "true"}, (DATA, DATA), "IR923 .*transpose_a is true"),
        ("Floor-1", {}, (DATA,), "IR921 .*irops has no rule that translates Floor-1 to ONNX"),
        ("Transpose-1", {}, (DATA, np.array([0, 1])), f"IR923 {NOT_CONSTANT}"),
        ("Slice-8", {}, (DATA, U64, U64, U64), "IR921 .*start is u64 and not constant"),
        ("Unsqueeze-1", {}, (DATA, np.array(0, np.uint64)), "IR921 .*axes is u64 and not constant"),
    ],
)
def test_what_onnx_does_not_know(op, attributes, inputs, reason):
    shapes = {"a": "..."} if op == "MatMul-1" else {}
    result = refusal(model_of(op, attributes, *inputs, shapes=shapes))
    assert len(result) == 1 + len(shapes)
    assert re.match(reason, result[-1]), result


@pytest.mark.parametrize("indices", [[3], [0, -4]])
def test_constant_indices_that_find_nothing(indices):
    model = model_of("Gather-8", {}, DATA, np.array(indices), np.array(1), fixed=("indices", "axis"))
    assert (
        f"indices contain {indices[-1]} for an axis of size 3;"
        " OpenVINO's Gather gives zeros there, ONNX's does not" in refusal(model)[0]
    )


def test_an_unsupported_type_is_reported_at_its_first_layer():
    data = np.zeros(2, element_type("u1").dtype)
    assert refusal(model_of("Concat-1", {"axis": "0"}, data, data)) == [
        f'IR922 layer {k} "inputs{k}" (Parameter) is not representable in ONNX: its output has the element'
        " type u1, which ONNX does not have"
        for k in (0, 1)
    ]


def test_a_newer_opset_may_take_more():
    model = model_of("ReLU-1", {}, DATA.astype(np.int32))
    assert refusal(model, opset=13)[0].startswith(
        'IR927 layer 1 "subject" (ReLU) is not representable in ONNX: onnx:Relu-13 does not accept i32'
    )
    assert irops.check(irops.translate(model, "onnx", opset=14)).ok


def test_an_opset_may_be_too_old():
    model = model_of("ReverseSequence-1", {}, DATA, np.array([1, 1]))
    assert "ONNX opset 9 has no ReverseSequence; it came with opset 10" in refusal(model, opset=9)[0]


def test_every_unrepresentable_layer_is_reported():
    target = TargetGraph("openvino", 18, None, ())
    wire = Wire(target.add("x", "Parameter-1", data={"shape": "2", "element_type": "f32"}))
    for name in ("Floor", "Ceiling", "Sqrt"):
        wire = Wire(target.add(name.lower(), f"{name}-1", [wire]))
    target.add("y", "Result-1", [wire], outputs=0)
    result = refusal(irops.Model("three", 11, target.graph))
    assert [text.partition(" is not representable")[0] for text in result] == [
        f'IR921 layer {k} "{name.lower()}" ({name})'
        for k, name in ((1, "Floor"), (2, "Ceiling"), (3, "Sqrt"))
    ]


def test_steps_that_are_left_out_must_be_countable_in_openvino():
    model = model_of(
        "onnx:Slice-13", {}, DATA, np.array([0]), np.array([1]), shapes={"starts": "?", "ends": "?"}, opset=13
    )
    assert refusal(model, "openvino")[0].endswith(
        "steps are omitted, but the number of steps that OpenVINO's Slice needs is unknown"
    )


def test_an_unknown_dialect_or_opset_is_refused():
    model = model_of("Reverse-1", {"mode": "index"}, DATA, np.array([0]), fixed=("axes",))
    with pytest.raises(ValueError, match="unknown dialect 'tensorflow'; expected one of onnx, openvino"):
        irops.translate(model, "tensorflow")
    with pytest.raises(ValueError, match="unsupported ONNX opset 99"):
        irops.translate(model, "onnx", opset=99)


def test_a_model_of_the_dialect_is_left_alone():
    model = model_of("ReLU-1", {}, DATA)
    assert irops.translate(model, "openvino") is model
    there = irops.translate(model, "onnx", opset=17)
    assert irops.translate(there, "onnx") is irops.translate(there, "onnx", opset=17) is there
    with pytest.raises(
        irops.DiagnosticError, match="the model has ONNX opset 17; irops does not convert it to opset 18"
    ):
        irops.translate(there, "onnx", opset=18)


def test_a_graph_of_graiphic_s_has_an_export_of_its_own_which_keeps_its_parameters(tmp_path):
    from irops.editing.graiphic import Graph

    graph = Graph()
    x, lens = graph.input("x", "f32", (2, 2)), graph.input("lens", "i64", (2,))
    graph.predict(graph.reverse_sequence(x, lens, lda_coeff=0), "y")
    for to in ("onnx", "openvino"):
        expected = ["IR921 the model has the dialect graiphic; use its export function instead"]
        assert refusal(graph.model(), to) == expected
    irops.write(graph.model(), tmp_path / "m.xml")
    assert refusal(irops.read(tmp_path / "m.xml"))[0].endswith(
        "its op belongs to the dialect graiphic, but the model to openvino"
    )
