"""Changes that concern more than one node: shapes in bodies, unused nodes, several changes as one."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import irops

EXAMPLES = Path(__file__).parents[3] / "examples"
ROWS, SUM = 4, 3


def conditional(graph: irops.Graph, x, rows):
    bodies = []
    for op in ("Tanh", "Sigmoid"):
        body = irops.Graph(op)
        body.result(body.add(op, body.parameter("x", "f32[1,2]"), name="inside"), "y")
        bodies.append(body)
    condition = graph.ops.Greater(graph.ops.ReduceSum(rows, [0, 1]), np.float32(SUM))
    return graph.If(condition, *bodies, {"x": x}, name="choice")[0]


def iterated(graph: irops.Graph, x, rows, kind: str = "Loop"):
    body = irops.Graph("body")
    state, row = body.parameter("state", "f32[1,2]"), body.parameter("row", "f32[1,2]")
    body.result(body.ops.Tanh(state + row, name="inside"), "next")
    inputs = {"state": graph.carried(x, "next"), "row": graph.sliced(rows, axis=0)}
    outputs = ["next", graph.stacked("next", axis=0)]
    if kind == "Loop":
        return graph.Loop(body, inputs, outputs, trip_count=ROWS, name="loop")[0]
    return graph.TensorIterator(body, inputs, outputs, name="loop")[0]


def nested(graph: irops.Graph, x, rows):
    """A Loop in a branch of an If."""
    then = irops.Graph("then")
    then.result(iterated(then, then.parameter("x", "f32[1,2]"), then.parameter("rows", f"f32[{ROWS},2]")))
    otherwise = irops.Graph("otherwise")
    otherwise.result(otherwise.ops.Abs(otherwise.parameter("x", "f32[1,2]")))
    condition = graph.ops.Greater(graph.ops.ReduceSum(rows, [0, 1]), np.float32(SUM))
    return graph.If(condition, then, otherwise, {"x": x, "rows": rows}, name="choice")[0]


MADE = {
    "If": conditional,
    "Loop": iterated,
    "TensorIterator": lambda graph, x, rows: iterated(graph, x, rows, "TensorIterator"),
    "Loop in If": nested,
}


def with_bodies(kind: str) -> irops.Model:
    graph = irops.Graph()
    x, rows = graph.parameter("x", "f32[1,2]"), graph.parameter("rows", f"f32[{ROWS},2]")
    graph.result(MADE[kind](graph, x, rows), "y")
    return graph.model()


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("sizes", [(5, ROWS), (1, ROWS), (3, "?"), ("?", ROWS)])
def test_other_shapes_of_inputs_reach_the_bodies(kind: str, sizes: tuple[object, object], tmp_path: Path):
    wide, rows = sizes
    irops.write(with_bodies(kind), tmp_path / "before.xml")
    graph = irops.Graph(irops.read(tmp_path / "before.xml"))
    with graph.changes():
        graph.reshape({"x": [1, wide]})
        graph.reshape({"rows": [rows, wide]})
    irops.write(graph.model(), tmp_path / "after.xml")
    assert irops.check(tmp_path / "after.xml").diagnostics == ()
    size = 7 if wide == "?" else wide
    data = {"x": np.ones((1, size), np.float32), "rows": np.ones((ROWS, size), np.float32)}
    assert irops.run(tmp_path / "after.xml", data)["y"].shape == (1, size)
    (difference,) = [irops.diff(tmp_path / "before.xml", tmp_path / "after.xml")]
    assert {change.name for change in difference.changed} == {"x", "rows"}
    assert not difference.weights
    assert not difference.rewired


@pytest.mark.parametrize("kind", MADE)
def test_a_reshape_and_the_reverse_leave_the_file_as_it_was(kind: str, tmp_path: Path):
    irops.write(with_bodies(kind), tmp_path / "before.xml")
    graph = irops.Graph(irops.read(tmp_path / "before.xml"))
    for wide in (5, 2):
        with graph.changes():
            graph.reshape({"x": [1, wide], "rows": [ROWS, wide]})
    irops.write(graph.model(), tmp_path / "after.xml")
    assert (tmp_path / "after.xml").read_bytes() == (tmp_path / "before.xml").read_bytes()


def test_a_body_whose_ops_refuse_the_new_shape_leaves_the_graph_as_it_was():
    graph = irops.Graph(with_bodies("Loop"))
    before = graph.model()
    with pytest.raises(irops.DiagnosticError, match="the shapes of a and b are compatible"):
        graph.reshape({"x": [1, 5]})
    assert graph.model() == before


def unused(chance: random.Random) -> tuple[irops.Graph, set[str]]:
    """A graph with parts that nothing uses, and the names of these."""
    graph = irops.Graph()
    values = [graph.parameter("x", "f32[2,3]"), graph.parameter("unread", "f32[2,3]")]
    for number in range(30):
        match chance.randrange(3):
            case 0:
                values.append(graph.constant(np.full((2, 3), number, np.float32), f"constant_{number}"))
            case 1:
                values.append(graph.ops.Tanh(chance.choice(values), name=f"tanh_{number}"))
            case _:
                values.append(graph.ops.Add(*chance.choices(values, k=2), name=f"add_{number}"))
    result = graph.ops.Add(values[0], chance.choice(values), name="last")
    graph.result(result, "y")
    needed, ahead = set(), [result.node]
    while ahead:
        node = ahead.pop()
        if node.name not in needed:
            needed.add(node.name)
            ahead += [value.node for value in node.inputs if value is not None]
    return graph, {node.name for node in graph} - needed - {"x", "unread", "y", "y/result"}


@pytest.mark.parametrize("seed", range(20))
def test_pruning_removes_exactly_what_no_result_depends_on(seed: int):
    graph, names = unused(random.Random(seed))
    data = [np.full((2, 3), 0.5, np.float32)] * 2
    before = irops.run(graph.model(), data)["y"]
    assert set(graph.prune()) == names
    assert [value.node.name for value in graph.inputs] == ["x", "unread"]
    assert irops.check(graph.model()).errors == ()
    assert irops.run(graph.model(), data)["y"].tobytes() == before.tobytes()
    assert graph.prune() == ()


def test_inputs_that_nothing_uses_are_pruned_where_that_is_asked_for():
    graph = irops.Graph()
    graph.parameter("unread", "f32[2]")
    graph.result(graph.ops.Abs(graph.parameter("x", "f32[2]")), "y")
    assert graph.prune() == ()
    assert graph.prune(inputs=True) == ("unread",)
    assert [value.node.name for value in graph.inputs] == ["x"]


def test_pruning_keeps_the_state_of_a_model():
    model = irops.read(EXAMPLES / "running_total" / "model.xml")
    graph = irops.Graph(model)
    assert graph.prune() == ()
    assert graph.model().graph == model.graph


def chain() -> irops.Graph:
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2,3]")
    shape = graph.constant([3, 2], "shape")
    y = graph.ops.Reshape(x, shape, special_zero=False, name="reshape")
    weights = graph.constant(np.ones((2, 5), np.float32), "weights")
    graph.result(graph.ops.MatMul(y, weights, name="matmul"), "y")
    return graph


def test_changes_that_fit_only_together_are_made_as_one():
    graph = chain()
    with pytest.raises(irops.DiagnosticError):
        graph.set_constant(graph["weights"], np.ones((6, 5), np.float32))
    with graph.changes():
        graph.set_constant(graph["weights"], np.ones((6, 5), np.float32))
        graph.set_constant(graph["shape"], [1, 6])
    assert str(graph["matmul"].output) == "f32[1,5]"
    assert irops.check(graph.model()).errors == ()
    assert irops.run(graph.model(), [np.ones((2, 3), np.float32)])["y"].tolist() == [[6.0] * 5]


def state(graph: irops.Graph) -> list[object]:
    return [(node.name, node.type, dict(node.data), [*map(str, node.outputs)]) for node in graph]


def test_changes_that_do_not_fit_at_the_end_leave_everything_as_before():
    graph = chain()
    before, listed = graph.model(), state(graph)
    with pytest.raises(irops.DiagnosticError, match="MatMul-1"), graph.changes():  # noqa: PT012
        graph.rename(graph["reshape"], "other")
        graph.insert_after(graph["other"], "Tanh", name="inserted")
        graph.set_constant(graph["weights"], np.ones((7, 5), np.float32))
    assert state(graph) == listed
    assert graph.model() == before
    graph.set_constant(graph["weights"], np.zeros((2, 4), np.float32))  # and it can be changed as before
    assert str(graph["matmul"].output) == "f32[3,4]"


def test_an_exception_among_changes_leaves_everything_as_before():
    graph = chain()
    before = graph.model()
    with pytest.raises(ZeroDivisionError), graph.changes():  # noqa: PT012
        graph.rename(graph["reshape"], "other")
        graph.set_constant(graph["weights"], np.ones((7, 5), np.float32))
        raise ZeroDivisionError
    assert graph.model() == before
    with pytest.raises(irops.DiagnosticError):  # requirements are checked at once again
        graph.set_constant(graph["weights"], np.ones((7, 5), np.float32))


def test_a_change_that_is_refused_among_others_is_undone_alone():
    graph = chain()
    with graph.changes():
        graph.rename(graph["reshape"], "other")
        with pytest.raises(irops.DiagnosticError, match="no attribute"):
            graph.insert_after(graph["other"], "Tanh", nonsense=1)
        with pytest.raises(ZeroDivisionError), graph.changes():  # noqa: PT012
            graph.rename(graph["matmul"], "lost")
            raise ZeroDivisionError
    assert sorted(node.name for node in graph) == sorted(["x", "shape", "other", "weights", "matmul", "y"])


@pytest.mark.parametrize("seed", range(10))
def test_random_changes_that_are_rolled_back_leave_no_trace(seed: int):
    chance = random.Random(seed)
    model = irops.read(EXAMPLES / "bidirectional_encoder" / "model.xml")
    graph = irops.Graph(model)
    listed = state(graph)
    with pytest.raises(KeyboardInterrupt), graph.changes():  # noqa: PT012
        for number in range(12):
            node = chance.choice([n for n in graph if n.outputs])
            try:
                match chance.randrange(5):
                    case 0:
                        graph.rename(node, f"renamed_{number}")
                    case 1:
                        graph.insert_after(node, "Abs", name=f"inserted_{number}")
                    case 2:
                        graph.remove(node)
                    case 3:
                        graph.replace(node, "Tanh")
                    case _:
                        graph.prune(inputs=True)
            except irops.DiagnosticError:
                continue
        raise KeyboardInterrupt
    assert state(graph) == listed
    assert graph.model().graph == model.graph
