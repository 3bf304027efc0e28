"""irops gradient."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irops as api


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    graph = api.Graph("layer")
    x, w = graph.parameter("x", "f64[2,3]"), graph.constant(np.arange(6.0).reshape(3, 2), "w")
    graph.result(graph.ops.Tanh(graph.ops.MatMul(x, w)), "y")
    graph.result(graph.ops.ShapeOf(x), "sizes")
    api.write(graph.model(), tmp_path / "layer.xml")
    return tmp_path / "layer.xml"


@pytest.mark.parametrize("suffix", [".xml", ".onnx"])
def test_the_model_that_is_written_computes_the_gradients(
    irops: Callable[..., Any], layer: Path, suffix: str
) -> None:
    output = layer.with_name(f"gradient{suffix}")
    said = irops("gradient", layer, "--of", "y", "--wrt", "x,w", "-o", output).out
    assert said.startswith(f"{output}: ")
    assert said.endswith("layers, with the results grad/x, grad/w\n")
    x, cotangent = np.full((2, 3), 0.1), np.array([[1.0, 2], [3, 4]])
    found = api.run(output, {"x": x, "cotangent/y": cotangent})
    expected = api.vjp(layer, {"x": x}, {"y": cotangent}, wrt=["x", "w"])
    for name, array in expected.items():
        np.testing.assert_allclose(found[f"grad/{name}"], array, rtol=1e-9)


def test_a_model_of_onnx_gets_gradients(irops: Callable[..., Any], layer: Path) -> None:
    source, output = layer.with_name("layer.onnx"), layer.with_name("gradient.onnx")
    api.write(api.translate(api.read(layer), to="onnx"), source)
    irops("gradient", source, "--wrt", "w", "-o", output)
    x, cotangent = np.full((2, 3), 0.1), np.array([[1.0, 2], [3, 4]])
    found = api.run(output, {"x": x, "cotangent/y": cotangent})
    expected = api.vjp(layer, {"x": x}, {"y": cotangent}, wrt="w")["w"]
    np.testing.assert_allclose(found["grad/w"], expected, rtol=1e-9)


def test_all_layers_without_a_derivative_are_reported_and_no_file_is_written(
    irops: Callable[..., Any], tmp_path: Path
) -> None:
    graph = api.Graph("drawn")
    low = graph.parameter("low", "f32[]")
    first, second = (
        graph.ops.RandomUniform([2], low, np.float32(9), output_type="f32", name=name)
        for name in ("first", "second")
    )
    graph.result(graph.ops.Add(first, second), "y")
    api.write(graph.model(), tmp_path / "drawn.xml")
    done = irops("gradient", tmp_path / "drawn.xml", "-o", tmp_path / "out.xml")
    assert done.status == 1
    for name in ("first", "second"):
        assert (
            f"RandomUniform-8 has no gradient in '{name}', because its output is drawn at random" in done.err
        )
    assert not (tmp_path / "out.xml").exists()


def test_a_result_of_integers_has_no_gradient(irops: Callable[..., Any], layer: Path) -> None:
    done = irops("gradient", layer, "--of", "sizes", "-o", layer.with_name("out.xml"))
    assert done.status == 1
    assert "gradients are asked for of 'sizes', i64[2], whose type has none" in done.err


def test_a_path_that_changes_in_steps_alone_is_refused(irops: Callable[..., Any], tmp_path: Path) -> None:
    graph = api.Graph("steps")
    graph.result(graph.ops.Floor(graph.parameter("x", "f32[2]")), "y")
    api.write(graph.model(), tmp_path / "steps.xml")
    done = irops("gradient", tmp_path / "steps.xml", "-o", tmp_path / "out.xml")
    assert done.status == 2
    assert "no gradient reaches what --wrt names" in done.err


def test_an_undefined_op_is_refused_on_the_way_and_nowhere_else(
    irops: Callable[..., Any], tmp_path: Path
) -> None:
    graph = api.Graph("undefined")
    x, z = graph.parameter("x", "f32[2]"), graph.parameter("z", "f32[2]")
    graph.result(graph.ops.Tanh(x, name="mystery"), "far")
    graph.result(graph.ops.Multiply(x, z), "near")
    path, output = tmp_path / "m.xml", tmp_path / "gradient.xml"
    api.write(graph.model(), path)
    path.write_text(path.read_text("utf-8").replace('type="Tanh"', 'type="Mystery"'), "utf-8")
    refused = irops("gradient", path, "-o", output)
    assert refused.status == 1
    assert (
        "error IR621 Mystery has no gradient in 'mystery', because irops does not"
        in refused.out + refused.err
    )
    assert not output.exists()
    assert irops("gradient", path, "--of", "near", "-o", output).status == 0
    assert irops("gradient", path, "--wrt", "z", "-o", output, "--overwrite").status == 0
