"""Parameter: an input of the model."""

from __future__ import annotations

from irops.spec.binding import kernel
from irops.spec.binding import shape as infers
from irops.values.element import Array
from irops.values.shape import Shape


@infers("Parameter-1")
def parameter_shape(*, shape: Shape) -> Shape:
    return shape


@kernel("Parameter-1")
def parameter(*, value: Array) -> Array:
    return value
