"""Bodies: shapes that change from iteration to iteration, their number, branches, and places of faults."""

import numpy as np
import pytest
from bodies import IF, ITERATOR, LOOP, Net, counts, decides, feeds, gives, iterating, takes
from tables import table

import irops
from irops.analysis.invocation import Invocation
from irops.files.limits import Limits


def loop(trips=3, condition=True, again=True, state="2,3", each="2,4,3", step="Add"):
    """A Loop that steps a state with the parts of each; its outputs: the last state, and all joined."""
    net = Net()
    acc, parts = net.parameter("acc", "f32", state), net.parameter("each", "f32", each)
    trip = net.parameter("trips", "i64", "") if trips is None else net.const(trips, np.int64)
    first = net.parameter("first", "boolean", "") if condition is None else net.const(condition, bool)
    body = net.body()
    before, part = body.parameter("before", "f32", "..."), body.parameter("part", "f32", "...")
    number = body.parameter("number", "i64", "")
    flat = body.op("Squeeze", part, body.const([1], np.int64))
    other, data = (before, {"axis": 0}) if step == "Concat" else (flat, {"auto_broadcast": "numpy"})
    after = body.op(step, before, other, **data)
    is_fixed = isinstance(again, bool)
    goes_on = body.const(again, bool if is_fixed else np.int64)
    if not is_fixed:
        goes_on = body.op("Less", number, goes_on)
    last = body.result(after)
    piece = body.result(body.op("Unsqueeze", after, body.const([1], np.int64)))
    maps = counts(number) + takes(2, before) + takes(3, part, axis=1) + gives(4, last)
    maps += gives(5, piece, axis=1) + decides(body.result(goes_on)) + feeds(last, before)
    state_out, all_out = net.apply(LOOP, trip, first, acc, parts, outputs=2, name="loop", body=(body, maps))
    net.result(state_out, "last")
    net.result(all_out, "all")
    return net.model()


def shapes(model, *names, **inputs):
    facts = irops.infer(model, inputs)
    assert facts.errors == (), facts.errors
    return [str(facts[name, 0].shape) for name in names or ("last", "all")]


def test_a_body_is_inferred_with_what_it_is_given():
    facts = irops.infer(loop()).of("loop").bodies["body"]
    found = {name: str(facts[name, 0]) for name in ("before", "part", "number")}
    assert found == {"before": "f32[2,3]", "part": "f32[2,1,3]", "number": "i64[]"}


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"trips": 3, "again": 100}, ["[2,3]", "[2,3,3]"]),  # 0, 1 and 2 are less than 100
        ({"trips": 3}, ["[2,3]", "[2,3,3]"]),
        ({"trips": None}, ["[2,3]", "[2,?,3]"]),
        ({"trips": 0}, ["[2,3]", "[2,0,3]"]),
        ({"condition": False}, ["[2,3]", "[2,0,3]"]),
        ({"again": False, "trips": -1}, ["[2,3]", "[2,1,3]"]),
        ({"trips": -1, "again": 2}, ["[2,3]", "[2,1..,3]"]),
        ({"condition": None}, ["[2,3]", "[2,3,3]"]),
        ({"again": 2}, ["[2,3]", "[2,1..3,3]"]),
    ],
)
def test_the_number_of_iterations_follows_from_the_trip_count_and_the_conditions(arguments, found):
    assert shapes(loop(**arguments)) == found


@pytest.mark.parametrize(("trips", "shape"), [(None, "[4..,3]"), (1, "[4,3]")])
def test_a_size_that_grows_is_at_least_what_it_was(trips, shape):
    assert shapes(loop(step="Concat", trips=trips), "last") == [shape]


def test_a_size_that_changes_once_and_then_stays_is_known():
    facts = irops.infer(loop(state="1,3"))
    assert str(facts["last", 0].shape) == "[2,3]"
    assert str(facts.of("loop").bodies["body"]["before", 0].shape) == "[1..2,3]"


