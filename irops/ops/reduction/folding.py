"""Axes that are folded into one element, and what is known of the elements that come of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irops.ops.partial import as_dims, stored_dim
from irops.ops.stock import normal_axes
from irops.ops.unbroadcast import Sizes
from irops.values.dim import Dim
from irops.values.element import Array, ElementType
from irops.values.fact import holds_dims


def folded(rank: int, axes: Array) -> tuple[int, ...]:
    """The axes to fold, counted from 0; of a scalar, none."""
    found = normal_axes(map(int, axes.ravel()), rank, "C1", "C2")
    return found if rank else ()


def unfolded(output: Array, axes: Array, data_shape: Sizes, keep_dims: bool) -> Array:
    """The output of a reduction, with a size of 1 along the axes that were folded."""
    return output if keep_dims else np.expand_dims(output, folded(len(data_shape), axes))


def along_axes(
    fold: Callable[[list[Dim]], Dim], data: Array, axes: Array, keep_dims: bool, kind: ElementType
) -> Array | None:
    """What fold makes of the elements along axes, each known in part; None where it is not known
    which axes.
    """
    if holds_dims(axes):
        return None
    along = folded(data.ndim, axes)
    rows = np.moveaxis(as_dims(data), along, range(data.ndim - len(along), data.ndim))
    kept = rows.shape[: data.ndim - len(along)]
    out = np.empty(kept, dtype=object)
    for place in np.ndindex(*kept):
        out[place] = stored_dim(fold(list(np.asarray(rows[place], dtype=object).ravel())), kind)
    return np.expand_dims(out, along) if keep_dims else out
