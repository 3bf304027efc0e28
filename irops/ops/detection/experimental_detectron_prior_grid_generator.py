"""ExperimentalDetectronPriorGridGenerator: prior boxes around the centre of every cell of a grid."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("ExperimentalDetectronPriorGridGenerator-6")
def prior_grid_shape(
    priors: Fact, feature_map: Fact, im_data: Fact, *, flatten: bool, h: int, w: int
) -> Shape:
    unify(priors.shape[1], 4, "C1")
    unify(feature_map.shape[0], im_data.shape[0], "C2")
    count, rows, columns = priors.shape[0], feature_map.shape[2], feature_map.shape[3]
    require(rows >= h and columns >= w, "C3", f"{h} x {w}", feature_map)
    return Shape.of(rows * columns * count, 4) if flatten else Shape.of(rows, columns, count, 4)


@kernel("ExperimentalDetectronPriorGridGenerator-6", widen=True)
def prior_grid(
    priors: Array,
    feature_map: Array,
    im_data: Array,
    *,
    flatten: bool,
    h: int,
    w: int,
    stride_x: float,
    stride_y: float,
) -> Array:
    rows, columns = feature_map.shape[2:]
    require(rows >= h and columns >= w, "C3", f"{h} x {w}", f"{rows} x {columns}")
    height, width = h or rows, w or columns
    y = centres(height, stride_y or im_data.shape[2] / max(height, 1))
    x = centres(width, stride_x or im_data.shape[3] / max(width, 1))
    points = np.stack(np.broadcast_arrays(x, y[:, np.newaxis]), axis=-1)[:, :, np.newaxis]
    grid = (priors.reshape(-1, 2, 2) + points[..., np.newaxis, :].astype(priors.dtype)).reshape(-1, 4)
    output = np.zeros((rows * columns * len(priors), 4), priors.dtype)
    output[: len(grid)] = grid
    return output if flatten else output.reshape(rows, columns, len(priors), 4)


def centres(count: int, step: float) -> Array:
    """The centres of `count` consecutive steps."""
    return np.float32(step) * (np.arange(count, dtype=np.float32) + np.float32(0.5))
