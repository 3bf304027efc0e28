"""Models of ONNX: what is read of them, and that check, infer and run take them as they take IR."""

import sys

import ml_dtypes
import numpy as np
import pytest
from commands import process, python_process
from libraries import Late, needs

import irops
from irops.dialects.onnx.opsets import BY_OPENVINO
from irops.dialects.reading import load

pytestmark = needs("onnx")
onnx, helper, numpy_helper = Late("onnx"), Late("onnx.helper"), Late("onnx.numpy_helper")

F, INT = 1, 7  # of TensorProto
REVERSE = ("ReverseSequence", ["x", "lengths"], ["r"], {"batch_axis": 0, "time_axis": 1})


def encoder(**more):
    """x reversed, multiplied, and cut off at 0."""
    weights = numpy_helper.from_array(np.diag([1, -1, 2]).astype(np.float32), "w")
    return (
        [REVERSE, ("MatMul", ["r", "w"], ["m"]), ("Relu", ["m"], ["y"])],
        {"x": (F, ["batch", "time", 3]), "lengths": (INT, ["batch"])},
        {"y": (F, ["batch", "time", 3])},
        [weights],
    )


def test_a_model_is_layers_of_the_dialect(saved):
    model = irops.read(saved(*encoder()))
    assert (model.dialect, model.opsets) == ("onnx", {"onnx": 17})
    assert {layer.version for layer in model.layers} == {"onnx:17"}
    assert [layer.type for layer in model.layers] == [
        "Parameter", "Parameter", "Const", "ReverseSequence", "MatMul", "Relu", "Result",
    ]  # fmt: skip
    assert irops.check(model).diagnostics == ()


def test_sizes_keep_their_names(saved):
    facts = irops.infer(saved(*encoder()))
    assert facts["m", 0].shape.spelled == "[batch,time,3]"
    assert str(facts["r", 0]) == "f32[?,?,3]"


def test_a_model_runs(saved):
    x = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    result = irops.run(saved(*encoder()), {"x": x, "lengths": np.array([2, 1])})
    assert result["y"].tolist() == [[[3, 0, 10], [0, 0, 4]], [[6, 0, 16], [9, 0, 22]]]


def test_an_input_gives_the_lengths_and_their_number_is_held_to_the_batch(saved):
    path = saved(*encoder())
    required = r"onnx:ReverseSequence-10 requires: sequence_lens has one element per position"
    with pytest.raises(irops.EvaluationError, match=required):
        irops.run(path, {"x": np.zeros((2, 2, 3), np.float32), "lengths": np.array([1, 1, 1])})
    facts = irops.infer(path, {"x": "2,?,3", "lengths": "3"})
    assert [d.code for d in facts.errors] == ["IR401"]
    assert facts.errors[0].location.file == str(path)


def test_an_undefined_op_is_reported_once(saved):
    nodes = [("Softmax", ["x"], ["a"]), ("Softmax", ["a"], ["b"])]
    nodes.append(("Einsum", ["b"], ["y"], {"equation": "ij->ji"}))
    path = saved(nodes, {"x": (F, [2, 2])}, {"y": (F, [2, 2])})
    found = irops.check(path).diagnostics
    assert [(d.code, d.message) for d in found] == [
        ("IR304", f"irops has no definition of ONNX's {op}; its outputs are as the file declares them")
        for op in ("Softmax-13", "Einsum-12")
    ]
    assert [d.notes for d in found] == [(BY_OPENVINO, "2 layers of the model are of this op"), ()]
    with pytest.raises(irops.EvaluationError, match="Softmax"):
        irops.run(path, {"x": np.zeros((2, 2), np.float32)})


def test_the_outputs_of_an_op_that_is_not_defined_are_those_that_the_model_declares(saved, proto):
    made = proto([("Softmax", ["x"], ["a"]), ("Relu", ["a"], ["y"])], {"x": (F, ["n", 2])}, {"y": (F, None)})
    made.graph.value_info.append(helper.make_tensor_value_info("a", F, [5, 2]))
    path = saved([], {}, {})
    path.write_bytes(made.SerializeToString())
    assert str(irops.infer(path)["y", 0]) == "f32[5,2]"
    made.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", F, [5, 2]))
    path.write_bytes(made.SerializeToString())
    assert str(irops.infer(path, {"x": "3,2"})["y", 0]) == "f32[...]"


def test_diagnostics_of_onnx_models_do_not_mention_openvino(saved):
    nodes = [
        ("Relu", ["x"], ["y"], {"alphas": 1}),
        ("Relu", ["x"], ["dead"]),
        ("Concat", ["x", "x"], ["z"], {"axes": 1}),
    ]
    found = irops.check(saved(nodes, {"x": (F, [2])}, {"y": (F, [3]), "z": (F, None)}))
    assert {d.code for d in found} == {"IR311", "IR312", "IR208", "IR405"}
    assert not [note for d in found for note in d.notes if "OpenVINO" in note]


