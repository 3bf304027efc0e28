"""ReorgYolo: the reorg layer of YOLO v2, which rearranges blocks of elements into channels."""

from __future__ import annotations

from irops.ops.movement.blocks import divided
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless


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
