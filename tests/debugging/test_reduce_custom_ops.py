"""Models with custom ops are reduced as far as others."""

from pathlib import Path

import numpy as np
import pytest

import irops
from irops.debugging.reduce.reduction import reduce

pytestmark = pytest.mark.slow("starts processes")

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
