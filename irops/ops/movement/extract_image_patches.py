"""ExtractImagePatches: extract sliding windows of an image into the channel axis."""

from __future__ import annotations

import numpy as np

from irops.ops.sliding import Slide, reach, same_padding
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim
from irops.values.element import Array, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

Pair = tuple[int, ...]


@shape("ExtractImagePatches-3")
def patches_shape(data: Fact, *, sizes: Pair, strides: Pair, rates: Pair, auto_pad: str) -> Shape:
    lengths = [len(numbers) for numbers in (sizes, strides, rates)]
    require(lengths == [2, 2, 2], "C1", *lengths)
    batch, depth, *image = data.shape.dims or (ANY,) * 4
    return Shape.of(
        batch,
        depth * sizes[0] * sizes[1],
        *(_count(*axis, auto_pad) for axis in zip(image, sizes, strides, rates)),
    )


def _count(size: Dim, taps: int, stride: int, rate: int, auto_pad: str) -> Dim:
    """The number of window positions along an axis."""
    if auto_pad == "valid":
        return ((size - reach(taps, rate)) // stride + 1).at_least(0)
    return size.ceil_div(stride)


@kernel("ExtractImagePatches-3")
def patches(data: Array, *, sizes: Pair, strides: Pair, rates: Pair, auto_pad: str) -> Array:
    slides = [_slide(*axis, auto_pad) for axis in zip(data.shape[2:], sizes, strides, rates)]
    batch, depth, counts = *data.shape[:2], [slide.positions for slide in slides]
    result = np.full((batch, *sizes, depth, *counts), zeros((), element_type_of(data)), data.dtype)
    for row in range(sizes[0]):
        for column in range(sizes[1]):
            (rows, across), (columns, along) = slides[0].meet(row), slides[1].meet(column)
            result[:, row, column, :, rows, columns] = data[:, :, across, along]
    return result.reshape(batch, sizes[0] * sizes[1] * depth, *counts)


def _slide(size: int, taps: int, stride: int, rate: int, auto_pad: str) -> Slide:
    before = 0 if auto_pad == "valid" else same_padding(size, int(reach(taps, rate)), stride, auto_pad)[0]
    return Slide(size, taps, stride, rate, before, int(_count(Dim.of(size), taps, stride, rate, auto_pad)))
