"""Ops of ONNX Runtime on quantized tensors: each number is (code - zero_point) * scale."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from irops.dialects.microsoft.ops.activations import sigmoid
from irops.dialects.microsoft.ops.products import channels_first
from irops.dialects.microsoft.ops.products import channels_last as to_last
from irops.dialects.onnx.ops.quantized import (
    COLUMNS,
    ROWS,
    centered,
    check_parameter,
    dynamic_quantize_linear,
    per_row,
    q_linear_conv,
    q_linear_conv_shape,
    requantized,
)
from irops.dialects.onnx.ops.recurrent import functions_of, lstm_by, lstm_shape
from irops.dialects.onnx.ops.sliding import average_pool, average_pool_shape, max_pool_of, max_pool_shape
from irops.ops.conversion import as_numbers, converted, nearest
from irops.ops.matrix.mat_mul import mat_mul_shape
from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, ElementType, element_type, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require

F32 = element_type("f32")


def check_single(constraint: str, *parameters: Fact | None) -> None:
    """Require that scales and zero points have one element."""
    for parameter in parameters:
        require(parameter is None or parameter.shape.size.can_be(1), constraint, parameter)


def numbers_of(codes: Array, scale: Array, zero: Array | None) -> Array:
    """The numbers of codes with one scale and one zero point."""
    shift = np.float32(0) if zero is None else zero.astype(np.float32).reshape(())
    return np.asarray((codes.astype(np.float32) - shift) * scale.reshape(()).astype(np.float32))


def codes_of(numbers: Array, scale: Array, zero: Array | None, to: ElementType) -> Array:
    """The codes of numbers: rounded to nearest, ties to even; saturates."""
    shift = 0.0 if zero is None else float(zero.reshape(()))
    return nearest(np.rint(numbers / scale.reshape(()).astype(np.float32)) + np.float64(shift), to)


# Element-wise ops.


@shape("microsoft:QLinearAdd-1", "microsoft:QLinearMul-1")
def q_linear_binary_shape(
    A: Fact,
    A_scale: Fact,
    A_zero_point: Fact | None,
    B: Fact,
    B_scale: Fact,
    B_zero_point: Fact | None,
    C_scale: Fact,
    C_zero_point: Fact | None,
) -> Shape:
    check_single("C1", A_scale, A_zero_point, B_scale, B_zero_point, C_scale, C_zero_point)
    return broadcast_shapes(A.shape, B.shape, "C2")


def _binary(function: Callable[[Array, Array], Array], parts: tuple[Array | None, ...]) -> Array:
    a, a_scale, a_zero, b, b_scale, b_zero, c_scale, c_zero = parts
    assert a is not None
    assert a_scale is not None
    assert b is not None
    assert b_scale is not None
    assert c_scale is not None
    result = function(numbers_of(a, a_scale, a_zero), numbers_of(b, b_scale, b_zero))
    return codes_of(result, c_scale, c_zero, element_type_of(a))


@kernel("microsoft:QLinearAdd-1")
def q_linear_add(
    A: Array,
    A_scale: Array,
    A_zero_point: Array | None,
    B: Array,
    B_scale: Array,
    B_zero_point: Array | None,
    C_scale: Array,
    C_zero_point: Array | None,
) -> Array:
    parts = (A, A_scale, A_zero_point, B, B_scale, B_zero_point, C_scale, C_zero_point)
    return _binary(np.add, parts)


@kernel("microsoft:QLinearMul-1")
def q_linear_mul(
    A: Array,
    A_scale: Array,
    A_zero_point: Array | None,
    B: Array,
    B_scale: Array,
    B_zero_point: Array | None,
    C_scale: Array,
    C_zero_point: Array | None,
) -> Array:
    parts = (A, A_scale, A_zero_point, B, B_scale, B_zero_point, C_scale, C_zero_point)
    return _binary(np.multiply, parts)


@shape("microsoft:QLinearSigmoid-1", "microsoft:QLinearLeakyRelu-1")
def q_linear_unary_shape(
    X: Fact, X_scale: Fact, X_zero_point: Fact | None, Y_scale: Fact, Y_zero_point: Fact | None
) -> Shape:
    check_single("C1", X_scale, X_zero_point, Y_scale, Y_zero_point)
    return X.shape


@kernel("microsoft:QLinearSigmoid-1")
def q_linear_sigmoid(
    X: Array, X_scale: Array, X_zero_point: Array | None, Y_scale: Array, Y_zero_point: Array | None
) -> Array:
    result = sigmoid(numbers_of(X, X_scale, X_zero_point))
    return codes_of(result, Y_scale, Y_zero_point, element_type_of(X))


@kernel("microsoft:QLinearLeakyRelu-1")
def q_linear_leaky_relu(
    X: Array,
    X_scale: Array,
    X_zero_point: Array | None,
    Y_scale: Array,
    Y_zero_point: Array | None,
    *,
    alpha: float,
) -> Array:
    numbers = numbers_of(X, X_scale, X_zero_point)
    result = np.where(numbers >= 0, numbers, numbers * np.float32(alpha))
    return codes_of(result, Y_scale, Y_zero_point, element_type_of(X))


@shape("microsoft:QLinearSoftmax-1")
def q_linear_softmax_shape(
    X: Fact, X_scale: Fact, x_zero_point: Fact | None, y_scale: Fact, y_zero_point: Fact
) -> Shape:
    check_single("C1", X_scale, x_zero_point, y_scale, y_zero_point)
    return X.shape


@kernel("microsoft:QLinearSoftmax-1")
def q_linear_softmax(
    X: Array,
    X_scale: Array,
    x_zero_point: Array | None,
    y_scale: Array,
    y_zero_point: Array,
    *,
    axis: int,
    opset: int,
) -> Array:
    """Before opset 13, over all axes from axis on."""
    numbers = numbers_of(X, X_scale, x_zero_point)
    rows = numbers.reshape(*X.shape[:axis], -1) if opset < 13 else np.moveaxis(numbers, axis, -1)
    powers = np.exp(rows - rows.max(-1, keepdims=True, initial=-np.inf))
    shares = powers / powers.sum(-1, keepdims=True)
    shares = shares.reshape(X.shape) if opset < 13 else np.moveaxis(shares, -1, axis)
    return codes_of(shares, y_scale, y_zero_point, element_type_of(X))


@shape("microsoft:QLinearGlobalAveragePool-1")
def q_linear_global_average_pool_shape(
    X: Fact, x_scale: Fact, x_zero_point: Fact, y_scale: Fact, y_zero_point: Fact, *, channels_last: bool
) -> Shape:
    check_single("C1", x_scale, x_zero_point, y_scale, y_zero_point)
    if X.shape.rank is None:
        return UNRANKED
    kept = (0, X.shape.rank - 1) if channels_last else (0, 1)
    return Shape(size if axis in kept else 1 for axis, size in enumerate(X.shape))


@kernel("microsoft:QLinearGlobalAveragePool-1")
def q_linear_global_average_pool(
    X: Array,
    x_scale: Array,
    x_zero_point: Array,
    y_scale: Array,
    y_zero_point: Array,
    *,
    channels_last: bool,
) -> Array:
    axes = tuple(range(1, X.ndim - 1) if channels_last else range(2, X.ndim))
    mean = numbers_of(X, x_scale, x_zero_point).astype(np.float64).mean(axes, keepdims=True)
    return codes_of(mean.astype(np.float32), y_scale, y_zero_point, element_type_of(X))


@shape("microsoft:QLinearConcat-1")
def q_linear_concat_shape(Y_scale: Fact, Y_zero_point: Fact, *inputs: Fact, axis: int) -> Fact:
    require(len(inputs) > 0 and len(inputs) % 3 == 0, "C1", len(inputs))
    check_single("C2", Y_scale, Y_zero_point, *inputs[1::3], *inputs[2::3])
    tensors = [fact.shape for fact in inputs[::3]]
    rank = next((one.rank for one in tensors if one.rank is not None), None)
    if rank is None:
        return Fact(Y_zero_point.element_type, UNRANKED)
    require(-rank <= axis < rank, "C3", axis)
    sizes = [one.of_rank(rank, "C3") for one in tensors]
    dims = [
        reduce(lambda a, b: a + b, along)
        if place == axis % rank
        else reduce(lambda a, b: unify(a, b, "C3"), along)
        for place, along in enumerate(zip(*sizes))
    ]
    return Fact(Y_zero_point.element_type, Shape(dims))


@kernel("microsoft:QLinearConcat-1")
def q_linear_concat(Y_scale: Array, Y_zero_point: Array, *inputs: Array, axis: int) -> Array:
    parts = [numbers_of(*inputs[k : k + 3]) for k in range(0, len(inputs), 3)]
    return codes_of(np.concatenate(parts, axis), Y_scale, Y_zero_point, element_type_of(Y_zero_point))


# Products of matrices.


@shape("microsoft:DynamicQuantizeMatMul-1")
def dynamic_quantize_mat_mul_shape(
    A: Fact, B: Fact, b_scale: Fact, b_zero_point: Fact | None, bias: Fact | None
) -> Shape:
    for parameter in (b_scale, b_zero_point):
        check_parameter(parameter, B.shape, COLUMNS, "C3")
    return _biased(mat_mul_shape(A, B, transpose_a=False, transpose_b=False), bias)


def _biased(result: Shape, bias: Fact | None) -> Shape:
    if bias is None or result.rank is None or result.rank == 0:
        return result
    return result.with_dim(-1, unify(result[-1], bias.shape.of_rank(1, "C4")[0], "C4"))


def product_by_codes(A: Array, B: Array, b_scale: Array, b_zero: Array | None) -> Array:
    """The product of numbers, which are quantized by their range, and codes."""
    codes, scale, zero = dynamic_quantize_linear(A)
    sums = _exact(centered(codes, zero), centered(B, b_zero))
    return np.asarray(sums.astype(np.float32) * (scale * b_scale.astype(np.float32)))


def _exact(left: Array, right: Array) -> Array:
    """The product of matrices of small integers: exact in f64."""
    return np.asarray(left.astype(np.float64) @ right.astype(np.float64))


@kernel("microsoft:DynamicQuantizeMatMul-1")
def dynamic_quantize_mat_mul(
    A: Array, B: Array, b_scale: Array, b_zero_point: Array | None, bias: Array | None
) -> Array:
    result = product_by_codes(A, B, b_scale, b_zero_point)
    return result if bias is None else result + bias


@shape("microsoft:MatMulIntegerToFloat-1")
def mat_mul_integer_to_float_shape(
    A: Fact,
    B: Fact,
    a_scale: Fact,
    b_scale: Fact,
    a_zero_point: Fact | None,
    b_zero_point: Fact | None,
    bias: Fact | None,
) -> Fact:
    for parameter in (a_scale, a_zero_point):
        check_parameter(parameter, A.shape, ROWS, "C3")
    for parameter in (b_scale, b_zero_point):
        check_parameter(parameter, B.shape, COLUMNS, "C3")
    result = _biased(mat_mul_shape(A, B, transpose_a=False, transpose_b=False), bias)
    return Fact(a_scale.element_type, result)


@kernel("microsoft:MatMulIntegerToFloat-1")
def mat_mul_integer_to_float(
    A: Array,
    B: Array,
    a_scale: Array,
    b_scale: Array,
    a_zero_point: Array | None,
    b_zero_point: Array | None,
    bias: Array | None,
) -> Array:
    sums = _exact(centered(A, per_row(a_zero_point)), centered(B, b_zero_point))
    factor = np.asarray(per_row(as_numbers(a_scale))) * as_numbers(b_scale)
    result = sums.astype(np.float32) * factor
    result = result if bias is None else result + as_numbers(bias)
    return converted(np.asarray(result, np.float32).reshape(sums.shape), element_type_of(a_scale))


@shape("microsoft:QGemm-1")
def q_gemm_shape(
    A: Fact,
    a_scale: Fact,
    a_zero_point: Fact,
    B: Fact,
    b_scale: Fact,
    b_zero_point: Fact,
    C: Fact | None,
    y_scale: Fact | None,
    y_zero_point: Fact | None,
    *,
    transA: bool,
    transB: bool,
) -> Fact:
    check_single("C3", a_scale, a_zero_point, y_scale, y_zero_point)
    require((y_scale is None) == (y_zero_point is None), "C4")
    rows, depth = A.shape.of_rank(2, "C1")[:: -1 if transA else 1]
    other, columns = B.shape.of_rank(2, "C1")[:: -1 if transB else 1]
    unify(depth, other, "C1")
    for parameter in (b_scale, b_zero_point):
        require(parameter.shape.size.can_be(1) or parameter.shape.size.can_be(columns), "C3", parameter)
    result = Shape.of(rows, columns)
    if C is not None:
        unify_shapes(result, broadcast_shapes(result, C.shape, "C2"), "C2")
    return Fact(F32 if y_zero_point is None else y_zero_point.element_type, result)


@kernel("microsoft:QGemm-1")
def q_gemm(
    A: Array,
    a_scale: Array,
    a_zero_point: Array,
    B: Array,
    b_scale: Array,
    b_zero_point: Array,
    C: Array | None,
    y_scale: Array | None,
    y_zero_point: Array | None,
    *,
    alpha: float,
    transA: bool,
    transB: bool,
) -> Array:
    left = centered(A.T if transA else A, a_zero_point.reshape(()))
    columns = B.shape[0] if transB else B.shape[1]
    zero = b_zero_point.reshape(-1) if b_zero_point.size in (1, columns) else b_zero_point
    right = centered(B.T if transB else B, zero)
    sums = _exact(left, right)
    sums = sums if C is None else sums + C
    scale = np.float32(alpha) * a_scale.reshape(()) * b_scale.reshape(-1)
    if y_scale is None or y_zero_point is None:
        return np.asarray(sums.astype(np.float32) * scale, np.float32)
    return requantized(
        sums, scale / y_scale.reshape(()), y_zero_point.reshape(()), element_type_of(y_zero_point)
    )


# LSTM with weights in 8 bits, whose inputs and states are quantized by their range.


def _turned(weights: Fact) -> Fact:
    """A Fact of weights with rows and columns exchanged, as LSTM has them."""
    a, b, c = weights.shape.of_rank(3, "C4")
    return Fact(weights.element_type, Shape.of(a, c, b))


@shape("microsoft:DynamicQuantizeLSTM-1")
def dynamic_quantize_lstm_shape(
    X: Fact,
    W: Fact,
    R: Fact,
    B: Fact | None,
    sequence_lens: Fact | None,
    initial_h: Fact | None,
    initial_c: Fact | None,
    P: Fact | None,
    W_scale: Fact,
    W_zero_point: Fact,
    R_scale: Fact,
    R_zero_point: Fact,
    **attributes: Any,
) -> tuple[Shape, ...]:
    for parameter in (W_scale, W_zero_point, R_scale, R_zero_point):
        known = parameter.shape.rank
        require(known is None or known in (1, 2), "C7", parameter)
        unify(parameter.shape[0], W.shape[0], "C7")
        if known == 2:
            unify(parameter.shape[1], W.shape[2], "C7")
    return lstm_shape(X, _turned(W), _turned(R), B, sequence_lens, initial_h, initial_c, P, **attributes)


@kernel("microsoft:DynamicQuantizeLSTM-1")
def dynamic_quantize_lstm(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    sequence_lens: Array | None,
    initial_h: Array | None,
    initial_c: Array | None,
    P: Array | None,
    W_scale: Array,
    W_zero_point: Array,
    R_scale: Array,
    R_zero_point: Array,
    *,
    activations: tuple[str, ...] | None,
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
    direction: str,
    input_forget: bool,
) -> tuple[Array, ...]:
    """The inputs of all steps are quantized together, states step by step."""
    count, width = len(W), W.shape[2]
    rows = X.reshape(-1, X.shape[2])
    of_inputs = [product_by_codes(rows, W[k], W_scale[k], W_zero_point[k]) for k in range(count)]
    products = np.concatenate(of_inputs, 1).reshape(*X.shape[:2], -1)

    def sums(k: int, x: Array, hidden: Array) -> Array:
        of_state = product_by_codes(hidden, R[k], R_scale[k], R_zero_point[k])
        return x[:, k * width : (k + 1) * width] + of_state

    return lstm_by(
        sums,
        products,
        R.shape[1],
        (B, sequence_lens, initial_h, initial_c, P),
        functions_of(4, count, activations, activation_alpha, activation_beta),
        clip=clip,
        direction=direction,
        layout=0,
        input_forget=input_forget,
    )


# Convolutions and pooling of images, whose channels may lie on the last axis.


def _moved(fact: Fact, channels_last: bool) -> Fact:
    return channels_first(fact) if channels_last else fact


@shape("microsoft:QLinearConv-1")
def q_linear_conv_of_images_shape(
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
    channels_last: bool,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Fact:
    found = q_linear_conv_shape(
        _moved(x, channels_last),
        x_scale,
        x_zero_point,
        w,
        w_scale,
        w_zero_point,
        y_scale,
        y_zero_point,
        B,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return Fact(found.element_type, to_last(found.shape)) if channels_last else found


@kernel("microsoft:QLinearConv-1")
def q_linear_conv_of_images(
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
    channels_last: bool,
    dilations: tuple[int, ...] | None,
    group: int,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Array:
    result = q_linear_conv(
        np.moveaxis(x, -1, 1) if channels_last else x,
        x_scale,
        x_zero_point,
        w,
        w_scale,
        w_zero_point,
        y_scale,
        y_zero_point,
        B,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        pads=pads,
        strides=strides,
    )
    return np.ascontiguousarray(np.moveaxis(result, 1, -1)) if channels_last else result


@shape("microsoft:QLinearAveragePool-1")
def q_linear_average_pool_shape(
    X: Fact,
    x_scale: Fact,
    x_zero_point: Fact | None,
    y_scale: Fact,
    y_zero_point: Fact | None,
    *,
    auto_pad: str,
    ceil_mode: bool,
    channels_last: bool,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Shape:
    check_single("C1", x_scale, x_zero_point, y_scale, y_zero_point)
    found = average_pool_shape(
        _moved(X, channels_last),
        kernel_shape=kernel_shape,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        ceil_mode=ceil_mode,
    )
    return to_last(found) if channels_last else found


@kernel("microsoft:QLinearAveragePool-1")
def q_linear_average_pool(
    X: Array,
    x_scale: Array,
    x_zero_point: Array | None,
    y_scale: Array,
    y_zero_point: Array | None,
    *,
    auto_pad: str,
    ceil_mode: bool,
    channels_last: bool,
    count_include_pad: bool,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Array:
    numbers = numbers_of(X, x_scale, x_zero_point)
    means = average_pool(
        np.moveaxis(numbers, -1, 1) if channels_last else numbers,
        kernel_shape=kernel_shape,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
    )
    means = np.ascontiguousarray(np.moveaxis(means, 1, -1)) if channels_last else means
    return codes_of(means, y_scale, y_zero_point, element_type_of(X))


@shape("microsoft:NhwcMaxPool-1")
def nhwc_max_pool_shape(
    x: Fact,
    *,
    auto_pad: str,
    ceil_mode: bool,
    dilations: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Shape:
    found, _ = max_pool_shape(
        channels_first(x),
        kernel_shape=kernel_shape,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        dilations=dilations,
        ceil_mode=ceil_mode,
    )
    assert isinstance(found, Shape)
    return to_last(found)


@kernel("microsoft:NhwcMaxPool-1")
def nhwc_max_pool(
    x: Array,
    *,
    auto_pad: str,
    ceil_mode: bool,
    dilations: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Array:
    best, _ = max_pool_of(
        np.ascontiguousarray(np.moveaxis(x, -1, 1)),
        kernel_shape=kernel_shape,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        dilations=dilations,
        ceil_mode=ceil_mode,
        storage_order=0,
    )
    return np.ascontiguousarray(np.moveaxis(best, 1, -1))
