"""Conversions of colours: between RGB and the planes of YUV."""

from math import inf

import numpy as np

from irops.ops.conversion import converted
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

f32 = np.float32


def rgb_of(y: Array, u: Array, v: Array, like: Array) -> Array:
    """Red, green and blue of every pixel, from 0 to 255, in the type of `like`. u and v have one element for
    each block of four pixels.
    """
    light = f32(1.164) * (y.astype(f32) - f32(16))  # BT.601, with luma from 16 to 235
    u, v = doubled(u).astype(f32) - f32(128), doubled(v).astype(f32) - f32(128)
    green = light - f32(0.391) * u - f32(0.813) * v
    return as_stored(np.stack([light + f32(1.596) * v, green, light + f32(2.018) * u], axis=-1), like)


def yuv_of(rgb: Array) -> tuple[Array, Array, Array]:
    """Y, U and V of every pixel, from 0 to 255, in the type of rgb."""
    red, green, blue = np.moveaxis(rgb.astype(f32), -1, 0)
    y = f32(0.257) * red + f32(0.504) * green + f32(0.098) * blue + f32(16)
    u = f32(-0.148) * red - f32(0.291) * green + f32(0.439) * blue + f32(128)
    v = f32(0.439) * red - f32(0.368) * green - f32(0.071) * blue + f32(128)
    return as_stored(y, rgb), as_stored(u, rgb), as_stored(v, rgb)


def doubled(plane: Array) -> Array:
    """Repeat each element of a plane in two rows and two columns."""
    return np.repeat(np.repeat(plane, 2, axis=1), 2, axis=2)


def halved(plane: Array) -> Array:
    """The mean of each block of two rows and two columns, in the type of the plane."""
    items, rows, columns = plane.shape
    return as_stored(
        plane.astype(f32).reshape(items, rows // 2, 2, columns // 2, 2).sum(axis=(2, 4)) / f32(4), plane
    )


def as_stored(numbers: Array, like: Array) -> Array:
    """Numbers clamped to 0..255, in the type of `like`; for u8 rounded to the nearest integer, halves up."""
    clamped = np.clip(numbers, f32(0), f32(255))
    kind = element_type_of(like)
    return converted(clamped if kind.floating else np.floor(clamped.astype(np.float64) + 0.5), kind)


def multiple(size: Dim, of: int, constraint: str) -> Dim:
    """A size that must be a multiple of a number; an interval is narrowed to the multiples in it.

    Raises:  Violation(constraint) if there is none
    """
    low = -(-size.low // of) * of
    high = size.high if size.high == inf else size.high // of * of
    require(low <= high, constraint, size)
    return unify(size, Dim(low, high), constraint)


def halves(plane: Shape, image: Shape, channels: int, constraint: str) -> Shape:
    """The shape of an image, unified with that of a plane that has half its rows and half its columns."""
    unify(plane[3], channels, constraint)
    items, sizes = unify(image[0], plane[0], constraint), (plane[axis] * 2 for axis in (1, 2))
    return Shape.of(items, *(unify(size, wanted, constraint) for size, wanted in zip(image[1:], sizes)), 3)


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
