"""Bodies run: parts and pieces, conditions, limits, and what is reported when they cannot run."""

import numpy as np
import pytest
from bodies import IF, ITERATOR, LOOP, Net, counts, decides, feeds, gives, iterating, takes

import irops

X = np.arange(1, 7, dtype=np.float32)


def cutting(cut, join=None):
    """A TensorIterator that hands the parts of x on."""
    return iterating("?", cut=cut, join=cut if join is None else join).model()


BACKWARDS = {"start": -1, "end": 0}


@pytest.mark.parametrize(
    ("cut", "join", "found"),
    [
        ({}, {}, [1, 2, 3, 4, 5, 6]),
        ({}, {"stride": -1}, [6, 5, 4, 3, 2, 1]),
        ({**BACKWARDS, "stride": -1}, {}, [6, 5, 4, 3, 2, 1]),
        ({**BACKWARDS, "stride": -1}, None, [1, 2, 3, 4, 5, 6]),
        ({"stride": 2, "part_size": 2}, None, [1, 2, 3, 4, 5, 6]),
        ({"stride": 3, "part_size": 3}, {"stride": -3, "part_size": 3}, [4, 5, 6, 1, 2, 3]),
        ({**BACKWARDS, "stride": -2, "part_size": 2}, {"part_size": 2}, [5, 6, 3, 4, 1, 2]),
        ({"start": 1, "end": -2}, {}, [2, 3, 4, 5]),
        ({"start": -2}, {}, [5, 6]),
        ({"start": 4, "end": 1, "stride": -1}, {}, [5, 4, 3, 2]),
    ],
)
def test_parts_are_cut_and_joined(cut, join, found):
    assert irops.run(cutting(cut, join), {"x": X})["y"].tolist() == found


@pytest.mark.parametrize(
    ("kind", "values"),
    [("string", ["a", "bc", ""]), ("boolean", [True, False, True]), ("u64", [0, 2**64 - 1, 7])],
)
def test_parts_are_of_any_type(kind, values):
    model = iterating("?", kind=kind, join={"stride": -1}).model()
    x = np.array(values, dtype={"string": object, "boolean": bool, "u64": np.uint64}[kind])
    assert irops.run(model, {"x": x})["y"].tolist() == values[::-1]


def test_a_remainder_is_refused_when_it_shows():
    match = "divides the number of elements from start to end; got part_size 4"
    with pytest.raises(irops.EvaluationError, match=match):
        irops.run(cutting({"stride": 4, "part_size": 4}), {"x": X})


def test_pieces_of_another_size_than_is_said_are_refused_when_they_show():
    match = r"part_size of a concatenated output .* got part_size 1 of 2 elements"
    with pytest.raises(irops.EvaluationError, match=match):
        irops.run(cutting({"stride": 2, "part_size": 2}, {}), {"x": X})


def stepping(number="", limit=None, again=None, growing=False):
    """A Loop over s: the number of the iteration is added (or s joined to itself); it goes on while s is less
    than limit.
    """
    net = Net()
    inputs = (("trips", "i64", "?"), ("first", "boolean", ""), ("s", "f32", "?"))
    trips, first, s = (net.parameter(*one) for one in inputs)
    body = net.body()
    n, before = body.parameter("n", "i32", number), body.parameter("before", "f32", "?")
    plus = body.op("Convert", n, destination_type="f32")
    after = body.op("Concat", before, before, axis=0) if growing else body.op("Add", before, plus)
    total = body.op("ReduceSum", after, body.const([0], np.int64), keep_dims="false")
    goes_on = body.const(True, bool) if limit is None else body.op("Less", total, body.const(limit))
    last, piece = body.result(after), body.result(total)
    maps = (
        counts(n)
        + takes(2, before)
        + gives(3, last)
        + gives(4, piece, axis=0)
        + gives(5, body.result(n), axis=0)
        + decides(body.result(goes_on))
        + feeds(last, before)
    )
    outputs = net.apply(LOOP, trips, first, s, outputs=3, name="loop", body=(body, maps))
    for value, name in zip(outputs, ("last", "sums", "numbers")):
        net.result(value, name)
    return net.model()


