"""Reductions by sources: where two differ, or where one fails."""

import subprocess
import sys

import numpy as np
import pytest
from planted import Idle, Plant, Planted, call_of

import irops
from irops.debugging.reduce.attempts import InvalidQuestion
from irops.debugging.reduce.reduction import NoFault

pytestmark = pytest.mark.slow("OpenVINO in processes")

RNG = np.random.default_rng(0)


def chain(*names):
    """Layers one after the other."""
    graph = irops.Graph("chain")
    x = graph.parameter("x", "f32[N,6]")
    for name in names:
        x = graph.add(name, x)
    graph.result(x, "y")
    return graph.model(), {"x": RNG.uniform(0.1, 0.9, (3, 6)).astype(np.float32)}


def planted(kind, op, at_least=0):
    return Planted(Plant(kind, call_of(op, (), {}), at_least=at_least))


def test_sources_that_differ_in_one_layer():
    model, inputs = chain("Tanh", "Sin", "Sigmoid", "Cos", "Abs")
    small = irops.reduce(model, inputs, differs=("reference", planted("sign", "Sigmoid-1")))
    assert [layer.type for layer in small.model.layers] == ["Parameter", "Sigmoid", "Result"]
    assert small.reason == "reference and planted differ: wrong"


def test_the_order_of_the_sources_does_not_matter():
    model, inputs = chain("Tanh", "Sin")
    small = irops.reduce(model, inputs, differs=(planted("sign", "Sin-1"), "reference"))
    assert [layer.type for layer in small.model.layers] == ["Parameter", "Sin", "Result"]


def test_a_symptom_leads_to_its_cause():
    """The sign of Sigmoid is wrong; NaN is what the result shows."""
    model, inputs = chain("Tanh", "Sigmoid", "Log", "Cos")
    small = irops.reduce(model, inputs, differs=("reference", planted("sign", "Sigmoid-1")))
    assert [layer.type for layer in small.model.layers] == ["Parameter", "Sigmoid", "Result"]


def test_a_fault_that_later_layers_hide_is_reduced_all_the_same():
    model, inputs = chain("Sin", "Abs", "Tanh")
    small = irops.reduce(model, inputs, differs=("reference", planted("sign", "Sin-1")))
    assert [layer.type for layer in small.model.layers] == ["Parameter", "Sin", "Result"]
    assert small.of == 3


def test_a_fault_of_some_sizes_keeps_the_smallest_of_them():
    model, inputs = chain("Tanh", "Sin", "Abs")
    small = irops.reduce(model, inputs, differs=("reference", planted("sign", "Sin-1", at_least=3)))
    (array,) = small.inputs.values()
    assert sorted(array.shape) == [1, 3]


def test_sources_that_agree_have_nothing_to_reduce():
    model, inputs = chain("Tanh", "Sin")
    with pytest.raises(NoFault, match="reference and planted give the same results"):
        irops.reduce(model, inputs, differs=("reference", planted("sign", "Exp-1")))


def test_a_source_that_computes_no_layer_of_the_model_does_not_agree_with_another():
    model, inputs = chain("Tanh")
    with pytest.raises(NoFault, match="idle computes no layer of the model"):
        irops.reduce(model, inputs, differs=("reference", Idle()))


def test_stored_values_cannot_be_reduced():
    model, inputs = chain("Tanh")
    with pytest.raises(InvalidQuestion, match="the values of one model"):
        irops.reduce(model, inputs, differs=("reference", {"y": np.zeros(3, np.float32)}))


def test_a_mistyped_source_is_reported():
    model, inputs = chain("Tanh")
    with pytest.raises(InvalidQuestion, match="did you mean"):
        irops.reduce(model, inputs, crashes="openvin")


def test_a_device_that_is_missing_is_reported():
    pytest.importorskip("openvino")
    model, inputs = chain("Tanh")
    with pytest.raises(InvalidQuestion, match="openvino:XPU is not available"):
        irops.reduce(model, inputs, crashes="openvino:XPU")


def test_a_refusal_of_a_runtime_is_reduced_and_its_program_shows_it(tmp_path):
    """OpenVINO's CPU plug-in refuses tensors of dynamic rank."""
    pytest.importorskip("openvino")
    graph = irops.Graph("dynamic")
    x = graph.parameter("x", "f32[...]")
    y = graph.parameter("y", "f32[2,3]")
    sum_of_both = graph.ops.Tanh(x) + graph.ops.Sigmoid(y)
    graph.result(graph.ops.Cos(graph.ops.Reshape(sum_of_both, [-1], special_zero=False)), "z")
    inputs = {"x": np.ones((2, 3), np.float32), "y": np.ones((2, 3), np.float32)}
    small = irops.reduce(graph.model(), inputs, crashes="openvino")
    assert small.layers <= 2
    assert "dynamic rank" in small.reason
    small.write(tmp_path)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "repro.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "dynamic rank" in done.stderr
