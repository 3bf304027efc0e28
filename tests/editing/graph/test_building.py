"""Models that are built node by node, taken where a model is, and the stub of graph.ops."""

import ast
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from graph_stub import PLACE, stub
from tables import table, tensor

import irops
from irops.diagnostics.diagnostic import DiagnosticError

RANDOM = np.random.default_rng(0)


def classifier():
    graph = irops.Graph("classifier")
    image = graph.parameter("image", "f32[N,3,8,8]")
    weights = RANDOM.standard_normal((4, 3, 3, 3), np.float32)
    x = graph.ops.Convolution(
        image, weights, strides=(2, 2), pads_begin=(1, 1), pads_end=(1, 1), dilations=(1, 1), name="stem"
    )
    x = graph.ops.ReLU(x + np.ones((1, 4, 1, 1), np.float32))
    head = RANDOM.standard_normal((64, 5), np.float32)
    y = graph.ops.SoftMax(graph.ops.Reshape(x, [0, -1], special_zero=True) @ head, axis=1)
    graph.result(y, name="probabilities")
    return graph


def test_what_is_known_of_a_value_is_inferred_as_the_graph_is_built():
    graph = classifier()
    assert str(graph["stem"].output) == "f32[N,4,4,4]"
    assert str(graph.results[0]) == "f32[N,5]"
    shape = graph.ops.Concat([2], graph.ops.ShapeOf(graph.inputs[0], output_type="i64"), axis=0)
    assert shape.value is None
    assert str(shape.fact.dims[2]) == "3"


def test_a_built_model_is_clean_and_runs(tmp_path):
    model = classifier().model()
    assert model.name == "classifier"
    irops.write(model, tmp_path / "model.xml")
    assert not irops.check(tmp_path / "model.xml").diagnostics
    image = RANDOM.standard_normal((2, 3, 8, 8), np.float32)
    results = irops.run(tmp_path / "model.xml", {"image": image})
    assert results["probabilities"].shape == (2, 5)
    assert np.allclose(results["probabilities"].sum(1), 1)


def test_equal_symbols_are_equal_sizes():
    graph = irops.Graph()
    a, b = graph.parameter("a", "f32[N,4]"), graph.parameter("b", "f32[N,4]")
    assert str(graph.ops.Concat(a, b, axis=1)) == "f32[N,8]"


def test_shapes_are_texts_sequences_or_left_out():
    graph = irops.Graph()
    assert str(graph.parameter("a", "f32", (1, None, "N")).shape) == "[1,?,?]"
    assert graph.parameter("b", "i64", "1..8,2").shape[0].high == 8
    assert graph.parameter("c", "boolean[]").shape.rank == 0
    assert graph.parameter("d", "f16").shape.rank is None


@pytest.mark.parametrize(("x", "expression", "nodes", "value"), table(__file__, "operators_are_ops"))
def test_operators_are_ops(x, expression, nodes, value):
    graph = irops.Graph()
    graph.result(eval(expression, {"np": np, "x": graph.parameter("x", x.partition(" ")[0])}), "y")
    called = (node for node in graph if node.type not in ("Parameter", "Const", "Result"))
    texts = (f"{node.op.id}({','.join(source.node.type for source in node.sources)})" for node in called)
    assert " ".join(texts) == nodes
    result = irops.run(graph.model(), {"x": tensor(x)})["y"]
    assert result.dtype == tensor(value).dtype
    np.testing.assert_allclose(result, tensor(value), rtol=1e-6)


def test_values_have_no_truth_and_are_compared_by_identity():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2]")
    before = len(graph)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x == 0)
    with pytest.raises(TypeError, match="Split or Gather"):
        list(x)
    assert len(graph) == before + 2  # 0 and Equal
    assert {x: 1}[graph["x"].output] == 1


def test_several_outputs_are_a_tuple_and_one_is_a_value():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[6,2]")
    assert [str(part) for part in graph.ops.Split(x, 0, num_splits=3)] == ["f32[2,2]"] * 3
    values, indices = graph.ops.TopK(x, 1, axis=0, mode="max", sort="value", index_element_type="i32")
    assert (str(values), str(indices)) == ("f32[1,2]", "i32[1,2]")
    assert isinstance(graph.ops.Split(x, 0, num_splits=1), tuple)


def test_a_version_is_named_or_the_newest_of_the_opset():
    assert irops.Graph().newest("SoftMax").id == "SoftMax-8"
    assert irops.Graph(opset=7).newest("SoftMax").id == "SoftMax-1"
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2,3]")
    assert graph.add("SoftMax-1", x, axis=1).node.op.id == "SoftMax-1"
    assert graph.add(irops.definition("SoftMax-8"), x, axis=1).node.op.id == "SoftMax-8"
    with pytest.raises(DiagnosticError, match="IR302"):
        irops.Graph(opset=3).newest("Einsum")


def test_inputs_are_given_by_name_and_optional_ones_left_out():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2,3]")
    assert graph.ops.Clamp(data=x, min=0, max=1).node.inputs[0] is x
    assert str(graph.ops.Swish(x)) == "f32[2,3]"
    assert len(graph.ops.Swish(x, beta=np.float32(2)).node.inputs) == 2
    with pytest.raises(DiagnosticError, match="twice, by position and by name"):
        graph.ops.Clamp(x, data=x, min=0, max=1)


def test_numbers_become_constants_of_the_type_that_the_op_requires():
    graph = irops.Graph()
    x = graph.parameter("x", "f16[2]")
    assert (x * 0.5).node.inputs[1].element_type.name == "f16"
    assert graph.ops.Gather(x, [0], 0).node.inputs[1].element_type.name == "i64"
    with pytest.raises(DiagnosticError, match=r"cannot represent, such as 0\.5"):
        graph.parameter("n", "i32[2]") * 0.5


