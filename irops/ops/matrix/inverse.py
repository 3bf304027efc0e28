"""Inverse: the inverses of square matrices."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import converted
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import Violation


@shape("Inverse-14")
def inverse_shape(data: Fact) -> Shape:
    if data.shape.dims is None:
        return data.shape
    size = unify(data.shape[-2], data.shape[-1], "C1")
    return data.shape[:-2] + Shape.of(size, size)


@kernel("Inverse-14")
def inverse(data: Array, *, adjoint: bool) -> Array:
    try:
        inverses = np.linalg.inv(data.astype(np.float64))
    except np.linalg.LinAlgError:
        raise Violation("C2", "got a singular matrix") from None
    return converted(inverses.swapaxes(-1, -2) if adjoint else inverses, element_type_of(data))
