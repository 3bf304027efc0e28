"""Conversion of pixels between RGB and YUV (luminance Y, chroma U and V), with the matrices of BT.601."""

from __future__ import annotations

from math import inf

import numpy as np

from irops.ops.conversion import converted
from irops.values.dim import Dim, unify
from irops.values.element import Array, element_type_of
from irops.values.shape import Shape
from irops.values.violation import require

f32 = np.float32


def rgb_of(y: Array, u: Array, v: Array, like: Array) -> Array:
    """Red, green and blue of every pixel, from 0 to 255, in the type of `like`. u and v have one element for
    each block of four pixels.
    """
    light, u, v = (
        f32(1.164) * (y.astype(f32) - f32(16)),
        doubled(u).astype(f32) - f32(128),
        doubled(v).astype(f32) - f32(128),
    )
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
    return Shape.of(
        unify(image[0], plane[0], constraint),
        *(unify(image[axis], plane[axis] * 2, constraint) for axis in (1, 2)),
        3,
    )
