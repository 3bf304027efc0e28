"""Facts: what is known of a tensor, computed on demand and once."""

from math import inf, nan
from threading import Event, Thread

import numpy as np
import pytest

from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import BOOLEAN, F32, I32, I64, element_type
from irops.values.fact import Fact, dims_array, elements_of, holds_dims
from irops.values.shape import UNRANKED, Shape

U64, U8 = element_type("u64"), element_type("u8")


def test_a_value_is_worked_out_when_it_is_asked_for_and_once():
    calls = []

    def value():
        calls.append(1)
        return np.array([1, 2])

    fact = Fact(I64, Shape.of(2), value, depth=3)
    assert fact.may_have_value
    assert (calls, fact.depth) == ([], 3)
    assert fact.value.tolist() == [1, 2]
    assert fact.known.tolist() == [1, 2]
    assert (calls, fact.depth) == ([1], 0)
    assert fact.may_have_value


def test_a_value_that_turns_out_not_to_be_known_is_none():
    fact = Fact(I64, Shape.of(2), lambda: None)
    assert fact.may_have_value
    assert fact.value is None
    assert not fact.may_have_value


def test_a_fact_knows_nothing_unless_it_is_said():
    fact = Fact()
    assert (str(fact), fact.value, fact.may_have_value, fact.depth) == ("dynamic[...]", None, False, 0)
    assert repr(Fact(F32, Shape.of(2))) == "<Fact f32[2]>"


def test_all_is_known_of_an_array():
    fact = Fact.of(np.array([[1, 2]], np.int32))
    assert (str(fact), fact.value.tolist()) == ("i32[1,2]", [[1, 2]])


def test_a_value_of_dims_is_known_in_part_only():
    fact = Fact(I64, Shape.of(2), dims_array([ANY, 3]))
    assert fact.value is None
    assert fact.dims == (ANY, 3)
    assert fact.known.shape == (2,)


@pytest.mark.parametrize(
    ("element", "shape", "dims"),
    [
        (I64, Shape.of(2), (UNKNOWN, UNKNOWN)),
        (U8, Shape.of(1), (ANY,)),
        (BOOLEAN, Shape.of(1), (Dim(0, 1),)),
        (I64, Shape.of(0), ()),
        (I64, Shape.of(1023), (UNKNOWN,) * 1023),
        (I64, Shape.of(1024), None),
        (I64, Shape.of(ANY), None),
        (I64, UNRANKED, None),
    ],
)
def test_elements_of_which_nothing_is_known_are_as_wide_as_their_type(element, shape, dims):
    assert Fact(element, shape).dims == dims


@pytest.mark.parametrize(
    ("array", "dims"),
    [
        (np.array([[1, -2]], np.int64), (1, -2)),
        (np.array([2**63], np.uint64), (2**63,)),
        (np.array([True, False]), (1, 0)),
        (np.array([1.7, -1.7], np.float32), (1, -1)),
    ],
)
def test_elements_that_are_known_are_numbers(array, dims):
    assert Fact.of(array).dims == dims


def test_another_value_or_shape_leaves_the_rest():
    fact = Fact(I64, Shape.of(2), np.array([1, 2]), depth=2)
    other = fact.with_value(np.array([3, 4]))
    assert (other.element_type, other.shape) == (I64, fact.shape)
    assert (other.value.tolist(), other.depth) == ([3, 4], 0)
    narrowed = Fact(I64, UNRANKED, lambda: np.array([1, 2]), depth=2).with_shape(Shape.of(2))
    assert (str(narrowed), narrowed.depth, narrowed.value.tolist()) == ("i64[2]", 2, [1, 2])
    assert fact.with_shape(Shape.of(ANY)).value.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("fact", "admitted"),
    [
        (Fact(), True),
        (Fact(F32, Shape.of(2)), True),
        (Fact(F32, Shape.of(ANY)), True),
        (Fact(F32, UNRANKED), True),
        (Fact(I32, Shape.of(2)), False),
        (Fact(F32, Shape.of(3)), False),
        (Fact(F32, Shape.of(2, 1)), False),
    ],
)
def test_an_array_is_admitted_by_type_and_shape(fact, admitted):
    assert fact.admits(np.zeros(2, np.float32)) is admitted


def test_arrays_of_dims_are_told_from_elements():
    assert holds_dims(dims_array([1, 2]))
    assert not holds_dims(np.array([1, 2]))
    assert not holds_dims(np.array(["a"], object))
    assert not holds_dims(np.empty((0,), object))


