"""FakeConvert beside the types that it stands for."""

import ml_dtypes
import numpy as np
import pytest

import irops

TYPES = {"f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}
ONE = np.array(1, np.float32)


def fake(numbers, name):
    return irops.call("FakeConvert-13", numbers, ONE.astype(numbers.dtype), destination_type=name)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_what_the_small_type_holds_stays(name, kind):
    every = np.arange(256, dtype=np.uint8).view(TYPES[name]).astype(kind)
    finite = every[np.isfinite(every)]
    assert (fake(finite, name) == finite).all()


@pytest.mark.parametrize("name", TYPES)
def test_normal_numbers_are_rounded_to_the_nearest(name):
    numbers = np.random.default_rng(0).uniform(-400, 400, 2000).astype(np.float16).astype(np.float32)
    assert (fake(numbers, name) == numbers.astype(TYPES[name]).astype(np.float32)).all()


@pytest.mark.parametrize(("name", "greatest"), [("f8e4m3", 448), ("f8e5m2", 57344)])
def test_what_is_too_great_becomes_the_greatest(name, greatest):
    found = fake(np.array([1e9, -1e9, np.inf, -np.inf], np.float32), name)
    assert found.tolist() == [greatest, -greatest] * 2
    assert np.isnan(fake(np.array([np.nan], np.float32), name)).all()
