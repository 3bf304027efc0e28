"""Whether two results are the same, as far as their element type lets them."""

from __future__ import annotations

import numpy as np

from irops.values.element import Array, element_type_of

TOLERANCES = {"f64": (1e-6, 1e-9), "f32": (1e-3, 1e-5), "f16": (5e-3, 2e-3), "bf16": (2e-2, 1e-2)}
"""Relative and absolute, by element type; all others are exact."""


def difference(ours: Array, truth: Array) -> str:
    """'' where two arrays are the same within the tolerance of their element type, else in what they
    differ.
    """
    if ours.shape != truth.shape:
        return f"shape {ours.shape}, not {truth.shape}"
    kind, other = element_type_of(ours), element_type_of(truth)
    if kind is not other:
        return f"element type {kind}, not {other}"
    if not kind.floating:
        wrong = ours != truth
    else:
        relative, absolute = TOLERANCES.get(kind.name, (0.0, 0.0))
        wrong = ~np.isclose(
            ours.astype(np.float64), truth.astype(np.float64), rtol=relative, atol=absolute, equal_nan=True
        )
    count = int(np.count_nonzero(wrong))
    if not count:
        return ""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"{count} of {ours.size} elements differ, the first at {list(place)}: {ours[place]}, not"
        f" {truth[place]}"
    )
