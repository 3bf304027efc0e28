"""An op of a plug-in that has a definition and an expansion alone, and the forms that users are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irops
from irops.conformance.cases import failure
from irops.diagnostics.diagnostic import DiagnosticError, EvaluationError
from irops.spec.cases import examples

FOLDER = Path(__file__).parents[2] / "examples" / "rms_norm"
ROWS = np.array([[3, 3], [-4, 4]], np.float32)


@pytest.fixture(scope="module")
def registry() -> irops.Registry:
    return irops.Registry(folders=[FOLDER])


def normalized(data: np.ndarray, epsilon: float) -> np.ndarray:
    return data / np.sqrt((data**2).mean(-1, keepdims=True) + np.float32(epsilon))


def model(registry: irops.Registry) -> irops.Model:
    graph = irops.Graph("norm", registry=registry)
    data = graph.parameter("data", "f32[N,8]")
    graph.result(graph.ops.RMSNorm(data, 2.0), "normal")
    return graph.model()


def test_its_example_holds_and_it_is_called_as_any_op(registry: irops.Registry) -> None:
    op = registry.op("RMSNorm-extension")
    assert [failure(op, case) for case in examples(op.definition)] == [""]
    result = irops.call("RMSNorm-extension", ROWS, np.float32([1, 2]), epsilon=0.5, registry=registry)
    assert np.allclose(result, normalized(ROWS, 0.5) * [1, 2], rtol=1e-6)


def test_its_shapes_follow_and_what_breaks_an_op_of_the_form_is_said(registry: irops.Registry) -> None:
    assert str(irops.infer(model(registry), registry=registry)["RMSNorm_0", 0]) == "f32[?,8]"
    graph = irops.Graph("norm", registry=registry)
    assert str(graph.ops.RMSNorm(graph.parameter("rows", "f32[N,8]"), 1.0)) == "f32[N,8]"
    with pytest.raises(DiagnosticError, match="is computed by other ops: Multiply-1 requires"):
        graph.ops.RMSNorm(graph.parameter("data", "f32[2,8]"), np.ones(3, np.float32))
    with pytest.raises(EvaluationError, match="RMSNorm-extension is computed by other ops"):
        irops.call("RMSNorm-extension", ROWS, np.ones(3, np.float32), registry=registry)


def test_it_is_converted_to_ops_that_a_release_reads(registry: irops.Registry) -> None:
    data = np.random.default_rng(5).standard_normal((3, 8)).astype(np.float32)
    before = model(registry)
    with pytest.warns(irops.ConversionWarning, match="narrow types round"):
        after = irops.convert(before, "2023.0", registry=registry)
    assert {layer.type for layer in after.layers} >= {"ReduceMean", "Sqrt", "Divide"}
    assert irops.check(after).errors == ()
    assert np.array_equal(
        irops.run(after, {"data": data})["normal"],
        irops.run(before, {"data": data}, registry=registry)["normal"],
    )


def test_forms_are_shown_with_their_ops_and_constants() -> None:
    (form,) = irops.expansions("LogSoftmax")
    assert [step.op for step in form.steps] == [
        "ReduceMax-1",
        "Subtract-1",
        "Exp-1",
        "ReduceSum-1",
        "Log-1",
        "Subtract-1",
    ]
    assert (form.is_exact, form.outputs) == (False, ("output",))
    assert str(form.steps[0]) == "peak = ReduceMax-1(data, [1], keep_dims=true)"
    older = next(form for form in irops.expansions("ShapeOf-3") if len(form.steps) == 1)
    assert older.is_exact
    with pytest.raises(KeyError, match="no op is called"):
        irops.expansions("LogSoftmaxx")
