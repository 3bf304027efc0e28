"""Division at the edges of types."""

import numpy as np
import pytest
from invoking import inferred

import irops
from irops.analysis.invocation import OpFault

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]  # as NumPy names them: by bytes


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("floors", [True, False])
def test_quotient_and_remainder_make_up_the_number(kind, floors):
    info = np.iinfo(kind)
    ends = [info.min, info.min + 1, 0, 1, 2, 7, info.max - 1, info.max] + [-1, -2, -7] * (info.min < 0)
    a, b = (
        grid.ravel()
        for grid in np.meshgrid(np.array(ends, kind), np.array([end for end in ends if end], kind))
    )
    quotient = irops.call("Divide-1", a, b, m_pythondiv=floors)
    remainder = irops.call("FloorMod-1" if floors else "Mod-1", a, b)
    with np.errstate(over="ignore"):
        assert (quotient * b + remainder == a).all()
    assert (np.sign(remainder) * np.sign(b if floors else a) >= 0).all()


def test_a_divisor_of_zero_is_told_before_anything_runs_only_if_it_surely_divides():
    assert str(inferred("Divide-1", "i64[?,2]", [1, 0])[0]) == "i64[?,2]"
    with pytest.raises(OpFault, match="no integer is divided by 0"):
        inferred("Divide-1", "i64[1..3,2]", [1, 0])


@pytest.mark.parametrize("op_id", ["Divide-1", "Mod-1", "FloorMod-1"])
def test_floating_point_numbers_may_be_divided_by_zero(op_id):
    assert not np.isfinite(
        irops.call(op_id, np.array([1.0, 0.0], np.float16), np.array([0.0, 0.0], np.float16))
    ).any()
