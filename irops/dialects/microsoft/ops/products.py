"""Products and convolutions with what ONNX Runtime fuses with them, and weights in blocks of few bits."""

from __future__ import annotations

import numpy as np

from irops.dialects.microsoft.ops.activations import activated, add_bias, check_activation
from irops.dialects.onnx.ops.sliding import conv, conv_shape
from irops.ops.conversion import as_numbers, converted
from irops.ops.matrix.mat_mul import mat_mul, mat_mul_shape
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, unify
from irops.values.element import DYNAMIC, Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require

Optional = tuple[int, ...] | None
Floats = tuple[float, ...]

# Products of matrices.


def _turned(rank: int, last: bool, batch: bool) -> list[int]:
    """The order of axes in which matrices are multiplied: with batch, the first axis counts rows, the axes
    after it are the batch.
    """
    order = list(range(rank))
    if batch:
        order = [*order[1:-1], 0, rank - 1]
    if last and rank > 1:
        order[-2:] = order[-1], order[-2]
    return order


def _fact(data: Fact, last: bool, batch: bool) -> Fact:
    rank = data.shape.rank
    if rank is None:
        return data
    require(not batch or rank > 2, "C3", data)
    return Fact(data.element_type, Shape(data.shape[axis] for axis in _turned(rank, last, batch)))


@shape("microsoft:FusedMatMul-1")
def fused_mat_mul_shape(
    A: Fact, B: Fact, *, transA: bool, transB: bool, transBatchA: bool = False, transBatchB: bool = False
) -> Shape:
    left, right = _fact(A, transA, transBatchA), _fact(B, transB, transBatchB)
    return mat_mul_shape(left, right, transpose_a=False, transpose_b=False)


@kernel("microsoft:FusedMatMul-1", widen=True)
def fused_mat_mul(
    A: Array,
    B: Array,
    *,
    alpha: float,
    transA: bool,
    transB: bool,
    transBatchA: bool = False,
    transBatchB: bool = False,
) -> Array:
    left = A.transpose(_turned(A.ndim, transA, transBatchA))
    right = B.transpose(_turned(B.ndim, transB, transBatchB))
    product = mat_mul(left, right, transpose_a=False, transpose_b=False)
    return np.asarray(product * A.dtype.type(alpha))


@shape("microsoft:FusedGemm-1")
def fused_gemm_shape(
    A: Fact, B: Fact, C: Fact | None, *, activation: str | None, transA: bool, transB: bool
) -> Shape:
    check_activation(activation, "C3")
    rows, depth = A.shape.of_rank(2, "C1")[:: -1 if transA else 1]
    other, columns = B.shape.of_rank(2, "C1")[:: -1 if transB else 1]
    unify(depth, other, "C1")
    result = Shape.of(rows, columns)
    if C is not None:
        unify_shapes(result, broadcast_shapes(result, C.shape, "C2"), "C2")
    return result


@kernel("microsoft:FusedGemm-1", widen=True)
def fused_gemm(
    A: Array,
    B: Array,
    C: Array | None,
    *,
    activation: str | None,
    activation_alpha: float | None,
    activation_beta: float | None,
    alpha: float,
    beta: float,
    transA: bool,
    transB: bool,
) -> Array:
    product = (A.T if transA else A) @ (B.T if transB else B)
    if alpha != 1:
        product = (product * A.dtype.type(alpha)).astype(A.dtype)
    if C is not None:
        product = product + (C if beta == 1 else (C * A.dtype.type(beta)).astype(A.dtype))
    params = tuple(number for number in (activation_alpha, activation_beta) if number is not None)
    return activated(product, activation, params)


# Convolutions.