def loop(model, trips, first=True, s=(0,), **options):
    given = {"trips": np.array([trips]), "first": np.array(first), "s": np.array(s, np.float32)}
    return {name: value.tolist() for name, value in irops.run(model, given, **options).items()}


@pytest.mark.parametrize("number", ["", "1", "?"])
def test_the_number_of_the_iteration_counts_from_0(number):
    assert loop(stepping(number), 4) == {"last": [6], "sums": [0, 1, 3, 6], "numbers": [0, 1, 2, 3]}


@pytest.mark.parametrize(
    ("trips", "numbers"),
    [(-1, [0, 1, 2, 3, 4]), (-7, [0, 1, 2, 3, 4]), (3, [0, 1, 2]), (2**62, [0, 1, 2, 3, 4])],
)
def test_it_goes_on_while_the_condition_holds_and_trips_are_left(trips, numbers):
    assert loop(stepping(limit=10), trips)["numbers"] == numbers


@pytest.mark.parametrize(("trips", "first"), [(0, True), (5, False), (-1, False)])
def test_without_an_iteration_the_state_is_as_it_was_and_nothing_is_joined(trips, first):
    assert loop(stepping(), trips, first, s=(7, 8)) == {"last": [7, 8], "sums": [], "numbers": []}


def test_the_state_may_change_its_shape():
    assert loop(stepping(growing=True), 3, s=(1, 2))["last"] == [1, 2] * 8


def test_the_limit_on_iterations_is_told_when_it_is_reached():
    match = r"IR606 the body would run without end, the limit is 50 \(iterations\)"
    with pytest.raises(irops.EvaluationError, match=match):
        loop(stepping(limit=1e9), -1, limits=irops.Limits(iterations=50))
    assert len(loop(stepping(), 50, limits=irops.Limits(iterations=50))["numbers"]) == 50


def test_what_surely_exceeds_the_limit_is_not_begun():
    match = r"IR606 the body would run 1,000,000,000 times, the limit is 1,000,000"
    with pytest.raises(irops.EvaluationError, match=match):
        loop(stepping(), 10**9)
    net = Net()
    body = net.body()
    p = body.parameter("p", "f32", "?")
    maps = takes(0, p) + gives(1, body.result(p), axis=0, end=10**12)
    net.result(net.apply(ITERATOR, net.parameter("x", "f32", "1"), body=(body, maps))[0], "y")
    with pytest.raises(irops.EvaluationError, match=r"IR60[56]"):
        irops.run(net.model(), {"x": X[:1]})


def test_a_state_that_doubles_is_stopped_by_the_limit_on_bytes():
    with pytest.raises(irops.EvaluationError, match=r"IR605 .*\(tensor_bytes\)"):
        loop(stepping(growing=True, limit=1e9), -1, limits=irops.Limits(tensor_bytes=1 << 16))


def choosing(net, cond, *shapes):
    """An If on x, reshaped in its bodies."""
    x, bodies = net.parameter("x", "f32", "?"), {}
    for name, shape in zip(("then_body", "else_body"), shapes):
        body = net.body()
        p = body.parameter("p", "f32", "?")
        reshaped = body.op("Reshape", p, body.const(shape, np.int64), special_zero="false")
        bodies[name] = (body, takes(1, p) + gives(2, body.result(reshaped)))
    return net.apply(IF, cond, x, name="if", **bodies)[0]


def fitting_one():
    """An If whose bodies do not both fit every x."""
    net = Net()
    net.result(choosing(net, net.parameter("cond", "boolean", "?"), [2, 3], [5]), "y")
    return net.model()


def test_one_body_runs_and_the_other_need_not_fit():
    assert irops.run(fitting_one(), {"cond": np.array([True]), "x": X})["y"].shape == (2, 3)
    with pytest.raises(irops.EvaluationError) as caught:
        irops.run(fitting_one(), {"cond": np.array([False]), "x": X})
    assert caught.value.diagnostics[0].location.path == ("if", "else_body")


