"""GridSample: an image, sampled at places between its elements."""

from __future__ import annotations

from itertools import product

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

FAR = 2.0**40
"""Farther outside no place lies, so that its number is an integer."""
SHARPNESS = -0.75
"""The coefficient of cubic convolution."""


@shape("GridSample-9")
def grid_sample_shape(data: Fact, grid: Fact) -> Shape:
    image, places = data.shape.of_rank(4, "C1"), grid.shape.of_rank(4, "C1")
    unify(places[3], 2, "C2")
    return Shape.of(unify(places[0], image[0], "C1"), image[1], places[1], places[2])


@kernel("GridSample-9")
def grid_sample(data: Array, grid: Array, *, align_corners: bool, mode: str, padding_mode: str) -> Array:
    batch, channels, height, width = data.shape
    points, kind = as_numbers(grid), element_type_of(data)
    require(height * width > 0 or points.size == 0, "C3", Shape(data.shape))
    found = np.zeros((*points.shape[:3], channels), data.dtype if mode == "nearest" else np.float64)
    if points.size == 0:
        return np.moveaxis(found, 3, 1).astype(data.dtype)
    rows, columns = (
        taps(placed(points[..., axis], size, align_corners), mode) for axis, size in ((1, height), (0, width))
    )
    item = np.arange(batch)[:, np.newaxis, np.newaxis]
    for (row, above), (column, beside) in product(rows, columns):
        (y, y_inside), (x, x_inside) = (
            within(at, size, padding_mode, align_corners) for at, size in ((row, height), (column, width))
        )
        inside = (y_inside & x_inside)[..., np.newaxis]
        if mode == "nearest":
            found = np.where(inside, data[item, :, y, x], found)
        else:
            picked = as_numbers(data[item, :, y, x]).astype(np.float64)
            found += np.where(inside, picked, 0.0) * (above * beside)[..., np.newaxis]
    moved = np.moveaxis(found, 3, 1)
    return moved if mode == "nearest" else converted(moved, kind)


def placed(position: Array, size: int, align_corners: bool) -> Array:
    """The place along an axis that a position from -1 to 1 means: of the outer elements' centres, or of their
    outer edges.
    """
    length = position.dtype.type(size)
    return np.asarray(
        (position + 1) * (length - 1) / 2 if align_corners else ((position + 1) * length - 1) / 2
    )


def taps(place: Array, mode: str) -> list[tuple[Array, Array]]:
    """The elements along an axis that count, as numbers that may lie outside, and how much each does."""
    if mode == "nearest":
        return [(whole(np.rint(place)), np.ones_like(place))]
    first = np.floor(place)
    d = (place - first).astype(np.float64)
    weights = (1 - d, d) if mode == "bilinear" else (outer(1 + d), inner(d), inner(1 - d), outer(2 - d))
    start = whole(first) - (0 if mode == "bilinear" else 1)
    return [(start + step, weight) for step, weight in enumerate(weights)]


def whole(place: Array) -> Array:
    """Places as integers; what is no number lies far outside."""
    return np.clip(np.where(np.isnan(place), -FAR, place), -FAR, FAR).astype(np.int64)


def inner(t: Array) -> Array:
    """The weight of cubic convolution at a distance of up to 1."""
    return np.asarray(((SHARPNESS + 2) * t - (SHARPNESS + 3)) * t * t + 1)


def outer(t: Array) -> Array:
    """The same, from 1 to 2."""
    return np.asarray(((SHARPNESS * t - 5 * SHARPNESS) * t + 8 * SHARPNESS) * t - 4 * SHARPNESS)


def within(at: Array, size: int, padding_mode: str, align_corners: bool) -> tuple[Array, Array]:
    """The elements that numbers mean, those outside by padding_mode; and which of them count."""
    if padding_mode == "zeros":
        return np.clip(at, 0, size - 1), (at >= 0) & (at < size)
    everywhere = np.ones(at.shape, bool)
    if padding_mode == "border":
        return np.clip(at, 0, size - 1), everywhere
    period = max(2 * (size - 1), 1) if align_corners else 2 * size
    turned = at % period
    return np.where(turned < size, turned, period - turned - (0 if align_corners else 1)), everywhere
