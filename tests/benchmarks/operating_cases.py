"""Ops at the sizes of real networks, as models of one op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from operating_arrays import HIDDEN, IMAGE, Array, Table, fixed, real, reals, signed, weights, whole
from operating_layers import layers
from operating_selections import selections


@dataclass(frozen=True)
class Case:
    """arrays: the inputs; build: makes the op, or its outputs, for parameters of their shapes and types."""

    arrays: list[Array]
    build: Callable[..., Any]


def cases() -> dict[str, Case]:
    """All cases by name."""
    table = elementwise() | conversions() | reductions() | layers() | selections()
    return {name: Case(arrays, build) for name, (arrays, build) in table.items()}


def elementwise() -> Table:
    """Functions of each element, and of each pair of elements."""
    from openvino import opset8
    from openvino import opset13 as op

    unary = {
        "Gelu erf": lambda x: op.gelu(x, "erf"),
        "Gelu tanh": lambda x: op.gelu(x, "tanh"),
        "Swish": op.swish,
        "Mish": opset8.mish,
        "SoftPlus": op.softplus,
        "Elu": lambda x: op.elu(x, 1.0),
        "Selu": lambda x: op.selu(x, real(1.67), real(1.05)),
        "HSwish": op.hswish,
        "HSigmoid": op.hsigmoid,
        "PRelu": lambda x: op.prelu(x, weights(3072)),
        "Power 2": lambda x: op.power(x, real(2)),
        "Power 0.5": lambda x: op.power(op.abs(x), real(0.5)),
        "Power 2.5": lambda x: op.power(op.abs(x), real(2.5)),
        "Clamp": lambda x: op.clamp(x, -1.0, 1.0),
        "Round": lambda x: op.round(x, "half_to_even"),
        "LogSoftmax": lambda x: op.log_softmax(x, 2),
        **{
            name: getattr(op, name.lower())
            for name in ("Erf", "Sigmoid", "Tanh", "Exp", "ReLU", "Sin", "Cos", "Floor", "Abs", "Sign", "Tan")
        },
    }
    table = {f"{name} 128x3072": ([signed(*HIDDEN)], build) for name, build in unary.items()}
    names = ("Add", "Subtract", "Multiply", "Divide", "Maximum", "Mod", "Power", "Equal", "Greater")
    binary = {name: getattr(op, name.lower()) for name in names}
    binary |= {"FloorMod": op.floor_mod, "SquaredDifference": op.squared_difference}
    return table | {
        f"{name} 64x112x112": ([reals(*IMAGE) + 0.1, reals(*IMAGE) + 0.1], build)
        for name, build in binary.items()
    }


def conversions() -> Table:
    from openvino import opset13 as op

    return {
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


def reductions() -> Table:
    from openvino import opset13 as op

    return {
        f"{name} {where}": ([signed(*IMAGE)], lambda x, build=build, axes=axes: build(x, fixed(axes), True))
        for name, build in (
            ("ReduceMean", op.reduce_mean),
            ("ReduceSum", op.reduce_sum),
            ("ReduceMax", op.reduce_max),
            ("ReduceL2", op.reduce_l2),
        )
        for where, axes in (("channels", [1]), ("maps", [2, 3]))
    }
