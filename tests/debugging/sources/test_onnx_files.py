"""ONNX files beside the runtimes that read them: the results come first, and no right file is accused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from libraries import Late, needs

import irops
from irops.cli.main import main

pytestmark = [needs("onnx"), needs("onnxruntime"), needs("openvino")]
onnx = Late("onnx")
X = np.random.default_rng(1).standard_normal((2, 4)).astype(np.float32)


@pytest.fixture
def file(tmp_path):
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    weights = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"], name="mm"),
        helper.make_node("Tanh", ["product"], ["y"], name="active"),
    ]
    ends = [helper.make_tensor_value_info(name, kind, [2, 4]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [onnx.numpy_helper.from_array(weights, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("b", ["openvino:CPU,INFERENCE_PRECISION_HINT=f32", "onnxruntime:same"])
def test_results_and_layers_of_a_file_are_those_of_the_runtime(file, b):
    found = irops.compare(file, [X], b=b, mode="propagated")
    assert found.ok
    assert (found.coverage.results, found.coverage.layers) == (1, 2)


def test_openvino_is_asked_for_no_single_layer_of_onnx(file):
    found = irops.compare(file, [X], b="openvino:CPU,INFERENCE_PRECISION_HINT=f32")
    assert found.ok
    assert found.coverage.results == 1
    assert {str(layer.verdict) for layer in found.layers} == {"skipped"}


def test_each_node_of_a_file_runs_in_onnx_runtime_by_itself(file, tmp_path, capsys):
    np.savez(tmp_path / "x.npz", x=X)
    command = ["compare", str(file), "--b", "onnxruntime", "--load-inputs", str(tmp_path / "x.npz")]
    for mode in ("isolated", "propagated"):
        assert main([*command, "--mode", mode]) == 0
        assert "2 of 2 layers and 1 of 1 result compared" in capsys.readouterr().out


@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_a_file_and_its_own_translation_are_compared(file, tmp_path, capsys, mode):
    """The layers of one are those of the other, although their ops have other names."""
    np.savez(tmp_path / "x.npz", x=X)
    irops.write(irops.translate(irops.read(file), "openvino"), tmp_path / "t.xml")
    command = ["--load-inputs", str(tmp_path / "x.npz"), "--mode", mode]
    assert main(["compare", str(file), "--b", f"model:{tmp_path / 't.xml'}", *command]) == 0
    out = capsys.readouterr().out
    assert out.startswith("the result agrees")
    assert "2 of 2 layers and 1 of 1 result compared" in out
    assert main(["compare", str(tmp_path / "t.xml"), "--b", f"model:{file}", *command]) == 0
    assert "2 of 2 layers and 1 of 1 result compared" in capsys.readouterr().out


@pytest.mark.parametrize(("wrong", "op"), [("product", "MatMul"), ("y", "Tanh")])
def test_a_value_that_a_node_does_not_give_in_onnx_runtime_is_found(file, tmp_path, capsys, wrong, op):
    np.savez(tmp_path / "x.npz", x=X)
    weights = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    product = X @ weights + np.float32(0.25 if wrong == "product" else 0)
    values = {"product": product, "y": np.tanh(product) + np.float32(0.25 if wrong == "y" else 0)}
    np.savez(tmp_path / "stored.npz", x=X, **values)
    given = ["--load-inputs", str(tmp_path / "x.npz"), "--output-format", "json"]
    command = ["compare", str(file), "--a", str(tmp_path / "stored.npz"), "--b", "onnxruntime", *given]
    assert main(command) == 1
    layers = json.loads(capsys.readouterr().out)["layers"]
    assert [layer["op"].partition("-")[0] for layer in layers if layer["verdict"] == "wrong"] == [
        f"onnx:{op}"
    ]
