"""Random graphs, built through irops.Graph."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import irops
from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.graph.node import Value
from irops.values.element import element_type

TYPES = ("f32", "f32", "f32", "i32", "i64", "boolean")
UNARY = (
    "Abs", "Ceiling", "Exp", "Floor", "Negative", "ReLU", "Sigmoid", "Sign", "Sqrt", "Tanh", "Gelu", "Erf",
    "Swish",
)  # fmt: skip
BINARY = ("Add", "Subtract", "Multiply", "Maximum", "Minimum", "SquaredDifference")
COMPARED = ("Equal", "Greater", "Less", "NotEqual")


class Maker:
    """Makes one graph of a seed: inputs, then random ops on random values of it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.graph = irops.Graph(f"random_{seed}")
        self.arrays: dict[str, Any] = {}
        self.refused = 0
        self.dynamic = self.chance.random() < 0.3
        for number in range(self.chance.randint(1, 3)):
            self._input(f"input_{number}")
        for _ in range(self.chance.randint(3, 14)):
            self._op()
        unused = [o for node in self.graph for o in node.outputs if not o.users and node.type != "Const"]
        for number, value in enumerate(unused):
            self.graph.result(value, f"result_{number}")

    def _input(self, name: str) -> None:
        kind = self.chance.choice(TYPES)
        shape = [self.chance.choice((1, 2, 3, 4, 6)) for _ in range(self.chance.randint(1, 4))]
        dynamic = self.dynamic and self.chance.random() < 0.5
        declared = [self.chance.choice((size, "?")) if dynamic else size for size in shape]
        self.graph.parameter(name, kind, declared)
        numbers = np.random.default_rng(self.chance.randrange(1 << 30))
        array = numbers.standard_normal(shape) if kind == "f32" else numbers.integers(0, 5, shape)
        self.arrays[name] = array.astype(element_type(kind).dtype)

    def _op(self) -> None:
        values = [o for node in self.graph for o in node.outputs]
        value = self.chance.choice(values)
        kinds: list[Callable[[Value, list[Value]], Any]] = [
            self._unary, self._binary, self._shape, self._reduce, self._join, self._matmul, self._index,
            self._select, self._window, self._body,
        ]  # fmt: skip
        try:
            self.chance.choice(kinds)(value, values)
        except DiagnosticError:
            self.refused += 1

    def _unary(self, value: Value, _: list[Value]) -> None:
        floating = value.element_type.floating
        self.graph.apply(
            self.chance.choice(UNARY if floating else ("Abs", "Negative", "ReLU", "Sign")), value
        )

    def _binary(self, value: Value, values: list[Value]) -> None:
        other = self.chance.choice([*values, 2, 3])
        if value.element_type.name == "boolean":  # which OpenVINO's plug-in confuses with u8
            self.graph.apply("LogicalNot", value)
            return
        op = self.chance.choice((*BINARY, *COMPARED))
        self.graph.apply(op, value, other)

    def _shape(self, value: Value, _: list[Value]) -> None:
        ops, rank = self.graph.ops, value.shape.rank or 0
        match self.chance.randrange(6):
            case 0:
                ops.Reshape(value, [-1, *([1] * self.chance.randrange(2))], special_zero=False)
            case 1:
                ops.Transpose(value, self.chance.sample(range(rank), rank))
            case 2:
                ops.Unsqueeze(value, [self.chance.randint(-rank - 1, rank)])
            case 3:
                ops.Convert(value, destination_type=self.chance.choice(TYPES))
            case 4:
                ops.Broadcast(value, [2, *([3] * rank)], mode="bidirectional")
            case 5:
                ops.ShapeOf(value, output_type=self.chance.choice(("i32", "i64")))

    def _reduce(self, value: Value, _: list[Value]) -> None:
        axis = self.chance.randint(-3, 2)
        op = self.chance.choice(("ReduceSum", "ReduceMax", "ReduceMean", "ReduceProd"))
        self.graph.add(op, value, [axis], keep_dims=self.chance.random() < 0.5)

    def _join(self, value: Value, values: list[Value]) -> None:
        others = [
            v for v in values if v.element_type is value.element_type and v.shape.rank == value.shape.rank
        ]
        chosen = [value, *self.chance.choices(others, k=self.chance.randint(0, 2))]
        self.graph.ops.Concat(*chosen, axis=self.chance.randint(-2, 2))

    def _matmul(self, value: Value, values: list[Value]) -> None:
        turned = {f"transpose_{name}": self.chance.random() < 0.5 for name in "ab"}
        self.graph.ops.MatMul(value, self.chance.choice(values), **turned)

    def _index(self, value: Value, _: list[Value]) -> None:
        ops = self.graph.ops
        match self.chance.randrange(4):
            case 0:
                ops.Gather(value, [0, -1], self.chance.randint(-2, 2))
            case 1:
                ops.Split(value, self.chance.randint(-2, 1), num_splits=self.chance.randint(1, 3))
            case 2:
                ops.Slice(value, [0], [self.chance.choice((-1, 2))], [1], [self.chance.randint(-2, 1)])
            case 3:
                order = {"mode": "max", "sort": "value", "index_element_type": "i64"}
                ops.TopK(value, 1, axis=self.chance.randint(-2, 1), **order)

    def _select(self, value: Value, values: list[Value]) -> None:
        conditions = [v for v in values if v.element_type.name == "boolean"]
        if conditions and value.element_type.name != "boolean":
            self.graph.ops.Select(self.chance.choice(conditions), value, self.chance.choice(values))
        else:
            self.graph.ops.SoftMax(value, axis=self.chance.randint(-2, 1))

    def _window(self, value: Value, _: list[Value]) -> None:
        channels = value.shape[1] if (value.shape.rank or 0) == 4 else None
        if channels is None or not channels.known:
            self.graph.ops.Clamp(value, min=-1, max=2)
            return
        filters = np.full((2, int(channels), 1, 1), 0.5, np.float32)
        self.graph.ops.Convolution(
            value, filters, strides=(1, 1), pads_begin=(0, 0), pads_end=(0, 0), dilations=(1, 1)
        )

    def _body(self, value: Value, _: list[Value]) -> None:
        if not (value.element_type.floating and value.shape.static and value.shape.rank):
            self.graph.ops.HardSigmoid(value, 0.2, 0.5)
            return
        part = value.shape.with_dim(0, 1)
        body = irops.Graph("body")
        row = body.parameter("row", str(value.element_type), part)
        total = body.parameter("total", str(value.element_type), part)
        body.result(row + total, "next")
        zeros = np.zeros(part.to_tuple(), value.element_type.dtype)
        flows = {"row": self.graph.sliced(value, 0), "total": self.graph.carried(zeros, "next")}
        self.graph.TensorIterator(body, flows, ["next", self.graph.stacked("next", 0)])
