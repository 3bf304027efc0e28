"""Models of one op: their ports declare the shapes of the arrays, or none where Parameters do not."""

import numpy as np
import pytest

import irops
from irops.backends.one_op import complete, one_op_model
from irops.dialects.registry import default_registry
from irops.ir.read import loads

X, ROW = np.ones((2, 3), np.float32), np.ones(3, np.float32)


@pytest.mark.parametrize(("declared", "dims"), [({}, [(2, 3), (3,)]), ({0: "?,3"}, [(), (3,)])])
def test_ports_declare_the_shapes_of_arrays_where_parameters_do(declared, dims):
    text, weights = one_op_model(default_registry().op("Add-1"), [X, ROW], {}, 1, {1: ROW}, declared)
    model, found = loads(text.encode(), weights)
    assert [port.dims for port in model.layer("subject").inputs] == dims
    assert found == ()
    assert irops.run(model, [X])["output0"].tolist() == [[2, 2, 2]] * 2


def test_the_size_of_a_state_is_that_of_its_last_axis():
    data, state = np.zeros((2, 5, 4), np.float32), np.zeros((2, 1, 3), np.float32)
    found = complete(default_registry().op("GRUSequence-5"), [data, state], {"direction": "forward"})
    assert (found["hidden_size"], found["linear_before_reset"]) == (3, False)
