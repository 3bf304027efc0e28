"""What is inferred where sizes, axes, lengths, positions and pads are known in part, or not at all."""

from itertools import combinations
from math import inf

import numpy as np
import pytest
from invoking import inferred, shapes_of, sizes
from tables import model_of_texts, table

import irops
from irops.analysis.invocation import OpFault
from irops.ops.stock import broadcast, normal_axes, reduced
from irops.values.dim import UNKNOWN, Dim
from irops.values.element import F32, I64
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape
from irops.values.violation import Violation, collect_warnings

S = Dim(1, inf).named("length")
FORWARD = {"hidden_size": "5", "direction": "forward", "activations": "sigmoid, tanh, tanh"}


def given(item):
    """An input of the table: - for none, "sizes 2..5,?" and "dim 2..5" for what ShapeOf gives, "any" for an
    element of which nothing is known, otherwise as inferred takes it.
    """
    if isinstance(item, list):
        return [
            UNKNOWN if one == "any" else next(iter(sizes(one))) if isinstance(one, str) else one
            for one in item
        ]
    match item.split() if isinstance(item, str) else [item]:
        case ["-"]:
            return None
        case ["sizes", shape]:
            return sizes(shape)
        case ["dim", size]:
            return sizes(size)[0]
    return item


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "shapes"), table(__file__, "shapes_are_known_as_far_as_they_follow")
)
def test_shapes_are_known_as_far_as_they_follow(op, inputs, attributes, shapes):
    assert shapes_of(op, *map(given, inputs), **attributes) == shapes


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "shapes"),
    [
        ("VariadicSplit-1", [Shape([2, S]), 1, [S, UNKNOWN]], {}, ["[2,1..]", "[2,0]"]),
        ("Squeeze-1", ["2..,1,3", np.zeros(0, np.int64)], {}, ["[2..,3]"]),
        ("NonZero-3", [np.float32([[0, 1], [2, 0]])], {"output_type": "i64"}, ["[2,2]"]),
    ],
)
def test_named_sizes_and_elements_are_known_as_far_as_they_follow(op, inputs, attributes, shapes):
    assert shapes_of(op, *inputs, **attributes) == shapes


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "elements"), table(__file__, "dimensions_are_known_as_far_as_they_follow")
)
def test_dimensions_are_known_as_far_as_they_follow(op, inputs, attributes, elements):
    dims = inferred(op, *map(given, inputs), **attributes)[0].dims
    assert [str(dim) for dim in dims] == elements
    assert all(isinstance(dim, Dim) for dim in dims)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "words"), table(__file__, "what_cannot_fit_is_refused")
)
def test_what_cannot_fit_is_refused(op, inputs, attributes, words):
    with pytest.raises(OpFault, match=words):
        inferred(op, *inputs, **attributes)


def test_lengths_that_do_not_fit_leave_the_shapes_clear():
    with collect_warnings() as warnings:
        assert shapes_of("VariadicSplit-1", "2,1..3", 1, [1, 3]) == ["[2,1]", "[2,3]"]
    assert [warning.constraint for warning in warnings] == ["C2"]


@pytest.mark.parametrize(("inputs", "shape"), table(__file__, "sizes_of_a_sequence_follow_from_one_another"))
def test_sizes_of_a_sequence_follow_from_one_another(inputs, shape):
    assert shapes_of("LSTMSequence-5", *inputs, **FORWARD)[0] == shape


@pytest.mark.parametrize("inputs", table(__file__, "a_sequence_that_cannot_fit_is_refused"))
def test_a_sequence_that_cannot_fit_is_refused(inputs):
    with pytest.raises(OpFault, match="LSTMSequence-5 requires"):
        inferred("LSTMSequence-5", *inputs, **FORWARD)


def fact(text):
    return Fact(F32, Shape.parse(text))


def axes(*items):
    whole = all(isinstance(item, int) for item in items)
    return Fact(I64, Shape((len(items),)), np.array(items, np.int64) if whole else dims_array(items))


@pytest.mark.parametrize(("a", "b", "auto_broadcast", "axis", "shape"), table(__file__, "two_shapes_combine"))
def test_two_shapes_combine(a, b, auto_broadcast, axis, shape):
    assert str(broadcast(fact(a), fact(b), auto_broadcast, "C1", axis)) == shape


@pytest.mark.parametrize(("a", "b", "axis"), table(__file__, "under_pdpd_b_fits_onto_a_or_is_refused"))
def test_under_pdpd_b_fits_onto_a_or_is_refused(a, b, axis):
    with pytest.raises(Violation):
        broadcast(fact(a), fact(b), "pdpd", "C1", axis)


def test_an_axis_that_is_not_known_may_be_any():
    data = fact("2,3,4")
    found = reduced(data, axes(UNKNOWN, 1), False, "C1")
    assert str(found) == "[2..4]"
    for gone in (0, 2):
        assert found.contains(data.shape.without((gone, 1)))
    assert str(reduced(data, axes(UNKNOWN, 1), True, "C1")) == "[1..2,1,1..4]"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_as_many_axes_go_as_are_named_whichever_they_are(count):
    data = fact("2,5,1..3,?")
    found = reduced(data, Fact(I64, Shape((count,))), False, "C1")
    for gone in combinations(range(4), count):
        assert found.contains(data.shape.without(gone))


def test_axes_of_which_the_number_is_not_known_leave_the_rank_open_unless_they_are_kept():
    some = Fact(I64, Shape.parse("?"))
    assert str(reduced(fact("2,3"), some, False, "C1")) == "[...]"
    assert str(reduced(fact("2,?"), some, True, "C1")) == "[1..2,?]"
    assert str(reduced(fact(""), some, False, "C1")) == "[]"
    assert str(reduced(fact("[...]"), axes(0), True, "C1")) == "[...]"


def test_more_axes_than_there_are_say_nothing_before_they_are_known():
    assert str(reduced(fact("2,3"), Fact(I64, Shape((3,))), True, "C1")) == "[1..2,1..3]"
    assert str(reduced(fact("2,3"), Fact(I64, Shape((3,))), False, "C1")) == "[...]"


def test_a_scalar_has_an_axis_unless_it_is_to_be_kept():
    assert normal_axes([-1], 0, "C1") == (0,)
    assert str(reduced(fact(""), axes(-1), False, "C1")) == "[]"
    with pytest.raises(Violation):
        reduced(fact(""), axes(0), True, "C1")


@pytest.mark.parametrize(
    ("named", "constraint"),
    [((0, -2), "C2"), ((2,), "C1"), ((-3,), "C1"), ((2**63 - 1,), "C1"), ((Dim(0, 1), 5), "C1")],
)
def test_axes_are_held_to_the_rank_and_to_being_different(named, constraint):
    with pytest.raises(Violation) as caught:
        reduced(fact("2,3"), axes(*named), False, "C1", "C2")
    assert caught.value.constraint == constraint


def test_an_end_beyond_the_symbols_is_refused_whatever_the_begins_are():
    known = irops.infer(
        model_of_texts(
            "b: i32[3..]; s: u8[1]; p: StringTensorPack-opset15 b ends s; y: Result p",
            {"ends": ["i32", [3], [2, 5, 5]]},
        )
    )
    assert [finding.constraint for finding in known.errors] == ["StringTensorPack-15:C4"]
