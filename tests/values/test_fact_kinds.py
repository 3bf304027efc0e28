"""Facts of values that are not tensors: sequences, optional values, maps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irops.values.dim import Dim
from irops.values.element import F32, I64, STRING, element_type
from irops.values.fact import DEPTH, Fact, MapFact, OptionalFact, SequenceFact, SparseFact, parse_fact
from irops.values.shape import Shape
from irops.values.tensors import as_value, fact_of, form_of, value_bytes

ROWS = Fact(F32, Shape.parse("?,3"))
NAMED = SequenceFact(Fact(F32, Shape.parse("rows,3", symbols=True)))


def kinds_of(content: st.SearchStrategy[Fact]) -> st.SearchStrategy[Fact]:
    return st.one_of(
        st.builds(SequenceFact, content),
        st.builds(lambda fact, number: SequenceFact(fact, Dim.of(number)), content, st.integers(0, 9)),
        st.builds(OptionalFact, content),
        st.builds(MapFact, st.sampled_from((I64, STRING)), content),
        st.builds(SparseFact, content),
    )


TENSORS = st.sampled_from((Fact(), ROWS, Fact(I64, Shape(())), Fact(element_type("complex64", foreign=True))))
FACTS = st.recursive(TENSORS, kinds_of, max_leaves=4)


@given(FACTS)
def test_a_text_of_a_fact_is_read_as_the_same_fact(fact: Fact) -> None:
    again = parse_fact(str(fact))
    assert (type(again), str(again)) == (type(fact), str(fact))


@given(FACTS, FACTS)
def test_a_union_can_be_both(a: Fact, b: Fact) -> None:
    assert a.union(b).can_be(a)
    assert a.union(b).can_be(b)


@pytest.mark.parametrize(
    "text", ["", "f32", "f32[", "sequence(f32[])x", "list(f32[])", "sequence(f32[?,3]", "map(f32[])", "f33[]"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not"):
        parse_fact(text)


def test_types_nested_too_deeply_are_refused() -> None:
    assert parse_fact("sequence(" * DEPTH + "f32[]" + ")" * DEPTH).element_type.name == "sequence"
    with pytest.raises(ValueError, match="contains more than"):
        parse_fact("sequence(" * 5000 + "f32[]" + ")" * 5000)


LISTED = SequenceFact(ROWS)


@pytest.mark.parametrize(
    ("fact", "value", "is_possible"),
    [
        (LISTED, [], True),
        (LISTED, [np.ones((2, 3), np.float32), np.ones((5, 3), np.float32)], True),
        (LISTED, [np.ones((2, 4), np.float32)], False),
        (LISTED, np.ones((2, 3), np.float32), False),
        (LISTED, None, False),
        (SequenceFact(ROWS, Dim.of(2)), [np.ones((2, 3), np.float32)], False),
        (OptionalFact(ROWS), None, True),
        (OptionalFact(ROWS, present=True), None, False),
        (OptionalFact(ROWS), np.ones((2, 3), np.float32), True),
        (OptionalFact(ROWS), np.ones((2, 3)), False),
        (OptionalFact(ROWS, present=False), np.ones((2, 3), np.float32), False),
        (OptionalFact(LISTED), [np.ones((2, 3), np.float32)], True),
        (MapFact(I64, Fact(F32, Shape(()))), {1: 0.5, 2: np.float32(1)}, True),
        (MapFact(I64, Fact(F32, Shape(()))), {"a": 0.5}, False),
        (MapFact(STRING), {"a": 0.5}, True),
        (MapFact(I64, Fact(F32, Shape(()))), {1: np.float64(1)}, False),
        (MapFact(I64), [1], False),
        (ROWS, [np.ones((2, 3), np.float32)], False),
    ],
)
def test_which_values_a_fact_admits(fact: Fact, value: Any, is_possible: bool) -> None:
    assert fact.admits(value) is is_possible


def test_the_fact_of_a_list_has_the_common_shape_and_the_length() -> None:
    assert (
        str(fact_of([np.ones((2, 3), np.float32), np.ones((5, 3), np.float32)]))
        == "sequence(f32[2..5,3] * 2)"
    )
    assert str(fact_of([])) == "sequence(dynamic[...] * 0)"
    assert str(fact_of(None)) == "optional()"
    assert str(fact_of({"a": np.ones(2)})) == "map(string,f64[2])"


def test_an_empty_sequence_says_nothing_of_the_elements_of_another() -> None:
    full, empty = SequenceFact(ROWS, Dim.of(2)), SequenceFact(Fact(F32, Shape(())), Dim.of(0))
    assert str(full.union(empty)) == str(empty.union(full)) == "sequence(f32[?,3] * ..2)"
    assert str(full.union(ROWS)) == "dynamic[...]"


def test_contradictions_are_noticed() -> None:
    assert not LISTED.can_be(ROWS)
    assert not SequenceFact(ROWS, Dim.of(2)).can_be(SequenceFact(ROWS, Dim.of(3)))
    assert not SequenceFact(ROWS, Dim.of(2)).can_be(SequenceFact(Fact(F32, Shape((1, 4))), Dim.of(2)))
    assert not OptionalFact(ROWS, present=True).can_be(OptionalFact(ROWS, present=False))
    assert OptionalFact(ROWS).can_be(ROWS)
    assert not MapFact(I64).can_be(MapFact(STRING))


def test_values_of_callers_become_values_of_kernels() -> None:
    assert [item.dtype.kind for item in as_value((["a"], ["b"]), SequenceFact(Fact(STRING)))] == ["O", "O"]
    assert as_value(None, OptionalFact(ROWS)) is None
    assert as_value({1: 0.5}, MapFact(I64)) == {1: 0.5}
    for given_value, fact in ((3, LISTED), ([1], MapFact(I64))):
        with pytest.raises(ValueError, match="must be a"):
            as_value(given_value, fact)


def test_plans_tell_lists_of_other_shapes_apart() -> None:
    one, two = [np.ones(2)], [np.ones(3)]
    assert form_of(one) != form_of(two)
    assert form_of(one) == form_of([np.zeros(2)])
    assert len({form_of(one), form_of(None), form_of({}), form_of(one[0])}) == 4
    assert (value_bytes(one), value_bytes(None), value_bytes({1: two})) == (16, 0, 24)


def test_names_of_sizes_are_read_and_shown() -> None:
    assert NAMED.spelled == parse_fact(NAMED.spelled).spelled == "sequence(f32[rows,3])"