def test_an_optional_input_may_be_left_out_before_one_that_is_given(saved):
    steps = [
        numpy_helper.from_array(np.array(values), name)
        for name, values in (("s", [0]), ("e", [9]), ("t", [2]))
    ]
    path = saved([("Slice", ["x", "s", "e", "", "t"], ["y"])], {"x": (F, [5])}, {"y": (F, [3])}, steps)
    assert irops.check(path).diagnostics == ()
    assert irops.run(path, {"x": np.arange(5, dtype=np.float32)})["y"].tolist() == [0, 2, 4]


def test_an_input_that_has_an_initializer_is_a_constant(saved):
    w = numpy_helper.from_array(np.array([2.0], np.float32), "w")
    path = saved([("Mul", ["x", "w"], ["y"])], {"x": (F, [2]), "w": (F, [1])}, {"y": (F, [2])}, [w])
    assert irops.run(path, {"x": np.array([1, 2], np.float32)})["y"].tolist() == [2, 4]


def test_what_goes_straight_through_is_read(saved):
    w = numpy_helper.from_array(np.array([2.0], np.float32), "w")
    path = saved([("Identity", ["x"], ["y"])], {"x": (F, [1])}, dict.fromkeys("yxw", (F, [1])), [w])
    result = irops.run(path, {"x": np.array([5], np.float32)})
    assert {name: array.tolist() for name, array in result.items()} == {"y": [5], "x": [5], "w": [2]}


def test_layers_are_named_for_their_tensors_where_nodes_have_no_names(saved):
    nodes = [("Relu", ["x"], ["a"]), helper.make_node("Relu", ["a"], ["y"], name="last")]
    model = irops.read(saved(nodes, {"x": (F, [1])}, {"y": (F, [1])}))
    assert [layer.name for layer in model.layers] == ["x", "a", "last", "y"]


ARRAYS = {
    "f32": np.array([[1.5, -2]], np.float32),
    "i8": np.array([-128, 127], np.int8),
    "u64": np.array([2**64 - 1], np.uint64),
    "boolean": np.array([True, False]),
    "string": np.array(["a", "bc"], object),
    "complex64": np.array([1 + 2j], np.complex64),
    "complex128": np.array([3j]),
    "bf16": np.array([1, 2], ml_dtypes.bfloat16),
    "f16": np.array(0.5, np.float16),
    "f64": np.zeros((0, 3)),
    "i4": np.array([-8, 7, 1], ml_dtypes.int4),
    "u4": np.array([15], ml_dtypes.uint4),
    "i2": np.array([-2, 1, 0, -1, 1], ml_dtypes.int2),
    "f8e4m3": np.array([448], ml_dtypes.float8_e4m3fn),
    "f8e5m2fnuz": np.array([1], ml_dtypes.float8_e5m2fnuz),
    "f4e2m1": np.array([6, -0.5, 1], ml_dtypes.float4_e2m1fn),
    "u16": np.array([65535], np.uint16),
    "u32": np.array([2**32 - 1], np.uint32),
}


@pytest.mark.parametrize("raw", [True, False], ids=["raw", "fields"])
@pytest.mark.parametrize("name", ARRAYS)
def test_constants_of_every_type_are_read(proto, name, raw):
    from irops.dialects.onnx.read import of_proto

    array = ARRAYS[name]
    tensor = numpy_helper.from_array(array, "w")
    if not raw and name != "string":
        bits = None
        if name in ("f16", "bf16", "f8e4m3", "f8e5m2fnuz"):
            bits = array.ravel().view(f"u{array.dtype.itemsize}").tolist()
        elif name in ("i4", "u4", "i2", "f4e2m1"):
            bits = list(tensor.raw_data)
        if bits is None:
            tensor = helper.make_tensor("w", tensor.data_type, array.shape, array.ravel().tolist())
        else:
            tensor = onnx.TensorProto(data_type=tensor.data_type, dims=array.shape, name="w", int32_data=bits)
    outputs = {"y": (tensor.data_type, array.shape)}
    model = of_proto(proto([("Identity", ["w"], ["y"])], {}, outputs, [tensor], opset=25))
    assert str(irops.infer(model)["w", 0].element_type) == name
    found = irops.run(model)["y"]
    assert found.dtype == array.dtype
    assert found.tolist() == array.tolist()


def sparse(values, places):
    """In a tensor of two rows and three columns."""
    parts = (numpy_helper.from_array(np.array(given)) for given in (values, places))
    return {"sparse_value": helper.make_sparse_tensor(*parts, [2, 3])}


