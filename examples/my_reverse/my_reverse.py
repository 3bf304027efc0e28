"""MyReverse: reverse the last axis, in blocks."""

from __future__ import annotations

from irops.spec.binding import kernel, shape
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("MyReverse-extension")
def my_reverse_shape(data: Fact, *, block: int) -> Shape:
    require((data.shape[-1] % block).can_be(0), "C1", data.shape[-1], block)
    return data.shape


@kernel("MyReverse-extension")
def my_reverse(data: Array, *, block: int) -> Array:
    blocks = data.reshape(*data.shape[:-1], -1, block)
    return blocks[..., ::-1].reshape(data.shape)
