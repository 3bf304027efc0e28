"""Result: an output of the model."""
from __future__ import annotations

from irops.spec.binding import kernel, values
from irops.values.element import Array


@values("Result-1")
@kernel("Result-1")
def result(data: Array) -> Array:
    return data