def test_defaults_of_the_specification_are_written_out():
    graph = irops.Graph()
    node = graph.add("SoftMax-1", graph.parameter("x", "f32[2,3]")).node
    assert node.data == {"axis": "1"}  # OpenVINO's reader would take 0


@pytest.mark.parametrize("element_type", ["i4", "u4", "u2", "f8e4m3", "f16", "bf16", "boolean", "i64", "f32"])
def test_constants_have_any_element_type(element_type, tmp_path):
    graph = irops.Graph()
    value = graph.constant([[0, 1], [1, 0], [1, 1]], "c", element_type=element_type)
    graph.result(graph.ops.Convert(value, destination_type="f32"), "y")
    irops.write(graph.model(), tmp_path / "m.xml")
    assert irops.run(tmp_path / "m.xml", {})["y"].tolist() == [[0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize(("value", "element_type"), table(__file__, "numbers_are_rounded_to_floats"))
def test_numbers_are_rounded_to_floats(value, element_type):
    assert irops.Graph().constant(value, element_type=element_type).element_type.name == element_type


@pytest.mark.parametrize(
    ("value", "element_type", "message"),
    [
        *table(__file__, "a_constant_that_its_type_cannot_represent_is_refused"),
        ([1 + 2j], "f32", "is an array of complex128, must be of f32"),
        ([object()], None, "neither a number nor a string"),
        (["a\ud800"], None, r"it has 'a\\ud800' among its elements, which UTF-8 cannot represent"),
    ],
)
def test_a_constant_that_its_type_cannot_represent_is_refused(value, element_type, message):
    graph = irops.Graph()
    with pytest.raises(DiagnosticError, match=message):
        graph.constant(value, element_type=element_type)
    assert len(graph) == 0


def test_constants_of_arrays_keep_their_type_and_strings_are_one():
    graph = irops.Graph()
    assert graph.constant(np.zeros(3, ml_dtypes.bfloat16)).element_type.name == "bf16"
    assert graph.constant(["a", "bc"]).element_type.name == "string"
    assert graph.constant(2).element_type.name == "i64"
    assert graph.constant(1.5, element_type="f32").value == np.float32(1.5)


def test_a_custom_op_comes_from_the_registry():
    registry = irops.Registry(Path(__file__).parents[3] / "examples" / "my_reverse")
    graph = irops.Graph(registry=registry)
    assert "MyReverse" in dir(graph.ops)
    x = graph.parameter("x", "f32[2,3]")
    for value in (graph.ops.MyReverse(x, block=3), graph.add("MyReverse-extension", x, block=3)):
        assert value.node.version == "extension"
    graph.result(value, "y")
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert (irops.run(graph.model(), {"x": data}, registry=registry)["y"] == data[:, ::-1]).all()


def test_the_stub_is_that_of_the_definitions():
    assert PLACE.read_text(encoding="utf-8") == stub(), "run python tests/support/graph_stub.py"


def test_the_stub_has_parameters_defaults_and_docstrings():
    (ops,) = [node for node in ast.parse(stub()).body if getattr(node, "name", "") == "Ops"]
    methods = {node.name: node for node in ops.body if isinstance(node, ast.FunctionDef)}
    reverse = methods["ReverseSequence"]
    assert [arg.arg for arg in reverse.args.args] == ["self", "data", "seq_lengths"]
    assert [arg.arg for arg in reverse.args.kwonlyargs] == ["batch_axis", "seq_axis", "name"]
    assert "batch_axis" in (ast.get_docstring(reverse) or "")
    assert len(methods) > 150


X = np.float32([-1, 0, 2])
USES = {
    "check": lambda m, _: str(irops.check(m, select=["IR"])),
    "infer": lambda m, _: irops.infer(m)["twice"].shape,
    "run": lambda m, _: irops.run(m, X)["y"].tolist(),
    "vjp": lambda m, _: irops.vjp(m, [X], [X])["x"].tolist(),
    "compare": lambda m, _: [layer.verdict for layer in irops.compare(m, [X], "reference", m).layers],
    "why": lambda m, _: str(irops.why(m, "twice", axis=0)),
    "diff": lambda m, _: str(irops.diff(m, m)),
    "extract": lambda m, _: [layer.name for layer in irops.extract(m, outputs=["twice"]).layers],
    "convert": lambda m, _: [layer.type for layer in irops.convert(m, "2023.0").layers],
    "translate": lambda m, _: [layer.type for layer in irops.translate(m, "onnx").layers],
    "reduce": lambda m, _: len(irops.reduce(m, [X], lambda model, inputs: True).model.layers),
    "Graph": lambda m, _: irops.Graph(m).model().layers,
    "write": lambda m, folder: irops.write(m, folder / "m.xml") or (folder / "m.xml").read_text(),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_graph_is_taken_as_its_model(use, tmp_path):
    graph = irops.Graph("small")
    x = graph.parameter("x", "f32", "3")
    graph.result(graph.add("Multiply-1", x, np.float32([2]), name="twice"), "y")
    assert use(graph, tmp_path) == use(graph.model(), tmp_path)
    graph.insert_after(graph["twice"], "Tanh")
    assert use(graph, tmp_path) == use(graph.model(), tmp_path)


@pytest.mark.parametrize("function", [irops.run, irops.infer, irops.check, irops.compare, irops.Session])
@pytest.mark.parametrize("given", [42, None, b"model.xml", irops.Graph().model])
def test_what_is_no_model_is_called_so(function, given):
    with pytest.raises(TypeError, match=f"a model is {type(given).__name__}, must be a path, a URL"):
        function(given)
