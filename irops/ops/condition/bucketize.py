"""Bucketize: find the bucket that each number falls into."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers
from irops.spec.binding import kernel, shape
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


@shape("Bucketize-3")
def bucketize_shape(data: Fact, buckets: Fact) -> Shape:
    if buckets.value is not None:
        check_order(as_numbers(buckets.value))
    return data.shape


def check_order(boundaries: Array) -> None:
    """Require ascending boundaries; warn if two are equal."""
    require((boundaries[:-1] <= boundaries[1:]).all(), "C1", boundaries.tolist())
    warn_unless((boundaries[:-1] < boundaries[1:]).all(), "C2", boundaries.tolist())


@kernel("Bucketize-3")
def bucketize(data: Array, buckets: Array, *, output_type: ElementType, with_right_bound: bool) -> Array:
    numbers, boundaries = as_numbers(data), as_numbers(buckets)
    check_order(boundaries)
    return np.asarray(
        np.searchsorted(boundaries, numbers, side="left" if with_right_bound else "right"), output_type.dtype
    )
