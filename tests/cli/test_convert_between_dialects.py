"""irops convert between OpenVINO and ONNX."""

import numpy as np
from libraries import needs

from irops import read, run

pytestmark = needs("onnx")


def test_a_model_is_converted_to_onnx_and_back(irops, reversing, tmp_path):
    result = irops("convert", reversing, "--target", "onnx", "-o", tmp_path / "m.onnx")
    assert (result.status, result.out, result.err) == (
        0,
        f"{tmp_path / 'm.onnx'}: converted 4 layers to 5 ONNX nodes, opset 18\n",
        "",
    )
    back = irops("convert", tmp_path / "m.onnx", "--target", "openvino", "-o", tmp_path / "m.xml")
    assert (back.status, back.out) == (0, f"{tmp_path / 'm.xml'}: converted 5 layers to 5 OpenVINO layers\n")
    given = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "lengths": np.array([1, 3], np.int32)}
    want = run(reversing, given)["y"].tolist()
    assert [run(tmp_path / name, given)["y"].tolist() for name in ("m.onnx", "m.xml")] == [want, want]


def test_quiet_prints_nothing_and_the_opset_is_used(irops, reversing, tmp_path):
    result = irops("convert", reversing, "--target", "onnx:22", "-o", tmp_path / "m.onnx", "--quiet")
    assert (result.status, result.out, result.err) == (0, "", "")
    assert read(tmp_path / "m.onnx").opsets == {"onnx": 22}


def test_unrepresentable_layers_are_reported_and_no_file_is_written(irops, valid_model, tmp_path):
    result = irops("convert", valid_model, "--target", "onnx", "-o", tmp_path / "m.onnx")
    assert (result.status, result.out) == (1, "")
    assert "error IR921 layer" in result.err
    assert list(tmp_path.iterdir()) == []
