"""Variables between runs and within one: copies, transactions, and what an interrupted run leaves."""

import numpy as np
import pytest

import irops
from irops.runtime.evaluator import Transaction, Variables
from tests.conftest import model_of

ASSIGN = "Assign-opset6 {} variable_id=v"
READ = "ReadValue-opset6 {} variable_id=v variable_type={} variable_shape={}"


def remembering(shape="2", start=None, kind="f32", late=False):
    """Gives what x was in the run before. start: whether an input says what it was at first; late: Assign
    stands before ReadValue.
    """
    inputs = [f"x: {kind}[{shape}]", *([f"start: {kind}[{start}]"] if start else [])]
    keep, read = f"keep: {ASSIGN.format('x')}", f"read: {READ.format('start' if start else '', kind, shape)}"
    return irops.Session(model_of(*inputs, *([keep, read] if late else [read, keep]), "was: Result read"))


def was(session, *x, **more):
    return session.run(
        {"x": np.array(x, np.float32), **{name: np.array(v, np.float32) for name, v in more.items()}}
    )["was"].tolist()


@pytest.mark.parametrize("late", [False, True])
def test_what_is_assigned_is_read_in_the_next_run_in_whatever_order_the_layers_stand(late):
    session = remembering(late=late)
    assert [was(session, 1, 2), was(session, 3, 4), was(session, 5, 6)] == [[0, 0], [1, 2], [3, 4]]


def test_the_initial_value_counts_until_something_is_kept():
    session = remembering(start="2")
    assert [was(session, 1, 2, start=(7, 8)), was(session, 3, 4, start=(9, 9))] == [[7, 8], [1, 2]]


def test_a_reset_forgets_all_or_one():
    session = remembering(start="2")
    was(session, 1, 2, start=(7, 8))
    session.variables.reset("another")
    assert was(session, 3, 4, start=(9, 9)) == [1, 2]
    session.variables.reset("v")
    assert was(session, 3, 4, start=(9, 9)) == [9, 9]
    session.reset()
    assert was(session, 3, 4, start=(5, 5)) == [5, 5]


def test_a_variable_can_be_set_and_seen():
    session = remembering()
    session.variables["v"] = np.array([4, 2], np.float32)
    assert was(session, 1, 2) == [4, 2]
    assert session.variables.keys() == ("v",)
    assert session.variables["v"].tolist() == [1, 2]


def test_what_is_kept_is_a_copy():
    session = remembering()
    x = np.array([1, 2], np.float32)
    session.run({"x": x})
    x[:] = 9
    assert was(session, 3, 4) == [1, 2]


@pytest.mark.parametrize(("shape", "found"), [("?,2", (0, 2)), ("3..5,2", (3, 2)), ("2,2", (2, 2))])
def test_without_an_initial_value_sizes_are_the_least_they_may_be(shape, found):
    session = remembering(shape)
    assert (
        session.run({"x": np.ones((max(found[0], 3) if shape != "2,2" else 2, 2), np.float32)})["was"].shape
        == found
    )


@pytest.mark.parametrize(("kind", "zero"), [("string", ""), ("boolean", False), ("i64", 0)])
def test_a_variable_of_any_type_begins_as_nothing(kind, zero):
    dtype = {"string": object, "boolean": bool, "i64": np.int64}[kind]
    assert remembering("1", kind=kind).run({"x": np.array([zero], dtype)})["was"].tolist() == [zero]


def test_a_value_that_the_variable_cannot_have_is_refused(net):
    layers = (
        f"x: f32[?]; keep: {ASSIGN.format('x')}; read: {READ.format('', 'f32', '2..3')}; was: Result read"
    )
    session = irops.Session(net(layers))
    session.run({"x": np.ones(3, np.float32)})
    with pytest.raises(
        irops.EvaluationError, match="IR401 Assign-6 requires: the shape of new_value is compatible"
    ) as caught:
        session.run({"x": np.ones(4, np.float32)})
    assert caught.value.diagnostics[0].location.layer_name == "keep"
    assert session.run({"x": np.ones(2, np.float32)})["was"].shape == (3,)


def test_a_state_grows_from_run_to_run(net):
    """As the keys and values of a language model do."""
    read = f"x: f32[?,2]; read: {READ.format('', 'f32', '?,2')}; joined: Concat read x axis=0"
    session = irops.Session(net(read, f"keep: {ASSIGN.format('joined')}; all: Result joined"))
    sizes = [session.run({"x": np.full((n, 2), n, np.float32)})["all"][:, 0].tolist() for n in (2, 1, 3)]
    assert sizes == [[2, 2], [2, 2, 1], [2, 2, 1, 3, 3, 3]]


def test_a_session_of_its_own_has_a_state_of_its_own():
    one, other = remembering(), remembering()
    was(one, 1, 2)
    assert was(other, 3, 4) == [0, 0]
    assert was(one, 5, 6) == [1, 2]


def test_a_run_sees_the_variables_as_they_were_when_it_began():
    variables = Variables()
    variables["v"] = np.array([1])
    transaction = variables.begin()
    variables["v"] = np.array([2])
    transaction.assign("v", np.array([3]))
    assert transaction.read("v").tolist() == [1]
    assert variables["v"].tolist() == [2]
    variables.commit(transaction)
    assert variables["v"].tolist() == [3]
    assert transaction.read("w") is None


def test_a_transaction_without_values_reads_nothing():
    assert Transaction().read("v") is None
    assert Transaction().assigned == {}


def test_a_commit_keeps_what_was_not_assigned_and_copies_what_was():
    variables = Variables()
    variables["kept"] = np.array([1])
    transaction = variables.begin()
    array = np.array([2])
    transaction.assign("v", array)
    variables.commit(transaction)
    array[:] = 9
    assert variables.keys() == ("kept", "v")
    assert variables["v"].tolist() == [2]
    with pytest.raises(ValueError, match="read-only"):
        variables["v"][0] = 1


def test_what_is_set_is_a_read_only_copy():
    variables, array = Variables(), np.array([1])
    variables["v"] = array
    array[:] = 9
    assert variables["v"].tolist() == [1]
    assert not variables["v"].flags.writeable
    assert array.flags.writeable


class Stopped(BaseException):
    pass


@pytest.mark.parametrize("error", [KeyboardInterrupt, Stopped, RuntimeError, MemoryError])
def test_a_run_that_is_interrupted_after_the_last_layer_assigns_nothing(error):
    model, stop = remembering("1").model, []

    def progress(done, total, layer):
        if stop and done == total:
            raise error

    session = irops.Session(model, progress=progress)
    session.run([np.array([1], np.float32)])
    stop.append(True)
    with pytest.raises(error):
        session.run([np.array([2], np.float32)])
    assert session.variables["v"].tolist() == [1]
    stop.clear()
    assert session.run([np.array([3], np.float32)])["was"].tolist() == [1]