@pytest.mark.parametrize(
    ("attributes", "value"),
    [
        (lambda: {"value_int": 5}, 5),
        (lambda: {"value_ints": [1, 2]}, [1, 2]),
        (lambda: {"value_float": 0.5}, 0.5),
        (lambda: {"value_floats": [1.0, 2.0]}, [1, 2]),
        (lambda: {"value_string": "a"}, "a"),
        (lambda: {"value_strings": ["a", "b"]}, ["a", "b"]),
        (lambda: {"value": numpy_helper.from_array(np.array([[7]]))}, [[7]]),
        (lambda: sparse([3.0, 4.0], [1, 5]), [[0, 3, 0], [0, 0, 4]]),
        (lambda: sparse([3.0], [[1, 2]]), [[0, 0, 0], [0, 0, 3]]),
    ],
)
def test_a_node_constant_says_its_value_in_one_of_many_ways(saved, attributes, value):
    path = saved([("Constant", [], ["y"], attributes())], {}, {"y": (INT, None)})
    assert irops.run(path)["y"].tolist() == value


def test_a_function_of_the_model_is_put_where_it_is_called(proto):
    from irops.dialects.onnx.read import of_proto

    add, opset = helper.make_node("Add", ["a", "a"], ["b"]), helper.make_opsetid("", 17)
    twice = helper.make_function("own", "Twice", ["a"], ["b"], [add], [opset])
    call = helper.make_node("Twice", ["x"], ["y"], domain="own")
    made = proto([call], {"x": (F, [1])}, {"y": (F, [1])}, domains={"own": 1}, functions=[twice])
    assert irops.run(of_proto(made), {"x": np.array([4], np.float32)})["y"].tolist() == [8]


def test_what_a_sub_graph_takes_is_no_dead_end(saved):
    branch = helper.make_graph(
        [helper.make_node("Identity", ["a"], ["b"])], "then", [], [helper.make_tensor_value_info("b", F, [1])]
    )
    nodes = [
        ("Relu", ["x"], ["a"]),
        helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch),
    ]
    found = irops.check(saved(nodes, {"x": (F, [1]), "c": (onnx.TensorProto.BOOL, [])}, {"y": (F, [1])}))
    assert [d.code for d in found] == ["IR304"]


@pytest.mark.parametrize(("opset", "codes"), [(17, []), (40, ["IR904"]), (5, ["IR302"])])
def test_the_opset_that_a_model_imports_counts(saved, opset, codes):
    nodes = [REVERSE]
    path = saved(nodes, {"x": (F, [1, 2]), "lengths": (INT, [1])}, {"r": (F, [1, 2])}, opset=opset)
    found = irops.check(path)
    assert [d.code for d in found] == codes
    assert len(found.errors) == len(codes)


def test_types_that_came_later_are_refused_in_older_opsets(saved):
    kind = (onnx.TensorProto.INT32, [1])
    make = [("Relu", ["x"], ["y"])], {"x": kind}, {"y": kind}
    assert [d.code for d in irops.check(saved(*make, opset=13))] == ["IR402"]
    assert irops.check(saved(*make, opset=14)).diagnostics == ()


@pytest.mark.slow("starts processes")
def test_without_onnx_the_extra_is_named(saved, tmp_path):
    path = saved(*encoder())
    code = f"import sys; sys.modules['onnx'] = None; import irops; print(irops.check({str(path)!r}))"
    done = python_process("-c", code, check=True)
    assert "IR901" in done.stdout
    assert "pip install 'irops[onnx]'" in done.stdout


@pytest.mark.slow("starts processes")
def test_the_commands_take_onnx_models(saved):
    path = str(saved(*encoder()))
    for command in (
        ["check"],
        ["infer", "--shape", "x:2,?,3"],
        ["inspect"],
        ["run", "--fill", "ones", "--shape", "x:2,2,3", "--shape", "lengths:2"],
    ):
        words = [sys.executable, "-m", "irops", command[0], path, *command[1:]]
        done = process(*words)
        assert done.returncode == 0, done.stdout + done.stderr


def test_an_op_that_is_not_defined_is_an_error_where_the_model_is_run(saved):
    path = saved([("Softmax", ["x"], ["y"])], {"x": (F, [2, 2])}, {"y": (F, [2, 2])})
    assert irops.check(path).ok
    reason = "error IR604 irops has no definition of ONNX's Softmax-13, and cannot compute it"
    with pytest.raises(irops.EvaluationError, match=reason):
        irops.run(path, {"x": np.zeros((2, 2), np.float32)})


def test_a_model_of_onnx_in_an_xml_file_is_recognised(tmp_path):
    path = tmp_path / "model.xml"
    path.write_bytes(b"\x08\x0a\x12\x07pytorch\x1a\x052.1.0")
    with pytest.raises(irops.ReadError) as from_file:
        irops.read(path)
    with pytest.raises(irops.ReadError) as from_text:
        load("other.xml", text=path.read_bytes())
    for error, name in ((from_file, str(path)), (from_text, "other.xml")):
        found = error.value.diagnostics[0]
        assert (found.name, found.location.file) == ("onnx-file", name)
        assert found.notes == ("irops reads ONNX models from files whose name ends with .onnx",)
