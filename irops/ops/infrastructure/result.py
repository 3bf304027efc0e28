"""Result: an output of the model."""

from __future__ import annotations

from irops.spec.binding import gradient, kernel, values
from irops.values.element import Array


@values("Result-1")
@kernel("Result-1")
def result(data: Array) -> Array:
    return data


@gradient("Result-1")
def result_gradient(d_output: Array) -> Array:
    return d_output
