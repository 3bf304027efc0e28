"""NV12toRGB, NV12toBGR, I420toRGB, I420toBGR: conversion of images from NV12 or I420 to RGB or BGR."""

from __future__ import annotations

from irops.ops.image.colors import halves, multiple, rgb_of
from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


def image_of(plane: Shape, single: bool) -> Shape:
    """The shape of the image for a plane Y, which with `single` holds all planes."""
    items, rows, columns, channels = plane.of_rank(4, "C1")
    require(channels.can_be(1), "C1", plane)
    height = multiple(rows, 3, "C2") // 3 * 2 if single else multiple(rows, 2, "C3")
    return Shape.of(items, height, multiple(columns, 2, "C3"), 3)


@shape("NV12toRGB-8", "NV12toBGR-8")
def nv12_shape(y: Fact, uv: Fact | None) -> Shape:
    image = image_of(y.shape, uv is None)
    return image if uv is None else halves(uv.shape.of_rank(4, "C4"), image, 2, "C4")


@shape("I420toRGB-8", "I420toBGR-8")
def i420_shape(y: Fact, u: Fact | None, v: Fact | None) -> Shape:
    require((u is None) == (v is None), "C5")
    image = image_of(y.shape, u is None)
    for plane in filter(None, (u, v)):
        image = halves(plane.shape.of_rank(4, "C4"), image, 1, "C4")
    return image


@kernel("NV12toRGB-8")
def nv12_to_rgb(y: Array, uv: Array | None) -> Array:
    items, rows, columns, _ = y.shape
    height = rows * 2 // 3 if uv is None else rows
    colors = y[:, height:].reshape(items, height // 2, columns // 2, 2) if uv is None else uv
    return rgb_of(y[:, :height, :, 0], colors[..., 0], colors[..., 1], y)


@kernel("I420toRGB-8")
def i420_to_rgb(y: Array, u: Array | None, v: Array | None) -> Array:
    items, rows, columns, _ = y.shape
    if u is not None and v is not None:
        return rgb_of(y[..., 0], u[..., 0], v[..., 0], y)
    height = rows * 2 // 3
    colors = y[:, height:].reshape(items, 2, height // 2, columns // 2)
    return rgb_of(y[:, :height, :, 0], colors[:, 0], colors[:, 1], y)


@kernel("NV12toBGR-8")
def nv12_to_bgr(y: Array, uv: Array | None) -> Array:
    return nv12_to_rgb(y, uv)[..., ::-1]


@kernel("I420toBGR-8")
def i420_to_bgr(y: Array, u: Array | None, v: Array | None) -> Array:
    return i420_to_rgb(y, u, v)[..., ::-1]
