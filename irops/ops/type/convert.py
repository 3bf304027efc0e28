"""Convert, ConvertLike and ConvertPromoteTypes."""

from math import trunc

from irops.ops.conversion import converted
from irops.ops.partial import rounding, stored_dim
from irops.spec.binding import gradient, kernel, shape, values
from irops.values.dim import Dim
from irops.values.element import BOOLEAN, DYNAMIC, Array, ElementType, element_type, element_type_of
from irops.values.fact import Fact, each_dim
from irops.values.violation import require

EITHER = Dim(0, 1)
"""A boolean that may be false or true."""


@kernel("Convert-1")
def convert(data: Array, *, destination_type: ElementType) -> Array:
    return converted(data, destination_type)


@gradient("Convert-1")
def convert_gradient(d_output: Array, *, data_type: ElementType) -> Array:
    return converted(d_output, data_type)


@values("Convert-1")
def convert_dims(data: Array, *, destination_type: ElementType) -> Array | None:
    if destination_type.integral:
        return each_dim(lambda dim: rounding(dim, trunc), data)
    if destination_type is BOOLEAN:
        return each_dim(truth, data)
    if destination_type.floating and destination_type.bits >= 16:
        return each_dim(lambda dim: rounded_dim(dim, destination_type), data)
    return None


def rounded_dim(dim: Dim, kind: ElementType) -> Dim:
    """The bounds of a number converted to a floating-point type.

    Below 32 bits the symbol of the number is dropped, because even small integers are rounded.
    """
    return stored_dim(dim if kind.bits >= 32 else Dim(dim.low, dim.high), kind)


def truth(dim: Dim) -> Dim:
    """The bounds of a number converted to boolean."""
    return EITHER if dim.can_be(0) and not dim.known else Dim.of(int(dim != 0))


@kernel("ConvertLike-1")
def convert_like(data: Array, like: Array) -> Array:
    return converted(data, element_type_of(like))


@values("ConvertLike-1")
def convert_like_dims(data: Array, like: Array, *, result_type: ElementType) -> Array | None:  # noqa: ARG001
    return convert_dims(data, destination_type=result_type)


# ConvertPromoteTypes: convert two tensors to a common element type.


WIDENED = {frozenset({"f16", "bf16"}): "f32", frozenset({"f8e4m3", "f8e5m2"}): "f16"}
"""The common type of two different floating-point types of the same width."""


@shape("ConvertPromoteTypes-14")
def convert_promote_types_shape(
    input_0: Fact,
    input_1: Fact,
    *,
    promote_unsafe: bool,
    pytorch_scalar_promotion: bool,
    u64_integer_promotion_target: ElementType,
) -> tuple[Fact, Fact]:
    a, b = input_0.element_type, input_1.element_type
    ranks = input_0.shape.rank, input_1.shape.rank
    if DYNAMIC in (a, b):
        common = DYNAMIC
    elif pytorch_scalar_promotion and None in ranks and a is not b and _may_depend_on_scalar(a, b):
        common = DYNAMIC  # it depends on which of the two is a scalar
    else:
        scalar = scalars(ranks) if pytorch_scalar_promotion else (False, False)
        common = _common(a, b, promote_unsafe, scalar, u64_integer_promotion_target)
    return Fact(common, input_0.shape), Fact(common, input_1.shape)


def scalars(ranks: tuple[int | None, int | None]) -> tuple[bool, bool]:
    """Whether each of the two inputs is a scalar."""
    return ranks[0] == 0, ranks[1] == 0


def _may_depend_on_scalar(a: ElementType, b: ElementType) -> bool:
    return BOOLEAN not in (a, b) and a.floating == b.floating


def _common(
    a: ElementType, b: ElementType, unsafe: bool, scalar: tuple[bool, bool], target: ElementType
) -> ElementType:
    """The common type of a and b. scalar: whether each is the type of a scalar that adopts the other type."""
    if a is b or BOOLEAN in (a, b):
        return b if a is BOOLEAN else a
    if a.floating != b.floating:
        real, integer = (a, b) if a.floating else (b, a)
        require(unsafe or real.bits >= 2 * integer.bits, "C1", a, b)
        return real
    if scalar[0] != scalar[1]:
        scalar_type, tensor_type = (a, b) if scalar[0] else (b, a)
        require(unsafe or _is_safe(tensor_type, scalar_type), "C2", f"a scalar {scalar_type}", tensor_type)
        return tensor_type
    if a.kind != b.kind:
        signed, unsigned = (a, b) if a.kind == "signed" else (b, a)
        # the signed type that can hold both; target if the unsigned one has more than 32 bits
        require(unsafe or 2 * unsigned.bits <= signed.bits, "C3", signed, unsigned)
        return target if unsigned.bits > 32 else element_type(f"i{max(signed.bits, 2 * unsigned.bits)}")
    if a.bits != b.bits:
        return max(a, b, key=lambda kind: kind.bits)
    require(unsafe, "C4", a, b)
    return element_type(WIDENED[frozenset({a.name, b.name})])


def _is_safe(tensor_type: ElementType, scalar_type: ElementType) -> bool:
    """Whether OpenVINO considers the conversion of a scalar to tensor_type as safe."""
    unsigned = scalar_type.kind == "unsigned"
    if (tensor_type.kind == "unsigned") == unsigned:
        return tensor_type.bits >= scalar_type.bits
    return unsigned and 2 * tensor_type.bits >= scalar_type.bits


@kernel("ConvertPromoteTypes-14")
def convert_promote_types(
    input_0: Array,
    input_1: Array,
    *,
    promote_unsafe: bool,
    pytorch_scalar_promotion: bool,
    u64_integer_promotion_target: ElementType,
) -> tuple[Array, Array]:
    scalar = scalars((input_0.ndim, input_1.ndim)) if pytorch_scalar_promotion else (False, False)
    types = element_type_of(input_0), element_type_of(input_1)
    common = _common(*types, promote_unsafe, scalar, u64_integer_promotion_target)
    return converted(input_0, common), converted(input_1, common)


@values("ConvertPromoteTypes-14")
def convert_promote_dims(
    input_0: Array, input_1: Array, *, result_type: ElementType
) -> tuple[Array | None, Array | None]:
    first, second = (convert_dims(data, destination_type=result_type) for data in (input_0, input_1))
    return first, second
