"""Models of ONNX are written, and read as what they were."""

import builtins

import numpy as np
import pytest
from libraries import Late, needs

import irops
from irops.diagnostics.diagnostic import DiagnosticError
from irops.dialects.onnx import write as module

pytestmark = needs("onnx")
onnx = Late("onnx")
FLOAT, INT64, STRING = 1, 7, 8


@pytest.fixture
def slicing(saved):
    """A model with initializers, a node Constant, an input that is left out, attributes of several kinds."""
    from onnx import helper, numpy_helper

    value = numpy_helper.from_array(np.array([-1], np.int64), "steps")
    nodes = [
        ("Constant", [], ["first"], {"value": numpy_helper.from_array(np.array([-1], np.int64))}),
        ("Slice", ["x", "first", "last", "", "steps"], ["turned"], {}),
        helper.make_node(
            "Cast", ["turned"], ["cast"], name="cast", to=helper.np_dtype_to_tensor_dtype(np.dtype("float16"))
        ),
        ("Transpose", ["cast"], ["y"], {"perm": [1, 0]}),
        ("Identity", ["words"], ["said"], {}),
    ]
    words = helper.make_tensor("words", STRING, [2], [b"a", "é".encode()])
    last = numpy_helper.from_array(np.array([np.iinfo(np.int64).min]), "last")
    return saved(
        nodes,
        {"x": (FLOAT, ["rows", 2])},
        {"y": (10, [2, "rows"]), "said": (STRING, [2])},
        [value, last, words],
    )


def test_what_is_written_is_read_as_the_same(slicing, tmp_path):
    model = irops.read(slicing)
    irops.write(model, tmp_path / "copy.onnx")
    again = irops.read(tmp_path / "copy.onnx")
    one, other = (
        sorted(str((layer.name, layer.type, layer.version, layer.output_names)) for layer in each.layers)
        for each in (model, again)
    )
    assert one == other
    data = np.arange(6, dtype=np.float32).reshape(3, 2)
    for name, array in irops.run(model, {"x": data}).items():
        assert array.tolist() == irops.run(again, {"x": data})[name].tolist()
    onnx.checker.check_model(str(tmp_path / "copy.onnx"), full_check=True)
    assert again.opsets == {"onnx": 17}


def test_nothing_is_left_behind_where_writing_fails(slicing, tmp_path):
    model = irops.read(slicing)
    model.layer("cast").data["to"] = "f99"
    with pytest.raises(DiagnosticError, match="IR314 to is 'f99', must be an element type"):
        irops.write(model, tmp_path / "copy.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]


def test_ops_that_are_not_defined_cannot_be_written(saved, tmp_path):
    path = saved([("Floor", ["x"], ["y"])], {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])})
    message = r'IR304 layer 1 "y#1" \(Floor\) cannot be written: irops has no definition of ONNX\'s Floor-13'
    with pytest.raises(DiagnosticError, match=message):
        irops.write(irops.read(path), tmp_path / "copy.onnx")


def test_a_model_goes_into_files_of_its_own_dialect(slicing, tmp_path):
    message = r"IR925 .*m.xml is the path for a model of dialect onnx, must end with .onnx"
    with pytest.raises(DiagnosticError, match=message):
        irops.write(irops.read(slicing), tmp_path / "m.xml")
    message = r"IR925 .*m.onnx can hold ONNX ops only; the model is openvino"
    with pytest.raises(DiagnosticError, match=message):
        irops.write(irops.Model(), tmp_path / "m.onnx")


def test_a_model_that_is_too_large_for_a_protocol_buffer_is_refused(slicing, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 20)
    message = "IR926 the model takes 43 bytes or more, and one file of ONNX holds less than 21"
    with pytest.raises(DiagnosticError, match=message):
        irops.write(irops.read(slicing), tmp_path / "copy.onnx")
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    with pytest.raises(DiagnosticError, match=r"IR926 the model takes [0-9]+ bytes or more"):
        irops.write(irops.read(slicing), tmp_path / "copy.onnx")


def test_half_of_a_surrogate_pair_cannot_be_written(tmp_path):
    graph = irops.Graph("a\ud800")
    graph.result(graph.parameter("x", "f32[2]"))
    with pytest.raises(ValueError, match=r"the text 'a\\ud800' has a character that UTF-8 does not allow"):
        irops.write(irops.translate(graph, to="onnx"), tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


def test_a_missing_library_is_reported(slicing, tmp_path, monkeypatch):
    model, found = irops.read(slicing), builtins.__import__

    def without(name, *more):
        if name == "onnx":
            raise ImportError(name)
        return found(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DiagnosticError, match=r"IR901 .*pip install 'irops\[onnx\]' installs it"):
        irops.write(model, tmp_path / "copy.onnx")
