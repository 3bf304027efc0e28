"""Reductions by sources: where two differ, or where one fails; models with custom ops are reduced as far as
others.
"""

from pathlib import Path

import numpy as np
import pytest
from commands import python
from libraries import needs
from planted import Idle, Plant, Planted, call_of

import irops
from irops.debugging.reduce.attempts import InvalidQuestion
from irops.debugging.reduce.reduction import NoFault, reduce
from tests.conftest import model_of

pytestmark = pytest.mark.slow("OpenVINO in processes")

RNG = np.random.default_rng(0)


def chain(*names):
    """Layers one after the other."""
    layers = (f"l{k + 1}: {name} l{k}" for k, name in enumerate(names))
    model = model_of("l0: f32[?,6]", *layers, f"y: Result l{len(names)}")
    return model, {"l0": RNG.uniform(0.1, 0.9, (3, 6)).astype(np.float32)}


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


def test_a_refusal_of_a_runtime_is_reduced_and_its_program_shows_it(net, tmp_path):
    """OpenVINO's CPU plug-in refuses tensors of dynamic rank."""
    pytest.importorskip("openvino")
    both = "x: f32[...]; y: f32[2,3]; a: Tanh x; b: Sigmoid y; sum: Add a b"
    flat = "flat: Reshape sum shape special_zero=false; c: Cos flat; z: Result c"
    inputs = {"x": np.ones((2, 3), np.float32), "y": np.ones((2, 3), np.float32)}
    small = irops.reduce(net(both, flat, shape=np.array([-1])), inputs, crashes="openvino")
    assert small.layers <= 2
    assert "dynamic rank" in small.reason
    small.write(tmp_path)
    done = python(tmp_path / "repro.py")
    assert done.returncode != 0
    assert "dynamic rank" in done.stderr


FOLDER = Path(__file__).parents[2] / "examples" / "my_reverse"


@pytest.fixture
def registry():
    return irops.Registry(FOLDER)


@pytest.fixture
def model(registry):
    graph = irops.Graph("custom", registry=registry)
    x = graph.parameter("x", "f32[?,6]")
    reverse = graph.ops.MyReverse(graph.ops.Exp(x), block=3, name="reverse")
    graph.result(graph.ops.Tanh(reverse), "y")
    return graph.model()


class WrongReverse:
    """The reference, which does not reverse where there is more than one row."""

    name = "wrong"

    def kernel(self, op):
        return self._compute if op.definition.type == "MyReverse" else op.functions.kernel

    def _compute(self, data, *, block):
        return data if len(data) > 1 else data[..., ::-1]


X = np.random.default_rng(3).standard_normal((4, 6)).astype(np.float32)


def assert_small(small):
    """One layer remains; blocks and input are as small as the fault allows, and values are simple."""
    assert [layer.type for layer in small.model.layers] == ["Parameter", "MyReverse", "Result"]
    (array,) = small.inputs.values()
    assert array.shape == (2, 2)
    assert (array == np.rint(array)).all()


def test_shapes_and_values_around_a_custom_op_are_simplified(registry, model):
    question = {"differs": ("reference", WrongReverse())}
    assert_small(reduce(model, [X], **question, registry=registry))
    analysis = irops.analysis.model_analysis.ModelAnalysis(model, registry)
    assert_small(reduce(analysis, [X], **question))


def test_a_reduced_custom_op_is_written(registry, model, tmp_path):
    small = reduce(model, [X], differs=("reference", WrongReverse()), registry=registry)
    assert "expected.npz" in small.write(tmp_path)
    again = irops.read(tmp_path / "reduced.xml")
    (array,) = small.inputs.values()
    with np.load(tmp_path / "expected.npz") as expected:
        assert (irops.run(again, [array], registry=registry)[0] == expected["0"]).all()


def test_a_command_reduces_a_custom_op(registry, model, tmp_path):
    words = ["sh", "-c", 'grep -q \'type="MyReverse"\' "$0"']
    small = reduce(model, [X], command=words, registry=registry)
    assert small.layers == 1
    assert next(iter(small.inputs.values())).shape == (1, 1)


def test_the_command_line_takes_custom_ops(model, registry, tmp_path, capsys):
    from irops.cli.main import main

    irops.write(model, tmp_path / "m.xml", registry=registry)
    words = ["reduce", str(tmp_path / "m.xml"), "--definitions", str(FOLDER), "--fill", "ones"]
    command = "sh -c 'grep -q MyReverse \"$0\"'"
    assert main([*words, "--command", command, "-o", str(tmp_path / "small")]) == 0
    assert "1 of 3 layers" in capsys.readouterr().out
    words = ["compare", *words[1:], "--b", "reference"]
    assert main(words) == 0


def test_a_process_of_its_own_has_the_custom_ops(model, registry):
    found = irops.compare(model, [X], b="numba", registry=registry)
    assert {layer.op: str(layer.verdict) for layer in found.layers}["MyReverse-extension"] in (
        "skipped",
        "equal",
    )
    assert found.first is None
