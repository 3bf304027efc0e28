"""Element-wise ops of ONNX whose formulas or types are not those of an op of OpenVINO."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from irops.ops.activation.unary import logistic
from irops.ops.arithmetic.binary import maximum_dim, minimum_dim
from irops.ops.conversion import as_numbers, converted
from irops.ops.partial import as_dims, stored_dim
from irops.spec.binding import kernel, shape, values
from irops.values.dim import Dim
from irops.values.element import Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require

# Arithmetic on two tensors.


@kernel("onnx:Pow-7")
def power(X: Array, Y: Array) -> Array:
    """The power in the type of X; a negative exponent of integers gives the truncated quotient."""
    base, exponent = as_numbers(X), as_numbers(Y)
    if base.dtype.kind in "iu" and (exponent.dtype.kind == "f" or (exponent < 0).any()):
        base, exponent = base.astype(np.float64), exponent.astype(np.float64)
    return converted(np.asarray(np.power(base, exponent.astype(base.dtype))), element_type_of(X))


@kernel("onnx:Mod-10")
def modulo(A: Array, B: Array, *, fmod: bool) -> Array:
    dividend, divisor = as_numbers(A), as_numbers(B)
    integral = dividend.dtype.kind in "iu"
    require(not integral or (divisor != 0).all(), "C2")
    remainder = np.fmod(dividend, divisor) if fmod else np.mod(dividend, divisor)
    return converted(np.asarray(remainder), element_type_of(A))


@kernel("onnx:BitShift-11")
def bit_shift(X: Array, Y: Array, *, direction: str) -> Array:
    """Shift by Y bits; a count that is negative or not less than the width shifts all bits out."""
    width = X.dtype.itemsize * 8
    outside = (Y < 0) | (width <= Y)
    count = np.where(outside, width - 1, Y).astype(X.dtype)
    if direction == "LEFT":
        return np.asarray(np.where(outside, X.dtype.type(0), np.left_shift(X, count)))
    shifted = np.right_shift(X, count)
    return np.asarray(np.where(outside, np.where(X < 0, shifted, X.dtype.type(0)), shifted))


# Arithmetic on any number of tensors.


@shape("onnx:Max-1", "onnx:Min-1", "onnx:Sum-1", "onnx:Mean-1")
def common_shape(*data_0: Fact) -> Shape:
    return reduce(lambda a, b: broadcast_shapes(a, b, "C1"), (fact.shape for fact in data_0))


@kernel("onnx:Max-1", widen=True)
def maximum(*data_0: Array) -> Array:
    return np.asarray(reduce(np.maximum, data_0))


@kernel("onnx:Min-1", widen=True)
def minimum(*data_0: Array) -> Array:
    return np.asarray(reduce(np.minimum, data_0))


@kernel("onnx:Sum-1", widen=True)
def sum_of_all(*data_0: Array) -> Array:
    return np.asarray(reduce(np.add, data_0))


@kernel("onnx:Mean-1", widen=True)
def mean_of_all(*data_0: Array) -> Array:
    total = sum_of_all(*data_0)
    return np.asarray(total / total.dtype.type(len(data_0)))


@values("onnx:Max-1")
def maximum_dims(*data_0: Array, result_type: ElementType) -> Array:
    return _combined(maximum_dim, data_0, result_type)


@values("onnx:Min-1")
def minimum_dims(*data_0: Array, result_type: ElementType) -> Array:
    return _combined(minimum_dim, data_0, result_type)


def _combined(rule: Callable[[Dim, Dim], Dim], tensors: tuple[Array, ...], kind: ElementType) -> Array:
    """Partly known tensors combined element by element."""
    each = np.frompyfunc(lambda a, b: stored_dim(rule(a, b), kind), 2, 1)
    return np.asarray(reduce(each, map(as_dims, tensors)), dtype=object)


# Limits of elements.


@kernel("onnx:Clip-1")
def clip(input: Array, min: Array | None, max: Array | None) -> Array:
    kind, numbers = element_type_of(input), as_numbers(input)
    for bound, limit in ((min, np.maximum), (max, np.minimum)):
        if bound is not None:
            numbers = limit(numbers, as_numbers(converted(bound, kind)))
    return converted(np.asarray(numbers), kind)


@values("onnx:Clip-1")
def clip_dims(input: Array, min: Array | None, max: Array | None, *, result_type: ElementType) -> Array:
    limited = as_dims(input)
    for bound, rule in ((min, maximum_dim), (max, minimum_dim)):
        if bound is not None:
            limited = _combined(rule, (limited, bound), result_type)
    return limited


# Activations.


@kernel("onnx:Celu-12", widen=True)
def celu(X: Array, *, alpha: float) -> Array:
    return np.maximum(X, 0) + np.minimum(alpha * np.expm1(X / alpha), 0)


@kernel("onnx:HardSigmoid-1", widen=True)
def hard_sigmoid(X: Array, *, alpha: float, beta: float) -> Array:
    return np.clip(alpha * X + beta, 0, 1)


@kernel("onnx:LeakyRelu-1", widen=True)
def leaky_relu(X: Array, *, alpha: float) -> Array:
    return np.where(X < 0, alpha * X, X)


@kernel("onnx:Selu-1", widen=True)
def selu(X: Array, *, alpha: float, gamma: float) -> Array:
    return np.asarray(gamma * np.where(X > 0, X, alpha * np.expm1(np.minimum(X, 0))))


@kernel("onnx:Swish-24", widen=True)
def swish(X: Array, *, alpha: float) -> Array:
    return np.asarray(X * logistic(np.asarray(alpha * X)))


@kernel("onnx:Reciprocal-1", widen=True)
def reciprocal(X: Array) -> Array:
    return np.reciprocal(X)


@shape("onnx:PRelu-7")
def prelu_shape(X: Fact, slope: Fact) -> Shape:
    return unify_shapes(X.shape, broadcast_shapes(X.shape, slope.shape, "C1"), "C1")


@kernel("onnx:PRelu-7", widen=True)
def prelu(X: Array, slope: Array) -> Array:
    return np.where(X < 0, slope * X, X)


@kernel("onnx:IsInf-10")
def is_infinite(X: Array, *, detect_negative: bool, detect_positive: bool) -> Array:
    numbers = as_numbers(X)
    found = np.isinf(numbers)
    return found & ((detect_positive & (numbers > 0)) | (detect_negative & (numbers < 0)))
