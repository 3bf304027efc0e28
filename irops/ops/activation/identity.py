"""Identity: the input, unchanged."""

from __future__ import annotations

from irops.spec.binding import gradient, kernel, values
from irops.values.element import Array


@values("Identity-16")
@kernel("Identity-16")
def identity(data: Array) -> Array:
    return data


@gradient("Identity-16")
def identity_gradient(d_output: Array) -> Array:
    return d_output
