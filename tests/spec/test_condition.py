"""Conditions: alternatives of comparisons of named values."""

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("T=i8", True),
        ("T=u8,i8", True),
        ("T=u8 | T=integer", True),
        ("T=i8 mode=linear", False),
        ("coeff=-0.5", True),
        ("coeff!=-0.5", False),
        ("coeff!=-0.75,2", True),
        ("data=nan", True),
        ("indices=nan", False),
        ("data=1 data>0.5", True),
        ("data>=2", False),
        ("indices<0", True),
        ("indices<=-2", False),
        ("indices>data:size", True),
        ("indices>10", False),
        ("data:size=0", True),
        ("absent=1", False),
        ("absent<1", False),
        ("never", False),
        ("", False),
    ],
)
def test_a_condition_holds_for_any_value(text, holds):
    assert condition_holds(parse_condition(text), lambda *subject: VALUES[subject]) is holds


def test_what_is_not_known_is_asked_only_where_it_decides():
    condition = parse_condition("T=u8 unknown=1")
    assert not condition_holds(condition, lambda *subject: VALUES[subject])
    with pytest.raises(LookupError):
        condition_holds(parse_condition("T=i8 unknown=1"), lambda *subject: VALUES[subject])


@pytest.mark.parametrize("text", ["T", "T=", "=i8", "data:hue=1", "a=1 | b", "a==1", "1=1"])
def test_what_is_no_comparison_is_refused(text):
    with pytest.raises(ValueError, match="no comparison"):
        parse_condition(text)
