"""Conditions: alternatives of comparisons of named values."""

import numpy as np
import pytest
from tables import table

from irops.spec.condition import condition_holds, parse_condition

VALUES = {
    ("T", ""): ["i8", "integer"],
    ("mode", ""): ["cubic"],
    ("coeff", ""): [-0.5],
    ("data", ""): np.float32([1, np.nan]),
    ("data", "size"): (2, 0),
    ("indices", ""): np.int64([-1, 7]),
    ("absent", ""): [],
}


@pytest.mark.parametrize(("text", "holds"), table(__file__, "a_condition_holds_for_any_value"))
def test_a_condition_holds_for_any_value(text, holds):
    assert condition_holds(parse_condition(text), lambda *subject: VALUES[subject]) is holds


def test_what_is_not_known_is_asked_only_where_it_decides():
    condition = parse_condition("T=u8 unknown=1")
    assert not condition_holds(condition, lambda *subject: VALUES[subject])
    with pytest.raises(LookupError):
        condition_holds(parse_condition("T=i8 unknown=1"), lambda *subject: VALUES[subject])
