"""GroupNormalization: normalize each group of channels, then scale and shift each channel."""

from __future__ import annotations

from math import prod

import numpy as np

from irops.ops.normalization.moments import centred
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


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
