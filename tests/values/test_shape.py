"""Shapes: spelled as OpenVINO spells them, and honest about what is not known."""

import numpy as np
import pytest
from tables import table

from irops.values.dim import ANY, Dim
from irops.values.shape import SCALAR, UNRANKED, Shape, broadcast_shapes, unify_shapes
from irops.values.violation import Violation

NO_SHAPES = [
    "2,,3", "2,3,", "2, ,3", "two", "-2", "-3..4", "...,3", "2;3", "5..1", "9223372036854775808",
    "2..99999999999999999999", "0x2", "2.0", "+2", "1_0", "\u0661", "{2,3}", "1...3",
    "[2", "2]", "[[2]]", "[...", "3..2",
]  # fmt: skip


@pytest.mark.parametrize(("text", "same"), table(__file__, "shapes_have_several_spellings"))
def test_shapes_have_several_spellings(text, same):
    assert str(Shape.parse(text)) == same


@pytest.mark.parametrize("text", NO_SHAPES)
def test_what_is_no_shape_is_refused(text):
    with pytest.raises(ValueError, match="dimension"):
        Shape.parse(text)


def test_words_are_symbols_where_they_may_be():
    shape = Shape.parse("batch,3", symbols=True)
    assert (str(shape), str(shape[0].symbol)) == ("[?,3]", "batch")


def test_a_shape_of_unknown_rank_has_every_axis():
    assert UNRANKED[7] == ANY
    assert UNRANKED.with_dim(3, 4) is UNRANKED
    assert UNRANKED.of_rank(2, "C1") == Shape.of(ANY, ANY)
    assert UNRANKED.size == ANY
    assert UNRANKED.without([0]) is UNRANKED


def test_what_does_not_broadcast_is_reported_with_both_shapes():
    with pytest.raises(Violation, match=r"C1: got \[2,3\] and \[4\]"):
        broadcast_shapes(Shape.of(2, 3), Shape.of(4), "C1")


N = ANY.named("n")


@pytest.mark.parametrize(("text", "named"), table(__file__, "a_symbol_is_an_ascii_identifier"))
def test_a_symbol_is_an_ascii_identifier(text, named):
    if named:
        assert str(Shape.parse(text, symbols=True)[0].symbol) == text
    elif text == "?":
        assert Shape.parse(text, symbols=True)[0].symbol is None
    else:
        with pytest.raises(ValueError, match="dimension"):
            Shape.parse(text, symbols=True)


def test_a_shape_answers_as_a_sequence():
    shape = Shape.of(2, N, 5)
    assert (len(shape), next(iter(shape)), shape[-1], str(shape[1:])) == (3, 2, 5, "[?,5]")
    assert shape.rank == 3
    assert Shape.of(2).rank == 1
    assert SCALAR.rank == 0
    assert UNRANKED.rank is None
    assert str(Shape.of(2) + Shape.of(3, 4)) == "[2,3,4]"
    assert Shape.of(2) + UNRANKED is UNRANKED
    assert UNRANKED + Shape.of(2) is UNRANKED
    assert UNRANKED[1:] is UNRANKED


def test_a_shape_is_true_even_of_a_scalar():
    assert SCALAR
    assert UNRANKED


def test_an_unknown_rank_is_no_sequence():
    with pytest.raises(ValueError, match="not iterable"):
        iter(UNRANKED)
    with pytest.raises(ValueError, match="no length"):
        len(UNRANKED)
    with pytest.raises(ValueError, match="no sizes"):
        UNRANKED.to_tuple()


def test_a_shape_is_static_where_every_size_is_known():
    assert Shape.of(2, 3).static
    assert SCALAR.static
    assert not Shape.of(2, ANY).static
    assert not Shape.of(Dim(2, 3)).static
    assert not UNRANKED.static
    assert Shape.of(2, 3).to_tuple() == (2, 3)
    with pytest.raises(ValueError, match="must be one number"):
        Shape.of(2, ANY).to_tuple()


def test_equal_shapes_are_equal_keys():
    assert Shape.of(2, 3) == Shape.parse("2,3")
    assert hash(Shape.of(2, 3)) == hash(Shape.parse("2,3"))
    assert Shape.of(2, 3) != Shape.of(3, 2)
    assert Shape.of(2) != (2,)
    assert Shape(None) == UNRANKED
    assert UNRANKED != SCALAR


def test_a_shape_is_shown_as_it_is_parsed():
    assert repr(Shape.parse("[2,?]")) == "Shape.parse('[2,?]')"
    assert (N * 2).spelled == "2*n"
    assert Shape.of(N * 2, 64).spelled == "[2*n,64]"
    assert UNRANKED.spelled == "[...]"


def test_another_size_along_an_axis_leaves_the_others():
    assert str(Shape.of(2, 3, 4).with_dim(1, 9)) == "[2,9,4]"
    assert str(Shape.of(2, 3, 4).with_dim(-1, ANY)) == "[2,3,?]"
    assert Shape.of(2, 3).with_dim(0, N)[0].symbol == N.symbol


def test_a_known_rank_must_match_and_a_rank_that_is_right_changes_nothing():
    shape = Shape.of(N, 2)
    assert shape.of_rank(2, "C1") is shape
    with pytest.raises(Violation, match="C3: got rank 2"):
        shape.of_rank(3, "C3")


def test_axes_are_left_out_by_number_from_either_end():
    shape = Shape.of(2, 3, 4)
    assert str(shape.without([1])) == "[2,4]"
    assert str(shape.without([-1, 0])) == "[3]"
    assert str(shape.without([0, 0])) == "[3,4]"
    assert str(shape.without([])) == "[2,3,4]"


