"""Convolutions and pooling on channels in blocks.

ONNX Runtime stores the elements of such tensors block by block, a form that has no name in the file. Here
they keep the order of their shape, so that only weights, which files hold in blocks, are put into it.
"""

from __future__ import annotations

import numpy as np

from irops.dialects.microsoft.ops.products import Floats, Optional, fused_conv, fused_conv_shape
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless

BLOCKS = (8, 16)
"""How many channels a block has, by the processor that a file was made on."""


def _block(filters: int) -> int:
    """The size of a block, by a number of filters that is a multiple of it; 16 where it may be both."""
    return BLOCKS[filters % BLOCKS[1] == 0]


def in_order(weights: Array) -> Array:
    """Weights that are stored in blocks, in the order of their shape: filters, channels, spatial axes.

    Filters lie in blocks; so do channels, unless there are fewer than a block has.
    """
    filters, channels, *taps = weights.shape
    block, rest = _block(filters), range(2, 2 + len(taps))
    if channels < block:
        stored = weights.reshape(filters // block, channels, *taps, block)
        order = (0, len(taps) + 2, 1, *rest)
    else:
        stored = weights.reshape(filters // block, channels // block, *taps, block, block)
        order = (0, len(taps) + 3, 1, len(taps) + 2, *rest)
    return stored.transpose(order).reshape(weights.shape)


def _with_channels(data: Array, count: int) -> Array:
    """Data with zeros for the channels up to a number, without those beyond."""
    missing = count - data.shape[1]
    kept = data[:, :count]
    return np.pad(kept, [(0, 0), (0, missing), *[(0, 0)] * (data.ndim - 2)]) if missing > 0 else kept


@shape("microsoft_nchwc:Conv-1")
def conv_shape(
    X: Fact,
    W: Fact,
    B: Fact | None,
    Sum: Fact | None,
    *,
    activation: str | None,
    auto_pad: str,
    dilations: Optional,
    group: int,
    kernel_shape: Optional,
    pads: Optional,
    strides: Optional,
) -> Shape:
    filters, depth = W.shape.of_rank(4, "C1")[:2]
    require((filters % BLOCKS[0]).can_be(0), "C10", filters)
    warn_unless(not (filters % BLOCKS[1]).can_be(0), "C11", f"{filters} filters")
    given = X
    if X.shape.rank is not None:
        batch, channels, *sizes = X.shape.of_rank(4, "C1")
        require((depth * group - channels) < BLOCKS[1], "C2", X, W)
        require((channels - depth * group) < BLOCKS[1], "C2", X, W)
        given = Fact(X.element_type, Shape.of(batch, depth * group, *sizes))
    return fused_conv_shape(
        given,
        W,
        B,
        Sum,
        activation=activation,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )


@kernel("microsoft_nchwc:Conv-1")
def conv(
    X: Array,
    W: Array,
    B: Array | None,
    Sum: Array | None,
    *,
    activation: str | None,
    activation_params: Floats | None,
    auto_pad: str,
    dilations: Optional,
    group: int,
    pads: Optional,
    strides: Optional,
) -> Array:
    return fused_conv(
        _with_channels(X, W.shape[1] * group),
        in_order(W),
        B,
        Sum,
        activation=activation,
        activation_params=activation_params,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        pads=pads,
        strides=strides,
    )


@shape("microsoft_nchwc:ReorderInput-1")
def reorder_input_shape(X: Fact, *, channels_last: bool) -> Shape:
    if X.shape.rank is None:
        return UNRANKED
    batch, *sizes = X.shape.of_rank(4, "C1")
    channels = sizes.pop() if channels_last else sizes.pop(0)
    low, high = (channels.ceil_div(block) * block for block in BLOCKS)
    exact = (channels % BLOCKS[1]) == 0
    return Shape.of(batch, channels if exact else Dim(low.low, high.high), *sizes)


@kernel("microsoft_nchwc:ReorderInput-1")
def reorder_input(X: Array, *, channels_last: bool) -> Array:
    data = np.moveaxis(X, -1, 1) if channels_last else X
    return np.ascontiguousarray(_with_channels(data, -(-data.shape[1] // BLOCKS[0]) * BLOCKS[0]))


@shape("microsoft_nchwc:ReorderOutput-1")
def reorder_output_shape(X: Fact, *, channels: int, channels_last: bool) -> Shape:
    require(channels > 0, "C1", channels)
    if X.shape.rank is None:
        return UNRANKED
    batch, stored, *sizes = X.shape.of_rank(4, "C2")
    require(stored >= channels, "C2", X, channels)
    return Shape.of(batch, *sizes, channels) if channels_last else Shape.of(batch, channels, *sizes)


@kernel("microsoft_nchwc:ReorderOutput-1")
def reorder_output(X: Array, *, channels: int, channels_last: bool) -> Array:
    data = X[:, :channels]
    return np.ascontiguousarray(np.moveaxis(data, 1, -1) if channels_last else data)
