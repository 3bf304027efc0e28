"""The grid of cells over an image around whose centres PriorBox and PriorBoxClustered place boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irops.values.dim import ANY
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

Numbers = tuple[float, ...]


def check_sizes(output_size: Fact, image_size: Fact) -> None:
    """Warn unless the sizes of the grid and of the image can have two numbers each."""
    for size in (output_size, image_size):
        warn_unless(size.shape.rank is None or size.shape[0].can_be(2), "C1", size)


def check_variance(variance: Numbers) -> None:
    warn_unless(len(variance) in (0, 1, 4), "C3", f"{len(variance)} numbers")


def grid_shape(output_size: Fact, boxes: int) -> Shape:
    """The shape of the output for a number of boxes in every cell: corners, and as many variances."""
    sizes = output_size.dims
    if sizes is None or len(sizes) != 2:
        return Shape.of(2, ANY)
    require(sizes[0] >= 0 and sizes[1] >= 0, "C2", f"{sizes[0]} and {sizes[1]}")
    height, width = (size.at_least(0) for size in sizes)
    return Shape.of(2, height * width * (4 * boxes))


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid of cells over an image: the numbers of rows and columns, and the size of the image."""

    height: int
    width: int
    image_height: int
    image_width: int

    @property
    def natural_steps(self) -> tuple[float, float]:
        """The width and the height of a cell if the grid covers the image."""
        return self.image_width / max(self.width, 1), self.image_height / max(self.height, 1)

    def centres(self, step_x: float, step_y: float, offset: float) -> Array:
        """x and y of the centre of each cell: (cell + offset) * step."""
        y, x = np.meshgrid(
            np.arange(self.height, dtype=np.float32), np.arange(self.width, dtype=np.float32), indexing="ij"
        )
        steps = np.array([step_x, step_y], np.float32)
        centres: Array = (np.stack([x, y], axis=-1) + np.float32(offset)) * steps
        return centres

    def corners(self, centres: Array, boxes: Array) -> Array:
        """The lower and the upper corners of boxes in every cell, as fractions of the image. boxes: for each
        box the shift from the centre in x and y, and half its width and height.
        """
        middles, sides = centres[:, :, np.newaxis] + boxes[:, :2], boxes[:, 2:]
        scale = np.float32(1) / np.array([self.image_width, self.image_height], np.float32)
        return np.concatenate([(middles - sides) * scale, (middles + sides) * scale], axis=-1)


def cells(output_size: Array, image_size: Array) -> Grid:
    """The grid for given sizes.

    Raises:  Violation if they do not have two numbers each, or are negative
    """
    require(
        output_size.shape == image_size.shape == (2,), "C1", Shape(output_size.shape), Shape(image_size.shape)
    )
    height, width = as_i64(output_size).tolist()
    require(height >= 0 and width >= 0, "C2", f"{height} and {width}")
    return Grid(height, width, *as_i64(image_size).tolist())


def with_variance(corners: Array, variance: Numbers, room: int) -> Array:
    """The output: in the first row the corners, followed by zeros up to `room` boxes per cell; in the second
    row the variances.
    """
    require(len(variance) in (0, 1, 4), "C3", f"{len(variance)} numbers")
    height, width, _, _ = corners.shape
    output = np.zeros((2, height * width * room * 4), np.float32)
    output[0, : corners.size] = corners.ravel()
    output[1].reshape(-1, 4)[...] = variance or (0.1,)
    return output
