"""Activations: elementwise ones, and the softmax along an axis."""

from math import ceil, floor, inf, pi, sqrt

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.reals import erf, in_blocks, on_numbers, on_reals
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import Dim, maximum, minimum
from irops.values.element import Array, ElementType, element_type_of
from irops.values.fact import Fact, each_dim
from irops.values.shape import Shape, broadcast_shapes
from irops.values.violation import require, warn_unless


@values("Identity-16")
@kernel("Identity-16")
def identity(data: Array) -> Array:
    return data


@gradient("Identity-16")
def identity_gradient(d_output: Array) -> Array:
    return d_output


@shape("Exp-1", "HSigmoid-5", "HSwish-4", "Sigmoid-1")
def shape_of_reals(data: Fact) -> Shape:
    warn_unless(not data.element_type.integral, "C1", data)
    return data.shape


@kernel("Exp-1", widen=True)
def exp(data: Array) -> Array:
    return on_reals(np.exp, data)


@gradient("Exp-1", widen=True)
def exp_gradient(d_output: Array, output: Array) -> Array:
    return d_output * output


@kernel("Sigmoid-1", widen=True)
def sigmoid(data: Array) -> Array:
    return on_reals(logistic, data)


@gradient("Sigmoid-1", widen=True)
def sigmoid_gradient(d_output: Array, output: Array) -> Array:
    result: Array = d_output * output * (1 - output)
    return result


@kernel("ReLU-1", widen=True)
def relu(data: Array) -> Array:
    return on_numbers(lambda numbers: np.maximum(numbers, 0, dtype=numbers.dtype), data)


@gradient("ReLU-1")
def relu_gradient(d_output: Array, output: Array) -> Array:
    return np.where(output > 0, d_output, d_output.dtype.type(0))


@values("ReLU-1")
def relu_dims(data: Array) -> Array:
    return each_dim(lambda dim: dim.at_least(0), data)


def logistic(x: Array) -> Array:
    """1 / (1 + exp(-x)); where exp overflows to inf, the quotient is 0, which is correct."""
    result: Array = 1 / (1 + np.exp(-x))
    return result


@shape("Elu-1")
def elu_shape(data: Fact, *, alpha: float) -> Shape:
    warn_unless(alpha >= 0, "C1", f"{alpha:g}")
    warn_unless(not data.element_type.integral, "C2", data)
    return data.shape


@kernel("Elu-1", widen=True)
def elu(data: Array, *, alpha: float) -> Array:
    return on_reals(lambda x: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x).astype(x.dtype), data)


@shape("Selu-1")
def selu_shape(data: Fact, alpha: Fact, lambda_: Fact) -> Shape:
    for single in (alpha, lambda_):
        require(single.shape.size.can_be(1), "C1", single)
    return data.shape


@kernel("Selu-1", widen=True)
def selu(data: Array, alpha: Array, lambda_: Array) -> Array:
    low = alpha.reshape(()) * np.expm1(np.minimum(data, 0))
    result: Array = lambda_.reshape(()) * np.where(data > 0, data, low)
    return result


@shape("PReLU-1")
def prelu_shape(data: Fact, slope: Fact) -> Shape:
    known = data.shape.dims is not None and slope.shape.dims is not None
    return _checked(data.shape, slope.shape) if known else data.shape


def _checked(data: Shape, slope: Shape) -> Shape:
    """The shape of data, after a check that slope fits."""
    if len(slope) == 1 and len(data) > 1 and slope[0].can_be(data[1]):
        return data
    require(len(slope) <= len(data), "C1", data, slope)
    both = broadcast_shapes(data, slope, "C1")
    require(all(size.can_be(whole) for size, whole in zip(data, both)), "C1", data, slope)
    return data


@kernel("PReLU-1", widen=True)
def prelu(data: Array, slope: Array) -> Array:
    prelu_shape(Fact(shape=Shape(map(Dim.of, data.shape))), Fact(shape=Shape(map(Dim.of, slope.shape))))
    channels = slope.ndim == 1 and data.ndim > 1 and len(slope) == data.shape[1]
    slopes = slope.reshape(-1, *(1,) * (data.ndim - 2)) if channels else slope
    return on_numbers(lambda x: np.where(x < 0, x * slopes.astype(x.dtype), x), data)


@shape("Clamp-1")
def clamp_shape(data: Fact, *, min: float, max: float) -> Shape:
    require(min <= max, "C1", f"{min:g} to {max:g}")
    return data.shape


@kernel("Clamp-1", widen=True)
def clamp(data: Array, *, min: float, max: float) -> Array:
    kind = element_type_of(data)
    if not kind.integral:
        return clipped(data, min, max)
    return low_bits(clipped(as_numbers(data), *whole_bounds(kind, min, max)), kind)


