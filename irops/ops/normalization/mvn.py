"""MVN: subtract the mean over given axes and divide by the standard deviation."""

from __future__ import annotations

import numpy as np

from irops.ops.normalization.moments import centred, mean
from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


@shape("MVN-6")
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
