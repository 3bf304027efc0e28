"""Arrays as tensors: strings become objects, codes are tagged, and nothing is converted."""

import numpy as np
import pytest

from irops.values.arrays import as_tensor, fact_of, result_array
from irops.values.element import DYNAMIC, F32, STRING, element_type, element_type_of
from irops.values.fact import Fact
from irops.values.shape import SCALAR, Shape

NF4, U8, U3 = element_type("nf4"), element_type("u8"), element_type("u3")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (np.zeros(2, np.float32), "f32"),
        ([1, 2], "i64"),
        (1.5, "f64"),
        (True, "boolean"),
        (np.array(["a", "b"]), "string"),
        (np.array([b"a"]), "string"),
        (["a"], "string"),
        (np.array(["a", b"b"], object), "string"),
        (np.empty((0,), object), "string"),
        (np.zeros(2, np.uint8), "u8"),
    ],
)
def test_what_is_given_is_an_array_of_its_own_type(given, name):
    found = as_tensor(given)
    assert element_type_of(found).name == name
    assert found.shape == np.shape(given)
    if name == "string":
        assert found.dtype == object


def test_an_array_is_not_copied_or_converted():
    array = np.zeros(2, np.float32)
    assert as_tensor(array) is array
    assert as_tensor(array, NF4) is array
    assert as_tensor(array, element_type("i32")) is array


def test_codes_are_tagged_with_the_type_that_is_wanted():
    codes = np.arange(3, dtype=np.uint8)
    found = as_tensor(codes, NF4)
    assert element_type_of(found) is NF4
    assert np.shares_memory(found, codes)
    assert element_type_of(as_tensor(found, U3)) is U3
    assert element_type_of(as_tensor(codes, U8)) is U8
    assert element_type_of(as_tensor(codes, DYNAMIC)) is U8
    assert element_type_of(as_tensor(codes, F32)) is U8
    assert element_type_of(as_tensor(np.zeros(2, np.int8), NF4)).name == "i8"


@pytest.mark.parametrize("other", [None, 1, ("a",)])
def test_objects_that_are_no_strings_are_refused(other):
    array = np.empty(2, object)
    array[:] = ["a", other]
    with pytest.raises(ValueError, match=r"^it has .* among its elements"):
        as_tensor(array)


def test_an_array_of_no_element_type_is_refused():
    with pytest.raises(ValueError, match="datetime64"):
        as_tensor(np.zeros(1, "datetime64[s]"))


def test_the_fact_of_an_array_has_its_value_if_asked_for():
    array = np.zeros((2, 3), np.float32)
    assert str(fact_of(array)) == "f32[2,3]"
    assert fact_of(array).value is None
    assert fact_of(array, with_value=True).value is array


@pytest.mark.parametrize(
    ("result", "fact", "value", "name"),
    [
        (np.float32(2.5), Fact(F32, SCALAR), 2.5, "f32"),
        ("a", Fact(STRING, SCALAR), "a", "string"),
        (np.uint8(3), Fact(NF4, SCALAR), 3, "nf4"),
        (np.array([1, 2], np.uint8), Fact(NF4, Shape.of(2)), [1, 2], "nf4"),
        (np.array([1, 2], np.uint8), Fact(U8, Shape.of(2)), [1, 2], "u8"),
        (np.array([1.5], np.float32), Fact(F32, Shape.of(1)), [1.5], "f32"),
    ],
)
def test_the_result_of_a_kernel_is_an_array_of_the_inferred_type(result, fact, value, name):
    found = result_array(result, fact)
    assert isinstance(found, np.ndarray)
    assert (found.tolist(), element_type_of(found).name) == (value, name)


def test_an_array_that_a_kernel_gives_is_not_copied():
    array = np.zeros(2, np.float32)
    assert result_array(array, Fact(F32, Shape.of(2))) is array
