"""Cast: convert to another element type by the rules of ONNX; shared rules are those of Convert."""

import re
from math import inf, nan

import numpy as np

from irops.ops.conversion import as_numbers, converted, low_bits, rounded
from irops.ops.type.convert import convert_dims
from irops.spec.binding import gradient, kernel, values
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of
from irops.values.violation import Violation

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_REAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_SPECIAL = {"inf": inf, "+inf": inf, "-inf": -inf, "nan": nan}


@kernel("onnx:Cast-6")
def cast(input: Array, *, to: ElementType, saturate: bool = True, round_mode: str = "up") -> Array:
    kind = element_type_of(input)
    if to is STRING or kind is to:
        return input if kind is to else _to_strings(input)
    data = _from_strings(input, to) if kind is STRING else input
    if to.name == "f8e8m0":
        return _power_of_two(as_numbers(data).astype(np.float64), saturate, round_mode).view(to.dtype)
    result = converted(data, to)
    if to.name == "f4e2m1":
        return np.where(np.isnan(as_numbers(data)), np.array(-0.0, to.dtype), result)
    return _saturated(as_numbers(data), result, to) if saturate and to.floating and to.bits == 8 else result


@values("onnx:Cast-6")
def cast_dims(input: Array, *, to: ElementType) -> Array | None:
    return None if to is STRING else convert_dims(input, destination_type=to)


@gradient("onnx:Cast-6")
def cast_gradient(d_output: Array, *, input_type: ElementType) -> Array:
    return converted(d_output, input_type)


def _saturated(numbers: Array, result: Array, to: ElementType) -> Array:
    """Replace results that overflowed to infinity or NaN by the maximum of the type, with their sign."""
    overflowed = ~np.isfinite(result.astype(np.float32)) & ~np.isnan(numbers)
    limits = np.where(numbers > 0, MAX_FINITE[to.name], -MAX_FINITE[to.name])
    return np.where(overflowed, rounded(limits, to), result)


MAX_FINITE = {"f8e4m3": 448.0, "f8e4m3fnuz": 240.0, "f8e5m2": 57344.0, "f8e5m2fnuz": 57344.0}
"""The greatest finite number of each signed 8-bit floating-point type."""


def _power_of_two(numbers: Array, saturate: bool, round_mode: str) -> Array:
    """Codes of f8e8m0: the exponent of the power of two, plus 127; 255 is NaN."""
    fraction, exponent = np.frexp(np.where(np.isfinite(numbers) & (numbers > 0), numbers, 1.0))
    up = {"up": fraction > 0.5, "down": fraction > 1, "nearest": fraction >= 0.75}[round_mode]
    code = np.where(numbers > 0, exponent + 126 + up, -1)  # 126: frexp gives fractions from 0.5 to 1
    code = np.where(np.isinf(numbers) & (numbers > 0), 255, code)
    limited = np.clip(code, 0, 254) if saturate else np.where((code < 0) | (code > 254), 255, code)
    return np.where(np.isnan(numbers), 255, limited).astype(np.uint8)


def _to_strings(array: Array) -> Array:
    """Numbers converted to strings."""
    kind, numbers = element_type_of(array), as_numbers(array)
    strings = np.empty(array.size, dtype=object)
    for index, number in enumerate(numbers.ravel()):
        strings[index] = _text(number) if kind.floating else str(int(number))
    return strings.reshape(array.shape)


def _text(number: np.floating) -> str:
    if np.isnan(number):
        return "NaN"
    if np.isinf(number):
        return "INF" if number > 0 else "-INF"
    return np.format_float_positional(number, trim="0")


def _from_strings(texts: Array, to: ElementType) -> Array:
    """Strings parsed as numbers: in i64 or u64 for integer types, in f64 for others."""
    wide_type = element_type("u64" if to.name == "u64" else "i64") if to.integral else element_type("f64")
    numbers = [_number(str(text), to) for text in texts.ravel()]
    if to.integral:
        codes = [number & 0xFFFF_FFFF_FFFF_FFFF for number in numbers if isinstance(number, int)]
        return low_bits(np.array(codes, np.uint64), wide_type).reshape(texts.shape)
    return np.array(numbers, np.float64).reshape(texts.shape)


def _number(text: str, to: ElementType) -> int | float:
    """The number that a string represents, truncated for integer types."""
    word = text.strip()
    if _WHOLE.fullmatch(word) and to.integral:
        return int(word)
    if word.lower() in _SPECIAL:
        number = _SPECIAL[word.lower()]
    elif _REAL.fullmatch(word):
        number = float(word)
    else:
        raise Violation("C1", f"got {text!r}")
    if not to.integral:
        return number
    return int(converted(np.array([number]), element_type("u64" if to.name == "u64" else "i64"))[0])
