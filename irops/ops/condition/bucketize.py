"""Bucketize: find which of the buckets between boundaries numbers fall into."""
from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers
from irops.spec.binding import kernel
from irops.values.element import Array, ElementType
from irops.values.violation import advise, require


@kernel("Bucketize-3")
def bucketize(data: Array, buckets: Array, *, output_type: ElementType, with_right_bound: bool) -> Array:
    numbers, boundaries = as_numbers(data), as_numbers(buckets)
    require((boundaries[:-1] <= boundaries[1:]).all(), "C1", boundaries.tolist())
    advise((boundaries[:-1] < boundaries[1:]).all(), "C2", boundaries.tolist())
    return np.asarray(np.searchsorted(boundaries, numbers, side="left" if with_right_bound else "right"), output_type.dtype)
