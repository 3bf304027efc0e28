"""Convert: the elements of a tensor as another type's."""
from __future__ import annotations

from math import inf

from irops.ops.conversion import converted
from irops.spec.binding import kernel, values
from irops.values.dim import Dim
from irops.values.element import Array, ElementType
from irops.values.fact import each_dim

EXACT = {"f32": 2**24, "f64": 2**53}
"""Up to this number these types hold every integer."""


@kernel("Convert-1")
def convert(data: Array, *, destination_type: ElementType) -> Array:
    return converted(data, destination_type)


@values("Convert-1")
def convert_dims(data: Array, *, destination_type: ElementType) -> Array | None:
    if destination_type.integral:
        return each_dim(lambda dim: wrapped(dim, destination_type), data)
    limit = EXACT.get(destination_type.name, 0)
    exact = limit and all(abs(bound) <= limit or abs(bound) == inf for dim in data.flat for bound in (dim.low, dim.high))
    return data if exact else None


def wrapped(dim: Dim, kind: ElementType) -> Dim:
    """What is known of an integer that is stored in another type. What has no bound is taken to fit into 32 bits, as in OpenVINO."""
    least, greatest = map(int, kind.extent)
    roomy = kind.bits >= 32
    above = dim.low >= least or (roomy and least < 0 and dim.low == -inf)
    below = dim.high <= greatest or (roomy and dim.high == inf)
    if above and below:
        return dim
    return Dim.of(least + (int(dim) - least) % (greatest - least + 1)) if dim.known else Dim(least, greatest)