def test_a_rank_that_changes_is_unknown():
    net = Net()
    x, body = net.parameter("x", "f32", "2"), net.body()
    before, part = body.parameter("before", "f32", "..."), body.parameter("part", "f32", "1")
    after = body.result(body.op("Unsqueeze", before, body.const([0], np.int64)))
    maps = takes(0, before) + takes(1, part, axis=0) + gives(2, after) + feeds(after, before)
    net.result(net.apply(ITERATOR, x, x, body=(body, maps))[0], "y")
    assert shapes(net.model(), "y") == ["[...]"]


@pytest.mark.parametrize(("cut", "size", "count"), table(__file__, "parts_are_counted"))
def test_parts_are_counted(cut, size, count):
    def work(body, part):
        return body.op("ReduceSum", part, body.const([0], np.int64), keep_dims="false")

    assert shapes(iterating(size, cut=cut, work=work).model(), "y") == [count]


def branches(
    condition=None, then=("Concat", {"axis": 0}), other=("Add", {"auto_broadcast": "numpy"}), shape="2,3"
):
    """An If with these ops, or none, in its bodies; of a Reshape, with the shape that it makes."""
    net = Net()
    chosen = net.parameter("cond", "boolean", "") if condition is None else net.const(condition, bool)
    x, bodies = net.parameter("x", "f32", shape), {}
    for name, (op, data) in {"then_body": then, "else_body": other}.items():
        body = net.body()
        value = p = body.parameter("p", "f32", "2,3")
        if op == "Reshape":
            value = body.op(op, p, body.const(data, np.int64), special_zero="false")
        elif op is not None:
            value = body.op(op, p, p, **data)
        bodies[name] = body, takes(1, p) + gives(2, body.result(value))
    net.result(net.apply(IF, chosen, x, name="if", **bodies)[0], "y")
    return net.model()


@pytest.mark.parametrize(("condition", "found"), [(None, "[2..4,3]"), (True, "[4,3]"), (False, "[2,3]")])
def test_what_either_body_gives_is_allowed_for_unless_the_condition_is_known(condition, found):
    assert shapes(branches(condition), "y") == [found]


@pytest.mark.parametrize(
    ("then", "other", "found"),
    [([6], [2, 3], "[...]"), ([6], [1, 2, 3], "[...]"), ([6], [3, 2], "[...]"), ([6], [6], "[6]")],
)
def test_bodies_that_give_other_ranks_leave_the_rank_unknown(then, other, found):
    assert shapes(branches(None, ("Reshape", then), ("Reshape", other)), "y") == [found]


def test_a_body_that_never_runs_need_not_fit_what_it_would_be_given():
    model = branches(True, (None, {}), ("Reshape", [6]))
    facts = irops.infer(model, {"x": "5,5"})
    assert facts.errors == ()
    assert str(facts["y", 0].shape) == "[5,5]"
    assert str(facts.of("if").bodies["else_body"]["p", 0].shape) == "[2,3]"


def test_constants_are_known_within_bodies():
    net = Net()
    x, shape = net.parameter("x", "f32", "2,3"), net.const([3, 2], np.int64)
    body = net.body()
    data, pattern = body.parameter("data", "f32", "..."), body.parameter("pattern", "i64", "?")
    part = body.parameter("part", "f32", "...")
    maps = takes(0, data) + takes(1, pattern) + takes(2, part, axis=0)
    result = body.result(body.op("Reshape", data, pattern, special_zero="false"))
    net.result(net.apply(ITERATOR, x, shape, x, body=(body, maps + gives(3, result)))[0], "y")
    assert shapes(net.model(), "y") == ["[3,2]"]


def test_an_error_in_a_body_is_reported_once_with_its_path():
    (found,) = irops.check(loop(state="5,3")).errors
    assert (found.constraint, found.location.path) == ("Add-1:C1", ("loop", "body"))
    assert found.location.layer_name.startswith("Add")


