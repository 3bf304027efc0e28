"""What examples cannot show of MatMul."""

import numpy as np
import pytest

import irops


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_products_of_64_bits_are_those_of_python_modulo_2_to_the_64(dtype):
    numbers = np.array([2**53 + 1, 2**62 + 3, 2**40 - 1, 5], dtype)
    a, b = numbers.reshape(2, 2), numbers[::-1].reshape(2, 2)
    exact = [[sum(int(x) * int(y) for x, y in zip(row, column)) for column in b.T] for row in a]
    assert irops.call("MatMul-1", a, b).astype(np.uint64).tolist() == [
        [n % 2**64 for n in row] for row in exact
    ]


@pytest.mark.parametrize("transpose", [False, True])
def test_one_matrix_for_many_is_multiplied_as_for_each(transpose):
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 3, 4, 5)), rng.random((5, 6))
    given = (a.swapaxes(-1, -2), b.T) if transpose else (a, b)
    found = irops.call("MatMul-1", *given, transpose_a=transpose, transpose_b=transpose)
    np.testing.assert_allclose(found, np.einsum("abij,jk->abik", a, b))


def test_no_columns_and_many_matrices_give_zeros():
    found = irops.call("MatMul-1", np.ones((2, 3, 0), np.float32), np.ones((0, 4), np.float32))
    assert found.tolist() == np.zeros((2, 3, 4)).tolist()
