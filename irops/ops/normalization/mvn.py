"""MVN: subtract the mean over some axes and divide by the standard deviation."""

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
            normal(axes.value, rank)
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
    over = reduction_axes or tuple(range(1 if across_channels else 2, data.ndim))
    return normalized(data, tuple(sorted(set(over))), normalize_variance, eps)


@kernel("MVN-6", widen=True)
def mvn(data: Array, axes: Array, *, normalize_variance: bool, eps: float, eps_mode: str) -> Array:
    return normalized(data, normal(axes, data.ndim), normalize_variance, eps, eps_mode)


def normalized(
    data: Array, over: tuple[int, ...], normalize_variance: bool, eps: float, eps_mode: str = "inside_sqrt"
) -> Array:
    """data brought to mean 0 over some axes, and to variance 1 where that is asked for."""
    if not normalize_variance:
        return np.subtract(data, mean(data, over))
    difference, variance = centred(data, over)
    little = data.dtype.type(eps)
    deviation = np.sqrt(variance + little) if eps_mode == "inside_sqrt" else np.sqrt(variance) + little
    difference /= deviation
    return difference


def normal(axes: Array, rank: int) -> tuple[int, ...]:
    """Axes counted from 0, each once."""
    numbers = [int(axis) for axis in axes]
    for axis in numbers:
        require(-rank <= axis < rank, "C2", f"axis {axis} at rank {rank}")
    once = tuple(sorted({axis % rank for axis in numbers}))
    warn_unless(len(once) == len(numbers), "C3", numbers)
    return once
