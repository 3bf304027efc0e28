"""RegionYolo and ReorgYolo."""

from functools import reduce

import numpy as np

from irops.ops.movement.blocks import divided
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless

Mask = tuple[int, ...]


@shape("RegionYolo-1")
def region_yolo_shape(
    data: Fact, *, axis: int, end_axis: int, coords: int, classes: int, num: int, do_softmax: bool, mask: Mask
) -> Shape:
    maps = data.shape.of_rank(4, "C1")
    wanted = (coords + classes + 1) * regions(num, do_softmax, mask)
    warn_unless(maps[1].can_be(wanted), "C1", maps, f"{wanted} channels")
    warn_unless(coords >= 2, "C2", coords)
    if not do_softmax:
        return maps.with_dim(1, wanted)
    first, last = axis % 4, end_axis % 4  # counted from 0 only where the rank was known
    warn_unless(first <= last, "C3", f"{axis} and {end_axis}")
    last = max(first, last)
    return maps[:first] + Shape.of(reduce(Dim.__mul__, maps[first : last + 1])) + maps[last + 1 :]


def regions(num: int, do_softmax: bool, mask: Mask) -> int:
    """The number of regions of each cell."""
    return num if do_softmax else len(mask)


@kernel("RegionYolo-1", widen=True)
def region_yolo(
    data: Array,
    *,
    axis: int,
    end_axis: int,
    coords: int,
    classes: int,
    num: int,
    do_softmax: bool,
    mask: Mask,
) -> Array:
    batch, channels, height, width = data.shape
    count = regions(num, do_softmax, mask)
    wanted = (coords + classes + 1) * count
    require(channels == wanted, "C1", Shape(data.shape), f"{wanted} channels")
    output = data.reshape(batch, count, coords + classes + 1, height, width).copy()
    output[:, :, :2] = sigmoid(output[:, :, :2])
    if not do_softmax:
        output[:, :, coords:] = sigmoid(output[:, :, coords:])
        return output.reshape(data.shape)
    output[:, :, coords] = sigmoid(output[:, :, coords])
    output[:, :, coords + 1 :] = softmax(data.reshape(output.shape)[:, :, coords + 1 :])
    last = max(axis, end_axis)
    return output.reshape(
        *data.shape[:axis], int(np.prod(data.shape[axis : last + 1])), *data.shape[last + 1 :]
    )


def sigmoid(numbers: Array) -> Array:
    one = numbers.dtype.type(1)
    result: Array = one / (one + np.exp(-numbers))
    return result


def softmax(classes: Array) -> Array:
    """The probability of each class, along axis 2."""
    powers = np.exp(classes - classes.max(axis=2, keepdims=True, initial=-np.inf))
    probabilities: Array = powers / powers.sum(axis=2, keepdims=True)
    return probabilities


@shape("ReorgYolo-2")
def reorg_yolo_shape(data: Fact, *, stride: tuple[int, ...]) -> Shape:
    require(stride, "C1")
    warn_unless(len(stride) == 1, "C4", stride)
    step = stride[0]
    if data.shape.dims is None:
        return UNRANKED
    batch, channels, *sizes = data.shape
    divided(channels, Dim.of(step * step), "C2")
    require(channels > 0, "C2", channels)
    return Shape.of(batch, channels * step * step, *(divided(size, Dim.of(step), "C3") for size in sizes))


@kernel("ReorgYolo-2")
def reorg_yolo(data: Array, *, stride: tuple[int, ...]) -> Array:
    batch, channels, height, width = data.shape
    step = stride[0]
    # data is interpreted with fewer channels and more rows and columns: [N, C / S^2, H * S, W * S]
    blocks = data.reshape(batch, channels // (step * step), height, step, width, step)
    return blocks.transpose(0, 3, 5, 1, 2, 4).reshape(
        batch, channels * step * step, height // step, width // step
    )
