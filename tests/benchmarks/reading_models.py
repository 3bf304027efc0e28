"""The models whose reading is timed: chains of small layers, and language models with dynamic shapes."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # a benchmark sends nothing

import openvino as ov  # noqa: E402
from openvino import opset6, opset13 as op  # noqa: E402
from openvino.op.util import Variable, VariableInfo  # noqa: E402

Node = Any
HEADS, SIZE = 8, 8
HIDDEN, INNER, WORDS = HEADS * SIZE, 172, 1000


def chain(layers: int) -> ov.Model:
    """Blocks of five layers: a weight, a MatMul, a bias, an Add, a ReLU."""
    random = np.random.default_rng(0)
    x = data = op.parameter([-1, 8], np.float32, name="x")
    for _ in range((layers - 2) // 5):
        product = op.matmul(x, op.constant(random.random((8, 8), np.float32)), False, False)
        x = op.relu(op.add(product, op.constant(random.random((1, 8), np.float32))))
    return ov.Model([op.result(x)], [data], "chain")


def language_model(layers: int) -> ov.Model:
    """A decoder with that many layers of some 130 nodes each: weights of f16, shapes computed from those of
    the inputs, and keys and values kept in variables.
    """
    return LanguageModel().model(layers)


class LanguageModel:
    """Builds one decoder. Tensors are [batch, steps, hidden], in attention [batch, head, step, size]."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(0)
        self.inputs = {name: _input(name, rank) for name, rank in (("ids", 2), ("mask", 2), ("beams", 1))}
        self.sinks: list[Node] = []

    def model(self, layers: int) -> ov.Model:
        ids, mask = self.inputs["ids"], self.inputs["mask"]
        x = op.gather(self.weights(WORDS, HIDDEN), op.convert(ids, "i32"), _numbers(0, np.int32))
        keys = op.range(_numbers(0), op.squeeze(_size(mask, 1), _numbers(0)), _numbers(1), "i64")
        first = op.squeeze(op.subtract(_size(mask, 1), _size(ids, 1)), _numbers(0))
        steps = op.range(first, op.squeeze(_size(mask, 1), _numbers(0)), _numbers(1), "i64")
        later = op.greater(op.unsqueeze(keys, _numbers(0)), op.unsqueeze(steps, _numbers(1)))
        hidden = op.logical_or(later, op.unsqueeze(op.equal(mask, _numbers(0)), _numbers([1, 2])))
        self.bias = op.select(hidden, _numbers(-65504, np.float32), _numbers(0, np.float32))
        angle = op.multiply(op.unsqueeze(op.convert(steps, "f32"), _numbers(1)), self.constant(1, SIZE))
        self.turns = op.cos(angle), op.sin(angle)
        for layer in range(layers):
            x = op.add(x, self.attention(self.norm(x), layer))
            x = op.add(x, self.feed_forward(self.norm(x)))
        result = op.result(self.linear(self.norm(x), HIDDEN, WORDS))
        return ov.Model([result], self.sinks, list(self.inputs.values()), "language_model")

    def attention(self, x: Node, layer: int) -> Node:
        query, key, value = (self.heads(self.linear(x, HIDDEN, HIDDEN)) for _ in range(3))
        query, key = self.rotated(query), self.kept(self.rotated(key), f"key.{layer}")
        mixed = op.scaled_dot_product_attention(query, key, self.kept(value, f"value.{layer}"), self.bias)
        shape = op.concat([_size(query, 0), _size(query, 2), _numbers([HIDDEN])], 0)
        joined = op.reshape(op.transpose(mixed, _numbers([0, 2, 1, 3])), shape, False)
        return self.linear(joined, HIDDEN, HIDDEN)

    def feed_forward(self, x: Node) -> Node:
        gate = op.swish(self.linear(x, HIDDEN, INNER))
        return self.linear(op.multiply(gate, self.linear(x, HIDDEN, INNER)), INNER, HIDDEN)

    def norm(self, x: Node) -> Node:
        mean = op.reduce_mean(op.power(x, self.constant(1, 1, 1)), _numbers([-1]), True)
        root = op.sqrt(op.add(mean, self.constant(1, 1, 1)))
        return op.multiply(self.weights(1, 1, HIDDEN), op.divide(x, root))

    def heads(self, x: Node) -> Node:
        return op.transpose(op.reshape(x, _numbers([0, 0, HEADS, SIZE]), True), _numbers([0, 2, 1, 3]))

    def rotated(self, x: Node) -> Node:
        half, end, one, axis = (_numbers([n]) for n in (SIZE // 2, 2**63 - 1, 1, 3))
        high, low = op.slice(x, half, end, one, axis), op.slice(x, _numbers([0]), half, one, axis)
        turned = op.concat([op.multiply(high, self.constant(1, 1, 1, 1)), low], -1)
        return op.add(op.multiply(x, self.turns[0]), op.multiply(turned, self.turns[1]))

    def kept(self, x: Node, name: str) -> Node:
        """x behind what earlier runs left in a variable."""
        shape = ov.PartialShape([-1, HEADS, -1, SIZE])
        info = VariableInfo()
        info.data_shape, info.data_type, info.variable_id = shape, ov.Type.f32, name
        Variable(info)
        batch = _size(self.inputs["ids"], 0)
        none = op.broadcast(_numbers(0, np.float32), op.concat([batch, _numbers([HEADS, 0, SIZE])], 0))
        before = opset6.read_value(none, name, ov.Type.f32, shape)
        joined = op.concat([op.gather(before, self.inputs["beams"], _numbers(0, np.int32)), x], 2)
        self.sinks.append(opset6.assign(joined, name))
        return joined

    def linear(self, x: Node, inputs: int, outputs: int) -> Node:
        return op.matmul(x, self.weights(outputs, inputs), False, True)

    def weights(self, *shape: int) -> Node:
        return op.convert(op.constant(self.random.standard_normal(shape).astype(np.float16)), "f32")

    def constant(self, *shape: int) -> Node:
        return op.constant(self.random.random(shape, np.float32))


def _input(name: str, rank: int) -> Node:
    node = op.parameter([-1] * rank, np.int64, name=name)
    node.output(0).get_tensor().set_names({name})
    return node


def _numbers(value: Any, kind: Any = np.int64) -> Node:
    return op.constant(np.array(value, kind))


def _size(node: Node, axis: int) -> Node:
    """The size of an axis, as a tensor with one element."""
    return op.gather(op.shape_of(node), _numbers([axis]), _numbers(0))


KINDS: dict[str, Callable[[int], ov.Model]] = {"chain": chain, "language-model": language_model}


def write(spec: str, folder: Path) -> Path:
    """Write the model of a spec such as chain:5000: its kind, and how many layers it has."""
    kind, _, count = spec.partition(":")
    path = folder / f"{kind}-{count}.xml"
    ov.serialize(KINDS[kind](int(count)), path)
    return path
