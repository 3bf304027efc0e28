"""Formulas in blocks."""

import numpy as np
import pytest

from irops.ops.reals import BLOCK_ELEMENTS, in_blocks


@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (BLOCK_ELEMENTS,), (3, BLOCK_ELEMENTS + 1)])
def test_every_element_is_computed_once(shape):
    data = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    sizes = []

    def formula(block):
        sizes.append(block.size)
        return block.astype(np.float64) + 0.5

    result = in_blocks(formula, data)
    assert (result.dtype, result.shape) == (np.float32, shape)
    assert (result == data + np.float32(0.5)).all()
    assert (sum(sizes), max(sizes) <= BLOCK_ELEMENTS) == (data.size, True)


def test_data_may_be_a_view():
    data = np.arange(2 * BLOCK_ELEMENTS, dtype=np.float32).reshape(-1, 2).T
    assert (in_blocks(np.negative, data) == -data).all()
