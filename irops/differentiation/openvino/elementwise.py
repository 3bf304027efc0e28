"""The derivatives of elementwise ops: one slope for each input."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any

import numpy as np

from irops.differentiation.deriving import (
    Cotangents,
    Derivation,
    aligned,
    derivative,
    elementwise,
    part_of_formula,
)


def data(d: Derivation) -> Any:
    return d.input("data")


def holds(d: Derivation, type: str, a: Any, b: Any) -> Any:
    """1 where a comparison holds, else 0, in the type of the cotangent."""
    return d.indicator(d.add(f"{type}-1", a, b), d.kind_of(d.cot))


# Functions of one number.

elementwise("Abs-1", data=lambda d: d.Sign(data(d)))
elementwise("Acos-1", data=lambda d: -1 / d.Sqrt(1 - data(d) * data(d)))
elementwise("Acosh-4", data=lambda d: 1 / d.Sqrt(data(d) * data(d) - 1))
elementwise("Asin-1", data=lambda d: 1 / d.Sqrt(1 - data(d) * data(d)))
elementwise("Asinh-4", data=lambda d: 1 / d.Sqrt(data(d) * data(d) + 1))
elementwise("Atan-1", data=lambda d: 1 / (data(d) * data(d) + 1))
elementwise("Atanh-4", data=lambda d: 1 / (1 - data(d) * data(d)))
elementwise("Cos-1", data=lambda d: -d.Sin(data(d)))
elementwise("Cosh-1", data=lambda d: d.Sinh(data(d)))
elementwise("Erf-1", data=lambda d: 2 / sqrt(pi) * d.Exp(-(data(d) * data(d))))
elementwise("ErfInv-17", data=lambda d: sqrt(pi) / 2 * d.Exp(d.out * d.out))
elementwise("Exp-1", data=lambda d: d.out)
elementwise("Identity-16", data=1)
elementwise("Assign-3", "Assign-6", new_value=1)
elementwise("ReadValue-3", "ReadValue-6", init_value=1)
elementwise("Log-1", data=lambda d: 1 / data(d))
elementwise("Negative-1", data=-1)
elementwise("Sin-1", data=lambda d: d.Cos(data(d)))
elementwise("Sinh-1", data=lambda d: d.Cosh(data(d)))
elementwise("Sqrt-1", data=lambda d: 0.5 / d.out)
elementwise("Tan-1", data=lambda d: 1 + d.out * d.out)
elementwise("Tanh-1", data=lambda d: 1 - d.out * d.out)
elementwise("ReLU-1", data=lambda d: holds(d, "Greater", d.out, 0))
elementwise("Sigmoid-1", data=lambda d: d.out * (1 - d.out))
elementwise("SoftPlus-4", data=lambda d: d.Sigmoid(data(d)))
elementwise("SoftSign-9", data=lambda d: 1 / ((1 + d.Abs(data(d))) * (1 + d.Abs(data(d)))))
elementwise(
    "HSigmoid-5",
    data=lambda d: holds(d, "Less", d.Abs(data(d)), 3) * (1 / 6),
)
elementwise(
    "Clamp-1",
    data=lambda d: (
        holds(d, "GreaterEqual", data(d), d.attributes["min"])
        * holds(d, "LessEqual", data(d), d.attributes["max"])
    ),
)
elementwise(
    "Elu-1",
    data=lambda d: d.where(d.add("Greater-1", data(d), 0), 1.0, d.out + d.attributes["alpha"]),
)


def gelu_slope(d: Derivation) -> Any:
    value = data(d)
    if d.attributes.get("approximation_mode", "erf").lower() == "erf":
        density = d.Exp(value * value * -0.5) * (1 / sqrt(2 * pi))
        return (d.Erf(value * sqrt(0.5)) + 1) * 0.5 + value * density
    square = value * value
    bend = d.Tanh(value * (square * 0.044715 + 1) * sqrt(2 / pi))
    inner = (square * (3 * 0.044715) + 1) * sqrt(2 / pi)
    return (bend + 1) * 0.5 + value * (1 - bend * bend) * inner * 0.5


elementwise("Gelu-2", "Gelu-7", data=gelu_slope)


# Activations with parameters that are tensors.


def is_positive(d: Derivation) -> Any:
    return d.add("Greater-1", data(d), 0)


def below_zero(d: Derivation) -> Any:
    """exp(data) - 1 for data <= 0; data > 0 is chosen as 0, so that exp does not overflow."""
    return d.Exp(d.where(is_positive(d), 0.0, data(d))) - 1


elementwise(
    "Selu-1",
    data=lambda d: d.input("lambda_") * d.where(is_positive(d), 1.0, d.input("alpha") * (below_zero(d) + 1)),
    alpha=lambda d: d.input("lambda_") * below_zero(d),
    lambda_=lambda d: d.where(is_positive(d), data(d), d.input("alpha") * below_zero(d)),
)


def inside(d: Derivation) -> Any:
    line = d.input("alpha") * data(d) + d.input("beta")
    return holds(d, "Greater", line, 0) * holds(d, "Less", line, 1)


elementwise(
    "HardSigmoid-1",
    data=lambda d: inside(d) * d.input("alpha"),
    alpha=lambda d: inside(d) * data(d),
    beta=inside,
)


@derivative("PReLU-1")
def prelu(d: Derivation) -> Cotangents:
    slope, sizes = d.input("slope"), d.fact("slope").shape
    ours = d.fact("data").shape
    per_channel = slope
    if len(sizes) == 1 and len(ours) > 1 and sizes[0] == ours[1]:
        per_channel = d.in_shape(slope, [-1] + [1] * (len(ours) - 2))
    falls = d.add("Less-1", data(d), 0)
    found = {}
    if d.wants("data"):
        found["data"] = d.cot * d.where(falls, per_channel, 1.0)
    if d.wants("slope"):
        parts = d.cot * d.where(falls, data(d), 0.0)
        found["slope"] = d.as_shape(d.summed_to(parts, per_channel), slope)
    return found


# Arithmetic of two tensors. Where two numbers are equal, each gets half of what a maximum gets.


def a(d: Derivation) -> Any:
    return aligned(d, "a")


def b(d: Derivation) -> Any:
    return aligned(d, "b")


def _first(d: Derivation, type: str) -> Any:
    return holds(d, type, a(d), b(d)) + holds(d, "Equal", a(d), b(d)) * 0.5


elementwise("Add-1", a=1, b=1)
elementwise("Subtract-1", a=1, b=-1)
elementwise("Multiply-1", a=b, b=a)
elementwise("Divide-1", a=lambda d: 1 / b(d), b=lambda d: -((a(d) / b(d)) / b(d)))
elementwise("SquaredDifference-1", a=lambda d: (a(d) - b(d)) * 2, b=lambda d: (b(d) - a(d)) * 2)
elementwise("Maximum-1", a=lambda d: _first(d, "Greater"), b=lambda d: 1 - _first(d, "Greater"))
elementwise("Minimum-1", a=lambda d: _first(d, "Less"), b=lambda d: 1 - _first(d, "Less"))
elementwise("Mod-1", "FloorMod-1", a=1, b=lambda d: -d.add("Round-5", (a(d) - d.out) / b(d)))


def power_slope_of_base(d: Derivation) -> Any:
    """b * a ** (b - 1); 0 where b is 0."""
    is_constant = d.add("Equal-1", b(d), 0)
    return d.where(is_constant, 0.0, b(d) * d.add("Power-1", a(d), b(d) - 1))


def power_slope_of_exponent(d: Derivation) -> Any:
    """a ** b * log(a); 0 where a is 0 or negative, where no power with a number near b exists."""
    is_positive = d.add("Greater-1", a(d), 0)
    return d.where(is_positive, d.out * d.Log(d.where(is_positive, a(d), 1.0)), 0.0)


elementwise("Power-1", a=power_slope_of_base, b=power_slope_of_exponent)
# a square is a function of one number: beside a whole exponent, negative numbers have no powers
part_of_formula("Power-1", "b", lambda exponents: bool((exponents == np.trunc(exponents)).all()))


@derivative("Select-1")
def select(d: Derivation) -> Cotangents:
    condition, found = aligned(d, "cond", "then_values"), {}
    if d.wants("then_values"):
        chosen = d.where(condition, d.cot, 0.0)
        found["then_values"] = d.summed_to(chosen, d.input("then_values"))
    if d.wants("else_values"):
        chosen = d.summed_to(d.where(condition, 0.0, d.cot), aligned(d, "else_values", "then_values"))
        found["else_values"] = d.as_shape(chosen, d.input("else_values"))
    return found


# Conversions between floating types.


@derivative("Convert-1", "ConvertLike-1")
def convert(d: Derivation) -> Cotangents:
    return {"data": d.typed(d.cot, d.kind_of(data(d)))}


@derivative("ConvertPromoteTypes-14")
def convert_promote_types(d: Derivation) -> Cotangents:
    names = ("input_0", "input_1")
    return {
        name: d.typed(d.cotangent(index), d.kind_of(d.input(name)))
        for index, name in enumerate(names)
        if d.reaches(index) and d.wants(name)
    }


# Rounding to quantized types: the cotangent passes where nothing is clipped, as if nothing were rounded.


def _limit(d: Derivation, name: str) -> Any:
    """A limit, reshaped so that NumPy broadcasts it to X."""
    value, rank = d.input(name), d.fact("X").shape.rank or 0
    ours = d.fact(name).shape.rank or 0
    if d.attributes["auto_broadcast"] == "pdpd":
        return d.in_shape(value, [*d.fixed_shape(value), *(1,) * (rank - ours)])
    return d.in_shape(value, list(d.fixed_shape(value))[ours - rank :]) if ours > rank else value


@derivative("FakeQuantize-1")
def fake_quantize(d: Derivation) -> Cotangents:
    value = d.input("X")
    low, high = _limit(d, "input_low"), _limit(d, "input_high")
    bottom, top = _limit(d, "output_low"), _limit(d, "output_high")
    lowest, most = d.add("Minimum-1", low, high), d.add("Maximum-1", low, high)
    below, above = d.add("LessEqual-1", value, lowest), d.add("Greater-1", value, most)
    kind = d.kind_of(d.cot)
    between = d.indicator(d.LogicalNot(d.LogicalOr(below, above)), kind)
    found = {}
    if d.wants("X"):
        is_inside = holds(d, "GreaterEqual", value, lowest) * holds(d, "LessEqual", value, most)
        found["X"] = d.cot * is_inside * ((top - bottom) / (high - low))
    steps = d.attributes["levels"] - 1
    level = d.add("Round-5", (value - low) / (high - low) * steps) * (1 / steps)
    level = d.where(below, 0.0, d.where(above, 1.0, level))
    line = (value - low) / (high - low)
    scaled = between * (top - bottom) / (high - low)
    slopes: dict[str, Callable[[], Any]] = {
        "input_low": lambda: scaled * (line - 1),
        "input_high": lambda: -(scaled * line),
        "output_low": lambda: 1 - level,
        "output_high": lambda: level,
    }
    for name, slope in slopes.items():
        if d.wants(name):
            found[name] = d.as_shape(d.summed_to(d.cot * slope(), _limit(d, name)), d.input(name))
    return found
