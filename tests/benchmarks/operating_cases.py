"""Ops at the sizes of real networks, as models of one op; random numbers of one seed."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
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
    return {name: Case(row) for name, row in (elementwise() | listed() | computed()).items()}


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


def given(text: Any) -> Any:
    """An input in the table: "signed 1,64,56,56", "whole 128 64,1000" (below 128), "weights 64,64,3,3",
    "constant reals 30000,768"; or numbers as they are.
    """
    if not isinstance(text, str):
        return text
    kind, *numbers, shape = text.split()
    sizes = [int(size) for size in shape.split(",")]
    if kind == "constant":
        return Constant(given(" ".join((*numbers, shape))))
    make = {"reals": reals, "signed": signed, "whole": whole, "weights": weights}[kind]
    return make(*map(int, numbers), *sizes)


def listed() -> dict[str, Row]:
    """The rows of operating_cases.toml: layers, and ops that move, select, sample and run over sequences."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["cases"]
    return {name: (op, *map(given, inputs)) for name, op, inputs in table}


def computed() -> dict[str, Row]:
    """Ops whose inputs are more than random numbers."""
    image, tokens = signed(*IMAGE), signed(*TOKENS)
    pads = "strides=1,1 pads_begin=1,1 pads_end=1,1 dilations=1,1"
    of_channels = (Constant(s * (reals(256, 1, 1, 1) + 1)) for s in (-1, 1, -1, 1))
    plane, points, maps = signed(1, 32, 64, 64), reals(100, 2) * 20, signed(1, 64, 50, 50)
    boxes = np.concatenate([points, 5 + points + reals(100, 2) * 20], 1)
    steps = whole(10, 50, 8, 10).astype(np.int32), whole(10, 50, 8, 10).astype(np.int32)
    nms = "NonMaxSuppression-9"
    return {
        "DeformableConvolution 3x3 16x28x28": (
            f"DeformableConvolution-8 {pads}",
            signed(1, 16, 28, 28),
            reals(1, 18, 28, 28) - 0.5,
            weights(16, 16, 3, 3),
        ),
        "BatchNormInference": (
            *("BatchNormInference-5 epsilon=1e-5", image, weights(64), weights(64), weights(64)),
            Constant(reals(64) + 1),
        ),
        "FakeQuantize by channel": ("FakeQuantize-1 levels=255", signed(256, 256, 3, 3), *of_channels),
        "Select": ("Select-1", reals(*IMAGE) > 0.5, signed(*IMAGE), signed(*IMAGE)),
        "NonZero": ("NonZero-3", (reals(512, 512) > 0.9).astype(np.float32)),
        "Bucketize": ("Bucketize-3", tokens, Constant(np.sort(signed(100)))),
        "NonMaxSuppression 80x8400": (*(nms, reals(1, 8400, 4), reals(1, 80, 8400) ** 3, 100, 0.5, 0.6),),
        "ROIAlign 100": (
            "ROIAlign-9 pooled_h=7 pooled_w=7 sampling_ratio=2 spatial_scale=1 mode=avg",
            *(maps, boxes, [0] * 100),
        ),
        "GridSample": ("GridSample-9 align_corners=true", plane, reals(1, 64, 64, 2) * 2 - 1),
        "CTCGreedyDecoder": ("CTCGreedyDecoder-1", reals(100, 4, 50), np.ones((100, 4), np.float32)),
        "EmbeddingBagOffsets": (
            *("EmbeddingBagOffsets-15", weights(1000, 64), whole(1000, 5000), np.sort(whole(5000, 250))),
        ),
        "EmbeddingSegmentsSum": (
            *("EmbeddingSegmentsSum-3", weights(1000, 64), whole(1000, 5000), np.sort(whole(250, 5000)), 250),
        ),
        "GatherTree": ("GatherTree-1", *steps, Constant(np.int32([50] * 8)), Constant(np.int32(9))),
        "ROIPooling 100": (
            "ROIPooling-2 pooled_h=7 pooled_w=7 spatial_scale=1 method=max",
            *(maps, np.insert(boxes, 0, 0, axis=1)),
        ),
    }
