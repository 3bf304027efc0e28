"""Plans and what runs of one model share: what is known of steps before anything runs, kernels, constants."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from bodies import iterating

import irops
from irops.dialects.registry import default_registry
from irops.runtime import evaluator
from irops.runtime.evaluator import kept_layers


def plan_of(model, *inputs):
    session = irops.Session(model)
    return session.evaluator.plan(session.analysis.root, session.signature.arrays(inputs))


def steps_of(model, *inputs):
    return {step.layer.name: step for step in plan_of(model, *inputs).steps}


ONE = np.ones(1, np.float16)


@pytest.fixture
def narrow(net):
    """y = x + (c * c), all of f16."""
    return net(
        "x: f16[?]; c: Const f16[1] offset=0 size=2; square: Multiply c c; sum: Add x square",
        "again: Add sum x; y: Result again",
        weights=ONE.tobytes(),
    )


def test_a_step_knows_what_it_reads_and_how_often_each_value_is_read(narrow):
    plan = plan_of(narrow, ONE)
    steps = {step.layer.name: step for step in plan.steps}
    assert steps["square"].sources == ((1, 0), (1, 0))
    assert steps["sum"].sources == ((0, 0), (2, 0))
    assert steps["sum"].done_with == steps["sum"].sources
    assert steps["y"].done_with == ()
    assert plan.users == {(0, 0): 2, (1, 0): 2, (2, 0): 1, (3, 0): 1, (4, 0): 1}


def test_constants_are_rounded_where_they_meet_other_values_and_nowhere_else(narrow):
    steps = steps_of(narrow, ONE)
    assert {name for name, step in steps.items() if step.constant} == {"c", "square"}
    assert [str(fact) for fact in steps["sum"].rounding] == ["None", "f16[1]"]
    assert {name for name, step in steps.items() if step.rounding} == {"sum"}


def test_sizes_are_those_of_the_outputs_and_results_take_none(narrow):
    sizes = {name: step.size for name, step in steps_of(narrow, np.ones(5, np.float16)).items()}
    assert sizes == {"x": 10, "c": 2, "square": 2, "sum": 10, "again": 10, "y": 0}


def test_keywords_are_known_before_a_run_where_ranks_are(net):
    model = net(
        "x: f32[?,?]; n: i64[?]; s: SoftMax-opset8 x axis=-1; any: Reshape x n special_zero=false",
        "t: SoftMax-opset8 any axis=-1; a: Abs any; y: Result t; z: Result s; w: Result a",
    )
    session = irops.Session(model)
    root = session.analysis.root
    root.parameters[1].data["shape"] = "..."
    steps = steps_of(model, np.ones((2, 3), np.float32), np.array([3, 2]))
    assert steps["s"].keywords == {"axis": 1}
    assert steps["a"].keywords == {}
    assert steps["x"].keywords is None
    result = irops.run(model, [np.ones((2, 3), np.float32), np.array([3, 1, 2])])
    assert result["y"].shape == (3, 1, 2)


def test_only_what_the_inputs_shapes_determine_is_static(net):
    model = net(
        "x: f32[?]; found: NonZero-opset3 x output_type=i64; twice: Add found found; a: Abs x",
        "y: Result twice; z: Result a",
    )
    steps = steps_of(model, np.array([0, 1, 2], np.float32))
    assert {name for name, step in steps.items() if not step.static} == {"found", "twice", "y"}
    assert [str(fact.shape) for fact in steps["found"].facts.outputs] == ["[1,..3]"]


def test_bodies_are_never_static_however_much_is_known():
    steps = steps_of(iterating("3", "1", name="t").model(), np.ones(3, np.float32))
    assert (steps["t"].static, steps["t"].keywords, steps["y"].static) == (False, None, True)


def test_steps_and_plans_cannot_be_changed_and_are_compared_by_identity(narrow):
    one, other = plan_of(narrow, ONE), plan_of(narrow, ONE)
    assert one != other
    assert len({one, other, one.steps[0], other.steps[0]}) == 4
    for frozen, field in ((one, "steps"), (one.steps[0], "size")):
        with pytest.raises(FrozenInstanceError):
            setattr(frozen, field, None)


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
    with pytest.raises(KeyError, match="there is no layer or tensor 7"):
        kept_layers(root, [7])


class Counting:
    """The reference, which counts the calls of an op."""

    name = "counting"

    def __init__(self, op):
        self.op, self.calls = op, 0

    def kernel(self, op):
        right = op.functions.kernel

        def kernel(*inputs, **attributes):
            self.calls += op.id == self.op
            return right(*inputs, **attributes)

        return kernel


@pytest.mark.parametrize("constant_bytes", [1 << 20, 600])
def test_constants_are_computed_once_whatever_the_sizes_of_inputs(constant_bytes):
    """As weights in f16, of a sequence that grows."""
    graph = irops.Graph("decoder")
    value = graph.parameter("x", "f32[?,8]")
    for number in range(3):
        weights = graph.constant(np.full((8, 8), number, np.float16))
        value = graph.add("MatMul", value, graph.add("Convert", weights, destination_type="f32"))
    graph.result(graph.add("Reshape", value, graph.add("ShapeOf", value), special_zero=False), "y")
    counting = Counting("Convert-1")
    session = irops.Session(
        graph, backends=[counting, "reference"], limits=irops.Limits(constant_bytes=constant_bytes)
    )
    for size in (4, 1, 2, 3, 1):
        session.run({"x": np.ones((size, 8), np.float32)})
    kept = session.evaluator.kept._arrays
    assert sum(array.nbytes for array in kept.values()) <= constant_bytes
    assert counting.calls == (3 if constant_bytes > 600 else 2 + 5)
    programs = session.evaluator._programs._values.values()
    held = {id(array) for program in programs for array in program.values if array is not None}
    assert len([array for array in kept.values() if id(array) in held]) == len(kept)
    assert len(held) <= len(kept) + len(programs)