def test_names_are_taken_from_all_sizes_and_bounds_stay():
    unnamed = Shape.of(N, Dim(2, 5).named("m"), 7).unnamed()
    assert [dim.symbol for dim in unnamed.dims] == [None] * 3
    assert str(unnamed) == "[?,2..5,7]"
    assert UNRANKED.unnamed() is UNRANKED


@pytest.mark.parametrize(
    ("outer", "inner", "contained"), table(__file__, "one_shape_contains_another_where_all_its_bounds_do")
)
def test_one_shape_contains_another_where_all_its_bounds_do(outer, inner, contained):
    assert Shape.parse(outer).contains(Shape.parse(inner)) is contained


def test_covering_compares_names_too():
    assert Shape.of(ANY).covers(Shape.of(N))
    assert Shape.of(N).covers(Shape.of(N))
    assert not Shape.of(N).covers(Shape.of(ANY))
    assert not Shape.of(N).covers(Shape.of(ANY.named("m")))
    assert not Shape.of(2).covers(Shape.of(N))
    assert UNRANKED.covers(Shape.of(N))
    assert UNRANKED.covers(UNRANKED)
    assert not Shape.of(N).covers(UNRANKED)


def test_shapes_may_be_the_same_where_rank_and_every_size_may():
    assert Shape.of(2, ANY).can_be(Shape.of(ANY, 3))
    assert not Shape.of(2, 3).can_be(Shape.of(2, 4))
    assert not Shape.of(2).can_be(Shape.of(2, 2))
    assert UNRANKED.can_be(Shape.of(2))
    assert Shape.of(2).can_be(UNRANKED)
    assert not Shape.of(N).can_be(Shape.of(N + 1))


def test_the_union_of_shapes_is_the_union_of_their_sizes():
    assert str(Shape.of(2, 3).union(Shape.of(2, 5))) == "[2,3..5]"
    assert Shape.of(2).union(Shape.of(2, 3)) is UNRANKED
    assert Shape.of(2).union(UNRANKED) is UNRANKED
    assert UNRANKED.union(Shape.of(2)) is UNRANKED
    assert Shape.of(N).union(Shape.of(N))[0].symbol == N.symbol


def test_the_number_of_elements_keeps_symbols():
    assert str(Shape.of(N, 3).size.symbol) == "3*n"
    assert Shape.of(2, 3, 4).size == 24
    assert Shape.parse("2,3..4").size == Dim(6, 8)
    assert Shape.parse("0,?").size == 0
    assert SCALAR.size == 1


def test_broadcasting_keeps_symbols_and_ranks():
    assert broadcast_shapes(Shape.of(N, 1), Shape.of(1, N), "C1")[0].symbol == N.symbol
    assert str(broadcast_shapes(Shape.of(5), Shape.of(2, 3, 1), "C1")) == "[2,3,5]"
    assert str(broadcast_shapes(Shape.of(2, 3, 1), Shape.of(5), "C1")) == "[2,3,5]"
    assert broadcast_shapes(SCALAR, SCALAR, "C1") == SCALAR
    assert broadcast_shapes(SCALAR, UNRANKED, "C1") is UNRANKED
    assert broadcast_shapes(UNRANKED, SCALAR, "C1") is UNRANKED
    assert str(broadcast_shapes(Shape.parse("?,1,3"), Shape.parse("4,5,1"), "C1")) == "[4,5,3]"
    assert str(broadcast_shapes(Shape.parse("2,3"), SCALAR, "C1")) == "[2,3]"
    same = Shape.of(2, 3)
    assert broadcast_shapes(same, Shape.of(2, 3), "C1") == same


def test_unifying_keeps_symbols_and_tells_both_shapes():
    assert unify_shapes(Shape.of(N), Shape.of(ANY), "C1")[0].symbol == N.symbol
    assert str(unify_shapes(Shape.parse("?,3"), Shape.parse("2,?"), "C1")) == "[2,3]"
    assert unify_shapes(UNRANKED, UNRANKED, "C1") == UNRANKED
    assert unify_shapes(UNRANKED, Shape.of(2), "C1") == Shape.of(2)
    assert unify_shapes(Shape.of(2), UNRANKED, "C1") == Shape.of(2)
    with pytest.raises(Violation, match=r"C1: got \[2\] and \[2,2\]"):
        unify_shapes(Shape.of(2), Shape.of(2, 2), "C1")
    with pytest.raises(Violation, match=r"C1: got \[2,4\] and \[2,3\]"):
        unify_shapes(Shape.of(2, 4), Shape.of(2, 3), "C1")


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (Shape.parse("N,3", symbols=True), "[N,3]"),
        ("[N, 3]", "[N,3]"),
        ("...", "[...]"),
        (("N", 3), "[N,3]"),
        ([None, -1, "2..5", "?"], "[?,?,2..5,?]"),
        ((np.int64(2), Dim(1, 4)), "[2,1..4]"),
        ((), "[]"),
    ],
)
def test_a_shape_is_given_as_text_or_sizes(wanted, text):
    assert Shape.like(wanted).spelled == text


@pytest.mark.parametrize("wanted", [5, ("a b",), (-2,), (1.5,), "1,x y"])
def test_what_a_caller_gives_for_a_shape_is_refused(wanted):
    with pytest.raises(ValueError, match=r"is not a (shape|dimension)"):
        Shape.like(wanted)
