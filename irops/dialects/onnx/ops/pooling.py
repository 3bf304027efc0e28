"""Pooling by norms, and the inverse of max pooling."""

from __future__ import annotations

from math import prod

import numpy as np

from irops.ops.pooling.avg_pool import window_sums
from irops.ops.pooling.windows import Window, pooled_shape, windows
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, unify_shapes
from irops.values.violation import require

Numbers = tuple[int, ...]


def windows_of(
    kernel_shape: Numbers,
    auto_pad: str,
    ceil_mode: bool,
    dilations: Numbers | None,
    pads: Numbers | None,
    strides: Numbers | None,
) -> list[Window]:
    """The windows along the spatial axes. Raises: Violation(C1) if the attributes have different lengths"""
    axes = len(kernel_shape)
    padding = pads or (0,) * 2 * axes
    require(len(padding) == 2 * axes, "C1", f"{len(padding)} pads for {axes} axes")
    return windows(
        kernel_shape,
        strides or (1,) * axes,
        dilations or (1,) * axes,
        padding[:axes],
        padding[axes:],
        "ceil_torch" if ceil_mode else "floor",
        "explicit" if auto_pad == "NOTSET" else auto_pad.lower(),
    )


@shape("onnx:LpPool-1")
def lp_pool_1_shape(
    X: Fact, *, auto_pad: str, kernel_shape: Numbers | None, pads: Numbers | None, strides: Numbers | None
) -> Shape:
    require(kernel_shape, "C1", "no kernel_shape")
    return lp_pool_shape(X, auto_pad=auto_pad, kernel_shape=kernel_shape or (), pads=pads, strides=strides)


@shape("onnx:LpPool-2")
def lp_pool_shape(
    X: Fact,
    *,
    auto_pad: str,
    ceil_mode: bool = False,
    dilations: Numbers | None = None,
    kernel_shape: Numbers,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Shape:
    along = windows_of(kernel_shape, auto_pad, ceil_mode, dilations, pads, strides)
    one = X.shape.of_rank(len(along) + 2, "C2").with_dim(0, 1).with_dim(1, 1)
    return X.shape[:2] + pooled_shape(one, along)[2:] if X.shape.dims is not None else UNRANKED


@kernel("onnx:LpPool-1", widen=True)
def lp_pool_1(
    X: Array,
    *,
    auto_pad: str,
    kernel_shape: Numbers | None,
    p: float,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Array:
    return lp_pool(X, auto_pad=auto_pad, kernel_shape=kernel_shape or (), p=p, pads=pads, strides=strides)


@kernel("onnx:LpPool-2", widen=True)
def lp_pool(
    X: Array,
    *,
    auto_pad: str,
    ceil_mode: bool = False,
    dilations: Numbers | None = None,
    kernel_shape: Numbers,
    p: float,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Array:
    along = windows_of(kernel_shape, auto_pad, ceil_mode, dilations, pads, strides)
    slides = [window.slide(size) for window, size in zip(along, X.shape[2:])]
    sums = window_sums(np.abs(X) ** p, slides)
    return np.asarray(np.power(sums, np.divide(1, p)), X.dtype)


@shape("onnx:GlobalLpPool-1", "onnx:GlobalLpPool-2")
def global_lp_pool_shape(X: Fact) -> Shape:
    return UNRANKED if X.shape.dims is None else Shape((*X.shape.dims[:2], *(1,) * (len(X.shape.dims) - 2)))


@kernel("onnx:GlobalLpPool-1", "onnx:GlobalLpPool-2", widen=True)
def global_lp_pool(X: Array, *, p: float) -> Array:
    sums = (np.abs(X) ** p).sum(axis=tuple(range(2, X.ndim)), keepdims=True)
    return np.asarray(np.power(sums, np.divide(1, p)), X.dtype)


# MaxUnpool: elements go back to the places from which max pooling took them.


@shape("onnx:MaxUnpool-9")
def max_unpool_shape(
    X: Fact,
    I: Fact,  # noqa: E741
    output_shape: Fact | None,
    *,
    kernel_shape: Numbers,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Shape:
    data = unify_shapes(X.shape, I.shape, "C1").of_rank(len(kernel_shape) + 2, "C2")
    require(len(strides or kernel_shape) == len(kernel_shape), "C2", strides)
    require(len(pads or kernel_shape * 2) == 2 * len(kernel_shape), "C2", pads)
    before = Shape((*data[:2], *unpooled(list(data[2:]), kernel_shape, pads, strides)))
    if output_shape is None:
        return before
    require(output_shape.shape[0].can_be(len(before)), "C3", output_shape)
    if output_shape.dims is None:
        return Shape(Dim(dim.low, float("inf")) for dim in before)
    for size, lowest in zip(output_shape.dims, before):
        require(size >= lowest, "C3", size, lowest)
    return Shape(size.at_least(int(lowest.low)) for size, lowest in zip(output_shape.dims, before))


def unpooled(sizes: list[Dim], taps: Numbers, pads: Numbers | None, strides: Numbers | None) -> list[Dim]:
    """The sizes before pooling."""
    axes = len(taps)
    padding = pads or (0,) * 2 * axes
    return [
        ((size - 1) * stride + tap - begin - end).at_least(0)
        for size, tap, stride, begin, end in zip(
            sizes, taps, strides or (1,) * axes, padding[:axes], padding[axes:]
        )
    ]


@kernel("onnx:MaxUnpool-9")
def max_unpool(
    X: Array,
    I: Array,  # noqa: E741
    output_shape: Array | None,
    *,
    kernel_shape: Numbers,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Array:
    spatial = unpooled([Dim.of(size) for size in X.shape[2:]], kernel_shape, pads, strides)
    before = (*X.shape[:2], *(int(size) for size in spatial))
    wrong = (I < 0) | (prod(before) <= I)
    require(not wrong.any(), "C4", I[wrong][:1].tolist(), f"{prod(before)} elements")
    result = np.zeros(before, X.dtype)
    result.reshape(-1)[I.reshape(-1)] = X.reshape(-1)
    if output_shape is None:
        return result
    whole = np.zeros(tuple(as_i64(output_shape).tolist()), X.dtype)
    whole[tuple(slice(size) for size in before)] = result
    return whole
