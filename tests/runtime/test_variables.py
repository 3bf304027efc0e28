"""Variables between runs: copies, transactions, and what a run that does not end leaves behind."""

import numpy as np
import pytest
from bodies import Net

import irops
from irops.runtime.evaluator import Transaction, Variables


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
    net = Net()
    x = net.parameter("x", "f32", "1")
    net.result(
        net.op("ReadValue", version="opset6", variable_id="v", variable_type="f32", variable_shape="1"), "was"
    )
    net.op("Assign", x, version="opset6", variable_id="v")
    stop = []

    def progress(done, total, layer):
        if stop and done == total:
            raise error

    session = irops.Session(net.model(), progress=progress)
    session.run([np.array([1], np.float32)])
    stop.append(True)
    with pytest.raises(error):
        session.run([np.array([2], np.float32)])
    assert session.variables["v"].tolist() == [1]
    stop.clear()
    assert session.run([np.array([3], np.float32)])["was"].tolist() == [1]
