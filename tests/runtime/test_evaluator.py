"""What runs of one model share: plans, kernels, mapped constants."""

import numpy as np
import pytest

import irops
from irops.dialects.registry import default_registry
from irops.runtime import evaluator
from irops.runtime.evaluator import kept_layers


@pytest.fixture
def model(net):
    return net("x: f32[?]", "a: Abs x", "y: Result a")


def ones(size):
    return np.ones(size, np.float32)


def test_inputs_of_the_same_shapes_have_one_plan(model):
    session = irops.Session(model)
    root, shared = session.analysis.root, session.evaluator
    plan = shared.plan(root, {0: ones(3)})
    assert shared.plan(root, {0: -ones(3)}) is plan
    assert shared.plan(root, {0: ones(4)}) is not plan


def test_plans_are_bounded_and_the_latest_are_kept(model, monkeypatch):
    assert evaluator.MAX_PLANS == 256
    monkeypatch.setattr(evaluator, "MAX_PLANS", 3)
    session = irops.Session(model)
    root, shared = session.analysis.root, session.evaluator
    plans = [shared.plan(root, {0: ones(size)}) for size in range(1, 6)]
    assert len(shared._plans) == 3
    assert [shared.plan(root, {0: ones(size)}) is plans[size - 1] for size in (3, 4, 5, 1)] == [True] * 3 + [
        False
    ]
    assert len(shared._plans) == 3


def test_kernels_are_looked_up_once(model):
    class Counting:
        name, asked = "counting", []

        def kernel(self, op):
            self.asked.append(op.id)

    session = irops.Session(model, backends=(Counting(), "reference"))
    for _ in range(2):
        session.run([ones(2)])
    assert Counting.asked == ["Abs-1"]


def test_the_reference_computes_what_only_passes_values_on(model):
    class Nothing:
        name = "nothing"

        def kernel(self, op):
            return None

    shared = irops.Session(model, backends=(Nothing(),)).evaluator
    for op_id in ("Parameter-1", "Result-1"):
        assert shared.kernel(default_registry().op(op_id))[0].name == "reference"


def test_a_constant_in_mapped_weights_is_read_once(net, tmp_path):
    model = net("y: Result c", c=ones(2))
    irops.write(model, tmp_path / "m.xml")
    session = irops.Session(tmp_path / "m.xml")
    node = session.analysis.root.find("c")
    constant = session.evaluator.constant(node)
    assert session.evaluator.constant(node) is constant
    assert constant.tolist() == [1, 1]


def test_errors_of_the_graph_keep_it_from_being_planned(net):
    model = net("x: f32[2,3]", "s: Softmax x axis=7", "t: Softmax x axis=8", "y: Result s", "z: Result t")
    with pytest.raises(irops.EvaluationError) as caught:
        irops.run(model, [np.ones((2, 3), np.float32)])
    assert [d.location.layer_name for d in caught.value.diagnostics] == ["s", "t"]


def test_an_undefined_op_is_reported_once_at_its_first_layer(net):
    model = net("x: f32[2]", "p: Planes-com.example:1 x", "q: Planes-com.example:1 p", "y: Result q")
    with pytest.raises(irops.EvaluationError) as caught:
        irops.run(model, [ones(2)])
    (found,) = (d for d in caught.value.diagnostics if d.name == "unsupported-op")
    assert (found.code, found.location.layer_name) == ("IR604", "p")
    assert found.message.endswith(", and cannot compute it")


def test_layers_to_keep_are_found_by_id_and_by_name(model):
    root = irops.Session(model).analysis.root
    assert kept_layers(root, ["a", 0]) == {0, 1}
    with pytest.raises(KeyError, match="there is no layer 7"):
        kept_layers(root, [7])
