"""PriorBoxClustered: prior boxes of given widths and heights around the centre of every cell of a grid."""

from __future__ import annotations

import numpy as np

from irops.ops.detection.grid import Numbers, cells, check_sizes, check_variance, grid_shape, with_variance
from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("PriorBoxClustered-1")
def prior_box_clustered_shape(
    output_size: Fact, image_size: Fact, *, width: Numbers, height: Numbers, variance: Numbers
) -> Shape:
    check_sizes(output_size, image_size)
    check_variance(variance)
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