@shape("microsoft:FusedConv-1")
def fused_conv_shape(
    X: Fact,
    W: Fact,
    B: Fact | None,
    Z: Fact | None,
    *,
    activation: str | None,
    auto_pad: str,
    dilations: Optional,
    group: int,
    kernel_shape: Optional,
    pads: Optional,
    strides: Optional,
) -> Shape:
    check_activation(activation, "C8")
    result = conv_shape(
        X,
        W,
        B,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return result if Z is None else unify_shapes(result, Z.shape, "C9")


@kernel("microsoft:FusedConv-1", widen=True)
def fused_conv(
    X: Array,
    W: Array,
    B: Array | None,
    Z: Array | None,
    *,
    activation: str | None,
    activation_params: Floats | None,
    auto_pad: str,
    dilations: Optional,
    group: int,
    pads: Optional,
    strides: Optional,
) -> Array:
    result = conv(X, W, B, auto_pad=auto_pad, dilations=dilations, group=group, pads=pads, strides=strides)
    return activated(add_bias(result, Z), activation, activation_params or ())


def channels_first(fact: Fact) -> Fact:
    """A Fact whose last axis counts channels, with that axis behind the batch."""
    dims = fact.shape.dims
    if dims is None or len(dims) < 2:
        return fact
    return Fact(fact.element_type, Shape((dims[0], dims[-1], *dims[1:-1])))


def channels_last(found: Shape) -> Shape:
    """A shape whose second axis counts channels, with that axis at the end."""
    return found if found.dims is None else Shape((found.dims[0], *found.dims[2:], found.dims[1]))


@shape("microsoft:NhwcConv-1")
def nhwc_conv_shape(
    X: Fact,
    W: Fact,
    B: Fact | None,
    *,
    auto_pad: str,
    dilations: Optional,
    group: int,
    kernel_shape: Optional,
    pads: Optional,
    strides: Optional,
) -> Shape:
    found = conv_shape(
        channels_first(X),
        W,
        B,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return channels_last(found)


@kernel("microsoft:NhwcConv-1", widen=True)
def nhwc_conv(
    X: Array,
    W: Array,
    B: Array | None,
    *,
    auto_pad: str,
    dilations: Optional,
    group: int,
    pads: Optional,
    strides: Optional,
) -> Array:
    result = conv(
        np.moveaxis(X, -1, 1),
        W,
        B,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        pads=pads,
        strides=strides,
    )
    return np.ascontiguousarray(np.moveaxis(result, 1, -1))


@shape("microsoft:NhwcFusedConv-1")
def nhwc_fused_conv_shape(
    X: Fact,
    W: Fact,
    B: Fact | None,
    Z: Fact | None,
    *,
    activation: str | None,
    auto_pad: str,
    dilations: Optional,
    group: int,
    kernel_shape: Optional,
    pads: Optional,
    strides: Optional,
) -> Shape:
    check_activation(activation, "C8")
    found = nhwc_conv_shape(
        X,
        W,
        B,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return found if Z is None else unify_shapes(found, Z.shape, "C9")


@kernel("microsoft:NhwcFusedConv-1", widen=True)
def nhwc_fused_conv(
    X: Array,
    W: Array,
    B: Array | None,
    Z: Array | None,
    *,
    activation: str | None,
    activation_params: Floats | None,
    auto_pad: str,
    dilations: Optional,
    group: int,
    pads: Optional,
    strides: Optional,
) -> Array:
    result = nhwc_conv(
        X, W, B, auto_pad=auto_pad, dilations=dilations, group=group, pads=pads, strides=strides
    )
    return activated(add_bias(result, Z), activation, activation_params or ())


# Weights of few bits in blocks along an axis, each with a scale and a zero point.


def unpacked(packed: Array, bits: int) -> Array:
    """The codes in bytes along the last axis, those in the low bits first."""
    if bits == 8:
        return packed
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    codes = (packed[..., np.newaxis] >> shifts) & np.uint8((1 << bits) - 1)
    return codes.reshape(*packed.shape[:-1], -1)


@shape("microsoft:MatMulNBits-1")
def mat_mul_n_bits_shape(
    A: Fact,
    B: Fact,
    scales: Fact,
    zero_points: Fact | None,
    g_idx: Fact | None,
    bias: Fact | None,
    *,
    K: int,
    N: int,
    bits: int,
    block_size: int,
) -> Shape:
    require(bits in (2, 4, 8) and block_size >= 16 and block_size & (block_size - 1) == 0, "C1")
    blocks = -(-K // block_size)
    require((A.shape[-1] - K).can_be(0), "C2", A, K)
    require(B.shape.size.can_be(N * blocks * block_size * bits // 8), "C3", B)
    require(scales.shape.size.can_be(N * blocks), "C3", scales)
    if zero_points is not None:
        is_packed = zero_points.element_type.name == "u8"
        wanted = N * -(-blocks * bits // 8) if is_packed else N * blocks
        require(zero_points.shape.size.can_be(wanted), "C4", zero_points)
    if g_idx is not None:
        require(g_idx.shape.size >= K, "C5", g_idx)
    if bias is not None:
        unify(bias.shape.of_rank(1, "C6")[0], N, "C6")
    return UNRANKED if A.shape.rank is None else A.shape.with_dim(-1, N)


@kernel("microsoft:MatMulNBits-1")
def mat_mul_n_bits(
    A: Array,
    B: Array,
    scales: Array,
    zero_points: Array | None,
    g_idx: Array | None,
    bias: Array | None,
    *,
    K: int,
    N: int,
    bits: int,
    block_size: int,
) -> Array:
    blocks = -(-K // block_size)
    codes = unpacked(B.reshape(N, blocks, -1), bits).astype(np.float32)
    factors = as_numbers(scales).reshape(N, blocks, 1)
    zero = np.full((N, blocks, 1), 1 << (bits - 1), np.float32)
    if zero_points is not None:
        of_bytes = zero_points.dtype == np.uint8
        parts = unpacked(zero_points.reshape(N, -1), bits) if of_bytes else as_numbers(zero_points)
        zero = parts.reshape(N, -1)[:, :blocks].astype(np.float32)[..., np.newaxis]
    if g_idx is None:
        weights = ((codes - zero) * factors).reshape(N, -1)[:, :K]
    else:
        groups = g_idx.ravel()[:K]
        require(((groups >= 0) & (groups < blocks)).all(), "C7", groups.max(initial=0))
        weights = (codes.reshape(N, -1)[:, :K] - zero[:, groups, 0]) * factors[:, groups, 0]
    result = as_numbers(A) @ weights.T.astype(np.float32)
    return converted(result if bias is None else result + as_numbers(bias), element_type_of(A))


@shape("microsoft:GatherBlockQuantized-1")
def gather_block_quantized_shape(
    data: Fact,
    indices: Fact,
    scales: Fact,
    zero_points: Fact | None,
    *,
    bits: int,
    block_size: int,
    gather_axis: int,
    quantize_axis: int,
) -> Fact:
    del zero_points
    require(block_size >= 16 and block_size & (block_size - 1) == 0 and bits in (2, 4, 8), "C1")
    rank = data.shape.rank
    if rank is None or indices.shape.rank is None:
        return Fact(scales.element_type, UNRANKED)
    require(-rank <= gather_axis < rank and -rank <= quantize_axis < rank, "C2", data)
    gathered, along = gather_axis % rank, quantize_axis % rank
    require(gathered != along, "C2", data)
    sizes = list(data.shape.of_rank(rank, "C2"))
    if data.element_type.name == "u8":
        sizes[-1] = sizes[-1] * (8 // bits)
    elif data.element_type is DYNAMIC and bits < 8:  # bytes hold several elements each, other types one
        sizes[-1] = ANY
    for axis, (size, count) in enumerate(zip(sizes, scales.shape.of_rank(rank, "C3"))):
        unify(size.ceil_div(block_size) if axis == along else size, count, "C3")
    result = Shape((*sizes[:gathered], *indices.shape, *sizes[gathered + 1 :]))
    return Fact(scales.element_type, result)


@kernel("microsoft:GatherBlockQuantized-1")
def gather_block_quantized(
    data: Array,
    indices: Array,
    scales: Array,
    zero_points: Array | None,
    *,
    bits: int,
    block_size: int,
    gather_axis: int,
    quantize_axis: int,
) -> Array:
    is_bytes = data.dtype == np.uint8 and element_type_of(data).name == "u8"
    codes = unpacked(data, bits) if is_bytes else data
    axis, along = gather_axis % data.ndim, quantize_axis % data.ndim
    size = codes.shape[axis]
    require(((indices >= -size) & (indices < size)).all(), "C4", indices.ravel().tolist()[:8], size)
    places = np.where(indices < 0, indices + size, indices)
    selected, factors = np.take(as_numbers(codes), places, axis), np.take(as_numbers(scales), places, axis)
    along += indices.ndim - 1 if axis < along else 0
    count = selected.shape[along]
    factors = np.repeat(factors, block_size, along).take(range(count), along)
    zero: Array | np.float32 = np.float32(1 << (bits - 1) if is_bytes else 0)
    if zero_points is not None:
        plain = unpacked(zero_points, bits) if is_bytes else zero_points
        plain = plain[..., : scales.shape[-1]] if is_bytes else plain
        zero = np.repeat(np.take(as_numbers(plain), places, axis), block_size, along)
        zero = zero.take(range(count), along)
    return converted((selected.astype(np.float32) - zero) * factors, element_type_of(scales))
