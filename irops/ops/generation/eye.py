"""Eye: matrices with ones on one diagonal and zeros elsewhere."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import converted
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import BOOLEAN, Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import SCALAR, UNRANKED, Shape
from irops.values.violation import require


@shape("Eye-9")
def eye_shape(num_rows: Fact, num_columns: Fact, diagonal_index: Fact, batch_shape: Fact | None) -> Shape:
    for single in (num_rows, num_columns, diagonal_index):
        require(single.shape.size.can_be(1), "C1", single)
    sizes = Shape.of(*(_size((number.dims or (UNKNOWN,))[0]) for number in (num_rows, num_columns)))
    if batch_shape is None:
        return SCALAR + sizes
    if batch_shape.dims is None:
        count = batch_shape.shape[0]
        return (Shape((ANY,) * int(count)) if count.known and count <= 64 else UNRANKED) + sizes
    return Shape(map(_size, batch_shape.dims)) + sizes


def _size(size: Dim) -> Dim:
    require(size >= 0, "C2", size)
    return size.at_least(0)


@kernel("Eye-9")
def eye(
    num_rows: Array,
    num_columns: Array,
    diagonal_index: Array,
    batch_shape: Array | None,
    *,
    output_type: ElementType,
) -> Array:
    rows, columns, diagonal = (
        int(as_i64(number).item()) for number in (num_rows, num_columns, diagonal_index)
    )
    batch = () if batch_shape is None else tuple(as_i64(batch_shape).tolist())
    require(all(size >= 0 for size in (rows, columns, *batch)), "C2", rows, columns, batch)
    ones = np.arange(columns) - np.arange(rows)[:, np.newaxis] == diagonal
    return np.broadcast_to(
        ones if output_type is BOOLEAN else converted(ones, output_type), (*batch, rows, columns)
    )