def test_a_condition_of_two_elements_is_refused_when_it_shows():
    with pytest.raises(irops.EvaluationError, match=r"If-8 requires: cond has one element; got bool\w*\[2\]"):
        irops.run(fitting_one(), {"cond": np.array([True, False]), "x": X})


def scalar_or_list(cond):
    """An If whose branches give a scalar and a tensor of rank 1, with ops that need the rank."""
    net = Net()
    chosen = choosing(net, cond(net), [], [-1])
    net.result(chosen, "y")
    net.result(net.op("ShapeOf", chosen, version="opset3", output_type="i64"), "shape")
    net.result(net.op("Unsqueeze", chosen, net.const(1, np.int64)), "column")
    return net.model()


@pytest.mark.parametrize(("cond", "size"), [(True, 1), (False, 3)])
def test_a_scalar_of_a_branch_is_one_element_where_the_other_branch_gives_a_list(cond, size):
    model = scalar_or_list(lambda net: net.parameter("cond", "boolean", "1"))
    x = np.arange(size, dtype=np.float32)
    results = irops.run(model, {"cond": np.array([cond]), "x": x})
    assert results["y"].tolist() == x.tolist()
    assert results["shape"].tolist() == [size]
    assert results["column"].shape == (size, 1)


def test_a_branch_that_always_runs_keeps_its_scalar():
    model = scalar_or_list(lambda net: net.const([True], bool))
    with pytest.raises(irops.DiagnosticError, match="Unsqueeze-1"):
        irops.run(model, {"x": np.ones(1, np.float32)})


def test_loops_and_branches_nest():
    """The collatz sequence of each number, its length found by a Loop in a TensorIterator, with an If
    in it.
    """
    net = Net()
    each = net.body()
    x, trips, true = each.parameter("x", "i64", "1"), each.const(-1, np.int64), each.const(True, bool)
    inner = each.body()
    n, length = inner.parameter("n", "i64", "1"), inner.parameter("length", "i64", "")
    bodies = {}
    for name, factor, plus in (("then_body", 3, 1), ("else_body", 1, 0)):
        body = inner.body()
        p = body.parameter("p", "i64", "1")
        product = body.op("Multiply", p, body.const(factor, np.int64))
        value = body.op("Add", product, body.const(plus, np.int64))
        halved = value if name == "then_body" else body.op("Divide", value, body.const(2, np.int64))
        bodies[name] = body, takes(1, p) + gives(2, body.result(halved))
    odd = inner.op("Equal", inner.op("FloorMod", n, inner.const(2, np.int64)), inner.const(1, np.int64))
    (step,) = inner.apply(IF, odd, n, **bodies)
    longer = inner.op("Add", length, inner.const(1, np.int64))
    after, count = inner.result(step), inner.result(longer)
    more = inner.op("NotEqual", step, inner.const([1], np.int64))
    maps = (
        takes(2, n)
        + takes(3, length)
        + gives(4, count)
        + decides(inner.result(more))
        + feeds(after, n)
        + feeds(count, length)
    )
    (found,) = each.apply(LOOP, trips, true, x, each.const(0, np.int64), body=(inner, maps))
    maps = takes(0, x, axis=0) + gives(1, each.result(found), axis=0)
    net.result(net.apply(ITERATOR, net.parameter("x", "i64", "?"), body=(each, maps))[0], "y")
    assert irops.run(net.model(), {"x": np.array([6, 7, 27])})["y"].tolist() == [8, 16, 111]


def test_pieces_have_the_bytes_that_the_tensors_of_the_model_leave():
    with pytest.raises(irops.EvaluationError, match=r"take 288 bytes, 287 are left \(tensor_bytes\)"):
        loop(stepping(limit=1e9), -1, limits=irops.Limits(tensor_bytes=300))
