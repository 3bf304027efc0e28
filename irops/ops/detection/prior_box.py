"""PriorBox and PriorBoxClustered: boxes around the points of a grid."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import ANY
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

Numbers = tuple[float, ...]


def check_inputs(output_size: Fact, image_size: Fact, variance: Numbers) -> None:
    """Warn unless the sizes of the grid and of the image can have two numbers each, and variance four."""
    for size in (output_size, image_size):
        warn_unless(size.shape.rank is None or size.shape[0].can_be(2), "C1", size)
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


HALF = np.float32(0.5)
RATIO_TOLERANCE = 1e-6
"""Ratios that differ by less count as equal."""
Box = tuple[float, float, float, float]
"""The shift of the centre from that of the cell in x and y, half the width, and half the height."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes around the centre of a cell, as the attributes describe them; all in pixels."""

    min_size: Numbers
    max_size: Numbers
    ratios: Numbers
    density: Numbers
    fixed_ratio: Numbers
    fixed_size: Numbers
    scale_all_sizes: bool
    max_first: bool

    @property
    def described(self) -> int:
        """The number of boxes that the attributes describe."""
        squares = sum(int(d) ** 2 for d in self.density[: len(self.fixed_size)])
        fixed = squares * (len(self.fixed_ratio) or len(self.ratios))
        if self.scale_all_sizes:
            return fixed + len(self.min_size) * len(self.ratios) + min(len(self.max_size), len(self.min_size))
        return fixed + (len(self.min_size) + len(self.ratios) - 1 if self.min_size else 0)

    def fixed(self) -> Iterator[Box]:
        """The boxes of fixed_size: density^2 of each ratio, side by side."""
        for size, density in zip(self.fixed_size, self.density):
            count = int(density)
            for ratio in self.fixed_ratio or self.ratios:
                square = not self.fixed_ratio and ratio == 1
                half_width, half_height = (int(size) * 0.5,) * 2 if square else halves(size, ratio)
                step = int(size / count) if count else 0
                shifts = [step / 2 - int(size) // 2 + step * n for n in range(count)]
                yield from ((x, y, half_width, half_height) for y in shifts for x in shifts)

    def centred(self, min_sizes: Numbers) -> Iterator[Box]:
        """The boxes of min_size, max_size and the ratios. min_sizes: min_size in pixels."""
        for number, size in enumerate(min_sizes):
            last = number == len(min_sizes) - 1
            others = [
                self.ratio(size if self.scale_all_sizes else min_sizes[0], ratio) for ratio in self.ratios[1:]
            ]
            others = others if self.scale_all_sizes or last else []
            largest = (
                [self.middle(size, number)] if self.scale_all_sizes and number < len(self.max_size) else []
            )
            yield self.ratio(size, 1.0)
            yield from largest + others if self.max_first else others + largest

    def ratio(self, size: float, ratio: float) -> Box:
        return (0.0, 0.0, *halves(size, ratio))

    def middle(self, size: float, number: int) -> Box:
        """The square between a min_size and the max_size at the same position in the list."""
        return self.ratio(float(np.sqrt(np.float32(size) * np.float32(self.max_size[number]))), 1.0)


def halves(size: float, ratio: float) -> tuple[float, float]:
    """Half the width and half the height, in f32, of a box with a ratio and the area size * size."""
    root = np.sqrt(np.float32(ratio))
    return float(np.float32(size) * HALF * root), float(np.float32(size) * HALF / root)


def all_ratios(aspect_ratio: Numbers, flip: bool) -> Numbers:
    """1 and the distinct ratios; with flip, each is followed by its reciprocal."""
    ratios = [1.0]
    for ratio in aspect_ratio:
        if all(abs(ratio - other) >= RATIO_TOLERANCE for other in ratios):
            ratios += [ratio, float(np.float32(1) / np.float32(ratio))] if flip else [ratio]
    return tuple(ratios)


def room_per_cell(boxes: Boxes, aspect_ratio: Numbers, flip: bool) -> int:
    """The number of boxes per cell for which the output has room."""
    reciprocals = (float(np.float32(1) / np.float32(ratio)) for ratio in aspect_ratio if flip)
    ratios = len({round(ratio, 6) for ratio in (1.0, *aspect_ratio, *reciprocals)})
    each = len(boxes.fixed_ratio) or ratios
    squares = sum(int(density) ** 2 - 1 for density in boxes.density)
    if boxes.fixed_size:
        return ratios * len(boxes.fixed_size) + each * squares
    if boxes.scale_all_sizes:
        return ratios * len(boxes.min_size) + len(boxes.max_size) + each * squares
    return ratios + len(boxes.min_size) - 1 + each * squares


@shape("PriorBox-1", "PriorBox-8")
def prior_box_shape(output_size: Fact, image_size: Fact, *, variance: Numbers, **sizes: Any) -> Shape:
    check_inputs(output_size, image_size, variance)
    _, room = boxes_of(warn_unless, **sizes)
    return grid_shape(output_size, room)


def boxes_of(
    check: Callable[..., None],
    *,
    min_size: Numbers,
    max_size: Numbers,
    aspect_ratio: Numbers,
    density: Numbers,
    fixed_ratio: Numbers,
    fixed_size: Numbers,
    flip: bool,
    scale_all_sizes: bool,
    min_max_aspect_ratios_order: bool = True,
    **_: Any,
) -> tuple[Boxes, int]:
    """The boxes that attributes describe, and the room for them in each cell of the output.

    check: require or warn_unless, for the number of boxes against the room.
    """
    ratios, order = all_ratios(aspect_ratio, flip), min_max_aspect_ratios_order
    boxes = Boxes(min_size, max_size, ratios, density, fixed_ratio, fixed_size, scale_all_sizes, order)
    room = room_per_cell(boxes, aspect_ratio, flip)
    check(
        len(boxes.density) >= len(boxes.fixed_size), "C4", f"{len(boxes.density)} and {len(boxes.fixed_size)}"
    )
    check(boxes.described <= room, "C5", f"{boxes.described} boxes, room for {room}")
    warn_unless(boxes.described >= room, "C6", f"{boxes.described} boxes, room for {room}")
    return boxes, room


@kernel("PriorBox-1", "PriorBox-8")
def prior_box(
    output_size: Array,
    image_size: Array,
    *,
    clip: bool,
    step: float,
    offset: float,
    variance: Numbers,
    **sizes: Any,
) -> Array:
    grid = cells(output_size, image_size)
    boxes, room = boxes_of(require, **sizes)
    min_size = boxes.min_size
    if not grid.height * grid.width:
        return np.empty((2, 0), np.float32)
    if not boxes.scale_all_sizes:  # sizes and steps are fractions of the image height
        step = grid.image_height / max(grid.height, 1) if step == -1 else step * grid.image_height
        min_size = tuple(size * grid.image_height for size in min_size)
    centres = grid.centres(*grid.natural_steps, 0.5) if step == 0 else grid.centres(step, step, offset)
    fixed = np.array(list(boxes.fixed()), np.float32).reshape(-1, 4)
    centred = np.array(list(boxes.centred(min_size)), np.float32).reshape(-1, 4)
    corners = grid.corners(centres, np.concatenate([fixed, centred]))
    corners[:, :, : len(fixed), :2] = np.maximum(corners[:, :, : len(fixed), :2], 0)
    corners[:, :, : len(fixed), 2:] = np.minimum(corners[:, :, : len(fixed), 2:], 1)
    return with_variance(np.clip(corners, 0, 1) if clip else corners, variance, room)


@shape("PriorBoxClustered-1")
def prior_box_clustered_shape(
    output_size: Fact, image_size: Fact, *, width: Numbers, height: Numbers, variance: Numbers
) -> Shape:
    check_inputs(output_size, image_size, variance)
    require(len(width) == len(height), "C4", f"{len(width)} and {len(height)}")
    return grid_shape(output_size, len(width))


@kernel("PriorBoxClustered-1")
def prior_box_clustered(
    output_size: Array,
    image_size: Array,
    *,
    width: Numbers,
    height: Numbers,
    clip: bool,
    step: float,
    step_w: float,
    step_h: float,
    offset: float,
    variance: Numbers,
) -> Array:
    grid = cells(output_size, image_size)
    steps = (step_w or step, step_h or step)
    centres = grid.centres(*(steps if any(steps) else grid.natural_steps), offset)
    no_shift = np.zeros(len(width))
    boxes = np.stack([no_shift, no_shift, np.array(width) / 2, np.array(height) / 2], axis=-1)
    corners = grid.corners(centres, boxes.astype(np.float32))
    return with_variance(np.clip(corners, 0, 1) if clip else corners, variance, len(width))
