"""Convolutions, products, normalizations and quantization at the sizes of real networks."""

from __future__ import annotations

from operating_arrays import IMAGE, TOKENS, Table, fixed, real, reals, signed, weights


def layers() -> Table:
    from openvino import opset1, opset5, opset8, opset12
    from openvino import opset13 as op

    pads = [1, 1], [1, 1], [1, 1], [1, 1]
    image, small, tokens = [signed(*IMAGE)], [signed(1, 64, 56, 56)], [signed(*TOKENS)]
    heads = signed(1, 12, 128, 64)
    alone = [1, 1], [0, 0], [0, 0], [1, 1]
    return {
        "Convolution 3x3 64 to 64, 56x56": (small, lambda x: op.convolution(x, weights(64, 64, 3, 3), *pads)),
        "Convolution 1x1 64 to 256, 56x56": (
            small,
            lambda x: op.convolution(x, weights(256, 64, 1, 1), *alone),
        ),
        "GroupConvolution depthwise 3x3 144x56x56": (
            [signed(1, 144, 56, 56)],
            lambda x: op.group_convolution(x, weights(144, 1, 1, 3, 3), *pads),
        ),
        "GroupConvolution depthwise 3x3 384x14x14": (
            [signed(1, 384, 14, 14)],
            lambda x: op.group_convolution(x, weights(384, 1, 1, 3, 3), *pads),
        ),
        "GroupConvolution depthwise 7x7 96x56x56": (
            [signed(1, 96, 56, 56)],
            lambda x: op.group_convolution(x, weights(96, 1, 1, 7, 7), [1, 1], [3, 3], [3, 3], [1, 1]),
        ),
        "ConvolutionBackpropData 4x4 64x28x28": (
            [signed(1, 64, 28, 28)],
            lambda x: op.convolution_backprop_data(x, weights(64, 32, 4, 4), [2, 2], None, [1, 1], [1, 1]),
        ),
        "DeformableConvolution 3x3 16x28x28": (
            [signed(1, 16, 28, 28), reals(1, 18, 28, 28) - 0.5],
            lambda x, d: opset8.deformable_convolution(x, d, weights(16, 16, 3, 3), *pads),
        ),
        "MaxPool-8 3x3": (image, lambda x: op.max_pool(x, [2, 2], [1, 1], [1, 1], [1, 1], [3, 3]).output(0)),
        "MaxPool-1 2x2": (
            image,
            lambda x: opset1.max_pool(x, [2, 2], [0, 0], [0, 0], [2, 2], "floor", "explicit"),
        ),
        "AvgPool 3x3": (image, lambda x: op.avg_pool(x, [2, 2], [1, 1], [1, 1], [3, 3], True)),
        "AdaptiveAvgPool 7x7": (image, lambda x: opset8.adaptive_avg_pool(x, fixed([7, 7]))),
        "MatMul 128x768x3072": (tokens, lambda x: op.matmul(x, weights(768, 3072), False, False)),
        "MatMul 12x128x64x128": ([heads] * 2, lambda x, y: op.matmul(x, y, False, True)),
        "Einsum bij,bjk->bik": (
            [signed(8, 128, 64), signed(8, 64, 128)],
            lambda x, y: op.einsum([x, y], "bij,bjk->bik"),
        ),
        "Einsum bhqd,bhkd->bhqk": ([heads] * 2, lambda x, y: op.einsum([x, y], "bhqd,bhkd->bhqk")),
        "Einsum bid,hdk->bhik": (
            [signed(1, 128, 256), signed(8, 256, 32)],
            lambda x, y: op.einsum([x, y], "bid,hdk->bhik"),
        ),
        "SoftMax 12x128x128": ([signed(1, 12, 128, 128)], lambda x: op.softmax(x, -1)),
        "SoftMax channels 64x112x112": (image, lambda x: op.softmax(x, 1)),
        "ScaledDotProductAttention 12x128x64": ([heads] * 3, op.scaled_dot_product_attention),
        "MVN last": (tokens, lambda x: op.mvn(x, fixed([2]), True, 1e-5, "inside_sqrt")),
        "MVN maps": (image, lambda x: op.mvn(x, fixed([2, 3]), True, 1e-5, "inside_sqrt")),
        "GroupNormalization": (
            [signed(*IMAGE), signed(64), signed(64)],
            lambda x, s, b: opset12.group_normalization(x, s, b, 32, 1e-5),
        ),
        "BatchNormInference": (
            image,
            lambda x: opset5.batch_norm_inference(
                x, weights(64), weights(64), weights(64), op.constant(reals(64) + 1), 1e-5
            ),
        ),
        "NormalizeL2": (image, lambda x: op.normalize_l2(x, fixed([1]), 1e-6, "add")),
        "LRN": (small, lambda x: op.lrn(x, fixed([1]), 1e-4, 0.75, 1.0, 5)),
        "FakeQuantize": (
            [reals(*IMAGE)],
            lambda x: op.fake_quantize(x, *(real(v) for v in (0, 1, 0, 1)), 256),
        ),
        "FakeQuantize by channel": (
            [signed(256, 256, 3, 3)],
            lambda x: op.fake_quantize(
                x, *(op.constant(s * (reals(256, 1, 1, 1) + 1)) for s in (-1, 1, -1, 1)), 255
            ),
        ),
    }
