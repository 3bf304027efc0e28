"""Partially known values of ops on two tensors are as tight as the results of every possible pair."""

from itertools import product

import numpy as np
import pytest
from invoking import inferred

import irops
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import element_type
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape

COMPARED = ("Equal-1", "NotEqual-1", "Less-1", "LessEqual-1", "Greater-1", "GreaterEqual-1")
COMPUTED = ("Add-1", "Subtract-1", "Multiply-1", "Maximum-1", "Minimum-1", "Divide-1")
EXACT = [*((op, {}) for op in (*COMPUTED, *COMPARED)), ("Divide-1", {"m_pythondiv": "false"})]
SPANS = [Dim(low, high) for low in range(-4, 5) for high in range(low, 5)]


def known(op_id, *facts, **attributes):
    """All that inference knows of an op's output."""
    return inferred(op_id, *facts, **attributes)[0]


def part(*dims, kind="i64"):
    return Fact(element_type(kind), Shape((len(dims),)), dims_array(dims))


def pairs():
    return [(a, b) for a, b in product(SPANS[::3], SPANS) if not (a.known and b.known) and b != 0]


def everything(op_id, attributes, a, b):
    divides = op_id in ("Divide-1", "Mod-1", "FloorMod-1")
    left, right = zip(
        *[(x, y) for x in range(a.low, a.high + 1) for y in range(b.low, b.high + 1) if y or not divides]
    )
    return irops.call(op_id, np.array(left), np.array(right), **attributes)


@pytest.mark.parametrize(("op_id", "attributes"), EXACT)
def test_the_bounds_are_the_least_and_the_greatest_that_can_be(op_id, attributes):
    for a, b in pairs():
        found = known(op_id, part(a), part(b), **attributes).dims[0]
        can_be = everything(op_id, attributes, a, b)
        assert (found.low, found.high) == (can_be.min(), can_be.max()), f"{a!r} and {b!r}"


@pytest.mark.parametrize("op_id", ["Mod-1", "FloorMod-1"])
def test_no_remainder_lies_outside_the_bounds(op_id):
    for a, b in pairs():
        found = known(op_id, part(a), part(b)).dims[0]
        can_be = everything(op_id, {}, a, b)
        assert found.low <= can_be.min() <= can_be.max() <= found.high, f"{a!r} and {b!r}"


def test_a_remainder_within_one_turn_is_known_exactly():
    assert known("FloorMod-1", part(Dim(14, 18)), part(7)).dims == (Dim(0, 4),)
    assert known("FloorMod-1", part(Dim(13, 18)), part(7)).dims == (Dim(0, 6),)


def test_a_size_without_bound_stays_a_size():
    for op_id in ("Add-1", "Multiply-1", "Maximum-1"):
        found = known(op_id, part(ANY), part(Dim(2, 5))).dims[0]
        assert found.low >= 0
        assert found.high == float("inf")


def test_what_may_wrap_around_is_not_known():
    found = known("Add-1", part(Dim(250, 255), kind="u8"), part(Dim(1, 9), kind="u8")).dims[0]
    for a, b in product(range(250, 256), range(1, 10)):
        assert found.can_be((a + b) % 256)


def test_a_value_of_which_every_element_turns_out_known_is_a_value():
    found = known("Multiply-1", part(ANY, 3), part(0, 2))
    assert found.value.dtype == np.int64
    assert found.value.tolist() == [0, 6]


def test_fractions_are_known_as_they_are():
    assert known("Multiply-1", part(Dim(3, 8), kind="f32"), np.array(0.5, np.float32)).dims == (Dim(1.5, 4),)
    halves = known("Divide-1", part(Dim(3, 8), kind="f32"), np.array(2, np.float32))
    assert halves.dims == (Dim(1.5, 4),)
    assert known("Floor-1", halves).dims == (Dim(1, 4),)
    assert known("Convert-1", halves, destination_type="i64").dims == (Dim(1, 4),)


@pytest.mark.parametrize(
    ("base", "exponent", "power"),
    [
        (Dim(2, 3), 3, Dim(8, 27)),
        (ANY, 2, ANY),
        (Dim(0, 9), 0, Dim.of(1)),
        (Dim(2, 5), 10**18, UNKNOWN),
        (Dim(-2, 2), 2, UNKNOWN),
    ],
)
def test_powers_of_sizes_are_known(base, exponent, power):
    found = known("Power-1", part(base), part(exponent)).dims[0]
    assert found == power or (power is UNKNOWN and found.can_be(power))


@pytest.mark.parametrize(("exponent", "kept"), [(0.5, False), (2.0, False), (1.0, True)])
def test_only_the_first_power_keeps_the_symbol_of_a_size(exponent, kept):
    (dim,) = known("Power-1", part(Dim(0, 9).named("N"), kind="f32"), np.float32([exponent])).dims
    assert (dim.symbol is not None) is kept


def test_a_float_that_is_too_great_to_be_exact_is_rounded_before_it_is_known():
    found = known("Add-1", part(Dim(2**24, 2**24 + 2), 5, kind="f32"), np.array(1, np.float32)).dims[0]
    assert found.low <= np.float32(2**24) + np.float32(1)


def test_a_comparison_with_nan_or_infinity_is_no_fault():
    strange = np.float32([np.nan, np.inf])
    assert known("Less-1", part(ANY, ANY, kind="f32"), strange).dims == (Dim(0, 1), Dim(0, 1))


def test_pdpd_lays_what_is_known_in_part_as_it_lays_elements():
    row = part(Dim(1, 2), Dim(3, 4))
    laid = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": "0"}
    found = known("Add-1", [[10, 20], [30, 40]], row, **laid)
    assert found.dims == (Dim(11, 12), Dim(21, 22), Dim(33, 34), Dim(43, 44))


def test_a_choice_on_an_unknown_condition_is_one_of_the_two():
    assert known("Select-1", "boolean[1]", part(3), part(Dim(7, 9))).dims == (Dim(3, 9),)
    assert known("LogicalAnd-1", "boolean[1]", np.array([False])).value.tolist() == [False]


def test_an_integer_of_which_nothing_is_known_may_be_anything():
    assert known("Subtract-1", "i64[1]", part(3)).dims == (UNKNOWN,)


def test_numbers_beyond_f64_are_no_fault():
    top = part(Dim(2**62, 2**63 - 1), kind="f64")
    power = known("Power-1", top, np.array(64.0))
    assert known("Multiply-1", power, power).dims[0].high == float("inf")
