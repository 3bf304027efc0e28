"""Ops at the sizes of real networks, as models of one op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(0)
IMAGE = (1, 64, 112, 112)
TOKENS = (1, 128, 768)
HIDDEN = (1, 128, 3072)


def reals(*shape: int) -> Array:
    return RNG.random(shape, np.float32)


def signed(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def whole(high: int, *shape: int) -> Array:
    return RNG.integers(0, high, shape)


@dataclass(frozen=True)
class Case:
    """arrays: the inputs; build: makes the op, or its outputs, for parameters of their shapes and types."""

    arrays: list[Array]
    build: Callable[..., Any]


def cases() -> dict[str, Case]:
    """All cases by name; openvino is imported when they are built."""
    from openvino import opset1, opset3, opset5, opset6, opset8, opset9, opset10, opset12, opset15
    from openvino import opset13 as op

    def fixed(value: Any, kind: Any = np.int64) -> Any:
        return op.constant(np.array(value, kind))

    def weights(*shape: int) -> Any:
        return op.constant(signed(*shape) * np.float32(0.1))

    pads = [1, 1], [1, 1], [1, 1], [1, 1]
    unary = {
        "Gelu erf": lambda x: op.gelu(x, "erf"),
        "Gelu tanh": lambda x: op.gelu(x, "tanh"),
        "Swish": op.swish,
        "Mish": opset8.mish,
        "SoftPlus": op.softplus,
        "Elu": lambda x: op.elu(x, 1.0),
        "Selu": lambda x: op.selu(x, fixed(1.67, np.float32), fixed(1.05, np.float32)),
        "HSwish": op.hswish,
        "HSigmoid": op.hsigmoid,
        "PRelu": lambda x: op.prelu(x, weights(3072)),
        "Power 2": lambda x: op.power(x, fixed(2, np.float32)),
        "Power 0.5": lambda x: op.power(op.abs(x), fixed(0.5, np.float32)),
        "Power 2.5": lambda x: op.power(op.abs(x), fixed(2.5, np.float32)),
        "Clamp": lambda x: op.clamp(x, -1.0, 1.0),
        "Round": lambda x: op.round(x, "half_to_even"),
        "LogSoftmax": lambda x: op.log_softmax(x, 2),
        **{
            name: getattr(op, name.lower())
            for name in ("Erf", "Sigmoid", "Tanh", "Exp", "ReLU", "Sin", "Cos", "Floor", "Abs", "Sign", "Tan")
        },
    }
    table = {f"{name} 128x3072": ([signed(*HIDDEN)], build) for name, build in unary.items()}
    binary = {
        "Add": op.add,
        "Subtract": op.subtract,
        "Multiply": op.multiply,
        "Divide": op.divide,
        "Maximum": op.maximum,
        "FloorMod": op.floor_mod,
        "Mod": op.mod,
        "Power": op.power,
        "SquaredDifference": op.squared_difference,
        "Equal": op.equal,
        "Greater": op.greater,
    }
    table |= {
        f"{name} 64x112x112": ([reals(*IMAGE) + 0.1, reals(*IMAGE) + 0.1], build)
        for name, build in binary.items()
    }
    table |= {
        f"Convert {before} to {after}": (
            [(whole(100, *IMAGE) - (0 if before[0] == "u" else 50)).astype(np.dtype(kind))],
            lambda x, after=after: op.convert(x, after),
        )
        for before, kind, after in (
            ("f32", "f4", "f16"),
            ("f16", "f2", "f32"),
            ("f32", "f4", "i8"),
            ("f32", "f4", "i32"),
            ("f32", "f4", "u8"),
            ("f32", "f4", "boolean"),
            ("i8", "i1", "f32"),
            ("u8", "u1", "f32"),
            ("i64", "i8", "f32"),
            ("i64", "i8", "i32"),
        )
    }
    table |= {
        f"{name} {where}": (
            [signed(*IMAGE)],
            lambda x, build=build, axes=axes: build(x, fixed(axes), True),
        )
        for name, build in (
            ("ReduceMean", op.reduce_mean),
            ("ReduceSum", op.reduce_sum),
            ("ReduceMax", op.reduce_max),
            ("ReduceL2", op.reduce_l2),
        )
        for where, axes in (("channels", [1]), ("maps", [2, 3]))
    }
    table |= {
        "Convolution 3x3 64 to 64, 56x56": (
            [signed(1, 64, 56, 56)],
            lambda x: op.convolution(x, weights(64, 64, 3, 3), *pads),
        ),
        "Convolution 1x1 64 to 256, 56x56": (
            [signed(1, 64, 56, 56)],
            lambda x: op.convolution(x, weights(256, 64, 1, 1), [1, 1], [0, 0], [0, 0], [1, 1]),
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
        "MaxPool-8 3x3": (
            [signed(*IMAGE)],
            lambda x: op.max_pool(x, [2, 2], [1, 1], [1, 1], [1, 1], [3, 3]).output(0),
        ),
        "MaxPool-1 2x2": (
            [signed(*IMAGE)],
            lambda x: opset1.max_pool(x, [2, 2], [0, 0], [0, 0], [2, 2], "floor", "explicit"),
        ),
        "AvgPool 3x3": (
            [signed(*IMAGE)],
            lambda x: op.avg_pool(x, [2, 2], [1, 1], [1, 1], [3, 3], True),
        ),
        "AdaptiveAvgPool 7x7": ([signed(*IMAGE)], lambda x: opset8.adaptive_avg_pool(x, fixed([7, 7]))),
        "MatMul 128x768x3072": ([signed(*TOKENS)], lambda x: op.matmul(x, weights(768, 3072), False, False)),
        "MatMul 12x128x64x128": (
            [signed(1, 12, 128, 64), signed(1, 12, 128, 64)],
            lambda x, y: op.matmul(x, y, False, True),
        ),
        "Einsum bij,bjk->bik": (
            [signed(8, 128, 64), signed(8, 64, 128)],
            lambda x, y: op.einsum([x, y], "bij,bjk->bik"),
        ),
        "Einsum bhqd,bhkd->bhqk": (
            [signed(1, 12, 128, 64), signed(1, 12, 128, 64)],
            lambda x, y: op.einsum([x, y], "bhqd,bhkd->bhqk"),
        ),
        "Einsum bid,hdk->bhik": (
            [signed(1, 128, 256), signed(8, 256, 32)],
            lambda x, y: op.einsum([x, y], "bid,hdk->bhik"),
        ),
        "SoftMax 12x128x128": ([signed(1, 12, 128, 128)], lambda x: op.softmax(x, -1)),
        "SoftMax channels 64x112x112": ([signed(*IMAGE)], lambda x: op.softmax(x, 1)),
        "ScaledDotProductAttention 12x128x64": (
            [signed(1, 12, 128, 64)] * 3,
            op.scaled_dot_product_attention,
        ),
        "MVN last": ([signed(*TOKENS)], lambda x: op.mvn(x, fixed([2]), True, 1e-5, "inside_sqrt")),
        "MVN maps": ([signed(*IMAGE)], lambda x: op.mvn(x, fixed([2, 3]), True, 1e-5, "inside_sqrt")),
        "GroupNormalization": (
            [signed(*IMAGE), signed(64), signed(64)],
            lambda x, s, b: opset12.group_normalization(x, s, b, 32, 1e-5),
        ),
        "BatchNormInference": (
            [signed(*IMAGE)],
            lambda x: opset5.batch_norm_inference(
                x, weights(64), weights(64), weights(64), op.constant(reals(64) + 1), 1e-5
            ),
        ),
        "NormalizeL2": ([signed(*IMAGE)], lambda x: op.normalize_l2(x, fixed([1]), 1e-6, "add")),
        "LRN": ([signed(1, 64, 56, 56)], lambda x: op.lrn(x, fixed([1]), 1e-4, 0.75, 1.0, 5)),
        "FakeQuantize": (
            [reals(*IMAGE)],
            lambda x: op.fake_quantize(x, *(fixed(v, np.float32) for v in (0, 1, 0, 1)), 256),
        ),
        "FakeQuantize by channel": (
            [signed(256, 256, 3, 3)],
            lambda x: op.fake_quantize(
                x, *(op.constant(s * (reals(256, 1, 1, 1) + 1)) for s in (-1, 1, -1, 1)), 255
            ),
        ),
        "Gather rows": (
            [whole(30000, 1, 128)],
            lambda x: op.gather(op.constant(reals(30000, 768)), x, fixed(0)),
        ),
        "GatherElements": (
            [signed(128, 1000), whole(128, 128, 1000)],
            lambda x, y: op.gather_elements(x, y, 0),
        ),
        "GatherND": ([signed(128, 128, 64), whole(128, 4096, 2)], lambda x, y: op.gather_nd(x, y, 0)),
        "ScatterNDUpdate": (
            [signed(1000, 256), whole(1000, 500, 1), signed(500, 256)],
            op.scatter_nd_update,
        ),
        "ScatterUpdate": (
            [signed(1000, 256), whole(1000, 500), signed(500, 256)],
            lambda x, i, u: op.scatter_update(x, i, u, fixed(0)),
        ),
        "ScatterElementsUpdate": (
            [signed(128, 1000), whole(128, 64, 1000), signed(64, 1000)],
            lambda x, i, u: opset12.scatter_elements_update(x, i, u, fixed(0)),
        ),
        "Transpose 0213": ([signed(1, 128, 12, 64)], lambda x: op.transpose(x, fixed([0, 2, 1, 3]))),
        "Transpose to channels last": ([signed(*IMAGE)], lambda x: op.transpose(x, fixed([0, 2, 3, 1]))),
        "Concat": ([signed(*IMAGE), signed(*IMAGE)], lambda x, y: op.concat([x, y], 1)),
        "VariadicSplit": (
            [signed(*IMAGE)],
            lambda x: op.variadic_split(x, fixed(1), fixed([16, 48])).outputs(),
        ),
        "StridedSlice": (
            [signed(*IMAGE)],
            lambda x: op.strided_slice(
                x, fixed([0] * 4), fixed([0] * 4), fixed([1, 1, 2, 2]), [1] * 4, [1] * 4
            ),
        ),
        "Slice": (
            [signed(*IMAGE)],
            lambda x: op.slice(x, fixed([0, 1]), fixed([32, 111]), fixed([1, 1]), fixed([1, 3])),
        ),
        "Pad constant": (
            [signed(*IMAGE)],
            lambda x: op.pad(x, fixed([0, 0, 3, 3]), fixed([0, 0, 3, 3]), "constant"),
        ),
        "Pad reflect": (
            [signed(*IMAGE)],
            lambda x: op.pad(x, fixed([0, 0, 3, 3]), fixed([0, 0, 3, 3]), "reflect"),
        ),
        "Broadcast": ([signed(1, 64, 1, 112)], lambda x: op.broadcast(x, fixed(IMAGE))),
        "Tile": ([signed(1, 64, 56, 56)], lambda x: op.tile(x, fixed([1, 1, 2, 2]))),
        "Roll": ([signed(*IMAGE)], lambda x: op.roll(x, fixed([3, 3]), fixed([2, 3]))),
        "Select": ([reals(*IMAGE) > 0.5, signed(*IMAGE), signed(*IMAGE)], op.select),
        "DepthToSpace": ([signed(1, 64, 56, 56)], lambda x: op.depth_to_space(x, "blocks_first", 2)),
        "SpaceToDepth": ([signed(1, 64, 56, 56)], lambda x: op.space_to_depth(x, "blocks_first", 2)),
        "ShuffleChannels": ([signed(1, 64, 56, 56)], lambda x: op.shuffle_channels(x, 1, 4)),
        "ReverseSequence": (
            [signed(50, 100, 64), whole(100, 50)],
            lambda x, n: op.reverse_sequence(x, n, 0, 1),
        ),
        "CumSum": ([signed(128, 10000)], lambda x: op.cum_sum(x, fixed(1))),
        "OneHot": (
            [whole(1000, 4096)],
            lambda x: op.one_hot(x, fixed(1000), fixed(1, np.float32), fixed(0, np.float32), 1),
        ),
        "NonZero": ([(reals(512, 512) > 0.9).astype(np.float32)], op.non_zero),
        "Bucketize": (
            [signed(*TOKENS)],
            lambda x: op.bucketize(x, op.constant(np.sort(signed(100)))),
        ),
        "Unique": ([whole(1000, 20000)], lambda x: opset10.unique(x, None, True).output(0)),
        "TopK 100 of 8400": (
            [reals(80, 8400)],
            lambda x: op.topk(x, fixed(100), 1, "max", "value").output(0),
        ),
        "TopK all of 1000": (
            [reals(80, 1000)],
            lambda x: op.topk(x, fixed(1000), 1, "max", "value").output(0),
        ),
        "NonMaxSuppression 80x8400": (
            [reals(1, 8400, 4), reals(1, 80, 8400) ** 3],
            lambda x, y: op.non_max_suppression(
                x, y, fixed(100), fixed(0.5, np.float32), fixed(0.6, np.float32)
            ).output(0),
        ),
        "NonMaxSuppression soft 4x2000": (
            [reals(1, 2000, 4), reals(1, 4, 2000)],
            lambda x, y: op.non_max_suppression(
                x,
                y,
                fixed(100),
                fixed(0.5, np.float32),
                fixed(0.3, np.float32),
                fixed(0.5, np.float32),
            ).output(0),
        ),
        "MulticlassNms 20x1000": (
            [reals(1, 1000, 4), reals(1, 20, 1000)],
            lambda x, y: opset9.multiclass_nms(x, y, None, score_threshold=0.8, nms_top_k=200).output(0),
        ),
        "MatrixNms 20x1000": (
            [reals(1, 1000, 4), reals(1, 20, 1000)],
            lambda x, y: opset8.matrix_nms(x, y, score_threshold=0.8, nms_top_k=200).output(0),
        ),
        "ROIAlign 100": (
            [signed(1, 64, 50, 50), np.concatenate([reals(100, 2) * 20, 20 + reals(100, 2) * 25], 1)],
            lambda x, r: opset9.roi_align(
                x, r, op.constant(np.zeros(100, np.int64)), 7, 7, 2, 1.0, "avg", "asymmetric"
            ),
        ),
        "GridSample": (
            [signed(1, 32, 64, 64), reals(1, 64, 64, 2) * 2 - 1],
            lambda x, g: opset9.grid_sample(
                x, g, {"align_corners": True, "mode": "bilinear", "padding_mode": "zeros"}
            ),
        ),
        "Interpolate linear_onnx x2": (
            [signed(1, 32, 64, 64)],
            lambda x: op.interpolate(
                x, fixed([2, 2], np.float32), "linear_onnx", "scales", axes=fixed([2, 3])
            ),
        ),
        "Interpolate nearest x2": (
            [signed(1, 32, 64, 64)],
            lambda x: op.interpolate(x, fixed([2, 2], np.float32), "nearest", "scales", axes=fixed([2, 3])),
        ),
        "Interpolate cubic x2": (
            [signed(1, 16, 64, 64)],
            lambda x: op.interpolate(x, fixed([2, 2], np.float32), "cubic", "scales", axes=fixed([2, 3])),
        ),
        "LSTMSequence 50x256": (
            [signed(4, 50, 256), signed(4, 1, 256), signed(4, 1, 256)],
            lambda x, h, c: op.lstm_sequence(
                x,
                h,
                c,
                fixed([50] * 4),
                weights(1, 1024, 256),
                weights(1, 1024, 256),
                weights(1, 1024),
                256,
                "forward",
            ).output(0),
        ),
        "GRUSequence 50x256": (
            [signed(4, 50, 256), signed(4, 1, 256)],
            lambda x, h: op.gru_sequence(
                x,
                h,
                fixed([50] * 4),
                weights(1, 768, 256),
                weights(1, 768, 256),
                weights(1, 768),
                256,
                "forward",
            ).output(0),
        ),
        "CTCGreedyDecoder": (
            [reals(100, 4, 50), np.ones((100, 4), np.float32)],
            lambda x, m: op.ctc_greedy_decoder(x, m, True),
        ),
        "RDFT 2d": ([signed(16, 128, 128)], lambda x: opset9.rdft(x, fixed([1, 2]))),
        "EmbeddingBagPackedSum": (
            [whole(1000, 256, 20)],
            lambda x: opset3.embedding_bag_packed_sum(weights(1000, 64), x),
        ),
        "EmbeddingBagOffsets": (
            [whole(1000, 5000), np.sort(whole(5000, 250))],
            lambda x, o: opset15.embedding_bag_offsets(weights(1000, 64), x, o),
        ),
        "EmbeddingSegmentsSum": (
            [whole(1000, 5000), np.sort(whole(250, 5000))],
            lambda x, s: opset3.embedding_segments_sum(weights(1000, 64), x, s, fixed(250)),
        ),
        "GatherTree": (
            [whole(10, 50, 8, 10).astype(np.int32), whole(10, 50, 8, 10).astype(np.int32)],
            lambda s, p: op.gather_tree(s, p, fixed([50] * 8, np.int32), fixed(9, np.int32)),
        ),
        "ExtractImagePatches": (
            [signed(1, 16, 64, 64)],
            lambda x: op.extract_image_patches(x, [3, 3], [1, 1], [1, 1], "SAME_UPPER"),
        ),
        "ROIPooling 100": (
            [
                signed(1, 64, 50, 50),
                np.concatenate([np.zeros((100, 1), "f4"), reals(100, 2) * 20, 20 + reals(100, 2) * 25], 1),
            ],
            lambda x, r: op.roi_pooling(x, r, [7, 7], 1.0, "max"),
        ),
        "ReadValue and Assign": (
            [signed(*TOKENS)],
            lambda x: opset6.assign(opset6.read_value(x, "state"), "state"),
        ),
    }
    return {name: Case(arrays, build) for name, (arrays, build) in table.items()}
