"""Convolution and pooling of ONNX: paddings, groups and missing lists are not as in OpenVINO."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.convolution.backprop import group_backprop
from irops.ops.convolution.convolution import group_convolution
from irops.ops.convolution.deformable_convolution import deformable_convolution_8
from irops.ops.pooling.avg_pool import avg_pool_16
from irops.ops.pooling.max_pool import max_pool
from irops.ops.pooling.windows import Window, window_count
from irops.ops.sliding import Numbers, Steps, positions, reach
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import I64, Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

Optional = Numbers | None
PADDING = {"NOTSET": "explicit", "VALID": "valid", "SAME_UPPER": "same_upper", "SAME_LOWER": "same_lower"}
"""The names of paddings in OpenVINO."""


def steps_of(axes: int, strides: Optional, dilations: Optional, pads: Optional) -> Steps:
    """The numbers along each spatial axis, with the defaults of ONNX.

    Raises:  Violation(C4) if a list has another length, or a stride or dilation is less than 1
    """
    fits = all(numbers is None or len(numbers) == axes for numbers in (strides, dilations))
    require(fits and (pads is None or len(pads) == 2 * axes), "C4", f"{axes} spatial axes")
    require(all(number >= 1 for number in (*(strides or ()), *(dilations or ()))), "C4")
    around = pads or (0,) * 2 * axes
    return Steps.of(axes, strides or (), dilations or (), around[:axes], around[axes:])


def _size(size: Dim, taps: Dim, step: tuple[int, int, int, int], auto_pad: str) -> Dim:
    """The number of windows along an axis; step: stride, dilation and pads."""
    stride, dilation, before, after = step
    if auto_pad.startswith("SAME"):
        return size.ceil_div(stride)
    return positions(size, taps, stride, dilation, 0 if auto_pad == "VALID" else before + after, "C3")


def _ranks(data: Shape, weights: Shape) -> int | None:
    """The number of spatial axes; None if it is not known. Raises: Violation(C1)"""
    known = {len(item.dims) for item in (data, weights) if item.dims is not None}
    require(len(known) < 2 and all(rank >= 3 for rank in known), "C1", data, weights)
    return known.pop() - 2 if known else None


def _taps(weights: Shape, axes: int, kernel_shape: Optional) -> list[Dim]:
    """The sizes of the kernel. Raises: Violation(C5) if kernel_shape says otherwise"""
    sizes = list(weights.of_rank(axes + 2, "C5")[2:])
    require(kernel_shape is None or len(kernel_shape) == axes, "C5", kernel_shape)
    return sizes if kernel_shape is None else [unify(*pair, "C5") for pair in zip(sizes, kernel_shape)]


# Conv and ConvTranspose.


@shape("onnx:Conv-1")
def conv_shape(
    X: Fact,
    W: Fact,
    B: Fact | None,
    *,
    auto_pad: str,
    dilations: Optional,
    group: int,
    kernel_shape: Optional,
    pads: Optional,
    strides: Optional,
) -> Shape:
    axes = _ranks(X.shape, W.shape)
    if axes is None:
        return UNRANKED
    steps, taps = steps_of(axes, strides, dilations, pads), _taps(W.shape, axes, kernel_shape)
    batch, channels, *sizes = X.shape.of_rank(axes + 2, "C1")
    maps, depth = W.shape.of_rank(axes + 2, "C1")[:2]
    unify(channels, depth * group, "C2")
    require((maps % group).can_be(0), "C6", maps)
    maps = maps if B is None else unify(maps, B.shape[0], "C7")
    return Shape.of(batch, maps, *map(_size, sizes, taps, zip(*steps), [auto_pad] * axes))


@kernel("onnx:Conv-1", widen=True)
def conv(
    X: Array,
    W: Array,
    B: Array | None,
    *,
    auto_pad: str,
    dilations: Optional,
    group: int,
    pads: Optional,
    strides: Optional,
) -> Array:
    steps = steps_of(X.ndim - 2, strides, dilations, pads)
    result = group_convolution(
        X,
        W.reshape(group, len(W) // group, *W.shape[1:]),
        strides=steps.strides,
        pads_begin=steps.pads_begin,
        pads_end=steps.pads_end,
        dilations=steps.dilations,
        auto_pad=PADDING[auto_pad],
    )
    return result if B is None else result + B.reshape(-1, *(1,) * (X.ndim - 2))


@shape("onnx:ConvTranspose-1")
def conv_transpose_shape(
    X: Fact,
    W: Fact,
    B: Fact | None,
    *,
    auto_pad: str,
    dilations: Optional,
    group: int,
    kernel_shape: Optional,
    output_padding: Optional,
    output_shape: Optional,
    pads: Optional,
    strides: Optional,
) -> Shape:
    axes = _ranks(X.shape, W.shape)
    if axes is None:
        return UNRANKED
    steps, taps = steps_of(axes, strides, dilations, pads), _taps(W.shape, axes, kernel_shape)
    more, wanted = output_padding or (0,) * axes, (output_shape or ())[-axes:]
    require(len(more) == axes and len(wanted) in (0, axes), "C4", f"{axes} spatial axes")
    batch, channels, *sizes = X.shape.of_rank(axes + 2, "C1")
    depth, maps = W.shape.of_rank(axes + 2, "C1")[:2]
    unify(channels, depth, "C2")
    require((channels % group).can_be(0), "C6", channels)
    maps = maps * group if B is None else unify(maps * group, B.shape[0], "C7")
    whole = [
        _transposed_size(size, tap, step, extra, auto_pad)
        for size, tap, step, extra in zip(sizes, taps, zip(*steps), more)
    ]
    return Shape.of(batch, maps, *(wanted or whole))


def _transposed_size(size: Dim, taps: Dim, step: tuple[int, int, int, int], extra: int, auto_pad: str) -> Dim:
    stride, dilation, before, after = step
    if auto_pad.startswith("SAME"):
        return size * stride
    around = 0 if auto_pad == "VALID" else before + after
    total = (size - 1) * stride + extra + reach(taps, dilation) - around
    require(total >= 0, "C3", size, taps)
    return total.at_least(0)


@kernel("onnx:ConvTranspose-1", widen=True)
def conv_transpose(
    X: Array,
    W: Array,
    B: Array | None,
    *,
    auto_pad: str,
    dilations: Optional,
    group: int,
    output_padding: Optional,
    output_shape: Optional,
    pads: Optional,
    strides: Optional,
) -> Array:
    axes = X.ndim - 2
    steps = steps_of(axes, strides, dilations, pads)
    whole = group_backprop(
        X,
        W.reshape(group, len(W) // group, *W.shape[1:]),
        None,
        strides=steps.strides,
        pads_begin=(0,) * axes,
        pads_end=(0,) * axes,
        dilations=steps.dilations,
        auto_pad="explicit",
        output_padding=(0,) * axes,
    )
    more, wanted = output_padding or (0,) * axes, (output_shape or ())[-axes:]
    for axis, (size, step, extra) in enumerate(zip(X.shape[2:], zip(*steps), more), 2):
        full = whole.shape[axis] + extra
        length = wanted[axis - 2] if wanted else None
        if length is None and auto_pad.startswith("SAME"):
            length = size * step[0]
        before, after = step[2:] if auto_pad == "NOTSET" else (0, 0)
        if length is not None:
            total = full - length
            before = total // 2 if auto_pad == "SAME_UPPER" else total - total // 2
            after = total - before
        whole = _cut(whole, axis, before, full - after)
    return whole if B is None else whole + B.reshape(-1, *(1,) * axes)


def _cut(data: Array, axis: int, start: int, stop: int) -> Array:
    """The elements from start to stop along an axis, 0 where there are none."""
    places = np.arange(start, stop)
    inside = (places >= 0) & (places < data.shape[axis])
    elements = np.take(data, np.clip(places, 0, data.shape[axis] - 1), axis)
    return np.asarray(elements * inside.reshape(-1, *(1,) * (data.ndim - axis - 1)))


# MaxPool and AveragePool.


def _windows(kernel_shape: Numbers, steps: Steps, auto_pad: str, ceil_mode: bool) -> list[Window]:
    rounding, mode = "ceil_torch" if ceil_mode else "floor", PADDING[auto_pad]
    return [
        Window(taps, stride, dilation, before, after, rounding, mode)
        for taps, stride, dilation, before, after in zip(kernel_shape, *steps, strict=True)
    ]


def _pooled(data: Shape, along: Sequence[Window]) -> Shape:
    batch, channels, *sizes = data.of_rank(len(along) + 2, "C1")
    return Shape.of(batch, channels, *map(window_count, along, sizes))


@shape("onnx:MaxPool-1")
def max_pool_shape(
    X: Fact,
    *,
    kernel_shape: Numbers,
    auto_pad: str,
    pads: Optional,
    strides: Optional,
    dilations: Optional = None,
    ceil_mode: bool = False,
) -> tuple[Shape | Fact, ...]:
    steps = steps_of(len(kernel_shape), strides, dilations, pads)
    pooled = _pooled(X.shape, _windows(kernel_shape, steps, auto_pad, ceil_mode))
    return pooled, Fact(I64, pooled)


@kernel("onnx:MaxPool-1", widen=True)
def max_pool_of(
    X: Array,
    *,
    kernel_shape: Numbers,
    auto_pad: str,
    pads: Optional,
    strides: Optional,
    dilations: Optional = None,
    ceil_mode: bool = False,
    storage_order: int = 0,
) -> tuple[Array, Array]:
    steps = steps_of(len(kernel_shape), strides, dilations, pads)
    maxima, indices = max_pool(
        X,
        kernel=kernel_shape,
        strides=steps.strides,
        dilations=steps.dilations,
        pads_begin=steps.pads_begin,
        pads_end=steps.pads_end,
        rounding_type="ceil_torch" if ceil_mode else "floor",
        auto_pad=PADDING[auto_pad],
        index_element_type=I64,
        axis=0,
    )
    if storage_order:
        sizes = X.shape[2:]
        channel, place = np.divmod(indices, max(int(np.prod(sizes)), 1))
        columns = np.ravel_multi_index(np.unravel_index(place, sizes), sizes, order="F")
        indices = channel * int(np.prod(sizes)) + columns
    return maxima, indices


@shape("onnx:AveragePool-1")
def average_pool_shape(
    X: Fact,
    *,
    kernel_shape: Numbers,
    auto_pad: str,
    pads: Optional,
    strides: Optional,
    dilations: Optional = None,
    ceil_mode: bool = False,
) -> Shape:
    steps = steps_of(len(kernel_shape), strides, dilations, pads)
    return _pooled(X.shape, _windows(kernel_shape, steps, auto_pad, ceil_mode))


@kernel("onnx:AveragePool-1")
def average_pool(
    X: Array,
    *,
    kernel_shape: Numbers,
    auto_pad: str,
    pads: Optional,
    strides: Optional,
    dilations: Optional = None,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> Array:
    steps = steps_of(len(kernel_shape), strides, dilations, pads)
    along, data = _windows(kernel_shape, steps, auto_pad, ceil_mode), as_numbers(X)
    around = [window.padding(size) for window, size in zip(along, X.shape[2:])]
    counts = [window.count(size) for window, size in zip(along, X.shape[2:])]
    if count_include_pad:  # padding counts as elements, but what lies behind it does not
        data, around = np.pad(data, [(0, 0), (0, 0), *around]), [(0, 0)] * len(along)
    means = avg_pool_16(
        data,
        kernel=kernel_shape,
        strides=steps.strides,
        dilations=steps.dilations,
        pads_begin=tuple(before for before, _ in around),
        pads_end=tuple(after for _, after in around),
        exclude_pad=True,
        rounding_type="ceil" if ceil_mode else "floor",
        auto_pad="explicit",
    )
    within: tuple[slice, ...] = (slice(None), slice(None), *map(slice, counts))
    return converted(means[within], element_type_of(X))


# DeformConv.


@shape("onnx:DeformConv-19")
def deform_conv_shape(
    X: Fact,
    W: Fact,
    offset: Fact,
    B: Fact | None,
    mask: Fact | None,
    *,
    dilations: Optional,
    group: int,
    kernel_shape: Optional,
    offset_group: int,
    pads: Optional,
    strides: Optional,
) -> Shape:
    batch, channels, *sizes = X.shape.of_rank(4, "C2")
    maps, depth = W.shape.of_rank(4, "C2")[:2]
    steps, taps = steps_of(2, strides, dilations, pads), _taps(W.shape, 2, kernel_shape)
    unify(channels, depth * group, "C2")
    require((maps % group).can_be(0), "C6", maps)
    maps = maps if B is None else unify(maps, B.shape[0], "C7")
    count = taps[0] * taps[1] * offset_group
    output = [_size(size, tap, step, "NOTSET") for size, tap, step in zip(sizes, taps, zip(*steps))]
    for shifts, each in ((offset, 2), (mask, 1)):
        if shifts is not None:
            dims = shifts.shape.of_rank(4, "C8")
            unify(dims[1], count * each, "C8")
            output = [unify(size, dims[k], "C8") for k, size in enumerate(output, 2)]
    return Shape.of(batch, maps, *output)


@kernel("onnx:DeformConv-19", widen=True)
def deform_conv(
    X: Array,
    W: Array,
    offset: Array,
    B: Array | None,
    mask: Array | None,
    *,
    dilations: Optional,
    group: int,
    offset_group: int,
    pads: Optional,
    strides: Optional,
) -> Array:
    steps = steps_of(2, strides, dilations, pads)
    result = deformable_convolution_8(
        X,
        offset,
        W,
        mask,
        strides=steps.strides,
        pads_begin=steps.pads_begin,
        dilations=steps.dilations,
        auto_pad="explicit",
        group=group,
        deformable_group=offset_group,
        bilinear_interpolation_pad=True,
    )
    return result if B is None else result + B.reshape(-1, 1, 1)
