"""ShapeOf: the shape of a tensor as a 1D tensor."""

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import ANY
from irops.values.element import I64, Array, ElementType
from irops.values.fact import Fact, elements_of
from irops.values.shape import Shape


@shape("ShapeOf-3")
def shape_of_shape(data: Fact, *, output_type: ElementType) -> Fact:
    sizes = data.shape.dims
    if sizes is None:
        return Fact(output_type, Shape.of(ANY))
    return Fact(output_type, Shape.of(len(sizes)), elements_of(sizes, output_type))


@shape("ShapeOf-1")
def shape_of_1_shape(data: Fact) -> Fact:
    return shape_of_shape(data, output_type=I64)


@kernel("ShapeOf-1")
def shape_of_1(data: Array) -> Array:
    return np.array(data.shape, np.int64)


@kernel("ShapeOf-3")
def shape_of(data: Array, *, output_type: ElementType) -> Array:
    return np.array(data.shape, np.int64).astype(output_type.dtype)
