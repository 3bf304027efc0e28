"""Shapes: spelled as OpenVINO spells them, and honest about what is not known."""

from __future__ import annotations

import pytest

from irops.values.dim import ANY, Dim
from irops.values.shape import SCALAR, UNRANKED, Shape, broadcast_shapes, unify_shapes
from irops.values.violation import Violation


@pytest.mark.parametrize("text", ["[1,?,2..5,..7,3..]", "[...]", "[]", "[0]", "[9223372036854775807]"])
def test_a_shape_is_read_as_it_is_written(text):
    assert str(Shape.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "same"),
    [(" 2 , 3 ", "[2,3]"), ("-1", "[?]"), ("..", "[?]"), ("3..3", "[3]"), ("", "[]"), ("...", "[...]")],
)
def test_shapes_have_several_spellings(text, same):
    assert str(Shape.parse(text)) == same


@pytest.mark.parametrize(
    "text",
    [
        "2,,3",
        "2,3,",
        "2, ,3",
        "two",
        "-2",
        "-3..4",
        "...,3",
        "2;3",
        "5..1",
        "9223372036854775808",
        "2..99999999999999999999",
        "0x2",
        "2.0",
        "+2",
        "1_0",
        "\u0661",
        "{2,3}",
        "1...3",
    ],
)
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


def test_a_known_rank_must_match():
    with pytest.raises(Violation, match="C3: got rank 2"):
        Shape.of(1, 2).of_rank(3, "C3")


def test_the_number_of_elements_is_an_interval():
    assert Shape.parse("2,3..4").size == Dim(6, 8)
    assert Shape.parse("0,?").size == 0
    assert SCALAR.size == 1


def test_containing_is_saying_nothing_that_the_other_does_not():
    assert UNRANKED.contains(Shape.of(1))
    assert Shape.parse("?,2..5").contains(Shape.parse("7,3"))
    assert not Shape.parse("?,2..5").contains(Shape.parse("7,6"))
    assert not Shape.parse("?").contains(UNRANKED)


def test_broadcasting_aligns_the_last_axes():
    assert str(broadcast_shapes(Shape.parse("?,1,3"), Shape.parse("4,5,1"), "C1")) == "[4,5,3]"
    assert str(broadcast_shapes(Shape.parse("2,3"), SCALAR, "C1")) == "[2,3]"
    assert broadcast_shapes(UNRANKED, SCALAR, "C1") is UNRANKED


def test_what_does_not_broadcast_is_reported_with_both_shapes():
    with pytest.raises(Violation, match=r"C1: got \[2,3\] and \[4\]"):
        broadcast_shapes(Shape.of(2, 3), Shape.of(4), "C1")


def test_unifying_shapes_unifies_their_axes():
    assert str(unify_shapes(Shape.parse("?,3"), Shape.parse("2,?"), "C1")) == "[2,3]"
    assert unify_shapes(UNRANKED, Shape.of(2), "C1") == Shape.of(2)
    with pytest.raises(Violation):
        unify_shapes(Shape.of(2), Shape.of(2, 2), "C1")
