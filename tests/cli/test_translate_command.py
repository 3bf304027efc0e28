"""irops translate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from libraries import needs

from irops import read, run

pytestmark = needs("onnx")


def test_a_model_is_converted_to_onnx_and_back(irops, reversing: Path, tmp_path: Path):
    result = irops("translate", reversing, "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert (result.status, result.out, result.err) == (
        0,
        f"{tmp_path / 'm.onnx'}: converted 4 layers to 5 ONNX nodes, opset 18\n",
        "",
    )
    back = irops("translate", tmp_path / "m.onnx", "--to", "openvino", "-o", tmp_path / "m.xml")
    assert (back.status, back.out) == (0, f"{tmp_path / 'm.xml'}: converted 5 layers to 5 OpenVINO layers\n")
    given = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "lengths": np.array([1, 3], np.int32)}
    want = run(reversing, given)["y"].tolist()
    assert [run(tmp_path / name, given)["y"].tolist() for name in ("m.onnx", "m.xml")] == [want, want]


def test_quiet_prints_nothing_and_the_opset_is_used(irops, reversing: Path, tmp_path: Path):
    result = irops(
        "translate", reversing, "--to", "onnx", "-o", tmp_path / "m.onnx", "--opset", "22", "--quiet"
    )
    assert (result.status, result.out, result.err) == (0, "", "")
    assert read(tmp_path / "m.onnx").opsets == {"onnx": 22}


def test_unrepresentable_layers_are_reported_and_no_file_is_written(irops, valid_model: Path, tmp_path: Path):
    result = irops("translate", valid_model, "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert (result.status, result.out) == (1, "")
    assert "error IR921 layer" in result.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ["--to", "onnx", "-o", "m.xml"],
            "--output m.xml has the extension of OpenVINO models, but --to is onnx",
        ),
        (
            ["--to", "openvino", "-o", "m.onnx"],
            "--output m.onnx has the extension of ONNX models, but --to is openvino",
        ),
        (
            ["--to", "onnx", "-o", "m.onnx", "--opset", "0"],
            "--opset 0 is not supported; expected 1 to 28",
        ),
    ],
)
def test_contradictory_arguments_are_refused(irops, reversing: Path, words, why):
    result = irops("translate", reversing, *words)
    assert (result.status, result.out, result.err) == (2, "", f"irops translate: {why}\n")
