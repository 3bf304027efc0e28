"""Swish: x * sigmoid(beta * x)."""

from __future__ import annotations

from irops.ops.activation.unary import logistic
from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import warn_unless


@shape("Swish-4")
def swish_shape(data: Fact, beta: Fact | None) -> Shape:
    if beta is not None and beta.value is not None:
        warn_unless(not (beta.value < 0).any(), "C1", beta.value.item())
    return data.shape


@kernel("Swish-4", widen=True)
def swish(data: Array, beta: Array | None) -> Array:
    if beta is None:
        return data * logistic(data)
    warn_unless(not (beta < 0).any(), "C1", beta.item())
    return data * logistic(data * beta)
