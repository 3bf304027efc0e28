"""LogicalNot: the logical NOT, element by element."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.spec.binding import kernel, shape, values
from irops.values.element import BOOLEAN, DYNAMIC, Array, ElementType, element_type_of
from irops.values.fact import Fact, each_dim
from irops.values.shape import Shape
from irops.values.violation import warn_unless


@shape("LogicalNot-1")
def logical_not_shape(data: Fact) -> Shape:
    warn_unless(data.element_type in (BOOLEAN, DYNAMIC), "C1", data)
    return data.shape


@kernel("LogicalNot-1")
def logical_not(data: Array) -> Array:
    return converted(np.asarray(as_numbers(data) == 0), element_type_of(data))


@values("LogicalNot-1")
def logical_not_dims(data: Array, *, result_type: ElementType) -> Array | None:
    return each_dim(lambda dim: 1 - dim, data) if result_type is BOOLEAN else None
