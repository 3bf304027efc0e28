"""irops translate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from libraries import needs

from irops import read, run

pytestmark = needs("onnx")


def test_a_model_is_said_in_onnx_and_back(irops, reversing: Path, tmp_path: Path):
    told = irops("translate", reversing, "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert (told.status, told.out, told.err) == (
        0,
        f"{tmp_path / 'm.onnx'}: 4 layers said in 5 of ONNX, opset 18\n",
        "",
    )
    back = irops("translate", tmp_path / "m.onnx", "--to", "openvino", "-o", tmp_path / "m.xml")
    assert (back.status, back.out) == (0, f"{tmp_path / 'm.xml'}: 5 layers said in 5 of OpenVINO\n")
    given = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "lengths": np.array([1, 3], np.int32)}
    want = run(reversing, given)["y"].tolist()
    assert [run(tmp_path / name, given)["y"].tolist() for name in ("m.onnx", "m.xml")] == [want, want]


def test_quiet_says_nothing_and_an_opset_is_heeded(irops, reversing: Path, tmp_path: Path):
    told = irops(
        "translate", reversing, "--to", "onnx", "-o", tmp_path / "m.onnx", "--opset", "22", "--quiet"
    )
    assert (told.status, told.out, told.err) == (0, "", "")
    assert read(tmp_path / "m.onnx").opsets == {"onnx": 22}


def test_what_cannot_be_said_is_told_and_nothing_is_written(irops, sound: Path, tmp_path: Path):
    told = irops("translate", sound, "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert (told.status, told.out) == (1, "")
    assert "error IR921 layer" in told.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ["--to", "onnx", "-o", "m.xml"],
            "--output m.xml is the name of a model of OpenVINO, and --to says onnx",
        ),
        (
            ["--to", "openvino", "-o", "m.onnx"],
            "--output m.onnx is the name of a model of ONNX, and --to says openvino",
        ),
        (
            ["--to", "onnx", "-o", "m.onnx", "--opset", "0"],
            "--opset 0 is none that irops knows, must be 1 to 28",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(irops, reversing: Path, words, why):
    told = irops("translate", reversing, *words)
    assert (told.status, told.out, told.err) == (2, "", f"irops translate: {why}\n")
