"""RGBtoNV12 and BGRtoNV12: conversion of images from RGB or BGR to NV12."""

from __future__ import annotations

import numpy as np

from irops.ops.image.colors import halved, multiple, yuv_of
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("RGBtoNV12-17", "BGRtoNV12-17")
def to_nv12_shape(data: Fact, *, single_plane: bool) -> Shape | tuple[Shape, Shape]:
    items, rows, columns, channels = data.shape.of_rank(4, "C1")
    unify(channels, 3, "C1")
    height, width = multiple(rows, 2, "C2"), multiple(columns, 2, "C2")
    if single_plane:
        return Shape.of(items, height // 2 * 3, width, 1)
    return Shape.of(items, height, width, 1), Shape.of(items, height // 2, width // 2, 2)


@kernel("RGBtoNV12-17")
def rgb_to_nv12(data: Array, *, single_plane: bool) -> Array | tuple[Array, Array]:
    y, u, v = yuv_of(data)
    luminance, colors = y[..., np.newaxis], np.stack([halved(u), halved(v)], axis=-1)
    if not single_plane:
        return luminance, colors
    items, rows, columns = y.shape
    return np.concatenate([luminance, colors.reshape(items, rows // 2, columns, 1)], axis=1)


@kernel("BGRtoNV12-17")
def bgr_to_nv12(data: Array, *, single_plane: bool) -> Array | tuple[Array, Array]:
    return rgb_to_nv12(data[..., ::-1], single_plane=single_plane)
