"""Normalizations: over a batch, groups, channels, or given axes."""

from functools import reduce
from math import prod

import numpy as np

from irops.ops.sliding import at
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

Axes = tuple[int, ...]


def mean(data: Array, axes: Axes) -> Array:
    """The mean over axes, which are kept with size 1. The mean of zero elements is 0."""
    count = prod(data.shape[axis] for axis in axes)
    average: Array = np.add.reduce(data, axis=axes, keepdims=True) / data.dtype.type(max(count, 1))
    return average


def centred(data: Array, axes: Axes) -> tuple[Array, Array]:
    """A new array with data minus its mean over axes, and the population variance over axes."""
    difference = np.subtract(data, mean(data, axes))
    return difference, mean(np.square(difference), axes)


@shape("NormalizeL2-1")
def normalize_l2_shape(data: Fact, axes: Fact) -> Shape:
    if data.shape.rank is not None and axes.value is not None:
        canonical_axes(axes.value.reshape(-1), data.shape.rank)
    return data.shape


@kernel("NormalizeL2-1", widen=True)
def normalize_l2(data: Array, axes: Array, *, eps: float, eps_mode: str) -> Array:
    if not axes.size:
        return np.asarray(data != 0).astype(data.dtype)
    squares = sum_of_squares(data, canonical_axes(axes.reshape(-1), data.ndim))
    epsilon = data.dtype.type(eps)
    return np.asarray(
        data / np.sqrt(squares + epsilon if eps_mode == "add" else np.maximum(squares, epsilon))
    )


@kernel("GRN-1", widen=True)
def grn(data: Array, *, bias: float) -> Array:
    return np.asarray(data / np.sqrt(sum_of_squares(data, (1,)) + data.dtype.type(bias)))


def sum_of_squares(data: Array, axes: tuple[int, ...]) -> Array:
    """The sum of squares over axes, which are kept with size 1."""
    return np.asarray(np.add.reduce(np.square(data), axis=axes, keepdims=True))


@shape("BatchNormInference-5")
def batch_norm_inference_shape(data: Fact, gamma: Fact, beta: Fact, mean: Fact, variance: Fact) -> Shape:
    channels = reduce(
        lambda dim, fact: unify(dim, fact.shape[0], "C1"), (gamma, beta, mean, variance), data.shape[1]
    )
    require(channels >= 1, "C2", data)
    return data.shape.with_dim(1, channels)


@shape("BatchNormInference-1")
def gamma_first_shape(gamma: Fact, beta: Fact, data: Fact, mean: Fact, variance: Fact) -> Shape:
    return batch_norm_inference_shape(data, gamma, beta, mean, variance)


@kernel("BatchNormInference-5", widen=True)
def batch_norm_inference(
    data: Array, gamma: Array, beta: Array, mean: Array, variance: Array, *, epsilon: float
) -> Array:
    per_channel = (-1, *(1,) * (data.ndim - 2))
    factor = gamma / np.sqrt(variance + data.dtype.type(epsilon))
    return np.asarray(
        (data - mean.reshape(per_channel)) * factor.reshape(per_channel) + beta.reshape(per_channel)
    )


@kernel("BatchNormInference-1", widen=True)
def gamma_first(
    gamma: Array, beta: Array, data: Array, mean: Array, variance: Array, *, epsilon: float
) -> Array:
    return batch_norm_inference(data, gamma, beta, mean, variance, epsilon=epsilon)


@shape("GroupNormalization-12")
def group_normalization_shape(data: Fact, scale: Fact, bias: Fact, *, num_groups: int) -> Shape:
    channels = unify(scale.shape[0], bias.shape[0], "C1")
    channels = unify(channels, data.shape[1], "C1")
    require(channels >= num_groups, "C2", f"{channels} channels in {num_groups} groups")
    require((channels % num_groups).can_be(0), "C2", f"{channels} channels in {num_groups} groups")
    return data.shape.with_dim(1, channels)


@kernel("GroupNormalization-12", widen=True)
def group_normalization(data: Array, scale: Array, bias: Array, *, num_groups: int, epsilon: float) -> Array:
    batch, channels = data.shape[:2]
    size = prod(data.shape[2:])
    difference, variance = centred(data.reshape(batch, num_groups, channels // num_groups * size), (2,))
    factor = scale.reshape(num_groups, channels // num_groups) / np.sqrt(variance + data.dtype.type(epsilon))
    output = difference.reshape(batch, channels, size)
    output *= factor.reshape(batch, channels, 1)
    output += bias[:, np.newaxis]
    return output.reshape(data.shape)


@kernel("LRN-1", widen=True)
def lrn(data: Array, axes: Array, *, alpha: float, beta: float, bias: float, size: int) -> Array:
    region_axes, number = canonical_axes(axes, data.ndim), data.dtype.type
    sums = reduce(
        lambda squares, axis: window_sums(squares, axis, (size - 1) // 2), region_axes, np.square(data)
    )
    scale = number(alpha / float(size) ** len(region_axes))
    return np.asarray(data / np.power(number(bias) + scale * sums, number(beta)))


def window_sums(data: Array, axis: int, radius: int) -> Array:
    """For each element, the sum of the elements at distance 0 to radius along an axis."""
    length = data.shape[axis] if data.size else 0
    total = data.copy()
    for distance in range(1, min(radius, length - 1) + 1):
        head, tail = at(axis, slice(0, length - distance)), at(axis, slice(distance, length))
        total[head] += data[tail]
        total[tail] += data[head]
    return total


@shape("LRN-1", "MVN-6")
def mvn_shape(data: Fact, axes: Fact) -> Shape:
    rank = data.shape.rank
    if rank is not None:
        require(axes.shape[0] <= rank, "C1", f"{axes.shape[0]} axes at rank {rank}")
        if axes.value is not None:
            canonical_axes(axes.value, rank)
    return data.shape


@kernel("MVN-2", widen=True)
def spatial_mvn(
    data: Array,
    *,
    across_channels: bool,
    normalize_variance: bool,
    eps: float,
    reduction_axes: tuple[int, ...],
) -> Array:
    mean_axes = reduction_axes or tuple(range(1 if across_channels else 2, data.ndim))
    return normalized(data, tuple(sorted(set(mean_axes))), normalize_variance, eps)


@kernel("MVN-6", widen=True)
def mvn(data: Array, axes: Array, *, normalize_variance: bool, eps: float, eps_mode: str) -> Array:
    return normalized(data, canonical_axes(axes, data.ndim), normalize_variance, eps, eps_mode)


def normalized(
    data: Array,
    mean_axes: tuple[int, ...],
    normalize_variance: bool,
    eps: float,
    eps_mode: str = "inside_sqrt",
) -> Array:
    """data minus its mean; with normalize_variance, divided by the standard deviation."""
    if not normalize_variance:
        return np.subtract(data, mean(data, mean_axes))
    difference, variance = centred(data, mean_axes)
    epsilon = data.dtype.type(eps)
    deviation = np.sqrt(variance + epsilon) if eps_mode == "inside_sqrt" else np.sqrt(variance) + epsilon
    difference /= deviation
    return difference


def canonical_axes(axes: Array, rank: int) -> tuple[int, ...]:
    """The axes counted from 0, sorted, without duplicates. A duplicate gives the warning C3."""
    indices = [int(axis) for axis in axes]
    for axis in indices:
        require(-rank <= axis < rank, "C2", f"axis {axis} at rank {rank}")
    unique = tuple(sorted({axis % rank for axis in indices}))
    warn_unless(len(unique) == len(indices), "C3", indices)
    return unique