@values("Clamp-1")
def clamp_dims(data: Array, *, min: float, max: float, result_type: ElementType) -> Array:
    low, high = whole_bounds(result_type, min, max) if result_type.integral else (min, max)
    return each_dim(lambda dim: minimum(maximum(dim, bound_dim(low)), bound_dim(high)), data)


def bound_dim(bound: float) -> Dim:
    """The interval of the integers around a bound; only one value if the bound is an integer or infinite."""
    return Dim(bound, bound) if abs(bound) == inf else Dim(floor(bound), ceil(bound))


def clipped(numbers: Array, low: float, high: float) -> Array:
    return np.minimum(np.maximum(numbers, low, dtype=numbers.dtype), high, dtype=numbers.dtype)


def whole_bounds(kind: ElementType, low: float, high: float) -> tuple[int, int]:
    """The bounds as integers of a type: rounded inwards, and limited to its range."""
    type_min, type_max = map(int, kind.extent)
    return (
        type_min if low == -inf else _median(type_min, ceil(low) if low < inf else type_max, type_max),
        type_max if high == inf else _median(type_min, floor(high) if high > -inf else type_min, type_max),
    )


def _median(low: int, number: int, high: int) -> int:
    return sorted((low, number, high))[1]


@shape("HardSigmoid-1")
def hard_sigmoid_shape(data: Fact, alpha: Fact, beta: Fact) -> Shape:  # noqa: ARG001
    warn_unless(not data.element_type.integral, "C1", data)
    return data.shape


@kernel("HardSigmoid-1", widen=True)
def hard_sigmoid(data: Array, alpha: Array, beta: Array) -> Array:
    return on_reals(
        lambda x: np.clip(alpha.astype(x.dtype) * x + beta.astype(x.dtype), 0, 1).astype(x.dtype), data
    )


@kernel("HSigmoid-5", widen=True)
def h_sigmoid(data: Array) -> Array:
    return on_reals(lambda x: np.clip(x + 3, 0, 6) / 6, data)


@kernel("HSwish-4", widen=True)
def h_swish(data: Array) -> Array:
    return on_reals(lambda x: x * (np.clip(x + 3, 0, 6) / 6), data)


@kernel("SoftSign-9", widen=True)
def soft_sign(data: Array) -> Array:
    return on_reals(lambda x: x / (1 + np.abs(x)), data)


@kernel("SoftPlus-4", widen=True)
def soft_plus(data: Array) -> Array:
    return on_reals(softplus, data)


@kernel("Mish-4", widen=True)
def mish(data: Array) -> Array:
    return on_reals(lambda x: x * np.tanh(softplus(x)), data)


def softplus(x: Array) -> Array:
    """log(1 + exp(x)), in a form in which exp does not overflow."""
    result: Array = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return result


@shape("Swish-4")
def swish_shape(data: Fact, beta: Fact | None) -> Shape:
    if beta is not None and beta.value is not None:
        warn_unless(not (beta.value < 0).any(), "C1", beta.value.item())
    return data.shape


@kernel("Swish-4", widen=True)
def swish(data: Array, beta: Array | None) -> Array:
    if beta is None:
        return data * logistic(data)
    warn_unless(not (beta < 0).any(), "C1", beta.item())
    return data * logistic(data * beta)


@kernel("Gelu-2", "Gelu-7", widen=True)
def gelu(data: Array, *, approximation_mode: str = "erf") -> Array:
    return in_blocks(by_tanh if approximation_mode == "tanh" else by_erf, data)


def by_erf(x: Array) -> Array:
    result: Array = x / 2 * (1 + erf(np.asarray(x / sqrt(2))))
    return result


def by_tanh(x: Array) -> Array:
    result: Array = x / 2 * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)))
    return result


@kernel("SoftMax-1", "SoftMax-8", widen=True)
def soft_max(data: Array, *, axis: int) -> Array:
    shifted = data - data.max(axis, keepdims=True, initial=-np.inf)  # so that exp does not overflow
    powers = np.exp(shifted)
    result: Array = powers / powers.sum(axis, keepdims=True)
    return result


@gradient("SoftMax-8", widen=True)
def soft_max_gradient(d_output: Array, output: Array, *, axis: int) -> Array:
    product = d_output * output
    result: Array = product - output * product.sum(axis, keepdims=True)
    return result


@kernel("LogSoftmax-5", widen=True)
def log_softmax(data: Array, *, axis: int) -> Array:
    shifted = data - data.max(axis, keepdims=True, initial=-np.inf)  # so that exp does not overflow
    result: Array = shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))
    return result
