"""The matrix product in every numeric type."""

import numpy as np

from irops.ops.conversion import low_bits
from irops.values.element import Array, element_type_of

EXACT_IN_F64 = 1 << 53  # f64 has all integers up to there


def product(a: Array, b: Array, out: Array | None = None) -> Array:
    """The matrix product over the last two axes, with the others broadcast, in the type of the arrays.

    Integers are multiplied and added exactly. Results outside the range of the type wrap around for types
    of 32 bits and more, as in OpenVINO's reference kernels, and saturate for narrower types, as in
    OpenVINO's CPU plug-in, the only one that computes them.
    out: the array to write the result to, if given
    """
    if a.dtype.kind == "f":
        a, b = (array if array.flags.aligned else array.copy() for array in (a, b))  # else NumPy is slow
        return np.matmul(a, b, out=out)
    kind = element_type_of(a)
    sums = _integer_product(_in_64_bits(a), _in_64_bits(b))
    low, high = kind.extent
    result = low_bits(sums if kind.bits >= 32 else np.clip(sums, int(low), int(high)), kind)
    if out is None:
        return result
    out[...] = result
    return out


def _in_64_bits(whole: Array) -> Array:
    """Integers of any type as i64. u64 is reinterpreted as two's complement: sums and products have the
    same bits.
    """
    return whole.view(np.int64) if whole.dtype == np.uint64 else whole.astype(np.int64)


def _integer_product(a: Array, b: Array) -> Array:
    """The product in i64. It is computed in f64, which NumPy multiplies much faster, if f64 represents every
    sum exactly.
    """
    exact = a.size and b.size and a.shape[-1] * _magnitude(a) * _magnitude(b) <= EXACT_IN_F64
    result: Array = (
        np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64) if exact else np.matmul(a, b)
    )
    return result


def _magnitude(whole: Array) -> int:
    return max(-int(whole.min()), int(whole.max()))