def test_a_fault_of_the_first_iteration_is_not_lost_when_more_is_allowed_for():
    net = Net()
    x, body = net.parameter("x", "f32", "2"), net.body()
    before, part = body.parameter("before", "f32", "?"), body.parameter("part", "f32", "1")
    body.result(body.op("Add", before, body.const([1, 2, 3]), auto_broadcast="numpy"))
    longer = body.result(body.op("Concat", before, before, axis=0))
    maps = takes(0, before) + takes(1, part, axis=0) + gives(2, longer) + feeds(longer, before)
    net.result(net.apply(ITERATOR, x, x, body=(body, maps))[0], "y")
    assert [d.constraint for d in irops.infer(net.model()).errors] == ["Add-1:C1"]


def test_a_fault_of_a_cut_is_reported_at_its_entry():
    net = Net()
    body = net.body()
    part = body.parameter("part", "f32", "?")
    maps = takes(0, part, axis=5) + gives(1, body.result(part))
    net.result(net.apply(ITERATOR, net.parameter("x", "f32", "4"), body=(body, maps))[0])
    (found,) = irops.infer(net.model()).errors
    assert 'axis="5"' in net.xml().splitlines()[found.location.line - 1]


UNMAPPED = "unmapped-parameter"


@pytest.mark.parametrize(
    ("maps", "rule"), table(__file__, "invalid_port_maps_are_reported_by_checks_and_inference")
)
def test_invalid_port_maps_are_reported_by_checks_and_inference(maps, rule):
    net = Net()
    body = net.body()
    body.result(body.op("ReLU", body.parameter("p", "f32", "?")))
    x = net.parameter("x", "f32", "4")
    op, inputs = ITERATOR, [x]
    if rule == "missing-condition" or (rule == UNMAPPED and maps):
        op, inputs = LOOP, [net.const(1, np.int64), net.const(True, bool), x]
    if rule == UNMAPPED and maps:
        body.parameter("q", "f32", "?")
    net.result(net.apply(op, *inputs, body=(body, maps))[0], "y")
    assert rule in [d.name for d in irops.infer(net.model()).errors]
    with pytest.raises(irops.EvaluationError):
        irops.run(net.model(), {"x": np.zeros(4, np.float32)})


def nested(depth, level):
    """A model of so many bodies, each within the last. level: makes one from a graph, a tensor and what makes
    the rest.
    """
    net = Net()

    def inner(graph, x, left):
        if left == 0:
            return graph.op("Concat", x, x, axis=0)
        return level(graph, x, lambda body, p: inner(body, p, left - 1))

    net.result(inner(net, net.parameter("x", "f32", "2"), depth), "y")
    return net.model()


def a_choice(graph, x, inner):
    bodies = {}
    for name in ("then_body", "else_body"):
        body = graph.body()
        p = body.parameter("p", "f32", "?")
        bodies[name] = body, takes(1, p) + gives(2, body.result(inner(body, p) if name == "then_body" else p))
    sum_of = graph.op("ReduceSum", x, graph.const([0], np.int64), keep_dims="false")
    return graph.apply(IF, graph.op("Less", sum_of, sum_of, auto_broadcast="numpy"), x, **bodies)[0]


def a_loop(graph, x, inner):
    body = graph.body()
    p = body.parameter("p", "f32", "?")
    after = body.result(inner(body, p))
    maps = takes(2, p) + gives(3, after) + decides(body.result(body.const(True, bool))) + feeds(after, p)
    return graph.apply(LOOP, graph.const(2, np.int64), graph.const(True, bool), x, body=(body, maps))[0]


@pytest.fixture
def inferred(monkeypatch):
    """How often a layer was inferred."""
    calls = []
    real = Invocation.infer
    monkeypatch.setattr(
        Invocation, "infer", lambda self, *rest: calls.append(self.op.id) or real(self, *rest)
    )
    return calls


def test_branches_within_branches_are_inferred_once_each(inferred):
    model = nested(40, a_choice)
    assert irops.infer(model).errors == ()
    assert inferred.count("If-8") == 40


def test_loops_within_loops_are_inferred_a_bounded_number_of_times(inferred):
    model = nested(40, a_loop)
    assert irops.infer(model).errors == ()
    assert inferred.count("Loop-5") < Limits().repeats + 40 * 40 / 2
