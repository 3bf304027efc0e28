"""Failing cases are reduced step by step until no step fails."""

from __future__ import annotations

import numpy as np
import pytest

from irops.conformance.kit import reduced
from irops.conformance.trial import LAYOUTS, InvalidTrial, Trial, TrialInput, expected_of
from irops.dialects.registry import default_registry

OP = default_registry().op("Reverse-1")
RNG = np.random.default_rng(0)


def trial(data, axes=(0,), layout="plain"):
    return Trial(OP, (TrialInput(data, layout), TrialInput(np.array(axes, np.int64))), {"mode": "index"})


def valid(case):
    try:
        return expected_of(case).violated is None
    except InvalidTrial:
        return False


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.float16])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_case_that_always_fails_is_reduced_to_nothing(dtype, layout):
    case = trial(RNG.integers(0, 100, (3, 17, 4)).astype(dtype), (1, 2), layout)
    small = reduced(case, valid)
    assert [given.array.size for given in small.inputs] == [0, 0]
    assert {given.layout for given in small.inputs} == {"plain"}


def test_a_fault_from_a_size_on_is_cut_down_to_that_size():
    small = reduced(
        trial(RNG.random((9, 40, 3))), lambda case: valid(case) and case.inputs[0].array.shape[1] >= 33
    )
    assert small.inputs[0].array.shape == (0, 33, 0)


def test_a_fault_of_one_element_keeps_that_element():
    data = np.arange(60, dtype=np.float64).reshape(3, 20)
    small = reduced(trial(data), lambda case: valid(case) and 47 in case.inputs[0].array)
    assert small.inputs[0].array.tolist() == [[47]]


def test_a_fault_of_a_layout_keeps_the_layout():
    small = reduced(
        trial(RNG.random((4, 4)), layout="fortran"),
        lambda case: valid(case) and case.inputs[0].layout == "fortran",
    )
    assert small.inputs[0].layout == "fortran"


def test_reductions_that_pass_are_discarded():
    case = trial(RNG.random((4, 4)))
    assert reduced(case, lambda smaller: False) is case
