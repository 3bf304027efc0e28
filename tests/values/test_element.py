"""Element types: names, precisions, and what holds them in memory. Arrays as tensors: strings become objects,
codes are tagged, and nothing is converted.
"""

import warnings
from math import inf, nan

import ml_dtypes
import numpy as np
import pytest
from tables import table

from irops.values.arrays import as_tensor, fact_of, result_array
from irops.values.element import (
    CODED,
    DYNAMIC,
    F32,
    STRING,
    as_i64,
    element_type,
    element_type_like,
    element_type_of,
    element_type_of_precision,
    element_types,
    foreign_types,
    tagged,
    zeros,
)
from irops.values.fact import Fact
from irops.values.shape import SCALAR, Shape


def test_every_type_knows_itself_by_name_and_precision():
    for kind in element_types():
        assert element_type(kind.name.upper()) is kind
        assert element_type_of_precision(kind.precision) is kind


def test_every_type_that_has_a_representation_is_recognised_in_memory():
    for kind in element_types():
        if kind not in (DYNAMIC, STRING):
            assert element_type_of(np.zeros(3, kind.dtype)) is kind


def test_codes_keep_their_tag_through_views_and_selections():
    codes = tagged(np.arange(6, dtype=np.uint8), element_type("nf4"))
    for array in (codes[1:], codes.reshape(2, 3).T, codes[[1, 2]]):
        assert element_type_of(array).name == "nf4"


@pytest.mark.parametrize("name", ["FP32", "float", "bool", "f31", "", "i128"])
def test_what_is_no_element_type_is_refused(name):
    with pytest.raises(ValueError, match="not an element type"):
        element_type(name)


@pytest.mark.parametrize("precision", ["F32", "fp32", "FLOAT", "BOOLEAN", "DYNAMIC", ""])
def test_precisions_are_spelled_exactly(precision):
    with pytest.raises(ValueError, match="not a precision"):
        element_type_of_precision(precision)


def test_a_dtype_of_no_element_type_is_refused():
    with pytest.raises(ValueError, match="datetime64"):
        element_type_of(np.zeros(2, "datetime64[s]"))


@pytest.mark.parametrize("element", foreign_types(), ids=str)
def test_a_type_of_other_dialects_is_none_of_openvinos(element):
    assert element not in element_types()
    assert element_type_of(np.zeros(2, element.dtype)) is element
    assert element_type(element.name, foreign=True) is element
    with pytest.raises(ValueError, match="not an element type"):
        element_type(element.name)


TABLE = table(__file__, "table")
FOREIGN = """
complex64 complex 64 COMPLEX64 complex64
complex128 complex 128 COMPLEX128 complex128
f8e4m3fnuz float 8 F8E4M3FNUZ float8_e4m3fnuz
f8e5m2fnuz float 8 F8E5M2FNUZ float8_e5m2fnuz
i2 signed 2 I2 int2
"""


@pytest.mark.parametrize(("table", "types"), [(TABLE, element_types()), (FOREIGN, foreign_types())])
def test_every_type_has_its_kind_its_bits_its_precision_and_its_dtype(table, types):
    dtypes = ["-" if kind is DYNAMIC else kind.dtype.name for kind in types]
    rows = [f"{t.name} {t.kind} {t.bits} {t.precision} {dtype}" for t, dtype in zip(types, dtypes)]
    assert rows == table.split("\n")[1:-1]


