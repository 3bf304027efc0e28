"""Products and convolutions of quantized tensors: each number is (code - zero_point) * scale."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from irops.dialects.onnx.ops.cast import cast
from irops.ops.conversion import nearest
from irops.ops.convolution.convolution import group_convolution, group_convolution_shape
from irops.ops.matrix.mat_mul import mat_mul, mat_mul_shape
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, unify_shapes
from irops.values.violation import require

Numbers = tuple[int, ...]


def centered(codes: Array, zero_point: Array | None) -> Array:
    """codes - zero_point: exact in i32, in f32 for floating-point codes."""
    wide = np.float32 if element_type_of(codes).floating else np.int32
    numbers = codes.astype(wide)
    return numbers if zero_point is None else numbers - zero_point.astype(wide)


def requantized(sums: Array, scale: Array, zero_point: Array, to: ElementType) -> Array:
    """The codes of sums * scale: rounded to nearest, ties to even, then shifted by zero_point; saturates."""
    scaled = sums.astype(np.float32) * scale
    if to.floating:
        return cast(scaled + zero_point.astype(np.float32), to=to)
    return nearest(np.rint(scaled) + zero_point.astype(np.float64), to)


# Matrix products. Scales and zero points are one for the tensor, or one for each row of the left matrix or
# each column of the right one.

ROWS, COLUMNS = -2, -1


def check_parameter(parameter: Fact | None, matrices: Shape, axis: int, constraint: str) -> None:
    """Require one element, a vector of one per row or column, or such a vector for each matrix.

    Raises:  Violation(constraint)
    """
    if parameter is None or parameter.shape.size.can_be(1):
        return
    if parameter.shape.rank == 1:
        one_row = axis == ROWS and matrices.rank == 1
        unify(parameter.shape[0], 1 if one_row else matrices[axis], constraint)
    elif matrices.rank is not None:
        require(matrices.rank > 1, constraint, parameter)
        unify_shapes(parameter.shape, matrices.with_dim(ROWS + COLUMNS - axis, 1), constraint)


def per_row(parameter: Array | None) -> Array | None:
    """A parameter of rows, such that it broadcasts with the matrix."""
    if parameter is None or parameter.size == 1:
        return None if parameter is None else parameter.reshape(())
    return parameter[:, np.newaxis] if parameter.ndim == 1 else parameter


@shape("onnx:MatMulInteger-10")
def mat_mul_integer_shape(A: Fact, B: Fact, a_zero_point: Fact | None, b_zero_point: Fact | None) -> Shape:
    check_parameter(a_zero_point, A.shape, ROWS, "C3")
    check_parameter(b_zero_point, B.shape, COLUMNS, "C3")
    return mat_mul_shape(A, B, transpose_a=False, transpose_b=False)


@kernel("onnx:MatMulInteger-10")
def mat_mul_integer(A: Array, B: Array, a_zero_point: Array | None, b_zero_point: Array | None) -> Array:
    left, right = centered(A, per_row(a_zero_point)), centered(B, b_zero_point)
    return mat_mul(left, right, transpose_a=False, transpose_b=False)


@shape("onnx:QLinearMatMul-10")
def q_linear_mat_mul_shape(
    a: Fact,
    a_scale: Fact,
    a_zero_point: Fact,
    b: Fact,
    b_scale: Fact,
    b_zero_point: Fact,
    y_scale: Fact,
    y_zero_point: Fact,
) -> Fact:
    result = mat_mul_shape(a, b, transpose_a=False, transpose_b=False)
    for parameters, matrices, axis in (
        ((a_scale, a_zero_point), a.shape, ROWS),
        ((b_scale, b_zero_point), b.shape, COLUMNS),
        ((y_scale, y_zero_point), result, ROWS),
    ):
        for parameter in parameters:
            check_parameter(parameter, matrices, axis, "C3")
    return Fact(y_zero_point.element_type, result)


@kernel("onnx:QLinearMatMul-10")
def q_linear_mat_mul(
    a: Array,
    a_scale: Array,
    a_zero_point: Array,
    b: Array,
    b_scale: Array,
    b_zero_point: Array,
    y_scale: Array,
    y_zero_point: Array,
) -> Array:
    left, right = centered(a, per_row(a_zero_point)), centered(b, b_zero_point)
    if left.dtype != right.dtype:
        left, right = left.astype(np.float32), right.astype(np.float32)
    sums = mat_mul(left, right, transpose_a=False, transpose_b=False)
    of_a, of_y, zero = (np.asarray(per_row(item)) for item in (a_scale, y_scale, y_zero_point))
    scale = of_a.astype(np.float32) * b_scale.astype(np.float32) / of_y.astype(np.float32)
    codes = requantized(sums, scale, zero, element_type_of(y_zero_point))
    return codes.reshape(sums.shape)


# Convolutions. The filters of each group have channels of their own; padding stands for the number 0.


def convolved_shape(
    x: Fact,
    w: Fact,
    *,
    auto_pad: str,
    dilations: Numbers | None,
    group: int,
    kernel_shape: Numbers | None,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Shape:
    """The shape of a convolution as ONNX has it.

    Raises:  Violation of C1 (the ranks), C2 (the channels), C3 (the window fits), C4 (the attributes have a
        number for each axis), C6 (there are channels), C7 (kernel_shape), C8 (equal groups)
    """
    rank = x.shape.rank if x.shape.rank is not None else w.shape.rank
    if rank is None:
        return UNRANKED
    axes = rank - 2
    lists = (dilations, kernel_shape, strides, None if pads is None else pads[::2])
    require(
        all(numbers is None or len(numbers) == axes for numbers in lists) and len(pads or ()) % 2 == 0,
        "C4",
        f"{', '.join(str(len(numbers)) for numbers in lists if numbers is not None)} values",
        f"{axes} spatial axes",
    )
    maps, depth, *taps = w.shape.of_rank(rank, "C1")
    if kernel_shape is not None:
        taps = [unify(tap, size, "C7") for tap, size in zip(taps, kernel_shape)]
    require((maps % group).can_be(0), "C8", f"{maps} filters", f"{group} groups")
    filters = Fact(w.element_type, Shape.of(group, maps // group, depth, *taps))
    result = group_convolution_shape(x, filters, **_windows(axes, auto_pad, dilations, pads, strides))
    return result.with_dim(1, maps)


def convolved(
    x: Array,
    w: Array,
    *,
    auto_pad: str,
    dilations: Numbers | None,
    group: int,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Array:
    """The convolution of numbers in i32."""
    filters = w.reshape(group, len(w) // group, *w.shape[1:])
    return group_convolution(x, filters, **_windows(x.ndim - 2, auto_pad, dilations, pads, strides))


class WindowAttributes(TypedDict):
    """The attributes of OpenVINO's convolutions."""

    strides: Numbers
    dilations: Numbers
    pads_begin: Numbers
    pads_end: Numbers
    auto_pad: str


