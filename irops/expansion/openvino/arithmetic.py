"""Arithmetic, comparisons and reductions in simpler ops."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from irops.expansion.expanding import Expanding, OtherFormError, Outputs, RefusedError, ReplacingOp, expansion
from irops.values.element import BOOLEAN, I64, ElementType, element_type

NARROW = "narrow types round after each op"

# Sums, products and quotients of two tensors


@expansion("Subtract-1", "Add-1")
def subtract(subject: Expanding) -> Outputs:
    """a + -b."""
    kind = subject.element_type("a")
    if not (kind.kind == "signed" or (kind.floating and kind.bits >= 16)):
        raise RefusedError(f"its inputs are {kind}, whose negative numbers Negative does not give")
    negative = subject.Negative(subject.input("b"))
    return Outputs([subject.Add(subject.input("a"), negative, **subject.broadcasting())])


@expansion("SquaredDifference-1", "Multiply-1")
def squared_integers(subject: Expanding) -> Outputs:
    if not subject.element_type("a").integral:
        raise OtherFormError("its inputs are not integers")
    return _squared(subject)


@expansion("SquaredDifference-1", "Multiply-1", rounds=NARROW)
def squared_difference(subject: Expanding) -> Outputs:
    subject.real_type("a")
    return _squared(subject)


def _squared(subject: Expanding) -> Outputs:
    difference = subject.Subtract(subject.input("a"), subject.input("b"), **subject.broadcasting())
    return Outputs([subject.Multiply(difference, difference)])


@expansion("Mod-1", "Subtract-1")
def mod(subject: Expanding) -> Outputs:
    """a - a / b * b of integers, whose quotient is rounded toward zero."""
    return _remainder(subject, floor=False)


@expansion("FloorMod-1", "Subtract-1")
def floor_mod(subject: Expanding) -> Outputs:
    """a - a / b * b of integers, whose quotient is rounded down."""
    return _remainder(subject, floor=True)


def _remainder(subject: Expanding, *, floor: bool) -> Outputs:
    kind = subject.element_type("a")
    if not kind.integral:
        raise OtherFormError(f"its inputs are {kind}, whose quotient is not exact")
    a, b, broadcast = subject.input("a"), subject.input("b"), subject.broadcasting()
    quotient = subject.Divide(a, b, m_pythondiv=floor, **broadcast)
    whole = subject.Multiply(quotient, b, **broadcast)
    return Outputs([subject.Subtract(a, whole, **_after(broadcast))])


@expansion("FloorMod-1", "Select-1", rounds="a remainder of 0 may have another sign")
def floor_mod_of_reals(subject: Expanding) -> Outputs:
    """The remainder of a quotient rounded toward zero, and b added where its sign is not that of b."""
    subject.real_type("a")
    a, b, broadcast = subject.input("a"), subject.input("b"), subject.broadcasting()
    if broadcast["auto_broadcast"] == "pdpd":
        raise RefusedError("its inputs are broadcast as in PaddlePaddle, which other ops do not repeat")
    rest = subject.Mod(a, b, **broadcast)
    differs = subject.add("LogicalXor-2", subject.Less(rest, 0.0), subject.Less(b, 0.0))
    moves = subject.add("LogicalAnd-1", differs, subject.NotEqual(rest, 0.0))
    return Outputs([subject.Select(moves, subject.Add(rest, b), rest)])


def _after(broadcast: dict[str, Any]) -> dict[str, Any]:
    """How a result is broadcast with one of the inputs that it was made of."""
    return {**broadcast, "auto_broadcast": "numpy"} if broadcast["auto_broadcast"] == "none" else broadcast


@expansion(
    "Divide-1",
    "Multiply-1",
    rounds="the reciprocal of the divisor is rounded; it overflows for numbers below the normal ones",
)
def divide(subject: Expanding) -> Outputs:
    """a * b^-1."""
    subject.real_type("a")
    inverse = subject.Power(subject.input("b"), -1.0)
    return Outputs([subject.Multiply(subject.input("a"), inverse, **subject.broadcasting())])


@expansion("Ceiling-1", "Negative-1")
def ceiling(subject: Expanding) -> Outputs:
    """-floor(-data)."""
    subject.real_type(subject.op.definition.inputs[0].name)
    return Outputs([subject.Negative(subject.Floor(subject.Negative(subject.inputs[0], part="inverted")))])


# Curves that are made of exponentials and logarithms

LOSES = "near 0 digits cancel, large numbers overflow earlier, and narrow types round after each op"


def _real(subject: Expanding) -> Any:
    subject.real_type(subject.op.definition.inputs[0].name)
    return subject.inputs[0]


@expansion("Tan-1", "Divide-1", rounds=NARROW)
def tan(subject: Expanding) -> Outputs:
    data = _real(subject)
    return Outputs([subject.Divide(subject.Sin(data), subject.Cos(data))])


def _halves(subject: Expanding, data: Any) -> tuple[Any, Any]:
    """exp(data) / 2 and exp(-data) / 2."""
    return tuple(subject.Multiply(subject.Exp(number), 0.5) for number in (data, subject.Negative(data)))


@expansion("Sinh-1", "Subtract-1", rounds=LOSES)
def sinh(subject: Expanding) -> Outputs:
    return Outputs([subject.Subtract(*_halves(subject, _real(subject)))])


@expansion("Cosh-1", "Add-1", rounds=LOSES)
def cosh(subject: Expanding) -> Outputs:
    return Outputs([subject.Add(*_halves(subject, _real(subject)))])


@expansion("Tanh-1", "Subtract-1", rounds=LOSES)
def tanh(subject: Expanding) -> Outputs:
    """2 * sigmoid(2 * data) - 1."""
    share = subject.Sigmoid(subject.Multiply(_real(subject), 2.0))
    return Outputs([subject.Subtract(subject.Multiply(share, 2.0), 1.0)])


@expansion("Asinh-4", "Multiply-1", rounds=LOSES)
def asinh(subject: Expanding) -> Outputs:
    """sign(data) * log(|data| + sqrt(data^2 + 1))."""
    data = _real(subject)
    size = subject.Abs(data)
    root = subject.Sqrt(subject.Add(subject.Multiply(data, data), 1.0))
    return Outputs([subject.Multiply(subject.Sign(data), subject.Log(subject.Add(size, root)))])


@expansion("Acosh-4", "Log-1", rounds=LOSES)
def acosh(subject: Expanding) -> Outputs:
    """log(data + sqrt(data^2 - 1))."""
    data = _real(subject)
    root = subject.Sqrt(subject.Subtract(subject.Multiply(data, data), 1.0))
    return Outputs([subject.Log(subject.Add(data, root))])


@expansion("Atanh-4", "Multiply-1", rounds=LOSES)
def atanh(subject: Expanding) -> Outputs:
    """log((1 + data) / (1 - data)) / 2."""
    data = _real(subject)
    ratio = subject.Divide(subject.Add(data, 1.0), subject.Subtract(1.0, data))
    return Outputs([subject.Multiply(subject.Log(ratio), 0.5)])


# Comparisons and logical ops


def _swapped(subject: Expanding) -> list[Any]:
    if subject.attributes["auto_broadcast"] == "pdpd":
        raise RefusedError("its inputs are broadcast as in PaddlePaddle, where their order counts")
    return [subject.input("b"), subject.input("a")]


@expansion("Greater-1", "Less-1")
def greater(subject: Expanding) -> Outputs:
    return Outputs([subject.Less(*_swapped(subject), **subject.broadcasting())])


@expansion("GreaterEqual-1", "LessEqual-1")
def greater_equal(subject: Expanding) -> Outputs:
    return Outputs([subject.LessEqual(*_swapped(subject), **subject.broadcasting())])


@expansion("NotEqual-1", "LogicalNot-1")
def not_equal(subject: Expanding) -> Outputs:
    return Outputs(
        [subject.LogicalNot(subject.Equal(subject.input("a"), subject.input("b"), **subject.broadcasting()))]
    )


@expansion("LogicalXor-2", "NotEqual-1")
def logical_xor(subject: Expanding) -> Outputs:
    return Outputs([subject.NotEqual(subject.input("a"), subject.input("b"), **subject.broadcasting())])


@expansion("Xor-1", "LogicalXor-2")
def xor(subject: Expanding) -> Outputs:
    return Outputs(
        [subject.add("LogicalXor-2", subject.input("a"), subject.input("b"), **subject.broadcasting())]
    )


@expansion("IsNaN-10", "NotEqual-1")
def is_nan(subject: Expanding) -> Outputs:
    """Only NaN differs from itself."""
    subject.real_type("data")
    return Outputs([subject.NotEqual(subject.input("data"), subject.input("data"))])


@expansion("IsFinite-10", "Equal-1")
def is_finite(subject: Expanding) -> Outputs:
    """data - data is 0, or NaN for infinities and NaN."""
    subject.real_type("data")
    data = subject.input("data")
    return Outputs([subject.Equal(subject.Subtract(data, data), 0.0)])


@expansion("IsInf-10", "LogicalOr-1")
def is_inf(subject: Expanding) -> Outputs:
    kind, data = subject.real_type("data"), subject.input("data")
    wanted = ((inf, "detect_positive"), (-inf, "detect_negative"))
    found = [
        subject.Equal(data, subject.like(number, kind)) for number, name in wanted if subject.attributes[name]
    ]
    if not found:
        raise RefusedError("it detects neither infinity")
    return Outputs([found[0] if len(found) == 1 else subject.LogicalOr(*found)])


# Bitwise ops: of booleans they are logical ops; inverted integers are differences.


def _logical(subject: Expanding, first: str) -> ReplacingOp:
    kind = subject.element_type(first)
    if kind is not BOOLEAN:
        raise RefusedError(f"it combines the bits of {kind}; older opsets only have logical ops of booleans")
    return ReplacingOp(subject.inputs, subject.carried())


@expansion("BitwiseAnd-13", "LogicalAnd-1", decomposition=True)
def bitwise_and(subject: Expanding) -> ReplacingOp:
    return _logical(subject, subject.op.definition.inputs[0].name)


@expansion("BitwiseOr-13", "LogicalOr-1", decomposition=True)
def bitwise_or(subject: Expanding) -> ReplacingOp:
    return _logical(subject, subject.op.definition.inputs[0].name)


@expansion("BitwiseXor-13", "LogicalXor-2", decomposition=True)
def bitwise_xor(subject: Expanding) -> ReplacingOp:
    return _logical(subject, subject.op.definition.inputs[0].name)


@expansion("BitwiseNot-13", "LogicalNot-1", decomposition=True)
def bitwise_not(subject: Expanding) -> ReplacingOp:
    return _logical(subject, subject.op.definition.inputs[0].name)


@expansion("BitwiseNot-13", "Subtract-1")
def inverted(subject: Expanding) -> ReplacingOp:
    """The sum of a number and its inverse is -1, or the greatest number of an unsigned type."""
    name = subject.op.definition.inputs[0].name
    kind = subject.element_type(name)
    if kind is BOOLEAN or not kind.integral:
        raise OtherFormError(f"its input is {kind}, not an integer")
    low, high = map(int, kind.extent)
    return ReplacingOp([subject.like(low + high, kind), subject.input(name)])


# Reductions


@expansion("ReduceMean-1", "Divide-1")
def mean_of_integers(subject: Expanding) -> Outputs:
    kind = subject.element_type("data")
    if kind is not I64:
        raise OtherFormError(f"its data are {kind}, not i64")
    return _mean(subject, kind)


@expansion("ReduceMean-1", "Divide-1", rounds="the sum is rounded before it is divided")
def reduce_mean(subject: Expanding) -> Outputs:
    return _mean(subject, subject.real_type("data"))


def _mean(subject: Expanding, kind: ElementType) -> Outputs:
    """The sum divided by the number of elements; integers are rounded toward zero."""
    data, axes = subject.input("data"), subject.input("axes")
    keep = subject.attributes["keep_dims"]
    total = subject.ReduceSum(data, axes, keep_dims=keep)
    return Outputs([subject.Divide(total, _count(subject, kind), m_pythondiv=False)])


def _count(subject: Expanding, kind: ElementType) -> Any:
    """The number of elements that are reduced to one, at least 1."""
    dims, axes = subject.sizes("data", "its elements are counted"), subject.numbers("axes")
    if axes is not None and all(dims[axis].known for axis in (axes if dims else ())):
        count = int(np.prod([int(dims[axis]) for axis in (axes if dims else ())], dtype=np.int64))
        return subject.like(max(count, 1), kind)
    if not dims:
        return subject.like(1, kind)
    whole = subject.shape_of("data")
    axis_list = subject.add("Reshape-1", subject.input("axes"), [-1], special_zero=False)
    sizes = subject.add("Gather-8", whole, axis_list, 0)
    count = subject.Maximum(subject.ReduceProd(sizes, [0], keep_dims=False), 1)
    return subject.typed(count, kind)


@expansion("ReduceL1-4", "ReduceSum-1")
def reduce_l1(subject: Expanding) -> Outputs:
    """The sum of absolute values."""
    kind = subject.element_type("data")
    if kind.floating and kind.bits < 16:
        raise RefusedError(f"its data are {kind}, which may have no negative numbers")
    keep = subject.attributes["keep_dims"]
    data = subject.input("data") if kind.kind == "unsigned" else subject.Abs(subject.input("data"))
    return Outputs([subject.ReduceSum(data, subject.input("axes"), keep_dims=keep)])


@expansion("ReduceL2-4", "Sqrt-1", rounds="squares and their sum are rounded, and overflow earlier")
def reduce_l2(subject: Expanding) -> Outputs:
    subject.real_type("data")
    data, keep = subject.input("data"), subject.attributes["keep_dims"]
    total = subject.ReduceSum(subject.Multiply(data, data), subject.input("axes"), keep_dims=keep)
    return Outputs([subject.Sqrt(total)])


def _logical_reduction(subject: Expanding, reduction: str) -> Outputs:
    """The reduction of 0 and 1 in u8."""
    numbers = subject.typed(subject.input("data"), element_type("u8"))
    reduced = subject.add(
        reduction, numbers, subject.input("axes"), keep_dims=subject.attributes["keep_dims"]
    )
    return Outputs([subject.typed(reduced, BOOLEAN, "logical")])


@expansion("ReduceLogicalAnd-1", "Convert-1")
def reduce_logical_and(subject: Expanding) -> Outputs:
    return _logical_reduction(subject, "ReduceMin-1")


@expansion("ReduceLogicalOr-1", "Convert-1")
def reduce_logical_or(subject: Expanding) -> Outputs:
    return _logical_reduction(subject, "ReduceMax-1")


# Cumulative sums: of each element, the sum of those that a triangle selects


@expansion("CumSum-3", "ReduceSum-1")
def cum_sum_of_integers(subject: Expanding) -> Outputs:
    if not subject.element_type("data").integral:
        raise OtherFormError("its data are not integers")
    return _cum_sum(subject)


@expansion("CumSum-3", "ReduceSum-1", rounds="sums are rounded once, not after each element")
def cum_sum(subject: Expanding) -> Outputs:
    subject.real_type("data")
    return _cum_sum(subject)


def _cum_sum(subject: Expanding) -> Outputs:
    kind, data = subject.element_type("data"), subject.input("data")
    if kind is BOOLEAN:
        raise RefusedError("its data are boolean, which ReduceSum does not add")
    dims = subject.sizes("data", "a triangle selects elements along its axis")
    numbers = (
        [0] if subject.optional("axis") is None else subject.constant("axis", "a triangle lies along it")
    )
    axis = numbers[0] % len(dims)
    if not dims[axis].known:
        raise RefusedError("the size of its axis is unknown, but a triangle selects its elements")
    at = np.arange(int(dims[axis]))
    before, here = at[:, np.newaxis], at[np.newaxis, :]
    reverse, exclusive = subject.attributes["reverse"], subject.attributes["exclusive"]
    first, last = (here, before) if reverse else (before, here)
    selected = first < last if exclusive else first <= last
    shaped = selected.reshape(*selected.shape, *(1,) * (len(dims) - axis - 1))
    rows = subject.Unsqueeze(data, [axis + 1])
    zero = subject.like(0, kind)
    return Outputs([subject.ReduceSum(subject.Select(shaped, rows, zero), [axis], keep_dims=False)])
