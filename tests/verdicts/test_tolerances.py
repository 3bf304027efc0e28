"""Whether two results are the same: exactly on the tolerance, beyond it, and for other types."""

import ml_dtypes
import numpy as np
import pytest

from irops.verdicts.metrics import TOLERANCES, difference

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def of(dtype, *numbers):
    return np.array(numbers, np.float64).astype(dtype)


@pytest.mark.parametrize("kind", TOLERANCES)
def test_a_difference_from_zero_is_within_the_absolute_tolerance_and_no_larger(kind):
    absolute, dtype = TOLERANCES[kind][1], DTYPES[kind]
    assert difference(of(dtype, absolute * 0.98), of(dtype, 0)) == ""
    assert difference(of(dtype, -absolute * 0.98), of(dtype, 0)) == ""
    assert difference(of(dtype, absolute * 1.02), of(dtype, 0)) != ""


@pytest.mark.parametrize("kind", TOLERANCES)
def test_a_difference_from_a_large_number_is_within_the_relative_tolerance_of_the_truth(kind):
    relative, dtype = TOLERANCES[kind][0], DTYPES[kind]
    truth = of(dtype, 1000)
    for sign in (1, -1):
        assert difference(of(dtype, 1000 * (1 + sign * relative * 0.7)), truth) == ""
        assert difference(of(dtype, 1000 * (1 + sign * relative * 1.4)), truth) != ""


def test_a_difference_exactly_on_the_tolerance_is_none():
    relative, absolute = TOLERANCES["f64"]
    bound = absolute + relative * 1.0
    assert difference(of(np.float64, 1.0 - bound * 0.999999), of(np.float64, 1.0)) == ""
    assert difference(of(np.float64, absolute), of(np.float64, 0.0)) == ""
    assert difference(of(np.float64, np.nextafter(absolute, 1)), of(np.float64, 0.0)) != ""


def test_the_tolerances_are_those_that_are_documented():
    assert TOLERANCES == {"f64": (1e-6, 1e-9), "f32": (1e-3, 1e-5), "f16": (5e-3, 2e-3), "bf16": (2e-2, 1e-2)}


def test_nan_is_nan_and_infinity_is_infinity():
    odd = of(np.float32, np.nan, np.inf, -np.inf)
    assert difference(odd, odd) == ""
    assert difference(odd, of(np.float32, 0, np.inf, -np.inf)).startswith("1 of 3 elements differ")
    assert difference(odd, of(np.float32, np.nan, -np.inf, np.inf)).startswith("2 of 3 elements differ")


def test_other_types_are_exact():
    assert difference(np.array([1, 2]), np.array([1, 2])) == ""
    assert (
        difference(np.array([1, 3]), np.array([1, 2])) == "1 of 2 elements differ, the first at [1]: 3, not 2"
    )
    small = of(ml_dtypes.float8_e4m3fn, 1, 2)
    assert difference(small, small) == ""
    assert difference(small, of(ml_dtypes.float8_e4m3fn, 1, 2.25)).startswith("1 of 2")
    assert difference(np.array(["a"], object), np.array(["b"], object)) != ""


def test_the_first_place_and_the_number_of_places_are_given():
    ours, truth = np.zeros((2, 3), np.int64), np.array([[0, 0, 7], [0, 8, 0]])
    assert difference(ours, truth) == "2 of 6 elements differ, the first at [0, 2]: 0, not 7"


def test_shapes_and_types_come_first():
    assert difference(np.zeros(2), np.zeros(3)) == "shape (2,), not (3,)"
    assert difference(np.zeros(2), np.zeros(2, np.float32)) == "element type f64, not f32"