def _windows(
    axes: int, auto_pad: str, dilations: Numbers | None, pads: Numbers | None, strides: Numbers | None
) -> WindowAttributes:
    """The attributes as OpenVINO has them."""
    padding = pads or (0,) * 2 * axes
    return {
        "strides": strides or (1,) * axes,
        "dilations": dilations or (1,) * axes,
        "pads_begin": padding[:axes],
        "pads_end": padding[axes:],
        "auto_pad": "explicit" if auto_pad == "NOTSET" else auto_pad.lower(),
    }


def check_filter_parameter(parameter: Fact | None, w: Fact, constraint: str) -> None:
    """Require one element, or a vector of one per filter."""
    if parameter is not None and not parameter.shape.size.can_be(1):
        unify(parameter.shape.of_rank(1, constraint)[0], w.shape[0], constraint)


def per_filter(parameter: Array, rank: int) -> Array:
    """A parameter of filters, such that it broadcasts along axis 0 of a tensor of a rank."""
    return parameter.reshape(-1 if parameter.size > 1 else 1, *(1,) * (rank - 1))


@shape("onnx:ConvInteger-10")
def conv_integer_shape(
    x: Fact,
    w: Fact,
    x_zero_point: Fact | None,
    w_zero_point: Fact | None,
    *,
    auto_pad: str,
    dilations: Numbers | None,
    group: int,
    kernel_shape: Numbers | None,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Shape:
    require(x_zero_point is None or x_zero_point.shape.size.can_be(1), "C10", x_zero_point)
    check_filter_parameter(w_zero_point, w, "C11")
    return convolved_shape(
        x,
        w,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )


@kernel("onnx:ConvInteger-10")
def conv_integer(
    x: Array,
    w: Array,
    x_zero_point: Array | None,
    w_zero_point: Array | None,
    *,
    auto_pad: str,
    dilations: Numbers | None,
    group: int,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Array:
    data = centered(x, None if x_zero_point is None else x_zero_point.reshape(()))
    filters = centered(w, None if w_zero_point is None else per_filter(w_zero_point, w.ndim))
    return convolved(
        data, filters, auto_pad=auto_pad, dilations=dilations, group=group, pads=pads, strides=strides
    )


@shape("onnx:QLinearConv-10")
def q_linear_conv_shape(
    x: Fact,
    x_scale: Fact,
    x_zero_point: Fact,
    w: Fact,
    w_scale: Fact,
    w_zero_point: Fact,
    y_scale: Fact,
    y_zero_point: Fact,
    B: Fact | None,
    *,
    auto_pad: str,
    dilations: Numbers | None,
    group: int,
    kernel_shape: Numbers | None,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Fact:
    for single in (x_scale, x_zero_point, y_scale, y_zero_point):
        require(single.shape.size.can_be(1), "C10", single)
    for parameter in (w_scale, w_zero_point):
        check_filter_parameter(parameter, w, "C11")
    if B is not None:
        unify(B.shape[0], w.shape[0], "C12")
    result = convolved_shape(
        x,
        w,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return Fact(y_zero_point.element_type, result)


@kernel("onnx:QLinearConv-10")
def q_linear_conv(
    x: Array,
    x_scale: Array,
    x_zero_point: Array,
    w: Array,
    w_scale: Array,
    w_zero_point: Array,
    y_scale: Array,
    y_zero_point: Array,
    B: Array | None,
    *,
    auto_pad: str,
    dilations: Numbers | None,
    group: int,
    pads: Numbers | None,
    strides: Numbers | None,
) -> Array:
    sums = conv_integer(
        x,
        w,
        x_zero_point,
        w_zero_point,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        pads=pads,
        strides=strides,
    )
    if B is not None:
        sums = sums + per_filter(B, x.ndim - 1)
    scale = x_scale.reshape(()) * per_filter(w_scale, x.ndim - 1) / y_scale.reshape(())
    return requantized(sums, scale, y_zero_point.reshape(()), element_type_of(y_zero_point))


# Quantization by the range of the tensor itself.


@kernel("onnx:DynamicQuantizeLinear-11")
def dynamic_quantize_linear(x: Array) -> tuple[Array, Array, Array]:
    low, high = x.min(initial=np.float32(0)), x.max(initial=np.float32(0))
    scale = np.float32((high - low) / np.float32(255)) if high > low else np.float32(1)
    to = element_type_of(np.empty(0, np.uint8))
    zero_point = nearest(np.asarray(-low / scale), to)
    return nearest(np.rint(x / scale) + zero_point, to), np.asarray(scale), zero_point
