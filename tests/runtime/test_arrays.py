"""What is required of outputs before arrays are made: their size, and a shape that arrays can have."""

import numpy as np
import pytest

from irops.analysis.invocation import OpFault
from irops.dialects.registry import default_registry
from irops.runtime.memory import check_possible, size_in_bytes
from irops.values.dim import ANY, Dim
from irops.values.element import DYNAMIC, F32, I64, element_type
from irops.values.fact import Fact
from irops.values.shape import MAX_AXES, MAX_DIM, Shape

ABS = default_registry().op("Abs-1")


@pytest.mark.parametrize(
    ("facts", "size"),
    [
        ([], 0),
        ([Fact(F32, Shape([2, 3]))], 24),
        ([Fact(F32, Shape([2, 3])), Fact(I64, Shape([]))], 32),
        ([Fact(F32, Shape([Dim(2, 5)]))], 8),
        ([Fact(F32, Shape([ANY, 3]))], 0),
        ([Fact(DYNAMIC, Shape([2]))], 0),
        ([Fact(element_type("i4"), Shape([5]))], 5),
    ],
)
def test_the_size_is_that_of_the_smallest_tensors_possible(facts, size):
    assert size_in_bytes(facts) == size


def test_arrays_have_64_axes_at_most():
    check_possible(ABS, [Fact(F32, Shape([1] * MAX_AXES))])
    with pytest.raises(OpFault) as caught:
        check_possible(ABS, [Fact(F32, Shape([1] * (MAX_AXES + 1)))])
    assert caught.value.rule == "unsupported-array"
    assert "a tensor of 65 axes; arrays have 64 at most" in caught.value.message


@pytest.mark.parametrize(
    ("kind", "dims", "possible"),
    [
        ("i8", [MAX_DIM], True),
        ("i8", [MAX_DIM, 2], False),
        ("i16", [MAX_DIM // 2], True),
        ("i16", [MAX_DIM // 2 + 1], False),
        ("i8", [MAX_DIM, 2, 0], False),
        ("i8", [MAX_DIM, 1, 0], True),
        ("dynamic", [MAX_DIM, 2], True),
    ],
)
def test_arrays_have_as_many_bytes_as_63_bits_count_at_most(kind, dims, possible):
    facts = [Fact(F32, Shape([1])), Fact(element_type(kind), Shape(dims))]
    if possible:
        check_possible(ABS, facts)
    else:
        with pytest.raises(OpFault, match="no array has such sizes"):
            check_possible(ABS, facts)


def test_an_empty_array_that_numpy_refuses_is_refused_before():
    with pytest.raises(ValueError, match="maximum"):
        np.empty((MAX_DIM, 2, 0), np.int8)
