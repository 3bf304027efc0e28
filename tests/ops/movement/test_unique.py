"""Unique: its four outputs agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import irops

SHAPES = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
FULL = array_shapes(max_dims=3, max_side=4)


@given(arrays(np.int8, SHAPES, elements=st.integers(-2, 2)), st.booleans())
def test_elements_can_be_put_together_again(array, ascending):
    unique, first, which, counts = irops.call("Unique-10", array, sorted=ascending)
    row = array.ravel()
    assert (unique[which] == row).all()
    assert (row[first] == unique).all()
    assert counts.tolist() == [(row == element).sum() for element in unique]
    assert (np.diff(unique) > 0).all() if ascending else (np.diff(first) > 0).all()


@given(arrays(np.int8, FULL, elements=st.integers(0, 1)), st.data(), st.booleans())
def test_slices_can_be_put_together_again(array, data, ascending):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    unique, first, which, counts = irops.call("Unique-10", array, np.array(axis), sorted=ascending)
    assert (np.take(unique, which, axis) == array).all()
    assert (np.take(array, first, axis) == unique).all()
    assert counts.sum() == array.shape[axis]
    slices = [part.ravel().tolist() for part in np.moveaxis(unique, axis, 0)]
    assert all(a != b for k, a in enumerate(slices) for b in slices[:k])
    assert slices == sorted(slices) if ascending else (np.diff(first) > 0).all()


@pytest.mark.parametrize("ascending", [True, False])
def test_nan_is_never_twice_the_same(ascending):
    unique, first, which, counts = irops.call(
        "Unique-10", np.array([np.nan, 1, np.nan, 1], np.float32), sorted=ascending
    )
    assert counts.tolist() == ([2, 1, 1] if ascending else [1, 2, 1])
    assert first.tolist() == ([1, 0, 2] if ascending else [0, 1, 2])
    assert which.tolist() == ([1, 0, 2, 0] if ascending else [0, 1, 2, 1])
    assert np.isnan(unique).sum() == 2
