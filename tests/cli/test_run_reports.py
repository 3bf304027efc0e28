"""irops run shows the warnings of a run, says what --verify compared, and reports missing weights once."""

from pathlib import Path

import numpy as np
import pytest

import irops as package

ROOT = Path(__file__).parents[2]


@pytest.fixture
def swish(tmp_path):
    graph = package.Graph("m")
    x, beta = graph.parameter("x", "f32[3]"), graph.parameter("beta", "f32[]")
    graph.result(graph.ops.Swish(x, beta, name="act"), "y")
    package.write(graph.model(), tmp_path / "swish.xml")
    return tmp_path / "swish.xml"


def negative(path):
    file = path.with_name("beta.npy")
    np.save(file, np.float32(-1))
    return f"beta={file}"


@pytest.mark.parametrize("backend", [(), ("--backend", "numba"), ("--backend", "reference")])
def test_run_shows_the_warnings_of_the_run(irops, swish, backend):
    result = irops("run", swish, "--input", negative(swish), "--fill", "ones", *backend)
    assert result.status == 0
    assert result.err.count("warning IR401 Swish-4 requires: beta is not negative") == 1
    line = 1 + swish.read_text().partition('name="act"')[0].count("\n")
    assert f"swish.xml:{line}:" in result.err
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


def test_a_warning_of_inference_is_shown_by_each_run():
    graph = package.Graph("m")
    graph.result(graph.ops.Elu(graph.parameter("x", "f32[3]"), alpha=-1), "y")
    session = package.Session(graph.model())
    for _ in range(2):
        assert [d.constraint for d in session.run([np.ones(3, np.float32)]).warnings] == ["Elu-1:C1"]


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


@pytest.mark.parametrize("example", ["bidirectional_encoder", "digit_classifier"])
@pytest.mark.parametrize("command", [("run", "--fill", "ones"), ("infer",), ("check",)])
def test_missing_weights_are_reported_once(command, example, irops, tmp_path):
    """Shapes of the second depend on them."""
    model = tmp_path / "model.xml"
    model.write_text((ROOT / "examples" / example / "model.xml").read_text())
    assert model.read_text().count('type="Const"') > 2
    result = irops(command[0], model, *command[1:])
    out = result.out + result.err
    assert result.status == 1
    assert out.count("error IR501 model.bin") == 1, out
    assert "other constants need it" in out
