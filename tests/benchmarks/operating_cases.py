"""Ops at the sizes of real networks, as models of one op; random numbers of one seed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import irops

Array = np.ndarray[Any, Any]
Row = tuple[Any, ...]
"""The op with its attributes, "SoftMax-8 axis=-1", and its inputs: arrays are inputs of the model, the others
constants: numbers, lists, and Constants.
"""
RNG = np.random.default_rng(0)
IMAGE, TOKENS, HIDDEN = (1, 64, 112, 112), (1, 128, 768), (1, 128, 3072)


@dataclass(frozen=True)
class Constant:
    array: Array


@dataclass(frozen=True)
class Case:
    """A model of one op. row: see Row"""

    row: Row

    @property
    def arrays(self) -> list[Array]:
        """The inputs of the model."""
        return [each for each in self.row[1:] if isinstance(each, np.ndarray)]

    def model(self) -> irops.Model:
        graph, (op, *attributes) = irops.Graph("op"), self.row[0].split()
        inputs: list[Any] = []
        for each in self.row[1:]:
            if isinstance(each, np.ndarray):
                each = graph.parameter(f"x{len(inputs)}", str(each.dtype), each.shape)
            elif isinstance(each, Constant):
                each = each.array
            inputs.append(np.float32(each) if isinstance(each, float) else each)
        made = graph.add(op, *inputs, **dict(text.split("=", 1) for text in attributes))
        outputs = made if isinstance(made, tuple) else (made,)
        for value in outputs if op == "VariadicSplit-1" else outputs[:1]:
            graph.result(value)
        if op == "ReadValue-6":
            graph.add("Assign-6", outputs[0], variable_id="state")
        return graph.model()


def reals(*shape: int) -> Array:
    return RNG.random(shape, np.float32)


def signed(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def whole(high: int, *shape: int) -> Array:
    return RNG.integers(0, high, shape)


def weights(*shape: int) -> Constant:
    return Constant(signed(*shape) * np.float32(0.1))


def cases() -> dict[str, Case]:
    """All cases by name."""
    return {name: Case(row) for name, row in (elementwise() | layers() | selections()).items()}


def elementwise() -> dict[str, Row]:
    """Functions of each element and of each pair of elements, conversions and reductions."""
    unary: dict[str, Row] = {
        "Gelu erf": ("Gelu-7 approximation_mode=erf",),
        "Gelu tanh": ("Gelu-7 approximation_mode=tanh",),
        "Swish": ("Swish-4", 1.0),
        "Mish": ("Mish-4",),
        "SoftPlus": ("SoftPlus-4",),
        "Elu": ("Elu-1 alpha=1",),
        "Selu": ("Selu-1", 1.67, 1.05),
        "HSwish": ("HSwish-4",),
        "HSigmoid": ("HSigmoid-5",),
        "PRelu": ("PReLU-1", weights(3072)),
        **{f"Power {exponent:g}": ("Power-1", exponent) for exponent in (2.0, 0.5, 2.5)},
        "Clamp": ("Clamp-1 min=-1 max=1",),
        "Round": ("Round-5 mode=half_to_even",),
        "LogSoftmax": ("LogSoftmax-5 axis=2",),
    }
    plain = ("Erf", "Sigmoid", "Tanh", "Exp", "ReLU", "Sin", "Cos", "Floor", "Abs", "Sign", "Tan")
    rows: dict[str, Row] = {}
    for name, (op, *more) in (unary | {name: (f"{name}-1",) for name in plain}).items():
        data = abs(signed(*HIDDEN)) if name in ("Power 0.5", "Power 2.5") else signed(*HIDDEN)
        rows[f"{name} 128x3072"] = (op, data, *more)
    for name in (
        *("Add", "Subtract", "Multiply", "Divide", "Maximum", "Mod", "Power", "Equal", "Greater"),
        *("FloorMod", "SquaredDifference"),
    ):
        rows[f"{name} 64x112x112"] = (f"{name}-1", reals(*IMAGE) + 0.1, reals(*IMAGE) + 0.1)
    for before, kind, after in (
        *(("f32", "f4", to) for to in ("f16", "i8", "i32", "u8", "boolean")),
        *((of, kind, "f32") for of, kind in (("f16", "f2"), ("i8", "i1"), ("u8", "u1"), ("i64", "i8"))),
        ("i64", "i8", "i32"),
    ):
        data = (whole(100, *IMAGE) - (0 if before == "u8" else 50)).astype(kind)
        rows[f"Convert {before} to {after}"] = (f"Convert-1 destination_type={after}", data)
    for op in ("ReduceMean-1", "ReduceSum-1", "ReduceMax-1", "ReduceL2-4"):
        for where, axes in (("channels", [1]), ("maps", [2, 3])):
            name = f"{op.partition('-')[0]} {where}"
            rows[name] = (f"{op} keep_dims=true", signed(*IMAGE), axes)
    return rows


def layers() -> dict[str, Row]:
    """Convolutions, products, normalizations and quantization."""
    pads = "strides=1,1 pads_begin=1,1 pads_end=1,1 dilations=1,1"
    twice = "strides=2,2 pads_begin=1,1 pads_end=1,1 dilations=1,1 output_padding=0,0"
    wide = "strides=1,1 pads_begin=3,3 pads_end=3,3 dilations=1,1"
    alone = "strides=1,1 pads_begin=0,0 pads_end=0,0 dilations=1,1"
    around = "strides=2,2 pads_begin=1,1 pads_end=1,1 kernel=3,3"
    image, small, tokens, heads = (
        signed(*IMAGE),
        signed(1, 64, 56, 56),
        signed(*TOKENS),
        signed(1, 12, 128, 64),
    )
    mvn = "MVN-6 normalize_variance=true eps=1e-5 eps_mode=inside_sqrt"
    of_channels = (Constant(s * (reals(256, 1, 1, 1) + 1)) for s in (-1, 1, -1, 1))
    return {
        "Convolution 3x3 64 to 64, 56x56": (f"Convolution-1 {pads}", small, weights(64, 64, 3, 3)),
        "Convolution 1x1 64 to 256, 56x56": (f"Convolution-1 {alone}", small, weights(256, 64, 1, 1)),
        **{
            f"GroupConvolution depthwise {taps}x{taps} {channels}x{size}x{size}": (
                f"GroupConvolution-1 {wide if taps == 7 else pads}",
                signed(1, channels, size, size),
                weights(channels, 1, 1, taps, taps),
            )
            for taps, channels, size in ((3, 144, 56), (3, 384, 14), (7, 96, 56))
        },
        "ConvolutionBackpropData 4x4 64x28x28": (
            f"ConvolutionBackpropData-1 {twice}",
            signed(1, 64, 28, 28),
            weights(64, 32, 4, 4),
        ),
        "DeformableConvolution 3x3 16x28x28": (
            f"DeformableConvolution-8 {pads}",
            signed(1, 16, 28, 28),
            reals(1, 18, 28, 28) - 0.5,
            weights(16, 16, 3, 3),
        ),
        "MaxPool-8 3x3": (f"MaxPool-8 {around} dilations=1,1", image),
        "MaxPool-1 2x2": ("MaxPool-1 strides=2,2 pads_begin=0,0 pads_end=0,0 kernel=2,2", image),
        "AvgPool 3x3": (f"AvgPool-1 {around} exclude-pad=true", image),
        "AdaptiveAvgPool 7x7": ("AdaptiveAvgPool-8", image, [7, 7]),
        "MatMul 128x768x3072": ("MatMul-1", tokens, weights(768, 3072)),
        "MatMul 12x128x64x128": ("MatMul-1 transpose_b=true", heads, heads),
        "Einsum bij,bjk->bik": ("Einsum-7 equation=bij,bjk->bik", signed(8, 128, 64), signed(8, 64, 128)),
        "Einsum bhqd,bhkd->bhqk": ("Einsum-7 equation=bhqd,bhkd->bhqk", heads, heads),
        "Einsum bid,hdk->bhik": ("Einsum-7 equation=bid,hdk->bhik", signed(1, 128, 256), signed(8, 256, 32)),
        "SoftMax 12x128x128": ("SoftMax-8 axis=-1", signed(1, 12, 128, 128)),
        "SoftMax channels 64x112x112": ("SoftMax-8 axis=1", image),
        "ScaledDotProductAttention 12x128x64": (
            "ScaledDotProductAttention-13 causal=false",
            heads,
            heads,
            heads,
        ),
        "MVN last": (mvn, tokens, [2]),
        "MVN maps": (mvn, image, [2, 3]),
        "GroupNormalization": (
            *("GroupNormalization-12 num_groups=32 epsilon=1e-5", signed(*IMAGE)),
            *(signed(64), signed(64)),
        ),
        "BatchNormInference": (
            *("BatchNormInference-5 epsilon=1e-5", image, weights(64), weights(64), weights(64)),
            Constant(reals(64) + 1),
        ),
        "NormalizeL2": ("NormalizeL2-1 eps=1e-6 eps_mode=add", image, [1]),
        "LRN": ("LRN-1 alpha=1e-4 beta=0.75 bias=1 size=5", small, [1]),
        "FakeQuantize": ("FakeQuantize-1 levels=256", reals(*IMAGE), 0.0, 1.0, 0.0, 1.0),
        "FakeQuantize by channel": ("FakeQuantize-1 levels=255", signed(256, 256, 3, 3), *of_channels),
    }


def recurrent(gates: int) -> tuple[Constant, ...]:
    """Weights of a layer of 256 units."""
    return weights(1, gates * 256, 256), weights(1, gates * 256, 256), weights(1, gates * 256)


def selections() -> dict[str, Row]:
    """Ops that move, select, sample and run over sequences."""
    image, small, tokens = signed(*IMAGE), signed(1, 64, 56, 56), signed(*TOKENS)
    plane, points, maps = signed(1, 32, 64, 64), reals(100, 2) * 20, signed(1, 64, 50, 50)
    boxes = np.concatenate([points, 5 + points + reals(100, 2) * 20], 1)
    twice = "shape_calculation_mode=scales"
    state = "variable_id=state variable_type=f32 variable_shape=1,128,768"
    cut = "begin_mask=1,1,1,1 end_mask=1,1,1,1"
    descending = "TopK-11 axis=1 mode=max sort=value index_element_type=i32"
    nms, states = "NonMaxSuppression-9", (signed(4, 1, 256), signed(4, 1, 256))
    kept = "score_threshold=0.8 nms_top_k=200"
    steps = whole(10, 50, 8, 10).astype(np.int32), whole(10, 50, 8, 10).astype(np.int32)
    return {
        "Gather rows": ("Gather-8", Constant(reals(30000, 768)), whole(30000, 1, 128), 0),
        "GatherElements": ("GatherElements-6 axis=0", signed(128, 1000), whole(128, 128, 1000)),
        "GatherND": ("GatherND-8", signed(128, 128, 64), whole(128, 4096, 2)),
        "ScatterNDUpdate": ("ScatterNDUpdate-4", signed(1000, 256), whole(1000, 500, 1), signed(500, 256)),
        "ScatterUpdate": ("ScatterUpdate-3", signed(1000, 256), whole(1000, 500), signed(500, 256), 0),
        "ScatterElementsUpdate": (
            *("ScatterElementsUpdate-12", signed(128, 1000), whole(128, 64, 1000), signed(64, 1000), 0),
        ),
        "Transpose 0213": ("Transpose-1", signed(1, 128, 12, 64), [0, 2, 1, 3]),
        "Transpose to channels last": ("Transpose-1", image, [0, 2, 3, 1]),
        "Concat": ("Concat-1 axis=1", signed(*IMAGE), signed(*IMAGE)),
        "VariadicSplit": ("VariadicSplit-1", image, 1, [16, 48]),
        "StridedSlice": (f"StridedSlice-1 {cut}", image, [0] * 4, [0] * 4, [1, 1, 2, 2]),
        "Slice": ("Slice-8", image, [0, 1], [32, 111], [1, 1], [1, 3]),
        "Pad constant": ("Pad-12 pad_mode=constant", image, [0, 0, 3, 3], [0, 0, 3, 3]),
        "Pad reflect": ("Pad-12 pad_mode=reflect", image, [0, 0, 3, 3], [0, 0, 3, 3]),
        "Broadcast": ("Broadcast-3", signed(1, 64, 1, 112), [*IMAGE]),
        "Tile": ("Tile-1", small, [1, 1, 2, 2]),
        "Roll": ("Roll-7", image, [3, 3], [2, 3]),
        "Select": ("Select-1", reals(*IMAGE) > 0.5, signed(*IMAGE), signed(*IMAGE)),
        "DepthToSpace": ("DepthToSpace-1 mode=blocks_first block_size=2", small),
        "SpaceToDepth": ("SpaceToDepth-1 mode=blocks_first block_size=2", small),
        "ShuffleChannels": ("ShuffleChannels-1 axis=1 group=4", small),
        "ReverseSequence": ("ReverseSequence-1 batch_axis=0 seq_axis=1", signed(50, 100, 64), whole(100, 50)),
        "CumSum": ("CumSum-3", signed(128, 10000), 1),
        "OneHot": ("OneHot-1 axis=1", whole(1000, 4096), 1000, 1.0, 0.0),
        "NonZero": ("NonZero-3", (reals(512, 512) > 0.9).astype(np.float32)),
        "Bucketize": ("Bucketize-3", tokens, Constant(np.sort(signed(100)))),
        "Unique": ("Unique-10", whole(1000, 20000)),
        "TopK 100 of 8400": (descending, reals(80, 8400), 100),
        "TopK all of 1000": (descending, reals(80, 1000), 1000),
        "NonMaxSuppression 80x8400": (*(nms, reals(1, 8400, 4), reals(1, 80, 8400) ** 3, 100, 0.5, 0.6),),
        "NonMaxSuppression soft 4x2000": (*(nms, reals(1, 2000, 4), reals(1, 4, 2000), 100, 0.5, 0.3, 0.5),),
        "MulticlassNms 20x1000": (f"MulticlassNms-9 {kept}", reals(1, 1000, 4), reals(1, 20, 1000)),
        "MatrixNms 20x1000": (f"MatrixNms-8 {kept}", reals(1, 1000, 4), reals(1, 20, 1000)),
        "ROIAlign 100": (
            "ROIAlign-9 pooled_h=7 pooled_w=7 sampling_ratio=2 spatial_scale=1 mode=avg",
            *(maps, boxes, [0] * 100),
        ),
        "GridSample": ("GridSample-9 align_corners=true", plane, reals(1, 64, 64, 2) * 2 - 1),
        **{
            f"Interpolate {mode} x2": (f"Interpolate-11 mode={mode} {twice}", data, [2.0, 2.0], [2, 3])
            for mode, data in (("linear_onnx", plane), ("nearest", plane), ("cubic", signed(1, 16, 64, 64)))
        },
        "LSTMSequence 50x256": (
            "LSTMSequence-5 hidden_size=256 direction=forward",
            *(signed(4, 50, 256), *states, [50] * 4, *recurrent(4)),
        ),
        "GRUSequence 50x256": (
            "GRUSequence-5 hidden_size=256 direction=forward",
            *(signed(4, 50, 256), states[0], [50] * 4, *recurrent(3)),
        ),
        "CTCGreedyDecoder": ("CTCGreedyDecoder-1", reals(100, 4, 50), np.ones((100, 4), np.float32)),
        "RDFT 2d": ("RDFT-9", signed(16, 128, 128), [1, 2]),
        "EmbeddingBagPackedSum": ("EmbeddingBagPackedSum-3", weights(1000, 64), whole(1000, 256, 20)),
        "EmbeddingBagOffsets": (
            *("EmbeddingBagOffsets-15", weights(1000, 64), whole(1000, 5000), np.sort(whole(5000, 250))),
        ),
        "EmbeddingSegmentsSum": (
            *("EmbeddingSegmentsSum-3", weights(1000, 64), whole(1000, 5000), np.sort(whole(250, 5000)), 250),
        ),
        "GatherTree": ("GatherTree-1", *steps, Constant(np.int32([50] * 8)), Constant(np.int32(9))),
        "ExtractImagePatches": (
            "ExtractImagePatches-3 sizes=3,3 strides=1,1 rates=1,1 auto_pad=same_upper",
            signed(1, 16, 64, 64),
        ),
        "ROIPooling 100": (
            "ROIPooling-2 pooled_h=7 pooled_w=7 spatial_scale=1 method=max",
            *(maps, np.insert(boxes, 0, 0, axis=1)),
        ),
        "ReadValue and Assign": (f"ReadValue-6 {state}", tokens),
    }
