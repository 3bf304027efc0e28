"""Gather as ONNX has it: every index must mean a slice."""

from __future__ import annotations

import numpy as np

from irops.ops.movement.gather import gather
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel
from irops.values.element import Array, as_i64
from irops.values.violation import require


@kernel("onnx:Gather-1")
def gather_in_range(data: Array, indices: Array, *, axis: int) -> Array:
    """As gather, but every index must lie inside the axis."""
    size, numbers = data.shape[normal_axes([axis], data.ndim, "C2")[0]], as_i64(indices)
    outside = (numbers >= size) | (numbers < -size)
    require(not outside.any(), "C6", f"{numbers[outside][:1].tolist()} on {size} elements")
    return gather(data, indices, np.array(axis), batch_dims=0)
