"""Normalizations of ONNX: their axes, scales and outputs are not those of OpenVINO's ops."""

from __future__ import annotations

from functools import reduce
from math import prod

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.normalization.mvn import centred
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, element_type, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require

F32 = element_type("f32")
STASH = {1: F32, 16: element_type("bf16")}
"""The types in which stash_type has mean and deviation computed, by their numbers in TensorProto."""
MVN_EPSILON = 1e-9
"""The number that MeanVarianceNormalization adds to the deviation."""


def _along(numbers: Array, rank: int, axis: int = 1) -> Array:
    """A vector along one axis of tensors of a rank."""
    return numbers.reshape(numbers.shape + (1,) * (rank - axis - 1))


def _normalized(data: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    difference, variance = centred(data, axes)
    return np.asarray(difference / np.sqrt(variance + data.dtype.type(epsilon)))


# BatchNormalization.


@shape("onnx:BatchNormalization-14")
def batch_normalization_shape(
    X: Fact, scale: Fact, B: Fact, input_mean: Fact, input_var: Fact
) -> tuple[Shape | Fact, ...]:
    output, size = _channels(X, scale, B, input_mean, input_var)
    running = Fact(input_mean.element_type, Shape.of(size))
    return output, running, running


def _channels(X: Fact, *vectors: Fact) -> tuple[Shape, Dim]:
    """The shape of X, and the size of its second axis, which all vectors have. Raises: Violation(C1)"""
    size = reduce(lambda a, b: unify(a, b, "C1"), (vector.shape[0] for vector in vectors))
    if X.shape.rank is None:
        return X.shape, size
    if X.shape.rank == 1:
        return X.shape, unify(size, 1, "C1")
    size = unify(X.shape[1], size, "C1")
    return X.shape.with_dim(1, size), size


@kernel("onnx:BatchNormalization-14")
def batch_normalization(
    X: Array,
    scale: Array,
    B: Array,
    input_mean: Array,
    input_var: Array,
    *,
    epsilon: float,
    momentum: float,
    training_mode: bool,
) -> tuple[Array, Array, Array]:
    kind, data = element_type_of(X), as_numbers(X)
    mean, variance = running = as_numbers(input_mean), as_numbers(input_var)
    if training_mode:
        mean, variance = _of_batch(data)
        running = _mixed(running, (mean, variance), momentum)
    result = _scaled(data, as_numbers(scale), as_numbers(B), mean, variance, epsilon)
    means, variances = (
        converted(item, element_type_of(own)) for item, own in zip(running, (input_mean, input_var))
    )
    return converted(result, kind), means, variances


def _of_batch(data: Array) -> tuple[Array, Array]:
    """The mean and the variance of each channel."""
    along = (0, *range(2, data.ndim))
    return np.asarray(data.mean(along)), np.asarray(data.var(along))


def _mixed(old: tuple[Array, Array], new: tuple[Array, Array], momentum: float) -> tuple[Array, Array]:
    first, second = (np.asarray(a * momentum + b * (1 - momentum)) for a, b in zip(old, new))
    return first, second


def _scaled(data: Array, scale: Array, shift: Array, mean: Array, variance: Array, epsilon: float) -> Array:
    def channel(vector: Array) -> Array:
        return _along(vector, data.ndim) if data.ndim > 1 else vector

    deviation = np.sqrt(variance + variance.dtype.type(epsilon))
    return np.asarray((data - channel(mean)) / channel(deviation) * channel(scale) + channel(shift))


@shape("onnx:BatchNormalization-1")
def batch_normalization_1_shape(
    X: Fact, scale: Fact, B: Fact, mean: Fact, var: Fact, *, spatial: bool = True
) -> tuple[Shape, ...]:
    if spatial:
        output, size = _channels(X, scale, B, mean, var)
        return output, *(Shape.of(size),) * 4
    for numbers in (scale, B, mean, var):
        unify_shapes(X.shape[1:], numbers.shape, "C1")
    return X.shape, *(X.shape[1:],) * 4


@kernel("onnx:BatchNormalization-1", widen=True)
def batch_normalization_1(
    X: Array,
    scale: Array,
    B: Array,
    mean: Array,
    var: Array,
    *,
    epsilon: float,
    momentum: float,
    spatial: bool = True,
    output_count: int = 1,
) -> tuple[Array, ...]:
    """In training, which more outputs than one ask for, the mean and the variance are those of the batch."""
    given = used = mean, var
    if output_count > 1:
        used = _of_batch(X) if spatial else (np.asarray(X.mean(0)), np.asarray(X.var(0)))
        given = _mixed(given, used, momentum)
    if spatial:
        return _scaled(X, scale, B, *used, epsilon), *given, *used
    deviation = np.sqrt(used[1] + var.dtype.type(epsilon))
    return np.asarray((X - used[0]) / deviation * scale + B), *given, *used


# InstanceNormalization and GroupNormalization.


@shape("onnx:InstanceNormalization-1")
def instance_normalization_shape(input: Fact, scale: Fact, B: Fact) -> Shape:
    return _channels(input, scale, B)[0]


@kernel("onnx:InstanceNormalization-1", widen=True)
def instance_normalization(input: Array, scale: Array, B: Array, *, epsilon: float) -> Array:
    normalized = _normalized(input, tuple(range(2, input.ndim)), epsilon)
    return normalized * _along(scale, input.ndim) + _along(B, input.ndim)


@shape("onnx:GroupNormalization-21")
def group_normalization_shape(X: Fact, scale: Fact, bias: Fact, *, num_groups: int) -> Shape:
    channels = unify(X.shape[1], unify(scale.shape[0], bias.shape[0], "C1"), "C1")
    require(num_groups > 0 and (channels % num_groups).can_be(0), "C2", f"{channels} in {num_groups}")
    return X.shape.with_dim(1, channels)


@shape("onnx:GroupNormalization-18")
def group_normalization_18_shape(X: Fact, scale: Fact, bias: Fact, *, num_groups: int) -> Shape:
    unify(num_groups, unify(scale.shape[0], bias.shape[0], "C1"), "C1")
    require(num_groups > 0 and (X.shape[1] % num_groups).can_be(0), "C2", f"{X.shape[1]} in {num_groups}")
    return X.shape


@kernel("onnx:GroupNormalization-21", widen=True)
def group_normalization(X: Array, scale: Array, bias: Array, *, num_groups: int, epsilon: float) -> Array:
    grouped = X.reshape(X.shape[0], num_groups, -1)
    normalized = _normalized(grouped, (2,), epsilon).reshape(X.shape)
    return normalized * _along(scale, X.ndim) + _along(bias, X.ndim)


@kernel("onnx:GroupNormalization-18", widen=True)
def group_normalization_18(X: Array, scale: Array, bias: Array, *, num_groups: int, epsilon: float) -> Array:
    size = X.shape[1] // num_groups
    return group_normalization(
        X, np.repeat(scale, size), np.repeat(bias, size), num_groups=num_groups, epsilon=epsilon
    )


# LayerNormalization and RMSNormalization: the axes from axis on.


@shape("onnx:LayerNormalization-17")
def layer_normalization_shape(
    X: Fact, Scale: Fact, B: Fact | None, *, axis: int, stash_type: int
) -> tuple[Shape | Fact, ...]:
    require(stash_type in STASH, "C2", stash_type)
    for vector in (Scale, B):
        if vector is not None:
            unify_shapes(X.shape, broadcast_shapes(X.shape, vector.shape, "C1"), "C1")
    kept = X.shape
    for place in range(axis, X.shape.rank or 0):
        kept = kept.with_dim(place, 1)
    return X.shape, *(Fact(STASH[stash_type], kept) for _ in range(2))


@kernel("onnx:LayerNormalization-17")
def layer_normalization(
    X: Array, Scale: Array, B: Array | None, *, axis: int, epsilon: float, stash_type: int
) -> tuple[Array, ...]:
    kind, data = element_type_of(X), as_numbers(X)
    axes = tuple(range(axis, X.ndim))
    mean = np.mean(data, axes, keepdims=True, dtype=np.float64)
    variance = np.mean(np.square(data - mean), axes, keepdims=True)
    inverse = 1 / np.sqrt(variance + epsilon)
    normalized = converted(np.asarray((data - mean) * inverse), kind)
    result = as_numbers(normalized) * as_numbers(Scale) + (0 if B is None else as_numbers(B))
    stashed = (converted(np.asarray(item), STASH[stash_type]) for item in (mean, inverse))
    return converted(np.asarray(result), kind), *stashed


@shape("onnx:RMSNormalization-23")
def rms_normalization_shape(X: Fact, scale: Fact) -> Fact:
    unify_shapes(X.shape, broadcast_shapes(X.shape, scale.shape, "C1"), "C1")
    return Fact(scale.element_type, X.shape)


@kernel("onnx:RMSNormalization-23")
def rms_normalization(X: Array, scale: Array, *, axis: int, epsilon: float) -> Array:
    data = as_numbers(X)
    squares = np.mean(np.square(data, dtype=np.float64), tuple(range(axis, X.ndim)), keepdims=True)
    kind = element_type_of(scale)
    normalized = converted(np.asarray(data / np.sqrt(squares + epsilon)), kind)
    return converted(np.asarray(as_numbers(normalized) * as_numbers(scale)), kind)


# Norms along axes.


@kernel("onnx:LRN-1", widen=True)
def local_response_normalization(X: Array, *, size: int, alpha: float, beta: float, bias: float) -> Array:
    before, after = (size - 1) // 2, size // 2
    squares = np.pad(np.square(X), [(0, 0), (before, after), *[(0, 0)] * (X.ndim - 2)])
    channels = X.shape[1]
    sums = sum((squares[:, start : start + channels] for start in range(size)), np.zeros_like(X))
    return np.asarray(X / np.power(bias + alpha / size * sums, beta))


@kernel("onnx:LpNormalization-1", widen=True)
def lp_normalization(input: Array, *, axis: int, p: int) -> Array:
    """A row whose norm is 0 stays 0."""
    norm = np.linalg.norm(input, p, axis, keepdims=True)
    return np.asarray(input / np.where(norm == 0, norm.dtype.type(1), norm))


@kernel("onnx:MeanVarianceNormalization-9", widen=True)
def mean_variance_normalization(X: Array, *, axes: tuple[int, ...]) -> Array:
    difference, variance = centred(X, axes)
    return np.asarray(difference / (np.sqrt(variance) + X.dtype.type(MVN_EPSILON)))


# Softmax before opset 13: over all axes from axis on.


def _flat(input: Array, axis: int) -> Array:
    return input.reshape(prod(input.shape[:axis]), prod(input.shape[axis:]))


@kernel("onnx:Softmax-1", widen=True)
def softmax_1(input: Array, *, axis: int) -> Array:
    exponentials = np.exp(_shifted(_flat(input, axis)))
    return np.asarray(exponentials / exponentials.sum(1, keepdims=True)).reshape(input.shape)


@kernel("onnx:LogSoftmax-1", widen=True)
def log_softmax_1(input: Array, *, axis: int) -> Array:
    shifted = _shifted(_flat(input, axis))
    return np.asarray(shifted - np.log(np.exp(shifted).sum(1, keepdims=True))).reshape(input.shape)


def _shifted(rows: Array) -> Array:
    """Rows minus their maxima, so that no exponential overflows."""
    return np.asarray(rows - rows.max(1, keepdims=True, initial=-np.inf))
