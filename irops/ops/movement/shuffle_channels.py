"""ShuffleChannels: interleave groups of channels."""

from __future__ import annotations

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("ShuffleChannels-1")
def shuffle_channels_shape(data: Fact, *, axis: int, group: int) -> Shape:
    channels = data.shape[axis]
    rounded_up, rounded_down = channels.ceil_div(group) * group, (channels // group) * group
    require(rounded_up.low <= rounded_down.high, "C1", channels, f"{group} groups")
    low, high = max(rounded_up.low, channels.low), min(rounded_down.high, channels.high)
    return data.shape.with_dim(axis, Dim(low, high, channels.symbol))


@kernel("ShuffleChannels-1")
def shuffle_channels(data: Array, *, axis: int, group: int) -> Array:
    grouped = data.reshape(*data.shape[:axis], group, data.shape[axis] // group, *data.shape[axis + 1 :])
    return grouped.swapaxes(axis, axis + 1).reshape(data.shape)
