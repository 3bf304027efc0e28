"""The axes of a reduction, and the reduction of partially known elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irops.ops.partial import as_dims, stored_dim
from irops.ops.stock import normal_axes
from irops.ops.unbroadcast import Sizes
from irops.values.dim import Dim
from irops.values.element import Array, ElementType
from irops.values.fact import holds_dims

WIDEST = {"f": np.float64, "i": np.int64, "u": np.uint64}
"""The type in which sums and products are accumulated, by kind."""


def reduced_axes(rank: int, axes: Array) -> tuple[int, ...]:
    """The axes to reduce, counted from 0. A scalar has none, although it accepts 0 and -1."""
    counted = normal_axes(map(int, axes.ravel()), rank, "C1", "C2")
    return counted if rank else ()


def with_reduced_axes(output: Array, axes: Array, data_shape: Sizes, keep_dims: bool) -> Array:
    """The output of a reduction, with size 1 along the reduced axes."""
    return output if keep_dims else np.expand_dims(output, reduced_axes(len(data_shape), axes))


def reduce_dims(
    combine: Callable[[list[Dim]], Dim], data: Array, axes: Array, keep_dims: bool, kind: ElementType
) -> Array | None:
    """The results of combine on the elements along axes, each of which may be partially known; None if axes
    are not completely known.
    """
    if holds_dims(axes):
        return None
    along = reduced_axes(data.ndim, axes)
    rows = np.moveaxis(as_dims(data), along, range(data.ndim - len(along), data.ndim))
    kept = rows.shape[: data.ndim - len(along)]
    out = np.empty(kept, dtype=object)
    for index in np.ndindex(*kept):
        out[index] = stored_dim(combine(list(np.asarray(rows[index], dtype=object).ravel())), kind)
    return np.expand_dims(out, along) if keep_dims else out
