"""Weighted sums of elements, converted to the element type of the image."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import converted, low_bits
from irops.ops.image.coordinates import away_from_zero
from irops.values.element import Array, element_type_of


def rounded_sums(sums: Array, like: Array) -> Array:
    """Sums in the type of `like`; for integers rounded, halves away from zero, and saturated."""
    kind = element_type_of(like)
    return (
        converted(sums, kind)
        if kind.floating
        else truncated_sums(away_from_zero(sums.astype(np.float32).astype(np.float64)), like)
    )


def truncated_sums(sums: Array, like: Array) -> Array:
    """Sums in the type of `like`; for integers truncated and saturated."""
    kind = element_type_of(like)
    if kind.floating:
        return converted(sums, kind)
    low, high = kind.extent
    saturated = np.clip(
        np.trunc(sums.astype(np.float32).astype(np.float64)),
        low,
        np.nextafter(float(high), 0) if kind.bits == 64 else high,
    )
    return low_bits(saturated.astype(np.int64), kind)
