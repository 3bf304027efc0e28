"""FakeQuantize where shapes are not known, and where types are narrow."""

import numpy as np
import pytest
from invoking import shapes_of

import irops
from irops.analysis.invocation import OpFault


def shape_of(data, *limits, auto_broadcast="numpy"):
    inputs = data, *limits, *("",) * (4 - len(limits))
    return shapes_of("FakeQuantize-1", *inputs, levels=256, auto_broadcast=auto_broadcast)[0]


@pytest.mark.parametrize(
    ("data", "limit"),
    [
        ("[...]", "[2,3]"),
        ("[?,3]", "[2,3]"),
        ("[2,3]", "[...]"),
        ("[2,3]", "[1..4,?]"),
        ("[2,3]", "[1,1,2,3]"),
        ("[2,3]", "[?,2,3]"),
    ],
)
def test_limits_that_may_fit_are_accepted_and_leave_the_shape_as_it_is(data, limit):
    assert shape_of(data, limit) == data


@pytest.mark.parametrize(
    ("data", "limit"), [("[2,3]", "[4..9,3]"), ("[1,3]", "[2,3]"), ("[2,3]", "[2,2,3]"), ("[]", "[2]")]
)
def test_limits_that_surely_do_not_fit_are_refused(data, limit):
    with pytest.raises(OpFault, match="broadcastable"):
        shape_of(data, limit)


def test_without_broadcast_limits_tell_the_shape():
    same = ("[2,1..5]",) * 4
    assert shape_of("[?,3..9]", *same, auto_broadcast="none") == "[2,3..5]"


def test_limits_that_differ_in_their_axes_are_broadcast_each_by_itself():
    data = np.linspace(-1, 2, 24, dtype=np.float32).reshape(2, 3, 4)
    low, high = np.float32([[0.0], [0.1], [0.2]]), np.linspace(1, 1.5, 4, dtype=np.float32)
    bottom, top = np.zeros((2, 1, 1), np.float32), np.full((1, 1, 1, 1), 255, np.float32)
    found = irops.call("FakeQuantize-1", data, low, high, bottom, top, levels=256)
    for place in np.ndindex(data.shape):
        _, channel, column = place
        share = (float(data[place]) - float(low[channel, 0])) / (float(high[column]) - float(low[channel, 0]))
        assert found[place] == pytest.approx(min(max(round(share * 255), 0), 255), abs=1)