def test_numbers_become_dims():
    found = dims_array([[1, Dim(2, 5)], [2.0, ANY]])
    assert found.shape == (2, 2)
    assert found.ravel().tolist() == [Dim.of(1), Dim(2, 5), Dim.of(2), ANY]
    assert dims_array([1.5])[0] == Dim(1.5, 1.5)
    assert dims_array([inf])[0] == Dim(inf, inf)
    assert dims_array([nan])[0] == UNKNOWN


@pytest.mark.parametrize(
    ("dims", "name", "elements"),
    [
        ([1, 2], "i64", [1, 2]),
        ([2**63 - 1], "i64", [2**63 - 1]),
        ([2**64 - 1], "u64", [2**64 - 1]),
        ([127, -128], "i8", [127, -128]),
        ([1, 0], "boolean", [True, False]),
        ([1.5, -2], "f32", [1.5, -2.0]),
        ([3], "u3", [3]),
        ([[1], [2]], "i32", [[1], [2]]),
    ],
)
def test_known_elements_become_an_array_of_their_type(dims, name, elements):
    found = elements_of(dims, element_type(name))
    assert found.tolist() == elements
    assert not holds_dims(found)
    assert found.dtype == element_type(name).dtype


@pytest.mark.parametrize(
    ("dim", "name", "result"),
    [
        (Dim(0, 5), "i8", Dim(0, 5)),
        (Dim(0, 127), "i8", Dim(0, 127)),
        (Dim(0, 128), "i8", Dim(-128, 127)),
        (Dim(-129, 0), "i8", Dim(-128, 127)),
        (128, "i8", Dim(-128, 127)),
        (-1, "u8", Dim(0, 255)),
        (ANY, "u8", Dim(0, 255)),
        (ANY, "i32", ANY),
        (UNKNOWN, "i32", UNKNOWN),
        (ANY, "u32", ANY),
        (UNKNOWN, "u32", Dim(0, 2**32 - 1)),
        (Dim(-inf, 5), "u64", Dim(0, 2**64 - 1)),
        (Dim(2**31, 2**31 + 1), "i32", Dim(-(2**31), 2**31 - 1)),
        (ANY, "i16", Dim(-(2**15), 2**15 - 1)),
        (UNKNOWN, "f32", UNKNOWN),
        (Dim(2**31, inf), "i32", Dim(-(2**31), 2**31 - 1)),
        (Dim(5, inf), "i32", Dim(5, inf)),
        (Dim(-inf, -(2**31) - 1), "i32", Dim(-(2**31), 2**31 - 1)),
    ],
)
def test_a_number_that_may_not_fit_may_be_any_of_its_type(dim, name, result):
    found = elements_of([dim, ANY.named("n")], element_type(name)).ravel()
    assert found[0] == result


class Watched(Fact):
    """A Fact that notes, after every change of an attribute, whether another thread would see a value."""

    __slots__ = ("seen",)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if hasattr(self, "seen"):
            self.seen.append(self.may_have_value)


def test_computing_a_value_never_leaves_a_fact_without_source_and_value():
    fact = Watched(I64, Shape([2]), lambda: np.array([1, 2]), depth=3)
    fact.seen = []
    fact.force()
    assert len(fact.seen) >= 3
    assert all(fact.seen)
    assert (fact.value.tolist(), fact.depth) == ([1, 2], 0)


def test_threads_that_ask_while_a_value_is_computed_get_the_value():
    started, ready = Event(), Event()

    def source():
        started.set()
        assert ready.wait(10)
        return np.array([1, 2])

    fact, found = Fact(I64, Shape([2]), source), []
    threads = [Thread(target=lambda: found.append(fact.value.tolist())) for _ in range(3)]
    threads[0].start()
    assert started.wait(10)
    assert fact.may_have_value
    reshaped = fact.with_shape(Shape([2, 1]))
    for thread in threads[1:]:
        thread.start()
    ready.set()
    for thread in threads:
        thread.join(10)
    assert found == [[1, 2]] * 3
    assert reshaped.value.tolist() == [1, 2]


def test_a_value_that_cannot_be_computed_is_not_taken_for_an_unknown_one():
    def source():
        raise ZeroDivisionError

    fact = Fact(I64, Shape([2]), source)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            assert fact.known is None
