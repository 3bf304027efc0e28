"""Tile: repeat a tensor along its axes."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape, values
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import warn_unless

ONE = Dim.of(1)


@shape("Tile-1")
def tile_shape(data: Fact, repeats: Fact) -> Shape:
    sizes, times = data.shape.dims, repeats.dims
    if sizes is None or times is None:
        return UNRANKED
    warn_unless(all(n >= 0 for n in times), "C1", Shape(times))
    rank = max(len(sizes), len(times))
    sizes, times = (((ONE,) * rank + dims)[len(dims) :] for dims in (sizes, times))
    return Shape(size * n.at_least(0) for size, n in zip(sizes, times))


@values("Tile-1")
@kernel("Tile-1")
def tile(data: Array, repeats: Array) -> Array:
    times = [max(int(n), 0) for n in repeats]
    warn_unless(all(n >= 0 for n in repeats), "C1", repeats.tolist())
    return np.tile(data, times)
