"""FakeQuantize where shapes are not known, and FakeConvert beside the types that it stands for."""

import ml_dtypes
import numpy as np
import pytest
from invoking import shapes_of
from tables import table

import irops
from irops.analysis.invocation import OpFault


def shape_of(data, *limits, auto_broadcast="numpy"):
    inputs = data, *limits, *("",) * (4 - len(limits))
    return shapes_of("FakeQuantize-1", *inputs, levels=256, auto_broadcast=auto_broadcast)[0]


@pytest.mark.parametrize(
    ("data", "limit"), table(__file__, "limits_that_may_fit_are_accepted_and_leave_the_shape_as_it_is")
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


TYPES = {"f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}
ONE = np.array(1, np.float32)


def fake(numbers, name):
    return irops.call("FakeConvert-13", numbers, ONE.astype(numbers.dtype), destination_type=name)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_what_the_small_type_holds_stays(name, kind):
    every = np.arange(256, dtype=np.uint8).view(TYPES[name]).astype(kind)
    finite = every[np.isfinite(every)]
    assert (fake(finite, name) == finite).all()


@pytest.mark.parametrize("name", TYPES)
def test_normal_numbers_are_rounded_to_the_nearest(name):
    numbers = np.random.default_rng(0).uniform(-400, 400, 2000).astype(np.float16).astype(np.float32)
    assert (fake(numbers, name) == numbers.astype(TYPES[name]).astype(np.float32)).all()


@pytest.mark.parametrize(("name", "greatest"), [("f8e4m3", 448), ("f8e5m2", 57344)])
def test_what_is_too_great_becomes_the_greatest(name, greatest):
    found = fake(np.array([1e9, -1e9, np.inf, -np.inf], np.float32), name)
    assert found.tolist() == [greatest, -greatest] * 2
    assert np.isnan(fake(np.array([np.nan], np.float32), name)).all()
