"""irops run shows the warnings of a run, says what --verify compared, and reports missing weights once."""

import re
from pathlib import Path

import numpy as np
import pytest

import irops as package

SWISH = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="3" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>3</dim></port></output></layer>
<layer id="1" name="beta" type="Parameter" version="opset1"><data shape="" element_type="f32"/>
<output><port id="0" precision="FP32"/></output></layer>
<layer id="2" name="act" type="Swish" version="opset4">
<input><port id="0"><dim>3</dim></port><port id="1"/></input>
<output><port id="2" precision="FP32"><dim>3</dim></port></output></layer>
<layer id="3" name="y" type="Result" version="opset1"><input><port id="0"><dim>3</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"""
ROOT = Path(__file__).parents[2]
WEIGHTED = ROOT / "examples" / "bidirectional_encoder" / "model.xml"


@pytest.fixture
def swish(tmp_path):
    path = tmp_path / "swish.xml"
    path.write_text(SWISH)
    return path


def negative(path):
    file = path.with_name("beta.npy")
    np.save(file, np.float32(-1))
    return f"beta={file}"


@pytest.mark.parametrize("backend", [(), ("--backend", "numba"), ("--backend", "reference")])
def test_run_shows_the_warnings_of_the_run(irops, swish, backend):
    result = irops("run", swish, "--input", negative(swish), "--fill", "ones", *backend)
    assert result.status == 0
    assert result.err.count("warning IR401 Swish-4 requires: beta is not negative") == 1
    assert "swish.xml:6:" in result.err
    assert 'layer 2 "act"' in result.err
    assert irops("run", swish, "--fill", "ones").err == ""


def test_warnings_are_given_to_python_too(swish):
    results = package.run(swish, {"x": np.ones(3, np.float32), "beta": np.float32(-2)})
    assert [(d.code, d.constraint, str(d.severity)) for d in results.warnings] == [
        ("IR401", "Swish-4:C1", "warning")
    ]
    session = package.Session(swish)
    assert not session.run({"x": np.ones(3, np.float32), "beta": np.float32(2)}).warnings
    assert session.run({"x": np.ones(3, np.float32), "beta": np.float32(-2)}).warnings


def test_a_warning_of_inference_is_shown_by_each_run(tmp_path):
    model = tmp_path / "not.xml"
    text = SWISH.replace('type="Swish" version="opset4"', 'type="Elu" version="opset1"')
    text = text.replace('<port id="1"/></input>', "</input>").replace(
        "<input><port", '<data alpha="-1"/><input><port', 1
    )
    model.write_text(text.replace('<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>', ""))
    session = package.Session(model)
    inputs = {"x": np.ones(3, np.float32), "beta": np.float32(2)}
    for _ in range(2):
        assert [d.constraint for d in session.run(inputs).warnings] == ["Elu-1:C1"]


def test_verify_says_what_it_verified(irops, reversing):
    words = ("run", reversing, "--fill", "ones", "--shape", "x:2,3", "--shape", "lengths:2", "--verify")
    result = irops(*words, "--backend", "numba")
    assert result.status == 0
    assert result.err == (
        "verified 1 of 1 layer against the reference (numba 1): 1 equal;"
        " all types and shapes are as inferred\n"
    )
    result = irops(*words, "--backend", "reference")
    assert result.err == (
        "verified 0 of 1 layer against the reference; not compared: 1 computed by the reference; all types"
        " and shapes are as inferred\n"
    )
    assert irops(*words, "--quiet").err == ""


@pytest.mark.parametrize("command", [("run", "--fill", "ones"), ("infer",), ("check",)])
def test_missing_weights_are_reported_once(command, irops, tmp_path):
    model = tmp_path / "model.xml"
    model.write_text(WEIGHTED.read_text())
    text = WEIGHTED.read_text()
    assert len(re.findall('type="Const"', text)) > 2
    result = irops(command[0], model, *command[1:])
    out = result.out + result.err
    assert result.status == 1
    assert out.count("IR501 model.bin") == 1, out
    assert "other constants need it" in out


def test_missing_weights_that_shapes_depend_on_are_reported_once(irops, tmp_path):
    digits = ROOT / "examples" / "digit_classifier" / "model.xml"
    model = tmp_path / "model.xml"
    model.write_text(digits.read_text())
    for command in (("run", "--fill", "ones"), ("infer",), ("check",)):
        result = irops(command[0], model, *command[1:])
        assert (result.out + result.err).count("error IR501") == 1
