"""Ops on elements: bounds of values that are known in part, every type and shape, edges of types, blocks."""

from itertools import product
from math import inf

import numpy as np
import pytest
from invoking import inferred
from tables import table

import irops
from irops.analysis.invocation import OpFault
from irops.dialects.registry import default_registry
from irops.ops.activation.activation import clamp_dims, whole_bounds
from irops.ops.reals import BLOCK_ELEMENTS, in_blocks
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import element_type, element_type_of, element_types, tagged
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


PAIRS = [
    (op, attributes, kind)
    for op, attributes in table(__file__, "type_and_shape_stay_the_same")
    for kind in sorted(default_registry().op(op).definition.inputs[0].allowed)
]
WITH_AXIS = ("SoftMax-8", "CumSum-3")


@pytest.mark.parametrize(("op", "attributes", "kind"), PAIRS)
def test_type_and_shape_stay_the_same(op, attributes, kind):
    element = element_type(kind)
    for shape in ((2, 3), (0, 2), (1,), ()):
        if shape or op not in WITH_AXIS:
            numbers = np.resize(np.arange(2), shape).astype(np.float32)
            data = (
                tagged(numbers.astype(np.uint8), element)
                if element.dtype == np.uint8
                else numbers.astype(element.dtype)
            )
            found = irops.call(op, data, **attributes)
            assert found.shape == shape
            assert element_type_of(found) is element


def test_gelu_by_erf_keeps_the_digits_of_f64():
    from math import erf, sqrt

    x = np.linspace(-5, 5, 101)
    truth = [v / 2 * (1 + erf(v / sqrt(2))) for v in x.tolist()]
    assert np.abs(irops.call("Gelu-7", x) - truth).max() <= 4e-16


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


@pytest.mark.parametrize(
    ("kind", "low", "high", "whole"), table(__file__, "bounds_are_rounded_inwards_and_moved_into_the_type")
)
def test_bounds_are_rounded_inwards_and_moved_into_the_type(kind, low, high, whole):
    assert whole_bounds(element_type(kind), low, high) == tuple(whole)


def test_dimensions_are_held_within_the_bounds():
    held = clamp_dims(
        dims_array([Dim(0, inf), Dim(5, 9), Dim(-3, -2)]), min=0.5, max=7.0, result_type=element_type("i64")
    )
    assert held.tolist() == [Dim(1, 7), Dim(5, 7), Dim.of(1)]


def test_bounds_of_floats_are_drawn_outward():
    held = clamp_dims(dims_array([Dim(0, inf)]), min=0.5, max=7.5, result_type=element_type("f32"))
    assert held.tolist() == [Dim(0, 8)]


@pytest.mark.parametrize("kind", [t for t in element_types() if t.name != "dynamic"], ids=str)
def test_elements_of_every_type_are_moved(kind):
    pair = {"string": ("a", "b"), "f8e8m0": (1, 2)}.get(kind.name, (1, 0))
    this, that = (np.array([item], kind.dtype) for item in pair)
    chosen = irops.call("Select-1", np.array([True, False]), this, that)
    assert chosen.dtype == kind.dtype
    assert (chosen == np.concatenate([this, that])).all()


@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (BLOCK_ELEMENTS,), (3, BLOCK_ELEMENTS + 1)])
def test_every_element_is_computed_once(shape):
    data = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    sizes = []

    def formula(block):
        sizes.append(block.size)
        return block.astype(np.float64) + 0.5

    result = in_blocks(formula, data)
    assert (result.dtype, result.shape) == (np.float32, shape)
    assert (result == data + np.float32(0.5)).all()
    assert (sum(sizes), max(sizes) <= BLOCK_ELEMENTS) == (data.size, True)


def test_data_may_be_a_view():
    data = np.arange(2 * BLOCK_ELEMENTS, dtype=np.float32).reshape(-1, 2).T
    assert (in_blocks(np.negative, data) == -data).all()
