"""Element types: names, precisions, and what holds them in memory."""

from __future__ import annotations

import numpy as np
import pytest

from irops.values.element import (
    DYNAMIC,
    STRING,
    element_type,
    element_type_of,
    element_type_of_precision,
    element_types,
    foreign_types,
    tagged,
)


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
