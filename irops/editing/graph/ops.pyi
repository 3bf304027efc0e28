"""graph.ops: the ops of a graph's opset; made by python tests/support/graph_stub.py."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np

from irops.editing.graph.base import Base
from irops.editing.graph.node import Value
from irops.values.element import Array, TypeLike
from irops.values.shape import Shape

class Tensor(Protocol):
    def __dlpack__(self, *args: Any, **keywords: Any) -> Any: ...

Operand = Value | Array | np.generic | Tensor | Sequence[Any] | float | bool | str
"""A Value; or what becomes a constant: an array of any library, a number, nested lists."""

class Ops:
    def __init__(self, graph: Base) -> None: ...
    def Abs(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Abs-1: Compute |data|, the absolute value, element by element.

        data: The numbers.
        """
    def Acos(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Acos-1: Compute arccos(data), the inverse cosine, element by element.

        data: Numbers from -1 to 1.
        """
    def Acosh(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Acosh-4: Compute arcosh(data), the inverse hyperbolic cosine, element by element.

        data: Numbers of 1 or more.
        """
    def AdaptiveAvgPool(
        self,
        data: Operand,
        output_shape: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """AdaptiveAvgPool-8: Compute the mean over windows chosen so that the output has the given spatial
        size.

        data: The input of shape [batch, channels, spatial axes...], with one to three spatial axes.
        output_shape: The output size along each spatial axis.
        """
    def AdaptiveMaxPool(
        self,
        data: Operand,
        output_shape: Operand,
        *,
        index_element_type: TypeLike | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """AdaptiveMaxPool-8: Compute the maximum over windows chosen so that the output has the given
        spatial size, and its index.

        data: The input of shape [batch, channels, spatial axes...], with one to three spatial axes.
        output_shape: The output size along each spatial axis.
        index_element_type: The element type of indices. Default: i64.
        """
    def Add(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Add-1: Compute a + b element by element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def Asin(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Asin-1: Compute arcsin(data), the inverse sine, element by element.

        data: Numbers from -1 to 1.
        """
    def Asinh(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Asinh-4: Compute arsinh(data), the inverse hyperbolic sine, element by element.

        data: The numbers.
        """
    def Assign(
        self,
        new_value: Operand,
        *,
        variable_id: str,
        name: str | None = None,
    ) -> Value:
        """Assign-6: Store a value in a state variable, to be read by ReadValue in the next inference.

        new_value: The value to store.
        variable_id: The name of the variable.
        """
    def Atan(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Atan-1: Compute arctan(data), the inverse tangent, element by element.

        data: The numbers.
        """
    def Atanh(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Atanh-4: Compute artanh(data), the inverse hyperbolic tangent, element by element.

        data: Numbers from -1 to 1.
        """
    def AvgPool(
        self,
        data: Operand,
        *,
        strides: Sequence[int],
        pads_begin: Sequence[int],
        pads_end: Sequence[int],
        kernel: Sequence[int],
        exclude_pad: bool,
        dilations: Sequence[int] | None = None,
        rounding_type: Literal['floor', 'ceil', 'ceil_torch'] | None = None,
        auto_pad: Literal['explicit', 'same_upper', 'same_lower', 'valid'] | None = None,
        name: str | None = None,
    ) -> Value:
        """AvgPool-16: Compute the mean over a sliding window.

        data: The input of shape [batch, channels, spatial axes...], with one to three spatial axes.
        strides: The step of the sliding window along each spatial axis.
        dilations: The distance between neighbouring elements of the window along each spatial axis;
            empty: 1 along each. Default: .
        pads_begin: The number of zeros added before data along each spatial axis; used only if
            auto_pad is explicit.
        pads_end: The number of elements of padding after data along each spatial axis; used only if
            auto_pad is explicit.
        kernel: The size of the window along each spatial axis.
        exclude_pad: Whether padding is excluded from the number by which the sum is divided.
        rounding_type: How the output size is rounded if the stride does not divide the remaining
            length. floor: down, so that elements at the end may be covered by no window. ceil: up.
            ceil_torch: up, unless the last window would begin after the last element. Default:
            floor.
        auto_pad: How the padding is chosen. explicit: as given by pads_begin and pads_end.
            same_upper, same_lower: as much as makes the output size ceil(size / stride); an odd
            element is added at the end (same_upper) or at the beginning (same_lower). valid: no
            padding. Default: explicit.
        """
    def BGRtoNV12(
        self,
        data: Operand,
        *,
        single_plane: bool | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """BGRtoNV12-17: Convert images from BGR to NV12.

        data: The images, of shape [N, H, W, 3]; the channels are blue, green, red.
        single_plane: Whether the output is one plane that holds Y, U and V, instead of two planes.
            Default: true.
        """
    def BatchNormInference(
        self,
        data: Operand,
        gamma: Operand,
        beta: Operand,
        mean: Operand,
        variance: Operand,
        *,
        epsilon: float,
        name: str | None = None,
    ) -> Value:
        """BatchNormInference-5: Normalize each channel with a given mean and variance: gamma * (data -
        mean) / sqrt(variance + epsilon) + beta.

        data: The tensor to normalize: [batch, channels, ...].
        gamma: The factor of each channel.
        beta: The offset of each channel.
        mean: The mean of each channel.
        variance: The variance of each channel.
        epsilon: A small number added to the variance to avoid division by zero.
        """
    def BatchToSpace(
        self,
        data: Operand,
        block_shape: Operand,
        crops_begin: Operand,
        crops_end: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """BatchToSpace-2: Rearrange the batch dimension into spatial blocks.

        data: Batch items, then the axes along which blocks are put together.
        block_shape: The length of a block along each axis; 1 along the first.
        crops_begin: The number of elements to remove at the beginning of each axis; 0 along the
            first.
        crops_end: The number of elements to remove at the end of each axis; 0 along the first.
        """
    def BinaryConvolution(
        self,
        data: Operand,
        filters: Operand,
        *,
        strides: Sequence[int],
        dilations: Sequence[int],
        pads_begin: Sequence[int],
        pads_end: Sequence[int],
        mode: Literal['xnor-popcount'],
        pad_value: float,
        auto_pad: Literal['explicit', 'same_upper', 'same_lower', 'valid'] | None = None,
        name: str | None = None,
    ) -> Value:
        """BinaryConvolution-1: Compute a 2D convolution of binary data with binary filters: at each
        position, the number of equal bits minus the number of different bits.

        data: The input of shape [batch, input channels, height, width]; its values are 0 and 1.
        filters: The filters of shape [output channels, input channels, kernel height, kernel
            width].
        strides: The step of the sliding window along each spatial axis.
        dilations: The distance between neighbouring elements of a filter along each spatial axis; 1
            means no gaps.
        pads_begin: The number of elements of padding before data along each spatial axis; used only
            if auto_pad is explicit.
        pads_end: The number of elements of padding after data along each spatial axis; used only if
            auto_pad is explicit.
        mode: How two bits are combined. xnor-popcount: equal bits give 1, different bits -1.
        pad_value: The value of the padding: 0, 1, or another number, which equals no bit.
        auto_pad: How the padding is chosen. explicit: as given by pads_begin and pads_end.
            same_upper, same_lower: as much as makes the output size ceil(size / stride); an odd
            element is added at the end (same_upper) or at the beginning (same_lower). valid: no
            padding. Default: explicit.
        """
    def BitwiseAnd(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """BitwiseAnd-13: Compute the bitwise AND of two tensors element by element: a & b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def BitwiseLeftShift(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """BitwiseLeftShift-15: Shift the bits of every element of a to the left by b positions: a * 2^b.

        a: The elements to shift; with pdpd, the output has its shape.
        b: The number of positions by which to shift.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def BitwiseNot(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """BitwiseNot-13: Invert all bits of a tensor element by element: ~data.

        data: Integers or booleans.
        """
    def BitwiseOr(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """BitwiseOr-13: Compute the bitwise OR of two tensors element by element: a | b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def BitwiseRightShift(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """BitwiseRightShift-15: Shift the bits of every element of a to the right by b positions: floor(a /
        2^b).

        a: The elements to shift; with pdpd, the output has its shape.
        b: The number of positions by which to shift.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def BitwiseXor(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """BitwiseXor-13: Compute the bitwise exclusive OR of two tensors element by element: a ^ b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def Broadcast(
        self,
        data: Operand,
        target_shape: Operand,
        axes_mapping: Operand | None = None,
        *,
        mode: Literal['numpy', 'explicit', 'bidirectional'] | None = None,
        name: str | None = None,
    ) -> Value:
        """Broadcast-3: Broadcast a tensor to a target shape.

        data: The tensor to broadcast.
        target_shape: The shape of the output; in bidirectional mode, the shape to broadcast with
            that of data.
        axes_mapping: In explicit mode, the output axis of each axis of data.
        mode: How the axes of data are mapped to axes of the output. Default: numpy.
        """
    def Bucketize(
        self,
        data: Operand,
        buckets: Operand,
        *,
        output_type: TypeLike | None = None,
        with_right_bound: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """Bucketize-3: Find the index of the bucket, delimited by sorted boundaries, that each number falls
        into.

        data: The numbers.
        buckets: The boundaries, in ascending order.
        output_type: The element type of the output. Default: i64.
        with_right_bound: Whether each bucket includes its right boundary (true) or its left
            boundary (false). Default: true.
        """
    def CTCGreedyDecoder(
        self,
        data: Operand,
        sequence_mask: Operand,
        *,
        ctc_merge_repeated: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """CTCGreedyDecoder-1: Decode CTC output greedily: take the most probable class of each step, merge
        repeats and drop blanks.

        data: The scores of the classes: [steps, batch, classes].
        sequence_mask: Which steps belong to the sequence: [steps, batch].
        ctc_merge_repeated: Whether consecutive steps with the same class give one label. Default:
            true.
        """
    def CTCGreedyDecoderSeqLen(
        self,
        data: Operand,
        sequence_length: Operand,
        blank_index: Operand | None = None,
        *,
        merge_repeated: bool | None = None,
        classes_index_type: TypeLike | None = None,
        sequence_length_type: TypeLike | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """CTCGreedyDecoderSeqLen-6: Decode CTC output greedily: take the most probable class of each step,
        merge repeats, drop blanks, and return the label count.

        data: The scores of the classes: [batch, steps, classes].
        sequence_length: The number of valid steps of each sequence: [batch].
        blank_index: The index of the blank class; the last class if not given.
        merge_repeated: Whether consecutive steps with the same class give one label. Default: true.
        classes_index_type: The element type of decoded_classes. Default: i32.
        sequence_length_type: The element type of decoded_lengths. Default: i32.
        """
    def CTCLoss(
        self,
        logits: Operand,
        logit_length: Operand,
        labels: Operand,
        label_length: Operand,
        blank_index: Operand | None = None,
        *,
        preprocess_collapse_repeated: bool | None = None,
        ctc_merge_repeated: bool | None = None,
        unique: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """CTCLoss-4: Compute the CTC loss: the negative log-probability of a sequence of labels, given the
        logits of the classes at each step.

        logits: The logits: [batch, steps, classes], the blank among the classes.
        logit_length: The number of valid steps of each item: [batch].
        labels: The labels of each item: [batch, steps].
        label_length: The number of valid labels of each item: [batch].
        blank_index: The index of the blank class; the last class if not given.
        preprocess_collapse_repeated: Whether each run of consecutive equal labels is merged into
            one label to form the target. Default: false.
        ctc_merge_repeated: Whether each run of consecutive equal classes in a path is merged into
            one label. Default: true.
        unique: Whether only the first of all equal labels is kept in the target;
            preprocess_collapse_repeated then has no effect. Default: false.
        """
    def Ceiling(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Ceiling-1: Compute ceil(data) element by element: round up to the nearest integer.

        data: The numbers.
        """
    def Clamp(
        self,
        data: Operand,
        *,
        min: float,
        max: float,
        name: str | None = None,
    ) -> Value:
        """Clamp-1: Limit every element to the range from min to max: min(max(data, min), max).

        data: The input tensor.
        min: The lower bound.
        max: The upper bound.
        """
    def Col2Im(
        self,
        data: Operand,
        output_size: Operand,
        kernel_size: Operand,
        *,
        strides: Sequence[int] | None = None,
        dilations: Sequence[int] | None = None,
        pads_begin: Sequence[int] | None = None,
        pads_end: Sequence[int] | None = None,
        name: str | None = None,
    ) -> Value:
        """Col2Im-15: Combine blocks, stored as columns, into an image, and sum them where they overlap (the
        inverse of im2col).

        data: The blocks: batch items (optional axis), channels times elements of a block, blocks.
        output_size: The number of rows and columns of the image.
        kernel_size: The number of rows and columns of a block.
        strides: The distance between the beginnings of adjacent blocks: rows, columns. Default:
            1,1.
        dilations: The distance between adjacent elements of a block: rows, columns. Default: 1,1.
        pads_begin: The padding above and to the left of the image: rows, columns. Default: 0,0.
        pads_end: The padding below and to the right of the image: rows, columns. Default: 0,0.
        """
    def Concat(
        self,
        *inputs: Operand,
        axis: int,
        name: str | None = None,
    ) -> Value:
        """Concat-1: Concatenate tensors along an axis.

        inputs: The tensors to concatenate, one or more.
        axis: The axis along which to concatenate; a negative axis counts from the last one.
        """
    def Convert(
        self,
        data: Operand,
        *,
        destination_type: TypeLike,
        name: str | None = None,
    ) -> Value:
        """Convert-1: Convert the elements of a tensor to another element type.

        data: The tensor to convert.
        destination_type: The element type of the output.
        """
    def ConvertLike(
        self,
        data: Operand,
        like: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """ConvertLike-1: Convert the elements of a tensor to the element type of another tensor.

        data: The tensor to convert.
        like: A tensor of the destination type.
        """
    def ConvertPromoteTypes(
        self,
        input_0: Operand,
        input_1: Operand,
        *,
        promote_unsafe: bool | None = None,
        pytorch_scalar_promotion: bool | None = None,
        u64_integer_promotion_target: TypeLike | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """ConvertPromoteTypes-14: Convert two tensors to a common element type.

        input_0: The first tensor.
        input_1: The second tensor.
        promote_unsafe: Whether to allow promotions that may lose precision, or that give a type
            that neither input has. Default: false.
        pytorch_scalar_promotion: Whether a scalar is converted to the type of the other input if
            both types are floating-point or both are integers, as in PyTorch. Default: false.
        u64_integer_promotion_target: The common type of u64 and a signed integer type. Default:
            f32.
        """
    def Convolution(
        self,
        data: Operand,
        filters: Operand,
        *,
        strides: Sequence[int],
        dilations: Sequence[int],
        pads_begin: Sequence[int],
        pads_end: Sequence[int],
        auto_pad: Literal['explicit', 'same_upper', 'same_lower', 'valid'] | None = None,
        name: str | None = None,
    ) -> Value:
        """Convolution-1: Compute a 1D, 2D or 3D convolution (cross-correlation) of data with filters.

        data: The input of shape [batch, input channels, spatial axes...], with one to three spatial
            axes.
        filters: The filters of shape [output channels, input channels, kernel size along each
            spatial axis...].
        strides: The step of the sliding window along each spatial axis.
        dilations: The distance between neighbouring elements of a filter along each spatial axis; 1
            means no gaps.
        pads_begin: The number of zeros added before data along each spatial axis; used only if
            auto_pad is explicit.
        pads_end: The number of zeros added after data along each spatial axis; used only if
            auto_pad is explicit.
        auto_pad: How the padding is chosen. explicit: as given by pads_begin and pads_end.
            same_upper, same_lower: as many zeros as make the output size ceil(size / stride); an
            odd zero is added at the end (same_upper) or at the beginning (same_lower). valid: no
            padding. Default: explicit.
        """
    def ConvolutionBackpropData(
        self,
        data: Operand,
        filters: Operand,
        output_shape: Operand | None = None,
        *,
        strides: Sequence[int],
        pads_begin: Sequence[int],
        pads_end: Sequence[int],
        dilations: Sequence[int],
        auto_pad: Literal['explicit', 'same_upper', 'same_lower', 'valid'] | None = None,
        output_padding: Sequence[int] | None = None,
        name: str | None = None,
    ) -> Value:
        """ConvolutionBackpropData-1: Compute a transposed convolution (deconvolution), the gradient of
        Convolution with respect to its input.

        data: The input of shape [batch, input channels, spatial axes...], with one to three spatial
            axes.
        filters: The filters of shape [input channels, output channels, kernel size along each
            spatial axis...].
        output_shape: The sizes of the spatial axes of the output.
        strides: The distance in the output between the contributions of neighbouring elements of
            data, along each spatial axis.
        pads_begin: The number of elements removed from the beginning of each spatial axis of the
            output; used only if auto_pad is explicit.
        pads_end: The number of elements removed from the end of each spatial axis of the output;
            used only if auto_pad is explicit.
        dilations: The distance between neighbouring elements of a filter along each spatial axis; 1
            means no gaps.
        auto_pad: How many elements are removed from the output. explicit: as given by pads_begin
            and pads_end. valid: none. same_upper, same_lower: if output_shape is given, as many as
            exceed it, half of them at each end, an odd one at the beginning (same_upper) or at the
            end (same_lower); otherwise none. Default: explicit.
        output_padding: The number of elements added at the end of each spatial axis of the output;
            empty: 0. Default: .
        """
    def Cos(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Cos-1: Compute cos(data) element by element.

        data: Angles in radians.
        """
    def Cosh(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Cosh-1: Compute cosh(data), the hyperbolic cosine, element by element.

        data: The numbers.
        """
    def CumSum(
        self,
        data: Operand,
        axis: Operand | None = None,
        *,
        exclusive: bool | None = None,
        reverse: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """CumSum-3: Compute cumulative sums along an axis.

        data: The numbers.
        axis: The axis to sum along; a negative axis counts from the last one. 0 if the input is not
            given.
        exclusive: Whether the sum at a position leaves out the element at that position. Default:
            false.
        reverse: Whether to sum from the end of the axis. Default: false.
        """
    def DFT(
        self,
        data: Operand,
        axes: Operand,
        signal_size: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """DFT-7: Compute the discrete Fourier transform of a complex signal over the given axes.

        data: The signal: complex numbers, with real and imaginary part along the last axis.
        axes: The axes to transform, numbered without the last axis of data; negative values count
            from the end of these.
        signal_size: The size to which each axis in axes is cropped or zero-padded at its end before
            the transform; -1: its size in data.
        """
    def DeformableConvolution(
        self,
        data: Operand,
        offsets: Operand,
        filters: Operand,
        mask: Operand | None = None,
        *,
        strides: Sequence[int],
        dilations: Sequence[int],
        pads_begin: Sequence[int],
        pads_end: Sequence[int],
        auto_pad: Literal['explicit', 'same_upper', 'same_lower', 'valid'] | None = None,
        group: int | None = None,
        deformable_group: int | None = None,
        bilinear_interpolation_pad: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """DeformableConvolution-8: Compute a 2D convolution in which every filter element reads data at a
        position shifted by an offset.

        data: The input of shape [batch, input channels, height, width].
        offsets: The offset of each filter element at each output position, of shape [batch,
            deformable_group * kernel height * kernel width * 2, output height, output width]. For
            each deformable group and each filter element, the first channel holds the vertical
            offset, the second the horizontal one.
        filters: The filters of shape [output channels, input channels / group, kernel height,
            kernel width].
        mask: The factors by which the sampled values are multiplied, of shape [batch,
            deformable_group * kernel height * kernel width, output height, output width]. Without
            it every factor is 1.
        strides: The step of the sliding window along each spatial axis.
        dilations: The distance between neighbouring elements of a filter, before offsets are added,
            along each spatial axis; 1 means no gaps.
        pads_begin: The number of zeros added before data along each spatial axis; used only if
            auto_pad is explicit.
        pads_end: The number of zeros added after data along each spatial axis; used only if
            auto_pad is explicit.
        auto_pad: How the padding is chosen. explicit: as given by pads_begin and pads_end.
            same_upper, same_lower: as many zeros as make the output size ceil(size / stride); an
            odd zero is added at the end (same_upper) or at the beginning (same_lower). valid: no
            padding. Default: explicit.
        group: The number of groups into which input channels and filters are divided; a filter
            reads only the channels of its group. Default: 1.
        deformable_group: The number of groups into which input channels are divided; the channels
            of a group share offsets. Default: 1.
        bilinear_interpolation_pad: How data is sampled less than one step outside its bounds. true:
            data is treated as padded with zeros, so that values fall linearly to 0 on all sides.
            false: a position between the last element and the size gives the last element, a
            position before the first element gives 0. Default: false.
        """
    def DeformablePSROIPooling(
        self,
        data: Operand,
        rois: Operand,
        offsets: Operand | None = None,
        *,
        output_dim: int,
        spatial_scale: float,
        group_size: int | None = None,
        mode: Literal['bilinear_deformable'] | None = None,
        spatial_bins_x: int | None = None,
        spatial_bins_y: int | None = None,
        trans_std: float | None = None,
        part_size: int | None = None,
        name: str | None = None,
    ) -> Value:
        """DeformablePSROIPooling-1: Apply deformable position-sensitive RoI pooling: reduce regions to a
        fixed size, with one channel and one learned offset for each bin.

        data: Feature maps, of shape [batch, channels, rows, columns].
        rois: Regions, of shape [regions, 5]: batch index, x_1, y_1, x_2, y_2.
        offsets: Shifts of the bins as fractions of the box size, of shape [regions, 2 * classes,
            part_size, part_size]; x before y for each class.
        output_dim: The number of output channels.
        spatial_scale: The factor from image coordinates, in which boxes are given, to elements of
            data.
        group_size: The number of rows and of columns of the output. Default: 1.
        mode: The only mode. Default: bilinear_deformable.
        spatial_bins_x: The number of points per bin along the row. Default: 1.
        spatial_bins_y: The number of points per bin along the column. Default: 1.
        trans_std: The factor by which offsets are multiplied. Default: 1.
        part_size: The number of rows and of columns of offsets. Default: 1.
        """
    def DepthToSpace(
        self,
        data: Operand,
        *,
        mode: Literal['blocks_first', 'depth_first'],
        block_size: int | None = None,
        name: str | None = None,
    ) -> Value:
        """DepthToSpace-1: Rearrange channels into spatial blocks.

        data: Batch items, channels, and spatial axes.
        block_size: The length of a block along each spatial axis. Default: 1.
        mode: The order of the channels of data: the channels of one position in the block are
            adjacent (blocks_first), or the channels that form one block are adjacent (depth_first).
        """
    def DetectionOutput(
        self,
        box_logits: Operand,
        class_preds: Operand,
        proposals: Operand,
        aux_class_preds: Operand | None = None,
        aux_box_preds: Operand | None = None,
        *,
        keep_top_k: Sequence[int],
        nms_threshold: float,
        background_label_id: int | None = None,
        top_k: int | None = None,
        variance_encoded_in_target: bool | None = None,
        code_type: Literal['caffe.PriorBoxParameter.CORNER', 'caffe.PriorBoxParameter.CENTER_SIZE'] | None = None,
        share_location: bool | None = None,
        confidence_threshold: float | None = None,
        clip_after_nms: bool | None = None,
        clip_before_nms: bool | None = None,
        decrease_label_id: bool | None = None,
        normalized: bool | None = None,
        input_height: int | None = None,
        input_width: int | None = None,
        objectness_score: float | None = None,
        name: str | None = None,
    ) -> Value:
        """DetectionOutput-8: Decode the outputs of a single-shot detector (SSD) into detections, with non-
        maximum suppression for each class.

        box_logits: Logits, of shape [images, prior boxes * 4], or [images, prior boxes * classes *
            4] without share_location.
        class_preds: Class scores, of shape [images, prior boxes * classes].
        proposals: Prior boxes, of shape [images or 1, rows, prior boxes * (4 or 5)]; the first row
            holds corners, the second variances.
        aux_class_preds: For each prior box the probability of no object and that of an object, of
            shape [images, prior boxes * 2].
        aux_box_preds: Logits that refine the prior boxes before box_logits is applied, in the shape
            of box_logits.
        background_label_id: The label of the background class; -1 if there is none. Default: 0.
        top_k: The maximum number of boxes per class (with decrease_label_id, of all classes
            together) that enter non-maximum suppression; -1: no limit. Default: -1.
        variance_encoded_in_target: Whether the logits already include the variances, so that
            proposals has none. Default: false.
        keep_top_k: The maximum number of detections per image; -1: no limit. Only the first value
            is used.
        code_type: What the logits describe: the corners of a box, or its centre and its sides.
            Default: caffe.PriorBoxParameter.CORNER.
        share_location: Whether one set of logits applies to all classes. Default: true.
        nms_threshold: A box is dropped if it overlaps a better one by more than this value.
        confidence_threshold: Boxes are used if their score is greater than this value; with
            decrease_label_id also if it is equal. Default: 0.
        clip_after_nms: Whether the corners of detections are clipped to [0, 1]. Default: false.
        clip_before_nms: Whether the corners of boxes are clipped to [0, 1] before non-maximum
            suppression. Default: false.
        decrease_label_id: Whether boxes are selected as in MXNet: each only for its best class,
            with class 0 as the background, and labels in the output decreased by 1. Otherwise boxes
            are selected as in Caffe: independently for each class. Default: false.
        normalized: Whether prior boxes are given as fractions of the image, with four numbers each.
            Otherwise they are given in pixels, with five numbers each, the first of which is a
            batch index. Default: false.
        input_height: The height of the image in pixels, if prior boxes are not normalized. Default:
            1.
        input_width: The width of the image in pixels, if prior boxes are not normalized. Default:
            1.
        objectness_score: Prior boxes whose object probability in aux_class_preds is less than this
            value contain no object: the score of the background becomes 1, that of all other
            classes 0. Default: 0.
        """
    def Divide(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        m_pythondiv: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """Divide-1: Compute a / b element by element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        m_pythondiv: Whether quotients of integers are rounded down (true) or toward zero (false).
            Default: true.
        """
    def Einsum(
        self,
        *inputs: Operand,
        equation: str,
        name: str | None = None,
    ) -> Value:
        """Einsum-7: Sum products of tensors over axes specified by an equation (Einstein summation).

        inputs: The tensors to multiply.
        equation: The labels of each input, separated by commas, then -> and the labels of the
            output. Labels are case-sensitive letters; spaces are ignored. Without ->, the output
            has the ellipsis, if there is one, followed by the labels that occur exactly once, in
            ASCII order (upper case first).
        """
    def Elu(
        self,
        data: Operand,
        *,
        alpha: float,
        name: str | None = None,
    ) -> Value:
        """Elu-1: Apply the exponential linear unit element by element: data where data > 0, else alpha *
        (exp(data) - 1).

        data: The input tensor.
        alpha: The scale of the negative branch; the output approaches -alpha for large negative
            inputs.
        """
    def EmbeddingBagOffsets(
        self,
        emb_table: Operand,
        indices: Operand,
        offsets: Operand,
        default_index: Operand | None = None,
        per_sample_weights: Operand | None = None,
        *,
        reduction: Literal['sum', 'mean'] | None = None,
        name: str | None = None,
    ) -> Value:
        """EmbeddingBagOffsets-15: Compute the sum or mean of embedding table rows for each bag of indices;
        bags are given by their offsets.

        emb_table: The embedding table: its first axis counts rows, which may have any shape.
        indices: The row indices of all bags, concatenated.
        offsets: The position in indices at which each bag starts.
        default_index: The row returned for an empty bag; -1, or not given: zeros.
        per_sample_weights: The weight of each index; 1 if not given.
        reduction: Whether a bag gives the sum or the mean of its rows. Default: sum.
        """
    def EmbeddingBagOffsetsSum(
        self,
        emb_table: Operand,
        indices: Operand,
        offsets: Operand,
        default_index: Operand | None = None,
        per_sample_weights: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """EmbeddingBagOffsetsSum-3: Compute the sum of embedding table rows for each bag of indices; bags
        are given by their offsets.

        emb_table: The embedding table: its first axis counts rows, which may have any shape.
        indices: The row indices of all bags, concatenated.
        offsets: The position in indices at which each bag starts.
        default_index: The row returned for an empty bag; -1, or not given: zeros.
        per_sample_weights: The weight of each index; 1 if not given.
        """
    def EmbeddingBagPacked(
        self,
        emb_table: Operand,
        indices: Operand,
        per_sample_weights: Operand | None = None,
        *,
        reduction: Literal['sum', 'mean'] | None = None,
        name: str | None = None,
    ) -> Value:
        """EmbeddingBagPacked-15: Compute the sum or mean of embedding table rows for each bag of indices;
        all bags have the same size.

        emb_table: The embedding table: its first axis counts rows, which may have any shape.
        indices: The row indices, of shape [bags, indices per bag].
        per_sample_weights: The weight of each index; 1 if not given.
        reduction: Whether a bag gives the sum or the mean of its rows. Default: sum.
        """
    def EmbeddingBagPackedSum(
        self,
        emb_table: Operand,
        indices: Operand,
        per_sample_weights: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """EmbeddingBagPackedSum-3: Compute the sum of embedding table rows for each bag of indices; all
        bags have the same size.

        emb_table: The embedding table: its first axis counts rows, which may have any shape.
        indices: The row indices, of shape [bags, indices per bag].
        per_sample_weights: The weight of each index; 1 if not given.
        """
    def EmbeddingSegmentsSum(
        self,
        emb_table: Operand,
        indices: Operand,
        segment_ids: Operand,
        num_segments: Operand,
        default_index: Operand | None = None,
        per_sample_weights: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """EmbeddingSegmentsSum-3: Compute the sum of embedding table rows for each segment of indices.

        emb_table: The embedding table: its first axis counts rows, which may have any shape.
        indices: The row indices.
        segment_ids: The segment of each index.
        num_segments: The number of segments.
        default_index: The row returned for an empty segment; -1, or not given: zeros.
        per_sample_weights: The weight of each index; 1 if not given.
        """
    def Equal(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Equal-1: Compare two tensors element by element for equality: a == b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def Erf(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Erf-1: Compute erf(data), the error function, element by element.

        data: The numbers.
        """
    def ErfInv(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """ErfInv-17: Compute erfinv(data), the inverse of the error function, element by element.

        data: Numbers from -1 to 1.
        """
    def Exp(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Exp-1: Compute the exponential function element by element: exp(data).

        data: The input tensor.
        """
    def ExperimentalDetectronDetectionOutput(
        self,
        rois: Operand,
        deltas: Operand,
        scores: Operand,
        im_info: Operand,
        *,
        score_threshold: float,
        nms_threshold: float,
        num_classes: int,
        post_nms_count: int,
        max_detections_per_image: int,
        max_delta_log_wh: float,
        deltas_weights: Sequence[float],
        class_agnostic_box_regression: bool | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """ExperimentalDetectronDetectionOutput-6: Compute the detections of one image from regions, deltas
        and scores, with non-maximum suppression for each class (Detectron).

        rois: Regions, of shape [regions, 4]: x1, y1, x2, y2.
        deltas: Deltas, of shape [regions, num_classes * 4]: dx, dy, dw, dh for each class; dw and
            dh are logarithms of factors.
        scores: Scores, of shape [regions, num_classes].
        im_info: Height, width and scale of the image, of shape [1, 3]. No kernel reads this input.
        score_threshold: A box is kept only if its score is greater than this value.
        nms_threshold: A box is dropped if it overlaps a better one by more than this value.
        num_classes: The number of classes, including the background, which is class 0.
        post_nms_count: The maximum number of boxes kept for each class.
        max_detections_per_image: The number of rows of the outputs.
        class_agnostic_box_regression: Whether predictions for the background are left out. No
            kernel reads this attribute: predictions for the background are always ignored. Default:
            false.
        max_delta_log_wh: The upper limit of dw and dh.
        deltas_weights: The divisors of dx, dy, dw and dh.
        """
    def ExperimentalDetectronGenerateProposalsSingleImage(
        self,
        im_info: Operand,
        anchors: Operand,
        deltas: Operand,
        scores: Operand,
        *,
        min_size: float,
        nms_threshold: float,
        pre_nms_count: int,
        post_nms_count: int,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """ExperimentalDetectronGenerateProposalsSingleImage-6: Generate region proposals for one image:
        decode anchors and select the best boxes by non-maximum suppression (Detectron).

        im_info: Height, width and scale of the image; the scale is not used.
        anchors: Anchors, of shape [rows * columns * A, 4]: x1, y1, x2, y2; A is the number of
            anchors per position.
        deltas: Deltas, of shape [A * 4, rows, columns]: dx, dy, dw, dh for each anchor; dw and dh
            are logarithms of factors.
        scores: Scores, of shape [A, rows, columns].
        min_size: The minimum width and height of a box.
        nms_threshold: A box is dropped if it overlaps a better one by more than this value.
        pre_nms_count: The number of boxes that enter non-maximum suppression, those with the
            highest scores.
        post_nms_count: The number of rows of the outputs.
        """
    def ExperimentalDetectronPriorGridGenerator(
        self,
        priors: Operand,
        feature_map: Operand,
        im_data: Operand,
        *,
        flatten: bool | None = None,
        h: int | None = None,
        w: int | None = None,
        stride_x: float | None = None,
        stride_y: float | None = None,
        name: str | None = None,
    ) -> Value:
        """ExperimentalDetectronPriorGridGenerator-6: Generate prior boxes around the centre of every cell
        of a grid over the image (Detectron).

        priors: Prior boxes relative to the centre of a cell, of shape [priors, 4]: x1, y1, x2, y2.
        feature_map: The feature map, of shape [batch, channels, rows, columns]; only its shape is
            used.
        im_data: The image, of shape [batch, channels, height, width]; only its shape is used.
        flatten: Whether the output has two axes instead of four. Default: true.
        h: The number of rows of the grid; 0: that of feature_map. Default: 0.
        w: The number of columns of the grid; 0: that of feature_map. Default: 0.
        stride_x: The distance between columns; 0: the width of the image divided by the number of
            columns. Default: 0.
        stride_y: The distance between rows; 0: the height of the image divided by the number of
            rows. Default: 0.
        """
    def ExperimentalDetectronROIFeatureExtractor(
        self,
        rois: Operand,
        *pyramid: Operand,
        output_size: int,
        sampling_ratio: int,
        pyramid_scales: Sequence[int],
        aligned: bool | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """ExperimentalDetectronROIFeatureExtractor-6: Extract features of a fixed size for regions, each
        from the level of a feature pyramid that suits the size of the region (Detectron).

        rois: Regions in image coordinates, of shape [regions, 4]: x1, y1, x2, y2.
        pyramid: The levels, each of shape [1, channels, rows, columns].
        output_size: The number of rows and of columns of bins.
        sampling_ratio: The number of points sampled per bin along each axis; 0: the size of the bin
            in elements, rounded up.
        pyramid_scales: The factor by which each level is smaller than the image.
        aligned: Whether regions are shifted by -0.5 elements along both axes after scaling.
            Default: false.
        """
    def ExperimentalDetectronTopKROIs(
        self,
        rois: Operand,
        probabilities: Operand,
        *,
        max_rois: int | None = None,
        name: str | None = None,
    ) -> Value:
        """ExperimentalDetectronTopKROIs-6: Select the regions of interest with the highest probabilities.

        rois: The regions, of shape [regions, 4]; each row is x1, y1, x2, y2.
        probabilities: The probability of each region, of shape [regions].
        max_rois: The number of rows of the output. Default: 0.
        """
    def ExtractImagePatches(
        self,
        data: Operand,
        *,
        sizes: Sequence[int],
        strides: Sequence[int],
        rates: Sequence[int],
        auto_pad: Literal['same_upper', 'same_lower', 'valid'],
        name: str | None = None,
    ) -> Value:
        """ExtractImagePatches-3: Extract sliding windows (patches) of an image into the channel axis.

        data: Batch items, channels, rows and columns.
        sizes: The number of elements of the window along rows and columns.
        strides: The distance between adjacent window positions along rows and columns.
        rates: The distance between the elements of data that adjacent window elements read
            (dilation), along rows and columns.
        auto_pad: How zeros are added. same_upper, same_lower: enough for ceil(size / stride) window
            positions along each axis; if the number of zeros along an axis is odd, the additional
            zero is at its end (same_upper) or at its beginning (same_lower). valid: none.
        """
    def Eye(
        self,
        num_rows: Operand,
        num_columns: Operand,
        diagonal_index: Operand,
        batch_shape: Operand | None = None,
        *,
        output_type: TypeLike,
        name: str | None = None,
    ) -> Value:
        """Eye-9: Create matrices with ones on one diagonal and zeros elsewhere.

        num_rows: The number of rows of each matrix.
        num_columns: The number of columns of each matrix.
        diagonal_index: The diagonal that holds the ones: 0 is the main diagonal, a positive value
            counts to the right, a negative one downwards.
        batch_shape: The leading axes of the output; if the input is absent, the output is a single
            matrix without leading axes.
        output_type: The type of the output.
        """
    def FakeConvert(
        self,
        data: Operand,
        scale: Operand,
        shift: Operand | None = None,
        *,
        destination_type: TypeLike,
        name: str | None = None,
    ) -> Value:
        """FakeConvert-13: Simulate a conversion to an 8-bit floating-point type: scale, round to
        destination_type, and scale back.

        data: The tensor to convert.
        scale: The factor applied before the conversion and divided by after it.
        shift: The number subtracted before the conversion and added after it; 0 if not given.
        destination_type: The 8-bit type whose rounding is simulated.
        """
    def FakeQuantize(
        self,
        X: Operand,
        input_low: Operand,
        input_high: Operand,
        output_low: Operand,
        output_high: Operand,
        *,
        levels: int,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        name: str | None = None,
    ) -> Value:
        """FakeQuantize-1: Simulate quantization: round X to one of evenly spaced points of the input range
        and map them to the output range.

        X: The tensor to quantize.
        input_low: The lower limit of the input range.
        input_high: The upper limit of the input range.
        output_low: The output for input_low.
        output_high: The output for input_high.
        levels: The number of quantization levels: 2 for binarization, 255 or 256 for 8 bits.
        auto_broadcast: How the limits are broadcast to the shape of X. Default: numpy.
        """
    def Floor(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Floor-1: Compute floor(data) element by element: round down to the nearest integer.

        data: The numbers.
        """
    def FloorMod(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """FloorMod-1: Compute a - floor(a / b) * b, the remainder of division rounded down, element by
        element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def GRN(
        self,
        data: Operand,
        *,
        bias: float,
        name: str | None = None,
    ) -> Value:
        """GRN-1: Divide by the L2 norm over the channels: data / sqrt(bias + sum of data^2 over channels).

        data: The tensor to normalize: [batch, channels] and at most two more axes.
        bias: The number added to the sum of squares.
        """
    def GRUCell(
        self,
        X: Operand,
        initial_hidden_state: Operand,
        W: Operand,
        R: Operand,
        B: Operand | None = None,
        *,
        hidden_size: int,
        activations: Sequence[str] | None = None,
        activations_alpha: Sequence[float] | None = None,
        activations_beta: Sequence[float] | None = None,
        clip: float | None = None,
        linear_before_reset: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """GRUCell-3: Compute one step of a GRU cell: H' = (1 - update) * candidate + update * H.

        X: The input: [batch_size, input_size].
        initial_hidden_state: The previous hidden state: [batch_size, hidden_size].
        W: The weights of X: [3 * hidden_size, input_size].
        R: The weights of the hidden state: [3 * hidden_size, hidden_size].
        B: The biases: [3 * hidden_size], or [4 * hidden_size] with linear_before_reset.
        hidden_size: The size of the hidden state.
        activations: The activation functions f and g: relu, sigmoid or tanh. Default: sigmoid,
            tanh.
        activations_alpha: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        activations_beta: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        clip: The sums are clamped to [-clip, clip] before the activation functions; 0 for no
            clamping. Default: 0.
        linear_before_reset: Whether the reset gate is applied after the multiplication by R instead
            of before it; B then has four blocks. Default: false.
        """
    def GRUSequence(
        self,
        X: Operand,
        initial_hidden_state: Operand,
        sequence_lengths: Operand,
        W: Operand,
        R: Operand,
        B: Operand,
        *,
        hidden_size: int,
        direction: Literal['forward', 'reverse', 'bidirectional'],
        activations: Sequence[str] | None = None,
        activations_alpha: Sequence[float] | None = None,
        activations_beta: Sequence[float] | None = None,
        clip: float | None = None,
        linear_before_reset: bool | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """GRUSequence-5: Run a GRU cell over the steps of sequences, forward, in reverse or in both
        directions.

        X: The sequences: [batch_size, seq_length, input_size].
        initial_hidden_state: The hidden state before the first step: [batch_size, num_directions,
            hidden_size].
        sequence_lengths: The number of valid steps of each sequence: [batch_size].
        W: The weights of X: [num_directions, 3 * hidden_size, input_size].
        R: The weights of the hidden state: [num_directions, 3 * hidden_size, hidden_size].
        B: The biases: [num_directions, 3 * hidden_size], or [num_directions, 4 * hidden_size] with
            linear_before_reset.
        hidden_size: The size of the hidden state.
        direction: The direction in which the steps are processed.
        activations: The activation functions f and g: relu, sigmoid or tanh. Default: sigmoid,
            tanh.
        activations_alpha: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        activations_beta: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        clip: The sums are clamped to [-clip, clip] before the activation functions; 0 for no
            clamping. Default: 0.
        linear_before_reset: Whether the reset gate is applied after the multiplication by R instead
            of before it; B then has four blocks. Default: false.
        """
    def Gather(
        self,
        data: Operand,
        indices: Operand,
        axis: Operand,
        *,
        batch_dims: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Gather-8: Gather slices of a tensor along an axis by index, with batch dimensions.

        data: The tensor to gather from.
        indices: The indices of the slices.
        axis: The axis of data to gather along; a negative axis counts from the last one.
        batch_dims: The number of leading axes that data and indices share; a negative number is
            added to the rank of indices. Default: 0.
        """
    def GatherElements(
        self,
        data: Operand,
        indices: Operand,
        *,
        axis: int,
        name: str | None = None,
    ) -> Value:
        """GatherElements-6: Gather single elements along an axis by index.

        data: The tensor to gather from.
        indices: The index along axis of each element.
        axis: The axis to gather along; a negative axis counts from the last one.
        """
    def GatherND(
        self,
        data: Operand,
        indices: Operand,
        *,
        batch_dims: int | None = None,
        name: str | None = None,
    ) -> Value:
        """GatherND-8: Gather elements or slices of a tensor at index tuples, with batch dimensions.

        data: The tensor to gather from.
        indices: The index tuples, along the last axis.
        batch_dims: The number of leading axes that data and indices share. Default: 0.
        """
    def GatherTree(
        self,
        step_ids: Operand,
        parent_ids: Operand,
        max_seq_len: Operand,
        end_token: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """GatherTree-1: Reconstruct the token sequences of a beam search from the parents of its beams.

        step_ids: The token of every step, batch item and beam.
        parent_ids: For every step, batch item and beam, the index of its beam in the step before.
        max_seq_len: The number of steps of each batch item.
        end_token: The token that ends a sequence.
        """
    def Gelu(
        self,
        data: Operand,
        *,
        approximation_mode: Literal['erf', 'tanh'] | None = None,
        name: str | None = None,
    ) -> Value:
        """Gelu-7: Apply the Gaussian error linear unit element by element: data * P(X <= data), where X is
        a standard normal variable.

        data: The input tensor.
        approximation_mode: The formula: exact with erf, or the approximation with tanh. Default:
            erf.
        """
    def GenerateProposals(
        self,
        im_info: Operand,
        anchors: Operand,
        deltas: Operand,
        scores: Operand,
        *,
        min_size: float,
        nms_threshold: float,
        pre_nms_count: int,
        post_nms_count: int,
        normalized: bool | None = None,
        nms_eta: float | None = None,
        roi_num_type: TypeLike | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """GenerateProposals-9: Generate region proposals for a batch of images: decode anchors and select
        the best boxes by non-maximum suppression.

        im_info: For each image height, width and scale, or height, width, scale of the height and
            scale of the width.
        anchors: Anchors, of shape [rows, columns, A, 4]: x1, y1, x2, y2; A is the number of anchors
            per position.
        deltas: Deltas, of shape [images, A * 4, rows, columns]: dx, dy, dw, dh for each anchor; dw
            and dh are logarithms of factors.
        scores: Scores, of shape [images, A, rows, columns].
        min_size: The minimum width and height of a box, before they are multiplied by the scale of
            the image.
        nms_threshold: A box is dropped if it overlaps a better one by more than this value.
        pre_nms_count: The number of boxes per image that enter the selection, those with the
            highest scores.
        post_nms_count: The maximum number of boxes selected per image.
        normalized: Whether the width and height of a box are hi - lo; otherwise they are hi - lo +
            1. Default: true.
        nms_eta: The factor by which the threshold is multiplied after each selected box, as long as
            the threshold is greater than 0.5. Default: 1.
        roi_num_type: The element type of roi_num. Default: i64.
        """
    def Greater(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Greater-1: Compare two tensors element by element: a > b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def GreaterEqual(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """GreaterEqual-1: Compare two tensors element by element: a >= b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def GridSample(
        self,
        data: Operand,
        grid: Operand,
        *,
        align_corners: bool | None = None,
        mode: Literal['bilinear', 'bicubic', 'nearest'] | None = None,
        padding_mode: Literal['zeros', 'border', 'reflection'] | None = None,
        name: str | None = None,
    ) -> Value:
        """GridSample-9: Sample images at the positions given by a grid, by nearest, bilinear or bicubic
        interpolation.

        data: The images, of shape [N, C, H, W].
        grid: The positions, of shape [N, H_out, W_out, 2]; the last axis holds column and row.
        align_corners: Whether -1 and 1 refer to the centres of the first and last elements, instead
            of their outer edges. Default: false.
        mode: The interpolation method. nearest: copy the nearest element, halves to the even index.
            bilinear: linear interpolation between two elements along each axis. bicubic: cubic
            convolution of four elements along each axis, with coefficient -0.75. Default: bilinear.
        padding_mode: The values outside of the image. zeros: 0. border: the nearest element of the
            image. reflection: the image reflected repeatedly, at the centres of its outer elements
            with align_corners, otherwise at their outer edges. Default: zeros.
        """
    def GroupConvolution(
        self,
        data: Operand,
        filters: Operand,
        *,
        strides: Sequence[int],
        dilations: Sequence[int],
        pads_begin: Sequence[int],
        pads_end: Sequence[int],
        auto_pad: Literal['explicit', 'same_upper', 'same_lower', 'valid'] | None = None,
        name: str | None = None,
    ) -> Value:
        """GroupConvolution-1: Compute a grouped convolution: split the channels into groups and convolve
        each group with its own filters.

        data: The input of shape [batch, groups * channels per group, spatial axes...], with one to
            three spatial axes.
        filters: The filters of shape [groups, output channels per group, input channels per group,
            kernel size along each spatial axis...].
        strides: The step of the sliding window along each spatial axis.
        dilations: The distance between neighbouring elements of a filter along each spatial axis; 1
            means no gaps.
        pads_begin: The number of zeros added before data along each spatial axis; used only if
            auto_pad is explicit.
        pads_end: The number of zeros added after data along each spatial axis; used only if
            auto_pad is explicit.
        auto_pad: How the padding is chosen. explicit: as given by pads_begin and pads_end.
            same_upper, same_lower: as many zeros as make the output size ceil(size / stride); an
            odd zero is added at the end (same_upper) or at the beginning (same_lower). valid: no
            padding. Default: explicit.
        """
    def GroupConvolutionBackpropData(
        self,
        data: Operand,
        filters: Operand,
        output_shape: Operand | None = None,
        *,
        strides: Sequence[int],
        pads_begin: Sequence[int],
        pads_end: Sequence[int],
        dilations: Sequence[int],
        auto_pad: Literal['explicit', 'same_upper', 'same_lower', 'valid'] | None = None,
        output_padding: Sequence[int] | None = None,
        name: str | None = None,
    ) -> Value:
        """GroupConvolutionBackpropData-1: Compute a grouped transposed convolution, the gradient of
        GroupConvolution with respect to its input.

        data: The input of shape [batch, input channels, spatial axes...], with one to three spatial
            axes.
        filters: The filters of shape [groups, input channels per group, output channels per group,
            kernel size along each spatial axis...].
        output_shape: The sizes of the spatial axes of the output.
        strides: The distance in the output between the contributions of neighbouring elements of
            data, along each spatial axis.
        pads_begin: The number of elements removed from the beginning of each spatial axis of the
            output; used only if auto_pad is explicit.
        pads_end: The number of elements removed from the end of each spatial axis of the output;
            used only if auto_pad is explicit.
        dilations: The distance between neighbouring elements of a filter along each spatial axis; 1
            means no gaps.
        auto_pad: How many elements are removed from the output. explicit: as given by pads_begin
            and pads_end. valid: none. same_upper, same_lower: if output_shape is given, as many as
            exceed it, half of them at each end, an odd one at the beginning (same_upper) or at the
            end (same_lower); otherwise none. Default: explicit.
        output_padding: The number of elements added at the end of each spatial axis of the output;
            empty: 0. Default: .
        """
    def GroupNormalization(
        self,
        data: Operand,
        scale: Operand,
        bias: Operand,
        *,
        num_groups: int,
        epsilon: float,
        name: str | None = None,
    ) -> Value:
        """GroupNormalization-12: Normalize groups of channels: scale * (data - mean) / sqrt(variance +
        epsilon) + bias, with the mean and variance of each group.

        data: The tensor to normalize: [batch, channels, ...].
        scale: The factor of each channel.
        bias: The offset of each channel.
        num_groups: The number of groups into which the channels are divided.
        epsilon: A small number added to the variance to avoid division by zero.
        """
    def GroupedMatMul(
        self,
        mat_a: Operand,
        mat_b: Operand,
        offsets: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """GroupedMatMul-17: Compute matrix products of groups of rows, with a different matrix for each
        group.

        mat_a: The rows, of shape [rows, inner size] or [groups, rows, inner size].
        mat_b: The transposed matrices, of shape [groups, columns, inner size].
        offsets: The end of each group: the index of its last row plus 1.
        """
    def HSigmoid(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """HSigmoid-5: Apply the piecewise-linear sigmoid element by element: clamp(data + 3, 0, 6) / 6.

        data: The input tensor.
        """
    def HSwish(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """HSwish-4: Apply the piecewise-linear swish element by element: data * clamp(data + 3, 0, 6) / 6.

        data: The input tensor.
        """
    def HardSigmoid(
        self,
        data: Operand,
        alpha: Operand,
        beta: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """HardSigmoid-1: Apply the hard sigmoid function element by element: clamp(alpha * data + beta, 0,
        1).

        data: The input tensor.
        alpha: The slope of the line.
        beta: The intercept: the value of the line at 0.
        """
    def I420toBGR(
        self,
        y: Operand,
        u: Operand | None = None,
        v: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """I420toBGR-8: Convert images from I420 to BGR.

        y: Y, of shape [N, H, W, 1]; or all planes, of shape [N, H * 3 / 2, W, 1].
        u: U, of shape [N, H / 2, W / 2, 1].
        v: V, of the same shape.
        """
    def I420toRGB(
        self,
        y: Operand,
        u: Operand | None = None,
        v: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """I420toRGB-8: Convert images from I420 to RGB.

        y: Y, of shape [N, H, W, 1]; or all planes, of shape [N, H * 3 / 2, W, 1].
        u: U, of shape [N, H / 2, W / 2, 1].
        v: V, of the same shape.
        """
    def IDFT(
        self,
        data: Operand,
        axes: Operand,
        signal_size: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """IDFT-7: Compute the inverse discrete Fourier transform of a complex signal over the given axes.

        data: The signal: complex numbers, with real and imaginary part along the last axis.
        axes: The axes to transform, numbered without the last axis of data; negative values count
            from the end of these.
        signal_size: The size to which each axis in axes is cropped or zero-padded at its end before
            the transform; -1: its size in data.
        """
    def IRDFT(
        self,
        data: Operand,
        axes: Operand,
        signal_size: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """IRDFT-9: Compute the inverse discrete Fourier transform of a half spectrum over the given axes,
        giving a real signal.

        data: The signal: complex numbers, with real and imaginary part along the last axis.
        axes: The axes to transform, numbered without the last axis of data; negative values count
            from the end of these.
        signal_size: The size of the output along each axis in axes; -1: the size in data, or, for
            the last axis in axes, 2 * (size in data - 1).
        """
    def ISTFT(
        self,
        data: Operand,
        window: Operand,
        frame_size: Operand,
        frame_step: Operand,
        signal_length: Operand | None = None,
        *,
        center: bool,
        normalized: bool,
        name: str | None = None,
    ) -> Value:
        """ISTFT-16: Reconstruct a signal from its short-time Fourier transform.

        data: The spectra, of shape [frequencies, frames, 2] or [batch, frequencies, frames, 2],
            with real and imaginary part along the last axis.
        window: The factors for the elements of a frame; a window shorter than frame_size is zero-
            padded at both ends and thus centered.
        frame_size: The number of elements of a frame.
        frame_step: The distance between the starts of consecutive frames.
        signal_length: The length of the output: the signal is cropped or zero-padded at its end. If
            not given, the length covered by all frames, (frames - 1) * frame_step + frame_size,
            less 2 * (frame_size / 2, rounded down) if center is true.
        center: Whether frame_size / 2 elements, rounded down, are removed at the beginning, and
            also at the end if signal_length is not given.
        normalized: Whether the output is multiplied by sqrt(frame_size).
        """
    def Identity(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Identity-16: Return the input unchanged.

        data: A tensor of any type.
        """
    def Interpolate(
        self,
        image: Operand,
        scales_or_sizes: Operand,
        axes: Operand | None = None,
        *,
        mode: Literal['nearest', 'linear_onnx', 'linear', 'cubic', 'bilinear_pillow', 'bicubic_pillow'],
        shape_calculation_mode: Literal['sizes', 'scales'],
        coordinate_transformation_mode: Literal['half_pixel', 'pytorch_half_pixel', 'asymmetric', 'tf_half_pixel_for_nn', 'align_corners'] | None = None,
        nearest_mode: Literal['round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil', 'simple'] | None = None,
        antialias: bool | None = None,
        pads_begin: Sequence[int] | None = None,
        pads_end: Sequence[int] | None = None,
        cube_coeff: float | None = None,
        name: str | None = None,
    ) -> Value:
        """Interpolate-11: Resize a tensor along the given axes by interpolation.

        image: The tensor to resize.
        scales_or_sizes: The new sizes, or the factors of the sizes, one for each of axes.
        axes: The axes to resize; all axes if the input is absent.
        mode: The interpolation method. nearest: copy one element. linear: weight(i, p) = max(0, 1 -
            a * |p - i|), normalized to sum 1, where a is the scale of the axis if antialias is on
            and any axis shrinks, otherwise 1. linear_onnx: interpolate linearly between the two
            neighbours along each axis. cubic: cubic convolution of four elements along each axis,
            the outer elements repeated beyond the ends. bilinear_pillow, bicubic_pillow: a linear
            or cubic filter at (x + 0.5) * in / out - 0.5, widened by in / out where the axis
            shrinks and normalized to sum 1, as in the Pillow library; these ignore antialias and
            coordinate_transformation_mode.
        shape_calculation_mode: Whether the new sizes are given directly (sizes) or as factors of
            the padded sizes (scales).
        coordinate_transformation_mode: The position at(x) in the padded axis that corresponds to
            the position x in the resized axis. half_pixel: (x + 0.5) / scale - 0.5.
            pytorch_half_pixel: the same, but 0 if the new size is 1. asymmetric: x / scale.
            tf_half_pixel_for_nn: (x + 0.5) / scale. align_corners: x * (in - 1) / (out - 1), or 0
            if the new size is 1. If the scale is 1 or the size does not change, at(x) is x in all
            modes. Default: half_pixel.
        nearest_mode: How mode nearest rounds at(x) to an index. round_prefer_floor,
            round_prefer_ceil: to the nearest integer, halves down or up. floor, ceil: down or up.
            simple: up where the axis shrinks, otherwise toward 0. Default: round_prefer_floor.
        antialias: In mode linear, whether the filter is widened when an axis shrinks, so that all
            elements contribute. Default: false.
        pads_begin: The number of zeros added before each axis, before resizing; 0 for axes beyond
            the end of the list. Default: 0.
        pads_end: The number of zeros added after each axis, in the same way. Default: 0.
        cube_coeff: The coefficient of the cubic convolution. Default: -0.75.
        """
    def Inverse(
        self,
        data: Operand,
        *,
        adjoint: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """Inverse-14: Compute the inverse of each matrix of a batch.

        data: The matrices, of shape [..., size, size].
        adjoint: Whether the inverse matrices are transposed. Default: false.
        """
    def IsFinite(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """IsFinite-10: Test element by element whether data is finite, that is, neither infinite nor NaN.

        data: The input tensor.
        """
    def IsInf(
        self,
        data: Operand,
        *,
        detect_negative: bool | None = None,
        detect_positive: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """IsInf-10: Test element by element whether data is infinite.

        data: The input tensor.
        detect_negative: Whether -inf counts as infinite. Default: true.
        detect_positive: Whether +inf counts as infinite. Default: true.
        """
    def IsNaN(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """IsNaN-10: Test element by element whether data is NaN.

        data: The input tensor.
        """
    def LRN(
        self,
        data: Operand,
        axes: Operand,
        *,
        alpha: float,
        beta: float,
        bias: float,
        size: int,
        name: str | None = None,
    ) -> Value:
        """LRN-1: Apply local response normalization: data / (bias + alpha / size^n * sum of data^2 over a
        region around the element)^beta.

        data: The tensor to normalize.
        axes: The axes along which the region extends. Negative axes count from the end.
        alpha: The scale of the sum of squares.
        beta: The exponent of the divisor.
        bias: The number added to the scaled sum.
        size: The extent of the region along each of axes: size elements if size is odd, size - 1 if
            it is even.
        """
    def LSTMCell(
        self,
        X: Operand,
        initial_hidden_state: Operand,
        initial_cell_state: Operand,
        W: Operand,
        R: Operand,
        B: Operand | None = None,
        *,
        hidden_size: int,
        activations: Sequence[str] | None = None,
        activations_alpha: Sequence[float] | None = None,
        activations_beta: Sequence[float] | None = None,
        clip: float | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """LSTMCell-4: Compute one step of an LSTM cell: C' = f(forget) * C + f(input) * g(cell), H' =
        f(output) * h(C').

        X: The input: [batch_size, input_size].
        initial_hidden_state: The previous hidden state: [batch_size, hidden_size].
        initial_cell_state: The previous cell state: [batch_size, hidden_size].
        W: The weights of X: [4 * hidden_size, input_size].
        R: The weights of the hidden state: [4 * hidden_size, hidden_size].
        B: The biases: [4 * hidden_size].
        hidden_size: The size of the hidden state.
        activations: The activation functions f, g and h: relu, sigmoid or tanh. Default: sigmoid,
            tanh, tanh.
        activations_alpha: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        activations_beta: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        clip: The sums are clamped to [-clip, clip] before the activation functions; 0 for no
            clamping. Default: 0.
        """
    def LSTMSequence(
        self,
        X: Operand,
        initial_hidden_state: Operand,
        initial_cell_state: Operand,
        sequence_lengths: Operand,
        W: Operand,
        R: Operand,
        B: Operand,
        *,
        hidden_size: int,
        direction: Literal['forward', 'reverse', 'bidirectional'],
        activations: Sequence[str] | None = None,
        activations_alpha: Sequence[float] | None = None,
        activations_beta: Sequence[float] | None = None,
        clip: float | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """LSTMSequence-5: Run an LSTM cell over the steps of sequences, forward, in reverse or in both
        directions.

        X: The sequences: [batch_size, seq_length, input_size].
        initial_hidden_state: The hidden state before the first step: [batch_size, num_directions,
            hidden_size].
        initial_cell_state: The cell state before the first step: [batch_size, num_directions,
            hidden_size].
        sequence_lengths: The number of valid steps of each sequence: [batch_size].
        W: The weights of X: [num_directions, 4 * hidden_size, input_size].
        R: The weights of the hidden state: [num_directions, 4 * hidden_size, hidden_size].
        B: The biases, those of W and R already added: [num_directions, 4 * hidden_size].
        hidden_size: The size of the hidden state.
        direction: The direction in which the steps are processed.
        activations: The activation functions f, g and h: relu, sigmoid or tanh. Default: sigmoid,
            tanh, tanh.
        activations_alpha: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        activations_beta: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        clip: The sums are clamped to [-clip, clip] before the activation functions; 0 for no
            clamping. Default: 0.
        """
    def Less(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Less-1: Compare two tensors element by element: a < b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def LessEqual(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """LessEqual-1: Compare two tensors element by element: a <= b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def Log(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Log-1: Compute ln(data), the natural logarithm, element by element.

        data: The numbers.
        """
    def LogSoftmax(
        self,
        data: Operand,
        *,
        axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """LogSoftmax-5: Compute the logarithm of the softmax along one axis: data - log(sum(exp(data))).

        data: The input tensor.
        axis: The axis along which the softmax is computed; a negative value counts from the end.
            Default: 1.
        """
    def LogicalAnd(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """LogicalAnd-1: Compute the logical AND of two boolean tensors element by element: a and b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def LogicalNot(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """LogicalNot-1: Compute the logical NOT of a boolean tensor element by element: not data.

        data: The input tensor.
        """
    def LogicalOr(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """LogicalOr-1: Compute the logical OR of two boolean tensors element by element: a or b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def LogicalXor(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """LogicalXor-2: Compute the logical exclusive OR of two boolean tensors element by element: a xor
        b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def MVN(
        self,
        data: Operand,
        axes: Operand,
        *,
        eps: float,
        normalize_variance: bool,
        eps_mode: Literal['inside_sqrt', 'outside_sqrt'],
        name: str | None = None,
    ) -> Value:
        """MVN-6: Apply mean-variance normalization over the given axes: (data - mean) / sqrt(variance +
        eps).

        data: The tensor to normalize.
        axes: The axes over which the mean and the variance are computed. Negative axes count from
            the end.
        eps: A small number that avoids division by zero.
        normalize_variance: Whether to divide by the standard deviation.
        eps_mode: Where eps is added: inside_sqrt to the variance, outside_sqrt to the standard
            deviation.
        """
    def MatMul(
        self,
        a: Operand,
        b: Operand,
        *,
        transpose_a: bool | None = None,
        transpose_b: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """MatMul-1: Compute the matrix product of two tensors, broadcasting their batch axes.

        a: The left operand.
        b: The right operand.
        transpose_a: Whether the last two axes of a are swapped first; ignored for a 1D tensor.
            Default: false.
        transpose_b: Whether the last two axes of b are swapped first; ignored for a 1D tensor.
            Default: false.
        """
    def MatrixNms(
        self,
        boxes: Operand,
        scores: Operand,
        *,
        sort_result_type: Literal['classid', 'score', 'none'] | None = None,
        sort_result_across_batch: bool | None = None,
        output_type: TypeLike | None = None,
        score_threshold: float | None = None,
        nms_top_k: int | None = None,
        keep_top_k: int | None = None,
        background_class: int | None = None,
        normalized: bool | None = None,
        decay_function: Literal['gaussian', 'linear'] | None = None,
        gaussian_sigma: float | None = None,
        post_threshold: float | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """MatrixNms-8: Select boxes by Matrix NMS: decay the score of each box by its overlap with higher-
        scoring boxes, then keep the highest scores.

        boxes: The boxes, of shape [batch, boxes, 4]; each box is x1, y1, x2, y2, the lower corner
            first.
        scores: The scores, of shape [batch, classes, boxes].
        sort_result_type: The order of the selected boxes: classid: by class; score: by score in
            descending order; none: by batch item, and within each by score in descending order.
            Default: none.
        sort_result_across_batch: Whether the selected boxes are sorted across all batch items.
            Default: false.
        output_type: The element type of indices and counts. Default: i64.
        score_threshold: Only boxes with a score greater than this are considered. Default: 0.
        nms_top_k: The maximum number of boxes considered for each class of each batch item, those
            with the highest scores; -1: no limit. Default: -1.
        keep_top_k: The maximum number of boxes selected for each batch item, those with the highest
            scores; -1: no limit. Default: -1.
        background_class: The class that is ignored; -1: none. Default: -1.
        normalized: Whether box coordinates are normalized: width is x2 - x1 and height y2 - y1. If
            false, they are pixel indices, and 1 is added to both. Default: true.
        decay_function: The function that maps overlap to the decay factor. Default: linear.
        gaussian_sigma: The coefficient in the exponent of the gaussian decay function. Default: 2.
        post_threshold: Only boxes with a decayed score greater than this are kept. Default: 0.
        """
    def MaxPool(
        self,
        data: Operand,
        *,
        strides: Sequence[int],
        pads_begin: Sequence[int],
        pads_end: Sequence[int],
        kernel: Sequence[int],
        dilations: Sequence[int] | None = None,
        rounding_type: Literal['floor', 'ceil', 'ceil_torch'] | None = None,
        auto_pad: Literal['explicit', 'same_upper', 'same_lower', 'valid'] | None = None,
        index_element_type: TypeLike | None = None,
        axis: int | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """MaxPool-14: Compute the maximum over a sliding window, and its index.

        data: The input of shape [batch, channels, spatial axes...], with one to three spatial axes.
        strides: The step of the sliding window along each spatial axis.
        dilations: The distance between neighbouring elements of the window along each spatial axis;
            empty: 1 along each. Default: .
        pads_begin: The number of elements of padding before data along each spatial axis; used only
            if auto_pad is explicit. Padding is ignored when the maximum is computed.
        pads_end: The number of elements of padding after data along each spatial axis; used only if
            auto_pad is explicit.
        kernel: The size of the window along each spatial axis.
        rounding_type: How the output size is rounded if the stride does not divide the remaining
            length. floor: down, so that elements at the end may be covered by no window. ceil: up.
            ceil_torch: up, unless the last window would begin after the last element. Default:
            floor.
        auto_pad: How the padding is chosen. explicit: as given by pads_begin and pads_end.
            same_upper, same_lower: as much as makes the output size ceil(size / stride); an odd
            element is added at the end (same_upper) or at the beginning (same_lower). valid: no
            padding. Default: explicit.
        index_element_type: The element type of indices. Default: i64.
        axis: The first axis of data over which indices are flattened. 0: they refer to the whole
            tensor; 2: to each channel separately. Default: 0.
        """
    def Maximum(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Maximum-1: Compute max(a, b) element by element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def Minimum(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Minimum-1: Compute min(a, b) element by element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def Mish(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Mish-4: Apply the Mish function element by element: data * tanh(log(1 + exp(data))).

        data: The input tensor.
        """
    def Mod(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Mod-1: Compute a - trunc(a / b) * b, the remainder of division rounded toward zero, element by
        element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def MulticlassNms(
        self,
        boxes: Operand,
        scores: Operand,
        roisnum: Operand | None = None,
        *,
        sort_result_type: Literal['classid', 'score', 'none'] | None = None,
        sort_result_across_batch: bool | None = None,
        output_type: TypeLike | None = None,
        iou_threshold: float | None = None,
        score_threshold: float | None = None,
        nms_top_k: int | None = None,
        keep_top_k: int | None = None,
        background_class: int | None = None,
        normalized: bool | None = None,
        nms_eta: float | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """MulticlassNms-9: Select boxes by non-maximum suppression for each class, then keep the highest-
        scoring ones of each batch item.

        boxes: The boxes, of shape [batch, boxes, 4], or, if roisnum is given, [classes, boxes of
            all batch items, 4]; each box is x1, y1, x2, y2, the lower corner first.
        scores: The scores, of shape [batch, classes, boxes], or, if roisnum is given, [classes,
            boxes of all batch items].
        roisnum: The number of boxes of each batch item.
        sort_result_type: The order of the selected boxes: classid: by class; score: by score in
            descending order; none: by batch item, and within each by score in descending order.
            Default: none.
        sort_result_across_batch: Whether the selected boxes are sorted across all batch items.
            Default: false.
        output_type: The element type of indices and counts. Default: i64.
        iou_threshold: A box is dropped if its overlap with a selected box is at least this.
            Default: 0.
        score_threshold: Only boxes with a score of at least this are considered. Default: 0.
        nms_top_k: The maximum number of boxes considered for each class of each batch item, those
            with the highest scores; -1: no limit. Default: -1.
        keep_top_k: The maximum number of boxes selected for each batch item, those with the highest
            scores; -1: no limit. Default: -1.
        background_class: The class that is ignored; -1: none. Default: -1.
        normalized: Whether box coordinates are normalized: width is x2 - x1 and height y2 - y1. If
            false, they are pixel indices, and 1 is added to both. Default: true.
        nms_eta: The factor by which the threshold is multiplied after each selection. Default: 1.
        """
    def Multinomial(
        self,
        probs: Operand,
        num_samples: Operand,
        *,
        convert_type: TypeLike,
        with_replacement: bool,
        log_probs: bool,
        global_seed: int | None = None,
        op_seed: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Multinomial-13: Draw class indices at random according to the given probabilities.

        probs: The probability of each class, not normalized, of shape [batch, classes].
        num_samples: The number of classes to draw for each item.
        convert_type: The type of the output.
        with_replacement: Whether the same class can be drawn more than once for an item.
        log_probs: Whether probs holds the logarithms of probabilities.
        global_seed: The first seed. Default: 0.
        op_seed: The second seed. Default: 0.
        """
    def Multiply(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Multiply-1: Compute a * b element by element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def NMSRotated(
        self,
        boxes: Operand,
        scores: Operand,
        max_output_boxes_per_class: Operand,
        iou_threshold: Operand,
        score_threshold: Operand,
        *,
        sort_result_descending: bool | None = None,
        output_type: TypeLike | None = None,
        clockwise: bool | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """NMSRotated-13: Select rotated boxes by non-maximum suppression: keep the highest-scoring boxes
        and drop those that overlap a kept box by more than iou_threshold.

        boxes: The boxes, of shape [batch, boxes, 5]; each box is center x, center y, width, height,
            and the angle in radians.
        scores: The scores, of shape [batch, classes, boxes].
        max_output_boxes_per_class: The maximum number of boxes to select for each class of each
            batch item.
        iou_threshold: A box is dropped if its overlap with a selected box is greater than this.
        score_threshold: Only boxes with a score greater than this are considered.
        sort_result_descending: Whether the selected boxes are sorted by score in descending order
            across batch items and classes. If false, they are grouped by batch item and class, and
            sorted by score within each group. Default: true.
        output_type: The element type of indices and counts. Default: i64.
        clockwise: Whether angles are clockwise, with the y axis pointing down. Default: true.
        """
    def NV12toBGR(
        self,
        y: Operand,
        uv: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """NV12toBGR-8: Convert images from NV12 to BGR.

        y: Y, of shape [N, H, W, 1]; or all planes, of shape [N, H * 3 / 2, W, 1].
        uv: U and V, of shape [N, H / 2, W / 2, 2].
        """
    def NV12toRGB(
        self,
        y: Operand,
        uv: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """NV12toRGB-8: Convert images from NV12 to RGB.

        y: Y, of shape [N, H, W, 1]; or all planes, of shape [N, H * 3 / 2, W, 1].
        uv: U and V, of shape [N, H / 2, W / 2, 2].
        """
    def Negative(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Negative-1: Compute -data element by element.

        data: The numbers.
        """
    def NonMaxSuppression(
        self,
        boxes: Operand,
        scores: Operand,
        max_output_boxes_per_class: Operand | None = None,
        iou_threshold: Operand | None = None,
        score_threshold: Operand | None = None,
        soft_nms_sigma: Operand | None = None,
        *,
        box_encoding: Literal['corner', 'center'] | None = None,
        sort_result_descending: bool | None = None,
        output_type: TypeLike | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """NonMaxSuppression-9: Select boxes by non-maximum suppression: keep the highest-scoring boxes and
        drop those that overlap a kept box by more than iou_threshold.

        boxes: The boxes, of shape [batch, boxes, 4].
        scores: The scores, of shape [batch, classes, boxes].
        max_output_boxes_per_class: The maximum number of boxes to select for each class of each
            batch item. Without it no box is selected.
        iou_threshold: A box is dropped if its overlap with a selected box is greater than this; 0
            if not given.
        score_threshold: Only boxes with a score greater than this are considered; 0 if not given.
        soft_nms_sigma: The parameter of the score reduction: the greater it is, the less overlap
            reduces a score. 0, or not given: overlapping boxes are dropped.
        box_encoding: The meaning of the four numbers of a box. corner: y and x of one corner, then
            y and x of the opposite corner. center: x and y of the center, then width and height.
            Default: corner.
        sort_result_descending: Whether the selected boxes are sorted by score in descending order
            across batch items and classes. If false, they are grouped by batch item and class, and
            sorted by score within each group. Default: true.
        output_type: The element type of indices and counts. Default: i64.
        """
    def NonZero(
        self,
        data: Operand,
        *,
        output_type: TypeLike | None = None,
        name: str | None = None,
    ) -> Value:
        """NonZero-3: Find the indices of the elements that are not zero.

        data: The tensor to search.
        output_type: The element type of the indices. Default: i64.
        """
    def NormalizeL2(
        self,
        data: Operand,
        axes: Operand,
        *,
        eps: float,
        eps_mode: Literal['add', 'max'],
        name: str | None = None,
    ) -> Value:
        """NormalizeL2-1: Divide by the L2 norm over the given axes: data / sqrt(sum of data^2 + eps).

        data: The tensor to normalize.
        axes: The axes over which the squares are summed: a scalar or a 1-D tensor. Negative axes
            count from the end.
        eps: A small number that avoids division by zero.
        eps_mode: How eps is applied to the sum of squares s: add for s + eps, max for max(s, eps).
        """
    def NotEqual(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """NotEqual-1: Compare two tensors element by element for inequality: a != b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def OneHot(
        self,
        indices: Operand,
        depth: Operand,
        on_value: Operand,
        off_value: Operand,
        *,
        axis: int,
        negative_indices_mode: Literal['ignore_negative', 'normalize'] | None = None,
        name: str | None = None,
    ) -> Value:
        """OneHot-16: Convert indices to one-hot vectors.

        indices: The indices.
        depth: The size of the new axis.
        on_value: The value at the position of the index.
        off_value: The value at all other positions.
        axis: The position of the new axis in the output. Negative values count from the end: -1
            makes it the last axis.
        negative_indices_mode: How negative indices are interpreted. ignore_negative: they are out
            of range. normalize: they count from the end, and those below -depth are out of range.
            Default: ignore_negative.
        """
    def PReLU(
        self,
        data: Operand,
        slope: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """PReLU-1: Apply the parametric ReLU element by element: data where data >= 0, else slope * data.

        data: The input tensor.
        slope: The factors for negative elements.
        """
    def PSROIPooling(
        self,
        data: Operand,
        rois: Operand,
        *,
        output_dim: int,
        spatial_scale: float,
        group_size: int | None = None,
        mode: Literal['average', 'bilinear'] | None = None,
        spatial_bins_x: int | None = None,
        spatial_bins_y: int | None = None,
        name: str | None = None,
    ) -> Value:
        """PSROIPooling-1: Apply position-sensitive RoI pooling: reduce regions to a fixed size, reading
        separate channels for each bin.

        data: Feature maps, of shape [batch, channels, rows, columns].
        rois: Regions, of shape [regions, 5]: batch index, x_1, y_1, x_2, y_2.
        output_dim: The number of output channels.
        group_size: The number of rows and of columns of the output. Default: 1.
        spatial_scale: The factor by which coordinates are multiplied.
        mode: The pooling method. average: the average of each bin. bilinear: values interpolated at
            points, averaged over bins; boxes are then given as fractions of data, from 0 to 1.
            Default: average.
        spatial_bins_x: The number of bins of a box along the row, in mode bilinear. Default: 1.
        spatial_bins_y: The number of bins of a box along the column, in mode bilinear. Default: 1.
        """
    def Pad(
        self,
        data: Operand,
        pads_begin: Operand,
        pads_end: Operand,
        pad_value: Operand | None = None,
        *,
        pad_mode: Literal['constant', 'edge', 'reflect', 'symmetric'],
        name: str | None = None,
    ) -> Value:
        """Pad-12: Pad a tensor: add elements at the beginning and end of its axes, or remove elements
        there.

        data: The tensor to pad.
        pads_begin: The number of elements to add before the first element of each axis; negative to
            remove elements.
        pads_end: The number of elements to add after the last element of each axis; negative to
            remove elements.
        pad_value: The value of the new elements in constant mode; if not given, 0, or the empty
            string for strings.
        pad_mode: The values of the new elements.
        """
    def Power(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Power-1: Compute a ** b, a raised to the power of b, element by element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def PriorBox(
        self,
        output_size: Operand,
        image_size: Operand,
        *,
        offset: float,
        min_size: Sequence[float] | None = None,
        max_size: Sequence[float] | None = None,
        aspect_ratio: Sequence[float] | None = None,
        flip: bool | None = None,
        clip: bool | None = None,
        step: float | None = None,
        variance: Sequence[float] | None = None,
        scale_all_sizes: bool | None = None,
        fixed_ratio: Sequence[float] | None = None,
        fixed_size: Sequence[float] | None = None,
        density: Sequence[float] | None = None,
        min_max_aspect_ratios_order: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """PriorBox-8: Generate prior boxes of given sizes and aspect ratios around the centre of every cell
        of a grid over the image.

        output_size: Height and width of the grid.
        image_size: Height and width of the image.
        min_size: The sizes of boxes, in pixels; without scale_all_sizes as fractions of the image
            height. Default: .
        max_size: For the min_size at the same position in the list, the second size of an
            additional square between the two; ignored without scale_all_sizes. Default: .
        aspect_ratio: The ratios of width to height of further boxes, besides squares; repeated
            ratios are ignored. Default: .
        flip: Whether each ratio is followed by its reciprocal. Default: false.
        clip: Whether corners outside of the image are clipped to it. Default: false.
        step: The distance between centres, in pixels; 0: the size of a cell. Without
            scale_all_sizes a fraction of the image height, and -1: the height of a cell. Default:
            0.
        offset: The position of the centre in its cell, as a fraction of step; 0.5 if step is 0.
        variance: The values of the second row of the output: one value for all, four values for the
            coordinates of each box, or 0.1 if the list is empty. Default: .
        scale_all_sizes: Whether there are boxes of all ratios for every min_size, and max_size is
            used. Otherwise there are boxes of other ratios only for the first min_size, and they
            come last. Default: true.
        fixed_ratio: The ratios of the boxes of fixed_size; if the list is empty, these boxes have
            the ratio 1 and those of aspect_ratio and flip. Default: .
        fixed_size: The sizes, in pixels, of boxes that are arranged side by side; used instead of
            min_size. Default: .
        density: For the fixed_size at the same position in the list, the number of boxes per row
            and per column. Default: .
        min_max_aspect_ratios_order: Whether the square between min_size and max_size comes before
            the boxes of other ratios, instead of after them. Default: true.
        """
    def PriorBoxClustered(
        self,
        output_size: Operand,
        image_size: Operand,
        *,
        offset: float,
        width: Sequence[float] | None = None,
        height: Sequence[float] | None = None,
        clip: bool | None = None,
        step: float | None = None,
        step_w: float | None = None,
        step_h: float | None = None,
        variance: Sequence[float] | None = None,
        name: str | None = None,
    ) -> Value:
        """PriorBoxClustered-1: Generate prior boxes of given widths and heights around the centre of every
        cell of a grid over the image.

        output_size: Height and width of the grid.
        image_size: Height and width of the image.
        width: The width of each box, in pixels. Default: 1.
        height: The height of each box, in pixels. Default: 1.
        clip: Whether corners outside of the image are clipped to it. Default: true.
        step: The distance between centres, in pixels, for each of step_w and step_h that is 0.
            Default: 0.
        step_w: The horizontal distance between centres. If step, step_w and step_h are all 0, the
            size of a cell is used. Default: 0.
        step_h: The vertical distance between centres. Default: 0.
        offset: The position of the centre in its cell, as a fraction of the step.
        variance: The values of the second row of the output: one value for all, four values for the
            coordinates of each box, or 0.1 if the list is empty. Default: .
        """
    def Proposal(
        self,
        class_probs: Operand,
        bbox_deltas: Operand,
        image_shape: Operand,
        *,
        base_size: int,
        pre_nms_topn: int,
        post_nms_topn: int,
        nms_thresh: float,
        feat_stride: int,
        min_size: int,
        ratio: Sequence[float],
        scale: Sequence[float],
        clip_before_nms: bool | None = None,
        clip_after_nms: bool | None = None,
        normalize: bool | None = None,
        box_size_scale: float | None = None,
        box_coordinate_scale: float | None = None,
        framework: str | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """Proposal-4: Generate region proposals: decode anchors with predicted deltas and select the best
        boxes by non-maximum suppression.

        class_probs: Probabilities, of shape [batch, 2 * A, rows, columns]: the background of all A
            anchors, then the foreground; A is the number of ratios times that of scales.
        bbox_deltas: Deltas, of shape [batch, A * 4, rows, columns]; for each anchor those of both
            centres, then of both sides.
        image_shape: Height, width and scale of the image; or height, width, scale of the height and
            scale of the width.
        base_size: The side of the square from which anchors are made.
        pre_nms_topn: The maximum number of boxes per batch item that enter non-maximum suppression.
        post_nms_topn: The maximum number of proposals per batch item.
        nms_thresh: A box is dropped if it overlaps a better one by more than this value.
        feat_stride: The distance between neighbouring positions, in pixels of the image.
        min_size: The minimum width and height of a box, before they are multiplied by the scale of
            the image.
        ratio: The ratios of height to width of the anchors.
        scale: The factors by which anchors are larger than base_size.
        clip_before_nms: Whether boxes are clipped to the image before they are compared with
            min_size and enter non-maximum suppression. Default: true.
        clip_after_nms: Whether proposals are clipped to the image. Default: false.
        normalize: Whether proposals are fractions of the image size instead of pixels. Default:
            false.
        box_size_scale: The divisor of the deltas of sides. Default: 1.
        box_coordinate_scale: The divisor of the deltas of centres. Default: 1.
        framework: The convention for boxes. Empty: Caffe. tensorflow: TensorFlow Object Detection
            API. Default: .
        """
    def RDFT(
        self,
        data: Operand,
        axes: Operand,
        signal_size: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """RDFT-9: Compute the discrete Fourier transform of a real signal over the given axes.

        data: The real signal.
        axes: The axes to transform; negative values count from the end.
        signal_size: The size to which each axis in axes is cropped or zero-padded at its end before
            the transform; -1: its size in data.
        """
    def RGBtoNV12(
        self,
        data: Operand,
        *,
        single_plane: bool | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """RGBtoNV12-17: Convert images from RGB to NV12.

        data: The images, of shape [N, H, W, 3]; the channels are red, green, blue.
        single_plane: Whether the output is one plane that holds Y, U and V, instead of two planes.
            Default: true.
        """
    def RNNCell(
        self,
        X: Operand,
        initial_hidden_state: Operand,
        W: Operand,
        R: Operand,
        B: Operand | None = None,
        *,
        hidden_size: int,
        activations: Sequence[str] | None = None,
        activations_alpha: Sequence[float] | None = None,
        activations_beta: Sequence[float] | None = None,
        clip: float | None = None,
        name: str | None = None,
    ) -> Value:
        """RNNCell-1: Compute one step of a simple recurrent cell: H' = f(clip(X W^T + H R^T + B)).

        X: The input: [batch_size, input_size].
        initial_hidden_state: The previous hidden state: [batch_size, hidden_size].
        W: The weights of X: [hidden_size, input_size].
        R: The weights of the hidden state: [hidden_size, hidden_size].
        B: The biases: [hidden_size].
        hidden_size: The size of the hidden state.
        activations: The activation function f: relu, sigmoid or tanh. Default: tanh.
        activations_alpha: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        activations_beta: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        clip: The sums are clamped to [-clip, clip] before the activation functions; 0 for no
            clamping. Default: 0.
        """
    def RNNSequence(
        self,
        X: Operand,
        initial_hidden_state: Operand,
        sequence_lengths: Operand,
        W: Operand,
        R: Operand,
        B: Operand,
        *,
        hidden_size: int,
        direction: Literal['forward', 'reverse', 'bidirectional'],
        activations: Sequence[str] | None = None,
        activations_alpha: Sequence[float] | None = None,
        activations_beta: Sequence[float] | None = None,
        clip: float | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """RNNSequence-5: Run a simple recurrent cell over the steps of sequences, forward, in reverse or in
        both directions.

        X: The sequences: [batch_size, seq_length, input_size].
        initial_hidden_state: The hidden state before the first step: [batch_size, num_directions,
            hidden_size].
        sequence_lengths: The number of valid steps of each sequence: [batch_size].
        W: The weights of X: [num_directions, hidden_size, input_size].
        R: The weights of the hidden state: [num_directions, hidden_size, hidden_size].
        B: The biases: [num_directions, hidden_size].
        hidden_size: The size of the hidden state.
        direction: The direction in which the steps are processed.
        activations: The activation function f: relu, sigmoid or tanh. Default: tanh.
        activations_alpha: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        activations_beta: Parameters of the activation functions; relu, sigmoid and tanh have none.
            Default: .
        clip: The sums are clamped to [-clip, clip] before the activation functions; 0 for no
            clamping. Default: 0.
        """
    def ROIAlign(
        self,
        data: Operand,
        rois: Operand,
        batch_indices: Operand,
        *,
        pooled_h: int,
        pooled_w: int,
        sampling_ratio: int,
        spatial_scale: float,
        mode: Literal['avg', 'max'],
        aligned_mode: Literal['asymmetric', 'half_pixel_for_nn', 'half_pixel'] | None = None,
        name: str | None = None,
    ) -> Value:
        """ROIAlign-9: Pool regions of feature maps to a fixed size from bilinearly interpolated samples.

        data: Feature maps, of shape [batch, channels, rows, columns].
        rois: Regions, of shape [regions, 4]: x1, y1, x2, y2, before spatial_scale is applied.
        batch_indices: The batch index of each region.
        pooled_h: The number of rows of bins.
        pooled_w: The number of columns of bins.
        sampling_ratio: The number of points sampled per bin along each axis; 0: the size of the bin
            in elements, rounded up.
        spatial_scale: The factor from coordinates of regions to elements of the feature maps.
        mode: How the samples of a bin are reduced: to their average or their maximum.
        aligned_mode: How a coordinate c is scaled. asymmetric: c * spatial_scale.
            half_pixel_for_nn: c * spatial_scale - 0.5. half_pixel: (c + 0.5) * spatial_scale - 0.5.
            Default: asymmetric.
        """
    def ROIAlignRotated(
        self,
        data: Operand,
        rois: Operand,
        batch_indices: Operand,
        *,
        pooled_h: int,
        pooled_w: int,
        sampling_ratio: int,
        spatial_scale: float,
        clockwise_mode: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ROIAlignRotated-15: Pool rotated regions of feature maps to a fixed size from bilinearly
        interpolated samples.

        data: Feature maps, of shape [batch, channels, rows, columns].
        rois: Regions, of shape [regions, 5]: center_x, center_y, width, height, and the angle in
            radians; all but the angle before spatial_scale is applied.
        batch_indices: The batch index of each region.
        pooled_h: The number of rows of bins.
        pooled_w: The number of columns of bins.
        sampling_ratio: The number of points sampled per bin along each axis; 0: the size of the bin
            in elements, rounded up.
        spatial_scale: The factor from coordinates of regions to elements of the feature maps.
        clockwise_mode: Whether angles are clockwise. Default: false.
        """
    def ROIPooling(
        self,
        data: Operand,
        rois: Operand,
        *,
        spatial_scale: float,
        pooled_h: int | None = None,
        pooled_w: int | None = None,
        method: Literal['max', 'bilinear'] | None = None,
        output_roi: Sequence[int] | None = None,
        output_size: Sequence[int] | None = None,
        name: str | None = None,
    ) -> Value:
        """ROIPooling-2: Apply RoI pooling: reduce regions of feature maps to a fixed size.

        data: Feature maps, of shape [batch, channels, rows, columns].
        rois: Regions, of shape [regions, 5]: batch index, x_1, y_1, x_2, y_2.
        pooled_h: The number of rows of the output.
        pooled_w: The number of columns of the output.
        spatial_scale: The factor from image coordinates, in which boxes are given, to elements of
            data; used by method max.
        method: The pooling method. max: the maximum of each bin. bilinear: values interpolated at
            points; boxes are then given as fractions of the image, from 0 to 1. Default: max.
        output_roi: pooled_h and pooled_w in one list; OpenVINO also reads and writes this
            attribute.
        output_size: The same under an older name.
        """
    def RandomUniform(
        self,
        shape: Operand,
        minval: Operand,
        maxval: Operand,
        *,
        output_type: TypeLike,
        global_seed: int | None = None,
        op_seed: int | None = None,
        alignment: Literal['tensorflow', 'pytorch'] | None = None,
        name: str | None = None,
    ) -> Value:
        """RandomUniform-8: Generate random numbers that are uniformly distributed in [minval, maxval).

        shape: The shape of the output.
        minval: The lower bound, included.
        maxval: The upper bound, not included.
        output_type: The type of the output.
        global_seed: The first seed. Default: 0.
        op_seed: The second seed; ignored with alignment pytorch. Default: 0.
        alignment: The framework whose numbers are reproduced. Default: tensorflow.
        """
    def Range(
        self,
        start: Operand,
        stop: Operand,
        step: Operand,
        *,
        output_type: TypeLike,
        name: str | None = None,
    ) -> Value:
        """Range-4: Generate the numbers from start, in steps of step, up to but not including stop.

        start: The first number.
        stop: The end of the range, not included.
        step: The difference between consecutive numbers.
        output_type: The type of the output.
        """
    def ReLU(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """ReLU-1: Apply the rectified linear unit element by element: max(data, 0).

        data: The input tensor.
        """
    def ReadValue(
        self,
        init_value: Operand | None = None,
        *,
        variable_id: str,
        variable_type: TypeLike | None = None,
        variable_shape: str | Sequence[int] | Shape | None = None,
        name: str | None = None,
    ) -> Value:
        """ReadValue-6: Read the value of a state variable, stored by Assign in an earlier inference.

        init_value: The value before the first one is stored.
        variable_id: The name of the variable.
        variable_type: The element type of the variable; dynamic for any type.
        variable_shape: The shapes that the variable may have.
        """
    def ReduceL1(
        self,
        data: Operand,
        axes: Operand,
        *,
        keep_dims: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ReduceL1-4: Compute the L1 norm along the given axes: sum(|data|).

        data: The tensor to reduce.
        axes: The axes to reduce: a scalar or a 1-D tensor. Negative axes count from the end.
        keep_dims: Whether the reduced axes are kept with size 1 (true) or removed (false). Default:
            false.
        """
    def ReduceL2(
        self,
        data: Operand,
        axes: Operand,
        *,
        keep_dims: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ReduceL2-4: Compute the L2 norm along the given axes: sqrt(sum(data^2)).

        data: The tensor to reduce.
        axes: The axes to reduce: a scalar or a 1-D tensor. Negative axes count from the end.
        keep_dims: Whether the reduced axes are kept with size 1 (true) or removed (false). Default:
            false.
        """
    def ReduceLogicalAnd(
        self,
        data: Operand,
        axes: Operand,
        *,
        keep_dims: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ReduceLogicalAnd-1: Compute the logical AND of the elements along the given axes.

        data: The tensor to reduce.
        axes: The axes to reduce: a scalar or a 1-D tensor. Negative axes count from the end.
        keep_dims: Whether the reduced axes are kept with size 1 (true) or removed (false). Default:
            false.
        """
    def ReduceLogicalOr(
        self,
        data: Operand,
        axes: Operand,
        *,
        keep_dims: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ReduceLogicalOr-1: Compute the logical OR of the elements along the given axes.

        data: The tensor to reduce.
        axes: The axes to reduce: a scalar or a 1-D tensor. Negative axes count from the end.
        keep_dims: Whether the reduced axes are kept with size 1 (true) or removed (false). Default:
            false.
        """
    def ReduceMax(
        self,
        data: Operand,
        axes: Operand,
        *,
        keep_dims: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ReduceMax-1: Compute the maximum along the given axes.

        data: The tensor to reduce.
        axes: The axes to reduce: a scalar or a 1-D tensor. Negative axes count from the end.
        keep_dims: Whether the reduced axes are kept with size 1 (true) or removed (false). Default:
            false.
        """
    def ReduceMean(
        self,
        data: Operand,
        axes: Operand,
        *,
        keep_dims: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ReduceMean-1: Compute the arithmetic mean along the given axes: sum(data) / count.

        data: The tensor to reduce.
        axes: The axes to reduce: a scalar or a 1-D tensor. Negative axes count from the end.
        keep_dims: Whether the reduced axes are kept with size 1 (true) or removed (false). Default:
            false.
        """
    def ReduceMin(
        self,
        data: Operand,
        axes: Operand,
        *,
        keep_dims: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ReduceMin-1: Compute the minimum along the given axes.

        data: The tensor to reduce.
        axes: The axes to reduce: a scalar or a 1-D tensor. Negative axes count from the end.
        keep_dims: Whether the reduced axes are kept with size 1 (true) or removed (false). Default:
            false.
        """
    def ReduceProd(
        self,
        data: Operand,
        axes: Operand,
        *,
        keep_dims: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ReduceProd-1: Compute the product of the elements along the given axes.

        data: The tensor to reduce.
        axes: The axes to reduce: a scalar or a 1-D tensor. Negative axes count from the end.
        keep_dims: Whether the reduced axes are kept with size 1 (true) or removed (false). Default:
            false.
        """
    def ReduceSum(
        self,
        data: Operand,
        axes: Operand,
        *,
        keep_dims: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ReduceSum-1: Compute the sum of the elements along the given axes.

        data: The tensor to reduce.
        axes: The axes to reduce: a scalar or a 1-D tensor. Negative axes count from the end.
        keep_dims: Whether the reduced axes are kept with size 1 (true) or removed (false). Default:
            false.
        """
    def RegionYolo(
        self,
        data: Operand,
        *,
        axis: int,
        coords: int,
        classes: int,
        end_axis: int,
        num: int,
        anchors: Sequence[float] | None = None,
        do_softmax: bool | None = None,
        mask: Sequence[int] | None = None,
        name: str | None = None,
    ) -> Value:
        """RegionYolo-1: Apply the YOLO region layer: convert the raw outputs of a YOLO network to box
        coordinates, objectness and class probabilities.

        data: The raw outputs, of shape [N, channels, H, W].
        anchors: The widths and heights of the anchors; not used by this op.
        axis: The first of the axes that are flattened into one with do_softmax.
        coords: The number of coordinates of a region.
        classes: The number of classes.
        end_axis: The last of the axes that are flattened into one with do_softmax.
        num: The number of regions of a cell with do_softmax.
        do_softmax: Whether the softmax is applied to the classes, instead of the sigmoid. Default:
            true.
        mask: One entry for each region of a cell without do_softmax; only the number of entries is
            used. Default: .
        """
    def ReorgYolo(
        self,
        data: Operand,
        *,
        stride: Sequence[int],
        name: str | None = None,
    ) -> Value:
        """ReorgYolo-2: Apply the reorg layer of YOLO v2: rearrange blocks of neighbouring elements into
        channels.

        data: The input tensor, of shape [N, C, H, W].
        stride: The size of a block along both axes.
        """
    def Reshape(
        self,
        data: Operand,
        shape: Operand,
        *,
        special_zero: bool,
        name: str | None = None,
    ) -> Value:
        """Reshape-1: Change the shape of a tensor without changing its elements.

        data: The tensor to reshape.
        shape: The sizes of the output; -1: computed from the others; 0 if special_zero is true: the
            size of data along the same axis.
        special_zero: Whether a 0 in shape means the size of data along the same axis; otherwise it
            means size 0.
        """
    def Reverse(
        self,
        data: Operand,
        axes: Operand,
        *,
        mode: Literal['index', 'mask'],
        name: str | None = None,
    ) -> Value:
        """Reverse-1: Reverse the order of the elements along the given axes.

        data: The tensor to reverse.
        axes: The axes to reverse: indices of axes in index mode, one boolean per axis of data in
            mask mode.
        mode: How axes gives the axes to reverse: by their indices (index), or by one boolean per
            axis of data (mask).
        """
    def ReverseSequence(
        self,
        data: Operand,
        seq_lengths: Operand,
        *,
        batch_axis: int | None = None,
        seq_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """ReverseSequence-1: Reverse the first seq_lengths[b] elements of each sequence b of a batch.

        data: The sequences.
        seq_lengths: The number of elements of each sequence to reverse.
        batch_axis: The axis of the batch: each index along it is one sequence. A negative axis
            counts from the last one. Default: 0.
        seq_axis: The axis along which the sequences are reversed. A negative axis counts from the
            last one. Default: 1.
        """
    def Roll(
        self,
        data: Operand,
        shift: Operand,
        axes: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Roll-7: Shift the elements of a tensor cyclically along the given axes.

        data: The tensor to shift.
        shift: The number of positions to shift along each axis; positive toward the end, negative
            toward the beginning. A scalar applies to all axes.
        axes: The axes to shift along; a negative axis counts from the last one.
        """
    def Round(
        self,
        data: Operand,
        *,
        mode: Literal['half_to_even', 'half_away_from_zero'] | None = None,
        name: str | None = None,
    ) -> Value:
        """Round-5: Round to the nearest integer, element by element; mode decides ties.

        data: The numbers.
        mode: How a value halfway between two integers is rounded: to the even one (half_to_even),
            or to the one farther from 0 (half_away_from_zero). Default: half_to_even.
        """
    def STFT(
        self,
        signal: Operand,
        window: Operand,
        frame_size: Operand,
        frame_step: Operand,
        *,
        transpose_frames: bool,
        name: str | None = None,
    ) -> Value:
        """STFT-15: Compute the short-time Fourier transform of a signal: the spectrum of each of its
        frames.

        signal: A signal, or a batch of signals.
        window: The factors for the elements of a frame; a window shorter than frame_size is zero-
            padded at both ends and thus centered.
        frame_size: The number of elements of a frame.
        frame_step: The distance between the starts of consecutive frames.
        transpose_frames: Whether the axis of frequencies precedes that of frames in the output.
        """
    def ScaledDotProductAttention(
        self,
        query: Operand,
        key: Operand,
        value: Operand,
        attention_mask: Operand | None = None,
        scale: Operand | None = None,
        sink: Operand | None = None,
        *,
        causal: bool,
        name: str | None = None,
    ) -> Value:
        """ScaledDotProductAttention-13: Compute scaled dot-product attention: softmax(query *
        transpose(key) * scale + mask) * value.

        query: The queries: [..., L, E].
        key: The keys: [..., S, E].
        value: The values: [..., S, Ev].
        attention_mask: The mask: [..., L or 1, S or 1]. A boolean mask excludes the keys where it
            is false; any other mask is added to the scores. A scalar 0 stands for no mask.
        scale: The factor of the scores; 1 / sqrt(E) if not given.
        sink: An additional score for each query that takes part in the softmax but has no value:
            [..., L or 1, 1].
        causal: Whether row i of query attends only to rows 0 to i of key; attention_mask is then
            ignored.
        """
    def ScatterElementsUpdate(
        self,
        data: Operand,
        indices: Operand,
        updates: Operand,
        axis: Operand,
        *,
        reduction: Literal['none', 'sum', 'prod', 'min', 'max', 'mean'] | None = None,
        use_init_val: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """ScatterElementsUpdate-12: Write single elements into a tensor along an axis by index, or combine
        them with its elements by a reduction.

        data: The tensor to update.
        indices: The index along axis of each update.
        updates: The elements to write.
        axis: The axis to write along; a negative axis counts from the last one.
        reduction: How an update is combined with the element of data: it replaces the element
            (none), or they are combined by addition (sum), multiplication (prod), minimum (min),
            maximum (max) or arithmetic mean (mean). Default: none.
        use_init_val: Whether the element of data takes part in the reduction (true), or only the
            updates do (false). Default: true.
        """
    def ScatterNDUpdate(
        self,
        data: Operand,
        indices: Operand,
        updates: Operand,
        *,
        reduction: Literal['none', 'sum', 'sub', 'prod', 'min', 'max'] | None = None,
        name: str | None = None,
    ) -> Value:
        """ScatterNDUpdate-15: Write elements or slices into a tensor at index tuples, or combine them with
        its elements by a reduction.

        data: The tensor to update.
        indices: The index tuples, along the last axis.
        updates: The elements or slices to write.
        reduction: How an update is combined with the element of data: it replaces the element
            (none), or they are combined by addition (sum), subtraction of the update (sub),
            multiplication (prod), minimum (min) or maximum (max). Default: none.
        """
    def ScatterUpdate(
        self,
        data: Operand,
        indices: Operand,
        updates: Operand,
        axis: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """ScatterUpdate-3: Replace slices of a tensor along an axis.

        data: The tensor to update.
        indices: The indices of the slices to replace.
        updates: The new slices.
        axis: The axis along which slices are replaced; a negative axis counts from the last one.
        """
    def SearchSorted(
        self,
        sorted_sequence: Operand,
        values: Operand,
        *,
        right_mode: bool | None = None,
        output_type: TypeLike | None = None,
        name: str | None = None,
    ) -> Value:
        """SearchSorted-15: Find the positions at which values would be inserted into sorted sequences to
        keep them sorted.

        sorted_sequence: The sequences, sorted in ascending order along the last axis.
        values: The values to search for.
        right_mode: Whether a value is inserted after elements equal to it. Default: false.
        output_type: The element type of the output. Default: i64.
        """
    def SegmentMax(
        self,
        data: Operand,
        segment_ids: Operand,
        num_segments: Operand | None = None,
        *,
        fill_mode: Literal['zero', 'lowest'],
        name: str | None = None,
    ) -> Value:
        """SegmentMax-16: Compute the element-wise maximum of each segment of slices along the first axis.

        data: The slices, along the first axis.
        segment_ids: The segment that each slice belongs to, in ascending order.
        num_segments: The number of segments. If it is not given: the greatest element of
            segment_ids plus 1, or 0 if there are no slices.
        fill_mode: What a segment without slices is filled with: zeros (zero), or the smallest
            finite number of the type (lowest).
        """
    def Select(
        self,
        cond: Operand,
        then_values: Operand,
        else_values: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Select-1: Select elements from two tensors by a condition: then_values where cond is true,
        else_values elsewhere.

        cond: The condition.
        then_values: The values where cond is true; with pdpd, the output has the shape of this
            input.
        else_values: The values where cond is false.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of else_values and of cond are aligned with consecutive axes of
            then_values, and each of their sizes must equal that of then_values, or be 1. Default:
            numpy.
        auto_broadcast_axis: With pdpd, the axis of then_values with which the first axes of
            else_values and cond are aligned; -1 aligns the last axes. Default: 0.
        """
    def Selu(
        self,
        data: Operand,
        alpha: Operand,
        lambda_: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Selu-1: Apply the scaled exponential linear unit element by element: lambda * data where data >
        0, else lambda * alpha * (exp(data) - 1).

        data: The input tensor.
        alpha: The scale of the negative branch.
        lambda_: The scale of the whole result.
        """
    def ShapeOf(
        self,
        data: Operand,
        *,
        output_type: TypeLike | None = None,
        name: str | None = None,
    ) -> Value:
        """ShapeOf-3: Return the shape of a tensor as a 1D tensor.

        data: The tensor whose shape is returned.
        output_type: The element type of the output. Default: i64.
        """
    def ShuffleChannels(
        self,
        data: Operand,
        *,
        axis: int | None = None,
        group: int | None = None,
        name: str | None = None,
    ) -> Value:
        """ShuffleChannels-1: Interleave groups of channels.

        data: The tensor to shuffle.
        axis: The axis to shuffle; a negative axis counts from the last one. Default: 1.
        group: The number of groups. Default: 1.
        """
    def Sigmoid(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Sigmoid-1: Apply the sigmoid (logistic) function element by element: 1 / (1 + exp(-data)).

        data: The input tensor.
        """
    def Sign(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Sign-1: Compute the sign of data, -1, 0 or 1, element by element.

        data: The numbers.
        """
    def Sin(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Sin-1: Compute sin(data) element by element.

        data: Angles in radians.
        """
    def Sinh(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Sinh-1: Compute sinh(data), the hyperbolic sine, element by element.

        data: The numbers.
        """
    def Slice(
        self,
        data: Operand,
        start: Operand,
        stop: Operand,
        step: Operand,
        axes: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """Slice-8: Extract the slice start:stop:step along the given axes.

        data: The tensor to slice.
        start: For each sliced axis, the position of the first element to take.
        stop: For each sliced axis, the position of the first element that is not taken. With a
            positive step, the maximum of its type stands for the end of the axis; with a negative
            step, the minimum of its type stands for the position before the first element.
        step: For each sliced axis, the distance to the next element; negative to go backward.
        axes: The axes to slice; if not given, the first axes, as many as start has elements.
        """
    def SliceScatter(
        self,
        data: Operand,
        updates: Operand,
        start: Operand,
        stop: Operand,
        step: Operand,
        axes: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """SliceScatter-15: Write updates to the slice start:stop:step of a tensor along the given axes.

        data: The tensor to update.
        updates: The elements to write; same shape as the slice.
        start: For each sliced axis, the position of the first element to write.
        stop: For each sliced axis, the position of the first element that is not written.
        step: For each sliced axis, the distance to the next element; negative to go backward.
        axes: The axes to slice; if not given, the first axes, as many as start has elements.
        """
    def SoftMax(
        self,
        data: Operand,
        *,
        axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """SoftMax-8: Compute the softmax along one axis: exp(data) / sum(exp(data)).

        data: The input tensor.
        axis: The axis along which the softmax is computed; a negative value counts from the end.
            Default: 1.
        """
    def SoftPlus(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """SoftPlus-4: Apply the softplus function element by element: log(1 + exp(data)).

        data: The input tensor.
        """
    def SoftSign(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """SoftSign-9: Apply the softsign function element by element: data / (1 + |data|).

        data: The input tensor.
        """
    def SpaceToBatch(
        self,
        data: Operand,
        block_shape: Operand,
        pads_begin: Operand,
        pads_end: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """SpaceToBatch-2: Rearrange spatial blocks into the batch dimension.

        data: Batch items, then the axes to divide into blocks.
        block_shape: The length of a block along each axis; 1 along the first.
        pads_begin: The number of zeros to add before the first element of each axis; 0 along the
            first.
        pads_end: The number of zeros to add after the last element of each axis; 0 along the first.
        """
    def SpaceToDepth(
        self,
        data: Operand,
        *,
        mode: Literal['blocks_first', 'depth_first'],
        block_size: int | None = None,
        name: str | None = None,
    ) -> Value:
        """SpaceToDepth-1: Rearrange spatial blocks into channels.

        data: Batch items, channels, and spatial axes.
        block_size: The length of a block along each spatial axis. Default: 1.
        mode: The order of the output channels: the channels of one position in the block are
            adjacent (blocks_first), or the channels that come from one block are adjacent
            (depth_first).
        """
    def SparseFillEmptyRows(
        self,
        values: Operand,
        dense_shape: Operand,
        indices: Operand,
        default_value: Operand,
        *,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """SparseFillEmptyRows-16: Insert a default element into each empty row of a sparse matrix.

        values: The elements of the matrix.
        dense_shape: The number of rows and of columns of the matrix.
        indices: The row and column of each element, of shape [elements, 2].
        default_value: The element inserted into empty rows.
        """
    def Split(
        self,
        data: Operand,
        axis: Operand,
        *,
        num_splits: int,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """Split-1: Split a tensor into parts of equal size along an axis.

        data: The tensor to split.
        axis: The axis to split; a negative axis counts from the last one.
        num_splits: The number of parts, and of outputs.
        """
    def Sqrt(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Sqrt-1: Compute sqrt(data), the square root, element by element.

        data: The numbers.
        """
    def SquaredDifference(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """SquaredDifference-1: Compute (a - b)^2 element by element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def Squeeze(
        self,
        data: Operand,
        axes: Operand | None = None,
        *,
        allow_axis_skip: bool | None = None,
        name: str | None = None,
    ) -> Value:
        """Squeeze-15: Remove axes of size 1.

        data: The tensor to squeeze.
        axes: The axes to remove; negative values count from the end. Not given or empty: all axes
            of size 1.
        allow_axis_skip: Whether inference takes into account that an axis in axes of unknown size
            is kept if its size is not 1; the inferred rank is then unknown. If false, such an axis
            is inferred to be removed. Default: false.
        """
    def StridedSlice(
        self,
        data: Operand,
        begin: Operand,
        end: Operand,
        stride: Operand | None = None,
        *,
        begin_mask: Sequence[int],
        end_mask: Sequence[int],
        new_axis_mask: Sequence[int] | None = None,
        shrink_axis_mask: Sequence[int] | None = None,
        ellipsis_mask: Sequence[int] | None = None,
        name: str | None = None,
    ) -> Value:
        """StridedSlice-1: Extract the slice begin:end:stride along the axes of a tensor; masks add, drop or
        keep axes.

        data: The tensor to slice.
        begin: The position of the first element to take, per axis.
        end: The position of the first element that is not taken, per axis.
        stride: The distance to the next element, per axis; 1 if not given.
        begin_mask: 1 where begin is ignored and the slice starts at the first element of the axis
            (with a negative stride, at the last).
        end_mask: 1 where end is ignored and the slice reaches to the last element of the axis (with
            a negative stride, to the first), inclusive.
        new_axis_mask: 1 where an axis of size 1 is added; begin, end, stride and the other masks
            are ignored there. Default: .
        shrink_axis_mask: 1 where the element at begin is selected and the axis is dropped; end and
            stride are ignored there. Default: .
        ellipsis_mask: 1 at the position, at most one, that stands for all axes that no other
            position describes; begin, end and stride are ignored there. Default: .
        """
    def StringTensorPack(
        self,
        begins: Operand,
        ends: Operand,
        symbols: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """StringTensorPack-15: Build a string tensor from a byte buffer and the begin and end offsets of
        each string.

        begins: The offset of the first byte of each string.
        ends: The offset just after the last byte of each string.
        symbols: The byte buffer.
        """
    def StringTensorUnpack(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """StringTensorUnpack-15: Convert a string tensor to a byte buffer and the begin and end offsets of
        each string.

        data: The strings.
        """
    def Subtract(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Subtract-1: Compute a - b element by element, with broadcasting.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    def Swish(
        self,
        data: Operand,
        beta: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Value:
        """Swish-4: Apply the Swish function element by element: data * sigmoid(beta * data).

        data: The input tensor.
        beta: The factor of data in the sigmoid; 1 if the input is absent.
        """
    def Tan(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Tan-1: Compute tan(data) element by element.

        data: Angles in radians.
        """
    def Tanh(
        self,
        data: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Tanh-1: Compute tanh(data), the hyperbolic tangent, element by element.

        data: The numbers.
        """
    def Tile(
        self,
        data: Operand,
        repeats: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Tile-1: Repeat a tensor along its axes.

        data: The tensor to repeat.
        repeats: The number of copies along each axis.
        """
    def TopK(
        self,
        data: Operand,
        k: Operand,
        *,
        axis: int,
        mode: Literal['max', 'min'],
        sort: Literal['value', 'index', 'none'],
        stable: bool | None = None,
        index_element_type: TypeLike | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """TopK-11: Find the K largest or smallest elements along an axis, and their indices.

        data: The tensor to select from.
        k: The number of elements to select from every slice.
        axis: The axis along which elements are selected; negative values count from the end.
        mode: Whether the largest or the smallest elements are selected.
        sort: By what the selected elements are sorted; none: in any order.
        stable: Whether of equal elements the first in data are selected, and keep their order.
            Default: false.
        index_element_type: The element type of the indices. Default: i32.
        """
    def Transpose(
        self,
        arg: Operand,
        input_order: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Transpose-1: Permute the axes of a tensor.

        arg: The tensor to transpose.
        input_order: For each axis of the output, the corresponding axis of arg; if empty, the axes
            are reversed.
        """
    def Unique(
        self,
        data: Operand,
        axis: Operand | None = None,
        *,
        sorted: bool | None = None,
        index_element_type: TypeLike | None = None,
        count_element_type: TypeLike | None = None,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """Unique-10: Find the unique elements of a tensor, or its unique slices along an axis.

        data: Any tensor.
        axis: The axis whose slices are compared; a negative axis counts from the last one. If not
            given, data is flattened and its elements are compared.
        sorted: Whether the unique elements or slices are in ascending order (true) or in the order
            of their first occurrence (false). Slices are compared lexicographically. Default: true.
        index_element_type: The element type of first and which. Default: i64.
        count_element_type: The element type of counts. Default: i64.
        """
    def Unsqueeze(
        self,
        data: Operand,
        axes: Operand,
        *,
        name: str | None = None,
    ) -> Value:
        """Unsqueeze-1: Insert axes of size 1 at the given positions.

        data: The tensor to which axes are added.
        axes: The positions of the new axes in the output; negative values count from its end.
        """
    def VariadicSplit(
        self,
        data: Operand,
        axis: Operand,
        split_lengths: Operand,
        *,
        name: str | None = None,
    ) -> tuple[Value, ...]:
        """VariadicSplit-1: Split a tensor into parts of given sizes along an axis.

        data: The tensor to split.
        axis: The axis to split, a scalar or a tensor of one element; a negative axis counts from
            the last one.
        split_lengths: The sizes of the parts, one per output.
        """
    def Xor(
        self,
        a: Operand,
        b: Operand,
        *,
        auto_broadcast: Literal['none', 'numpy', 'pdpd'] | None = None,
        auto_broadcast_axis: int | None = None,
        name: str | None = None,
    ) -> Value:
        """Xor-1: Compute the logical exclusive OR of two boolean tensors element by element: a xor b.

        a: The first operand; with pdpd, the output has its shape.
        b: The second operand.
        auto_broadcast: The broadcasting rule for inputs of different shapes. none: the shapes must
            be equal. numpy: axes are aligned from the last one, and sizes must be equal, or one of
            them 1. pdpd: the axes of b are aligned with consecutive axes of a, and each size of b
            must equal that of a, or be 1. Default: numpy.
        auto_broadcast_axis: With pdpd, the axis of a with which the first axis of b is aligned; -1
            aligns the last axis of b with the last axis of a. Default: 0.
        """
    Relu = ReLU
    PRelu = PReLU
    Softmax = SoftMax
