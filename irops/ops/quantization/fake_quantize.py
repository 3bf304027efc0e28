"""FakeQuantize: simulate quantization to a number of levels."""

from __future__ import annotations

import numpy as np

from irops.ops.stock import pdpd
from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require


@shape("FakeQuantize-1")
def fake_quantize_shape(
    X: Fact,
    input_low: Fact,
    input_high: Fact,
    output_low: Fact,
    output_high: Fact,
    *,
    levels: int,
    auto_broadcast: str,
) -> Shape:
    require(levels >= 2, "C2", levels)
    shape = X.shape
    for limit in (input_low, input_high, output_low, output_high):
        if auto_broadcast == "none":
            shape = unify_shapes(shape, limit.shape, "C1")
        elif auto_broadcast == "pdpd":
            pdpd(shape, limit.shape, 0, "C1")
        else:
            check_limit(shape, limit.shape)
    return shape


@kernel("FakeQuantize-1", widen=True)
def fake_quantize(
    X: Array,
    input_low: Array,
    input_high: Array,
    output_low: Array,
    output_high: Array,
    *,
    levels: int,
    auto_broadcast: str,
) -> Array:
    limits = (input_low, input_high, output_low, output_high)
    low, high, bottom, top = (aligned(limit, X.ndim, auto_broadcast) for limit in limits)
    steps = X.dtype.type(levels - 1)
    between = np.rint((X - low) / (high - low) * steps) / steps * (top - bottom) + bottom
    below, above = np.less_equal(X, np.minimum(low, high)), np.greater(X, np.maximum(low, high))
    return np.select([below, above], [bottom, top], between)


def check_limit(data: Shape, limit: Shape) -> None:
    """Require that a limit can be broadcast to the shape of data by NumPy's rule, without enlarging it."""
    both = broadcast_shapes(data, limit, "C1")
    if data.dims is None or both.dims is None or limit.dims is None:
        return
    longer = len(both.dims) - len(data.dims)
    for broadcast_dim, dim in zip(both.dims, (1,) * longer + data.dims):
        require(broadcast_dim.can_be(dim), "C1", data, limit)


def aligned(limit: Array, rank: int, auto_broadcast: str) -> Array:
    """A limit reshaped so that NumPy broadcasts it to data of this rank."""
    if auto_broadcast == "pdpd":
        return limit.reshape(limit.shape + (1,) * (rank - limit.ndim))
    return limit.reshape(limit.shape[max(limit.ndim - rank, 0) :])
