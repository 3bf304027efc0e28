"""ConvertLike: convert a tensor to the element type of another tensor."""

from __future__ import annotations

from irops.ops.conversion import converted
from irops.ops.type.convert import convert_dims
from irops.spec.binding import kernel, values
from irops.values.element import Array, ElementType, element_type_of


@kernel("ConvertLike-1")
def convert_like(data: Array, like: Array) -> Array:
    return converted(data, element_type_of(like))


@values("ConvertLike-1")
def convert_like_dims(data: Array, like: Array, *, result_type: ElementType) -> Array | None:  # noqa: ARG001
    return convert_dims(data, destination_type=result_type)