@pytest.mark.parametrize("kind", [*element_types(), *foreign_types()], ids=str)
def test_integers_reach_as_far_as_their_bits_and_have_a_dtype_of_their_own(kind):
    ends = {"signed": (-(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1), "unsigned": (0, 2**kind.bits - 1)}
    assert kind.extent == ((0, 1) if kind.name == "boolean" else ends.get(kind.kind, (-inf, inf)))
    if kind is not DYNAMIC:
        assert (kind.dtype.metadata or {}).get("element_type") == (kind.name if kind.name in CODED else None)
        assert kind.dtype is element_type(kind.name, foreign=True).dtype


@pytest.mark.parametrize(("kinds", "names"), table(__file__, "types_are_integral_floating_or_differentiable"))
def test_types_are_integral_floating_or_differentiable(kinds, names):
    found = [t.name for t in (*element_types(), *foreign_types()) if getattr(t, kinds)]
    assert found == names.split()


def test_what_is_not_known_has_no_dtype():
    with pytest.raises(ValueError, match="must be known to have a dtype"):
        _ = DYNAMIC.dtype


@pytest.mark.parametrize(("name", "found"), table(__file__, "a_type_is_named_in_any_case"))
def test_a_type_is_named_in_any_case(name, found):
    assert element_type(name).name == found


@pytest.mark.parametrize(
    ("precision", "found"), [("U1", "u1"), ("bin", "u1"), ("undefined", "dynamic"), ("f32", "f32")]
)
def test_some_precisions_have_several_spellings(precision, found):
    assert element_type_of_precision(precision).name == found


def test_a_type_is_shown_by_its_name():
    assert str(element_type("f32")) == "f32"
    assert repr(element_type("f32")) == "element_type('f32')"


@pytest.mark.parametrize("array", [np.array(["a"]), np.array(["a"], object), np.array([b"a"])])
def test_texts_are_strings(array):
    assert element_type_of(array) is STRING


def test_only_codes_are_tagged():
    numbers = np.zeros(2, np.float32)
    assert tagged(numbers, element_type("f32")) is numbers
    codes = np.zeros(2, np.uint8)
    nf4 = tagged(codes, element_type("nf4"))
    assert element_type_of(nf4).name == "nf4"
    assert element_type_of(codes).name == "u8"
    assert tagged(nf4, element_type("nf4")) is nf4
    assert element_type_of(tagged(nf4, "U6")).name == "u6"
    assert np.shares_memory(nf4, codes)


def test_other_tags_are_not_types():
    other = np.zeros(2, np.dtype(np.uint8, metadata={"hue": "red"}))
    assert element_type_of(other).name == "u8"


@pytest.mark.parametrize(
    ("name", "zero"), [("f32", 0.0), ("i64", 0), ("boolean", False), ("string", ""), ("nf4", 7), ("u3", 0)]
)
def test_a_tensor_of_zeros_is_made_of_the_zero_of_its_type(name, zero):
    found = zeros((2, 3), element_type(name))
    assert (found.shape, found.dtype) == ((2, 3), element_type(name).dtype)
    assert found.ravel().tolist() == [zero] * 6
    assert element_type_of(found) is element_type(name)


@pytest.mark.parametrize(
    ("array", "numbers"),
    [
        (np.array([2**64 - 1, 2**63, 2**63 - 1, 5], np.uint64), [2**63 - 1, 2**63 - 1, 2**63 - 1, 5]),
        (np.array([1.9, -1.9], np.float32), [1, -1]),
        (np.array([nan], np.float64), [-(2**63)]),
        (np.array([255], np.uint8), [255]),
    ],
)
def test_numbers_become_64_bits_wide(array, numbers):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = as_i64(array)
    assert (found.dtype, found.tolist()) == (np.int64, numbers)


SPELLED = {
    "f32": ["f32", "F32", "FP32", "float32", np.float32, np.dtype("f4")],
    "f64": ["double", np.float64],
    "bf16": ["bfloat16", ml_dtypes.bfloat16],
    "f8e5m2": ["float8_e5m2", np.dtype(ml_dtypes.float8_e5m2)],
    "i64": ["int64", "I64", np.int64],
    "u4": ["uint4", ml_dtypes.uint4],
    "boolean": ["bool", "BOOL", bool, np.bool_],
    "nf4": [np.dtype(np.uint8, metadata={"element_type": "nf4"}), element_type("nf4")],
}


@pytest.mark.parametrize(("name", "item"), [(name, item) for name in SPELLED for item in SPELLED[name]])
def test_a_type_is_taken_as_people_spell_it(name, item):
    assert element_type_like(item) is element_type(name)


def test_types_of_torch_are_taken():
    torch = pytest.importorskip("torch")
    spelled = [torch.float32, torch.half, torch.bfloat16, torch.int8, torch.bool, torch.float8_e4m3fn]
    found = [str(element_type_like(kind)) for kind in spelled]
    assert found == ["f32", "f16", "bf16", "i8", "boolean", "f8e4m3"]


@pytest.mark.parametrize("item", ["float", "f33", "", int, float, dict, object, np.datetime64, None, 3])
def test_what_is_no_type_is_refused(item):
    with pytest.raises(ValueError, match="element type"):
        element_type_like(item)


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
