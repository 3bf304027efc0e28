"""Sums of products: the matrix product in every numeric type."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import low_bits
from irops.values.element import Array, element_type_of

EXACT_IN_F64 = 1 << 53


def product(a: Array, b: Array, out: Array | None = None) -> Array:
    """The matrix product over the last two axes, the others broadcast, in the type of the arrays.

    Integers are multiplied and added exactly; what leaves the type's range wraps around from 32 bits on, as
    in OpenVINO's reference kernels, and becomes the nearest end of the range in narrower types, which only
    OpenVINO's CPU plug-in
    computes, and so.
    out: where to write it
    """
    if a.dtype.kind == "f":
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
    """Integers of any type as i64; those of u64 as their two's complement, which adds and multiplies
    alike.
    """
    return whole.view(np.int64) if whole.dtype == np.uint64 else whole.astype(np.int64)


def _integer_product(a: Array, b: Array) -> Array:
    """The product in i64; by way of f64, which NumPy multiplies much faster, where f64 holds every sum
    exactly.
    """
    exact = a.size and b.size and a.shape[-1] * _magnitude(a) * _magnitude(b) <= EXACT_IN_F64
    result: Array = (
        np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64) if exact else np.matmul(a, b)
    )
    return result


def _magnitude(whole: Array) -> int:
    return max(-int(whole.min()), int(whole.max()))
