"""Elements of one type as elements of another: what Convert does, and what ops do whose kernels compute in
wider types.
"""

from __future__ import annotations

import numpy as np

from irops.values.element import BOOLEAN, Array, ElementType, element_type_of, tagged

NF4 = np.array(
    [
        -1.0,
        -0.6961928009986877,
        -0.5250730514526367,
        -0.39491748809814453,
        -0.28444138169288635,
        -0.18477343022823334,
        -0.09105003625154495,
        0.0,
        0.07958029955625534,
        0.16093020141124725,
        0.24611230194568634,
        0.33791524171829224,
        0.44070982933044434,
        0.5626170039176941,
        0.7229568362236023,
        1.0,
    ],
    np.float32,
)
"""What the codes of nf4 stand for: quantiles of the normal distribution (Dettmers et al., QLoRA, 2023)."""


def converted(array: Array, to: ElementType) -> Array:
    """The elements as another type's, by the rules of Convert-1. Strings are neither taken nor given."""
    if element_type_of(array) is to:
        return array
    numbers = as_numbers(array)
    if to is BOOLEAN:
        return np.asarray(numbers != 0)
    if to.integral:
        return low_bits(numbers if numbers.dtype.kind in "iu" else cut_off(numbers, to), to)
    return rounded(numbers, to)


def as_numbers(array: Array) -> Array:
    """The same numbers in a type that NumPy computes with: narrow floats and nf4 in f32, integers of a few
    bits and booleans in 8.
    """
    kind = element_type_of(array)
    if kind.name == "nf4":
        return NF4[array]
    if kind.floating:
        return array if kind.bits >= 32 else array.astype(np.float32)
    if kind is BOOLEAN or kind.bits < 8:
        return array.astype(np.int8 if kind.kind == "signed" else np.uint8)
    return array


def low_bits(whole: Array, to: ElementType) -> Array:
    """Integers modulo 2 to the number of bits of the integer type to: what is left when higher bits are
    dropped.
    """
    if to.bits >= 8:
        return whole.astype(to.dtype, copy=False)
    codes = np.asarray(whole.astype(np.uint8) & np.uint8((1 << to.bits) - 1))
    if to.kind == "signed":
        sign = np.int8(1 << (to.bits - 1))
        return ((codes.astype(np.int8) ^ sign) - sign).astype(to.dtype)
    return tagged(codes, to) if to.dtype == np.uint8 else codes.astype(to.dtype)


def cut_off(numbers: Array, to: ElementType) -> Array:
    """The integer parts of floats, in 64 bits, on the way to the integer type to.

    They pass through signed integers of 32 bits, or of 64 for u32 and wider types; what does not fit into
    those, infinities and NaN among it, becomes the least of them. u64 above 2^63 is exact; from 2^64 on it is
    0. That is what
    OpenVINO's reference kernels do on x86-64, by way of its conversion instructions; C++ leaves it undefined.
    """
    whole = np.trunc(numbers.astype(np.float64))
    half = 2.0 ** (31 if to.bits < 32 or to.name == "i32" else 63)
    upper = (whole >= half) & (to.name == "u64")
    near = np.where(upper, whole - half, whole)
    held = np.where((near >= -half) & (near < half), near, -half).astype(np.int64)
    return held ^ np.where(upper, np.iinfo(np.int64).min, 0)


def nearest(numbers: Array, to: ElementType) -> Array:
    """Floats as the nearest integers of a type, halves to even; NaN becomes the least.

    For ops that are defined on real numbers and are given integers.
    """
    signed = to.kind == "signed"
    low, high = map(int, to.extent)
    whole = np.rint(numbers.astype(np.float64))
    inside = (whole > low) & (whole < high)  # at 64 bits, float(high) is one more than high
    kept = np.where(inside, whole, 0.0).astype(np.int64 if signed else np.uint64)
    ends = np.where(whole >= high, np.array(high, kept.dtype), np.array(low, kept.dtype))
    return low_bits(np.where(inside, kept, ends), to)


def rounded(numbers: Array, to: ElementType) -> Array:
    """Numbers as the nearest of a floating type or nf4, halves to even.

    Too great ones become infinite where the type has infinity, else NaN (f8e4m3), else the greatest (f4e2m1,
    f8e8m0, nf4).
    """
    if to.name == "nf4":
        return tagged(_nf4(numbers), to)
    if to.name == "f8e8m0":
        return _f8e8m0(numbers.astype(np.float64)).view(to.dtype)
    if to.name == "f4e2m1":
        numbers = np.where(np.isnan(numbers), np.inf, numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        return (
            numbers.astype(np.float64) if numbers.dtype.kind in "iu" and to.bits < 16 else numbers
        ).astype(to.dtype, copy=False)


def _nf4(numbers: Array) -> Array:
    """The code of the nearest value; of the lower one halfway between two; NaN has the least."""
    halfway = (NF4[1:] + NF4[:-1]) / 2
    return np.where(np.isnan(numbers), 0, np.searchsorted(halfway, numbers)).astype(np.uint8)


def _f8e8m0(numbers: Array) -> Array:
    """Codes of powers of two: the nearest, halves to the even code. Zero and negative numbers have the least;
    only NaN stays NaN.
    """
    fraction, exponent = np.frexp(np.where(np.isfinite(numbers), numbers, 0.0))
    code = exponent + 126  # of the power of two at or below
    code += (fraction > 0.75) | ((fraction == 0.75) & (code % 2 == 1))
    code = np.where(numbers > 0, np.clip(code, 0, 254), 0)
    return np.select([np.isnan(numbers), numbers == np.inf], [255, 254], code).astype(np.uint8)
