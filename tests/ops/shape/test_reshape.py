"""Reshape where sizes are known in part: what follows from the number of elements; axes that are no axes."""

from math import inf

import pytest
from invoking import inferred

from irops.analysis.invocation import OpFault
from irops.values.dim import ANY, UNKNOWN, Dim, broadcast
from irops.values.shape import Shape
from irops.values.violation import collect_warnings

of = Shape.of
B, S = ANY.named("batch"), Dim(1, 512).named("length")


def reshaped(data, *pattern, special_zero=False):
    return inferred("Reshape-1", data, list(pattern), special_zero=special_zero)[0].shape


@pytest.mark.parametrize(
    ("data", "pattern", "shape"),
    [
        (of(B, S, 768), (B, S, 12, -1), "[?,1..512,12,64]"),
        (of(B, S, 768), (-1, 768), "[?,768]"),
        (of(B * S, 768), (B, -1, 768), "[?,1..512,768]"),
        (of(B * (S // 7), 7, 7), (B, S // 7, 7, -1), "[?,..73,7,7]"),
        (of(Dim(1, 10), 6), (-1, 4), "[3..15,4]"),
        (of(2, 6), (UNKNOWN, 3), "[4,3]"),
        (of(2, 6), (UNKNOWN, UNKNOWN, 3), "[1..4,1..4,3]"),
        (of(Dim(2, 3), 6), (Dim(1, 4), -1), "[1..4,3..18]"),
        (of(ANY, 6), (5, -1), "[5,?]"),
        (of(ANY, ANY), (Dim(-1, 5), -1), "[..5,?]"),
        (of(ANY, ANY), (Dim(-1, 5), 3), "[?,3]"),
    ],
)
def test_sizes_are_what_the_count_leaves(data, pattern, shape):
    assert str(reshaped(data, *pattern)) == shape


def test_the_size_that_is_left_keeps_its_name():
    assert reshaped(of(B * S, 768), B, -1, 768)[1].symbol == S.symbol


def test_data_with_elements_leaves_no_size_0_to_minus_1():
    shape = reshaped(of(*[2] * 8), *[ANY.named(f"size{axis}") for axis in range(7)], -1, special_zero=True)
    assert shape[7] == Dim(1, inf)


def test_a_copied_size_is_left_out_of_the_count():
    assert str(reshaped(of(ANY, ANY, 8), 0, 0, -1, special_zero=True)) == "[?,?,8]"
    assert str(reshaped(of(0, 6), 0, -1, special_zero=True)) == "[0,6]"


def test_an_element_that_may_be_0_may_copy_a_size():
    assert str(reshaped(of(ANY, 3, 2), Dim(0, 5), 6, special_zero=True)) == "[?,6]"
    assert str(reshaped(of(3, 4), Dim(0, 1), Dim(0, 12), special_zero=True)) == "[1..3,4..12]"
    assert str(reshaped(of(3, 4), Dim(0, 1), 12, special_zero=True)) == "[1,12]"
    assert str(reshaped(of(3, 4), *([Dim(0, 3)] * 6), special_zero=True)) == "[1..3,1..4,1..3,1..3,1..3,1..3]"


def test_an_element_that_data_was_broadcast_with_copies_no_other_size():
    query, key = Dim(0, 3).named("query"), Dim(1, inf).named("key")
    assert str(reshaped(of(broadcast(key, query, "C1"), 6), query, 6, special_zero=True)) == "[..3,6]"
    data = of(key, 12, broadcast(8, query, "C1"))
    assert str(reshaped(data, Dim(1, inf).named("rows"), query, special_zero=True)) == "[32..,1..3]"
    assert str(reshaped(of(key, 3, 2), query, 6, special_zero=True)) == "[1..,6]"


def test_where_a_copied_size_is_0_the_other_sizes_are_free():
    assert str(reshaped(of(0, 3), 0, 5, special_zero=True)) == "[0,5]"
    assert str(reshaped(of(0, 3), UNKNOWN, UNKNOWN, special_zero=True)) == "[0,1..]"


def test_an_element_of_which_data_consists_is_no_copy_of_another_size():
    shape = reshaped(of(B * S, 768), B, S, 768, special_zero=True)
    assert [dim.symbol for dim in shape][:2] == [B.symbol, S.symbol]
    assert str(reshaped(of(B, S, 12, 64), B, S, -1, special_zero=True)) == "[?,1..512,768]"


def test_data_of_unknown_rank_is_taken_to_have_elements():
    assert str(reshaped("...", -1, 3)) == "[1..,3]"
    assert str(reshaped("...", 0, -1, 3, special_zero=True)) == "[?,?,3]"


@pytest.mark.parametrize(
    ("data", "pattern"), [(of(Dim(1, 2), 6), (-1, 13)), (of(2, 3), (4, -1)), (of(S, 5), (S, 2, -1))]
)
def test_what_is_left_must_be_whole(data, pattern):
    with pytest.raises(OpFault, match="as many elements"):
        reshaped(data, *pattern)


def test_a_wrong_count_leaves_the_shape_clear():
    with collect_warnings() as warnings:
        assert str(reshaped(of(Dim(1, inf), 6), 4, 4)) == "[4,4]"
    assert [warning.constraint for warning in warnings] == ["C4"]


def test_what_may_have_no_elements_may_take_any_shape_of_none():
    with collect_warnings() as warnings:
        reshaped(of(ANY, 6), ANY, 7)
    assert warnings == []


@pytest.mark.parametrize(
    ("data", "pattern"), [(of(0), (2**32, 2**32)), (of(16), (2**62, 16)), (of(4), (2**63 - 1, 2**63 - 1, 4))]
)
def test_no_product_wraps_around(data, pattern):
    with pytest.raises(OpFault) as error:
        reshaped(data, *pattern)
    assert error.value.constraint == "C4"


def test_bounds_beyond_the_range_of_floats_are_open():
    large = Dim(1, 2**900)
    assert str(reshaped(of(large, large, 2, 64), ANY, ANY, 64)) == "[1..,1..,64]"
