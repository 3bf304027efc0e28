"""The error function against the C library's."""

import math

import numpy as np

from irops.ops.reals import erf, inverse_erf

PLACES = np.concatenate(
    [
        np.linspace(-7, 7, 20_001),
        np.logspace(-300, 0, 2_000),
        -np.logspace(-300, 0, 500),
        [0.999999999, 1.0, 1.000000001],
    ]
)


def test_f64_is_exact_to_its_last_digit():
    truth = np.array([math.erf(x) for x in PLACES])
    assert np.max(np.abs(erf(PLACES) - truth) / np.where(truth == 0, 1, np.abs(truth))) <= 3e-16


def test_f32_is_within_one_unit_in_the_last_place():
    dense = np.linspace(-4.1, 4.1, 400_001)
    narrow = np.concatenate([PLACES, dense, np.logspace(-45, 1, 20_000)]).astype(np.float32)
    truth = np.array([math.erf(float(x)) for x in narrow])
    result = erf(narrow)
    assert result.dtype == np.float32
    unit = np.spacing(np.abs(truth.astype(np.float32)))
    assert np.max(np.abs(result - truth) / unit) <= 0.501


def test_it_is_odd_and_ends_at_one():
    assert (erf(-PLACES) == -erf(PLACES)).all()
    assert erf(np.array([np.inf, -np.inf, 6.0, 1e300])).tolist() == [1, -1, 1, 1]
    assert np.isnan(erf(np.array(np.nan)))
    assert np.signbit(erf(np.array(-0.0)))
    assert erf(np.zeros((0, 2))).shape == (0, 2)
    narrow = np.array([np.inf, -np.inf, 4.0, 3e38, -0.0, np.nan], np.float32)
    assert erf(narrow).tolist()[:5] == [1, -1, 1, 1, 0]
    assert np.signbit(erf(narrow)[4])
    assert np.isnan(erf(narrow)[5])


def test_the_inverse_leads_back():
    within = np.concatenate([np.linspace(-0.999, 0.999, 2_001), np.logspace(-300, -1, 200)])
    assert np.allclose(erf(inverse_erf(within)), within, rtol=1e-15, atol=0)


def test_the_inverse_is_exact_close_to_its_ends():
    close = 1 - np.logspace(-15, -1, 100)
    truth = np.array([math.erfc(x) for x in inverse_erf(close)])
    assert np.allclose(truth, 1 - close, rtol=1e-13, atol=0)


def test_the_inverse_is_infinite_at_its_ends_and_nothing_beyond():
    assert inverse_erf(np.array([1.0, -1.0, 0.0])).tolist() == [np.inf, -np.inf, 0]
    assert np.isnan(inverse_erf(np.array([1.5, -2.0, np.nan]))).all()
