"""Reductions by sources: where two differ, or where one fails."""

import numpy as np
import pytest
from libraries import needs
from planted import Idle, Plant, Planted, call_of
from programs import python

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


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(
    ("layers", "wrong"),
    [
        pytest.param("Tanh Sin Sigmoid Cos Abs", "Sigmoid", id="one of five layers"),
        pytest.param("Tanh Sigmoid Log Cos", "Sigmoid", id="a wrong sign, of which the result shows NaN"),
        pytest.param("Sin Abs Tanh", "Sin", id="one that later layers hide"),
    ],
)
def test_sources_that_differ_in_one_layer(layers, wrong, is_first):
    model, inputs = chain(*layers.split())
    sources = (planted("sign", f"{wrong}-1"), "reference")
    small = irops.reduce(model, inputs, differs=sources if is_first else sources[::-1])
    assert [layer.type for layer in small.model.layers] == ["Parameter", wrong, "Result"]
    assert small.of == len(layers.split())
    assert is_first or small.reason == "reference and planted differ: wrong"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"differs": ("reference", {"y": np.zeros(3, np.float32)})}, "the values of one model"),
        ({"crashes": "openvin"}, "did you mean"),
        pytest.param({"crashes": "openvino:XPU"}, "openvino:XPU is not available", marks=needs("openvino")),
    ],
)
def test_sources_of_which_nothing_can_be_reduced_are_reported(question, message):
    model, inputs = chain("Tanh")
    with pytest.raises(InvalidQuestion, match=message):
        irops.reduce(model, inputs, **question)


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
    done = python(tmp_path / "repro.py")
    assert done.returncode != 0
    assert "dynamic rank" in done.stderr
