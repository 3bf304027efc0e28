"""Conversion between element types, for Convert and for ops whose kernels compute in wider types."""

import numpy as np

from irops.values.element import BOOLEAN, Array, ElementType, element_type_of, tagged

_NF4 = (
    "-1 -0.6961928009986877 -0.5250730514526367 -0.39491748809814453 -0.28444138169288635"
    " -0.18477343022823334 -0.09105003625154495 0 0.07958029955625534 0.16093020141124725"
    " 0.24611230194568634 0.33791524171829224 0.44070982933044434 0.5626170039176941 0.7229568362236023 1"
)
NF4 = np.array([float(number) for number in _NF4.split()], np.float32)
"""The values of the codes of nf4: quantiles of the normal distribution (Dettmers et al., QLoRA, 2023)."""


def converted(array: Array, to: ElementType) -> Array:
    """The elements converted to another type, by the rules of Convert-1. Strings are not supported."""
    if element_type_of(array) is to:
        return array
    numbers = as_numbers(array)
    if to is BOOLEAN:
        return np.asarray(numbers != 0)
    if to.integral:
        return low_bits(numbers if numbers.dtype.kind in "iu" else truncated(numbers, to), to)
    return rounded(numbers, to)


def as_numbers(array: Array) -> Array:
    """The same numbers in a type that NumPy computes with: floats narrower than f32 and nf4 in f32, booleans
    and integers narrower than 8 bits in 8 bits.
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
    """Integers converted to the integer type `to`, with higher bits dropped: modulo 2^bits."""
    if to.bits >= 8:
        return whole.astype(to.dtype, copy=False)
    codes = np.asarray(whole.astype(np.uint8) & np.uint8((1 << to.bits) - 1))
    if to.kind == "signed":
        sign = np.int8(1 << (to.bits - 1))
        return ((codes.astype(np.int8) ^ sign) - sign).astype(to.dtype)
    return tagged(codes, to) if to.dtype == np.uint8 else codes.astype(to.dtype)


def truncated(numbers: Array, to: ElementType) -> Array:
    """Floats truncated to integers of 32 or 64 bits, as an intermediate step to the integer type `to`.

    The intermediate type is a signed integer of 32 bits, or of 64 bits for u32 and wider types. Numbers that
    it cannot represent, including infinities and NaN, become its minimum. For u64, numbers from 2^63 to 2^64
    are exact, and larger ones become 0. OpenVINO's reference kernels do the same on x86-64, because of its
    conversion instructions; C++ leaves these cases undefined.
    """
    half = 2.0 ** (31 if to.bits < 32 or to.name == "i32" else 63)
    if numbers.size and numbers.min() >= -half and numbers.max() < half:
        return numbers.astype(np.int32 if half == 2.0**31 else np.int64)
    whole = np.trunc(numbers.astype(np.float64))
    upper = (whole >= half) & (to.name == "u64")
    near = np.where(upper, whole - half, whole)
    whole = np.where((near >= -half) & (near < half), near, -half).astype(np.int64)
    return whole ^ np.where(upper, np.iinfo(np.int64).min, 0)


def nearest(numbers: Array, to: ElementType) -> Array:
    """Floats rounded to the nearest integer of a type, halves to even; saturates. NaN becomes the minimum.

    For ops that are defined on real numbers and receive integers.
    """
    signed = to.kind == "signed"
    low, high = map(int, to.extent)
    whole = np.rint(numbers.astype(np.float64))
    inside = (whole > low) & (whole < high)  # at 64 bits, float(high) is one more than high
    kept = np.where(inside, whole, 0.0).astype(np.int64 if signed else np.uint64)
    ends = np.where(whole >= high, np.array(high, kept.dtype), np.array(low, kept.dtype))
    return low_bits(np.where(inside, kept, ends), to)


def rounded(numbers: Array, to: ElementType) -> Array:
    """Numbers rounded to the nearest value of a floating-point type or nf4, halves to even.

    Numbers that are too large become infinity; NaN in f8e4m3, which has no infinity; and the maximum in
    f4e2m1, f8e8m0 and nf4, which have neither.
    """
    if to.name == "nf4":
        # the code of the nearest value, the lower one for a tie; code 0 for NaN
        halfway = (NF4[1:] + NF4[:-1]) / 2
        return tagged(np.where(np.isnan(numbers), 0, np.searchsorted(halfway, numbers)).astype(np.uint8), to)
    if to.name == "f8e8m0":
        return _f8e8m0(numbers.astype(np.float64)).view(to.dtype)
    if to.name == "f4e2m1":
        numbers = np.where(np.isnan(numbers), np.inf, numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        return (
            numbers.astype(np.float64) if numbers.dtype.kind in "iu" and to.bits < 16 else numbers
        ).astype(to.dtype, copy=False)


def _f8e8m0(numbers: Array) -> Array:
    """The code of the nearest power of two, halves to the even code. Zero and negative numbers get code 0,
    infinity the largest number; only NaN stays NaN.
    """
    fraction, exponent = np.frexp(np.where(np.isfinite(numbers), numbers, 0.0))
    code = exponent + 126  # of the largest power of two that is not greater than the number
    code += (fraction > 0.75) | ((fraction == 0.75) & (code % 2 == 1))
    code = np.where(numbers > 0, np.clip(code, 0, 254), 0)
    return np.select([np.isnan(numbers), numbers == np.inf], [255, 254], code).astype(np.uint8)
