"""GridSample: sample images at the positions of a grid."""

from itertools import product

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.reals import elements_at
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

FAR = 2.0**40
"""Coordinates are limited to this distance, so that they fit into an integer."""
CUBIC_COEFFICIENT = -0.75
"""The coefficient of the cubic convolution."""


@shape("GridSample-9")
def grid_sample_shape(data: Fact, grid: Fact) -> Shape:
    image, positions = data.shape.of_rank(4, "C1"), grid.shape.of_rank(4, "C1")
    unify(positions[3], 2, "C2")
    return Shape.of(unify(positions[0], image[0], "C1"), image[1], positions[1], positions[2])


@kernel("GridSample-9")
def grid_sample(data: Array, grid: Array, *, align_corners: bool, mode: str, padding_mode: str) -> Array:
    batch, channels, height, width = data.shape
    points, kind = as_numbers(grid), element_type_of(data)
    require(height * width > 0 or points.size == 0, "C3", Shape(data.shape))
    result = np.zeros((batch, channels, *points.shape[1:3]), data.dtype if mode == "nearest" else np.float64)
    for item, (image, item_points) in enumerate(zip(data, points)):
        down = unnormalized(item_points[..., 1], height, align_corners)
        across = unnormalized(item_points[..., 0], width, align_corners)
        rows, columns = taps(down, mode), taps(across, mode)
        for (row, row_weight), (column, column_weight) in product(rows, columns):
            y, y_inside = padded(row, height, padding_mode, align_corners)
            x, x_inside = padded(column, width, padding_mode, align_corners)
            elements = elements_at(image, y, x, y_inside & x_inside)
            if mode == "nearest":
                result[item] = elements
            else:
                result[item] += as_numbers(elements) * (row_weight * column_weight)
    return result if mode == "nearest" else converted(result, kind)


def unnormalized(position: Array, size: int, align_corners: bool) -> Array:
    """The coordinate along an axis for a position from -1 to 1, where -1 and 1 are the centres of the outer
    elements (align_corners) or their outer edges.
    """
    length = position.dtype.type(size)
    return np.asarray(
        (position + 1) * (length - 1) / 2 if align_corners else ((position + 1) * length - 1) / 2
    )


def taps(coordinate: Array, mode: str) -> list[tuple[Array, Array]]:
    """The indices of the elements along an axis that contribute, which may lie outside, and their weights."""
    if mode == "nearest":
        return [(whole(np.rint(coordinate)), np.ones_like(coordinate))]
    first = np.floor(coordinate)
    d = (coordinate - first).astype(np.float64)
    weights = (1 - d, d) if mode == "bilinear" else (outer(1 + d), inner(d), inner(1 - d), outer(2 - d))
    start = whole(first) - (0 if mode == "bilinear" else 1)
    return [(start + step, weight) for step, weight in enumerate(weights)]


def whole(coordinate: Array) -> Array:
    """Coordinates as integers; NaN becomes a coordinate far outside."""
    return np.clip(np.where(np.isnan(coordinate), -FAR, coordinate), -FAR, FAR).astype(np.int64)


def inner(t: Array) -> Array:
    """The weight of the cubic convolution at a distance from 0 to 1."""
    a = CUBIC_COEFFICIENT
    return np.asarray(((a + 2) * t - (a + 3)) * t * t + 1)


def outer(t: Array) -> Array:
    """The weight of the cubic convolution at a distance from 1 to 2."""
    a = CUBIC_COEFFICIENT
    return np.asarray(((a * t - 5 * a) * t + 8 * a) * t - 4 * a)


def padded(index: Array, size: int, padding_mode: str, align_corners: bool) -> tuple[Array, Array]:
    """Indices mapped into the axis as padding_mode specifies, and a mask of those that contribute."""
    if padding_mode == "zeros":
        return np.clip(index, 0, size - 1), (index >= 0) & (index < size)
    everywhere = np.ones(index.shape, bool)
    if padding_mode == "border":
        return np.clip(index, 0, size - 1), everywhere
    period = max(2 * (size - 1), 1) if align_corners else 2 * size
    phase = index % period
    return np.where(phase < size, phase, period - phase - (0 if align_corners else 1)), everywhere
