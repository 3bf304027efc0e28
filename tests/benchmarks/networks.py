"""Networks at the sizes that people use, with random weights of one seed, for evaluating.py."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Made = tuple[Any, np.ndarray]
"""An ONNX model, and a value for its input."""
RESIDUAL = ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2))
"""The stages of ResNet-50: blocks, width and stride."""
INVERTED = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""The stages of MobileNetV2: expansion, channels, blocks and stride."""


class Builder:
    """An ONNX graph, node by node."""

    def __init__(self) -> None:
        from onnx import helper, numpy_helper

        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.rng = np.random.default_rng(0)

    def weight(self, *shape: int) -> str:
        scale = np.sqrt(max(np.prod(shape[1:]), 1))
        return self.constant((self.rng.standard_normal(shape) / scale).astype(np.float32))

    def constant(self, array: Any) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(self.numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def conv(self, x: str, channels: tuple[int, int], kernel: int, stride: int = 1, groups: int = 1) -> str:
        ins, outs = channels
        weight = self.weight(outs, ins // groups, kernel, kernel)
        pads, strides = [kernel // 2] * 4, [stride] * 2
        return self.node("Conv", x, weight, self.weight(outs), pads=pads, strides=strides, group=groups)

    def linear(self, x: str, ins: int, outs: int) -> str:
        return self.node("Add", self.node("MatMul", x, self.weight(ins, outs)), self.weight(outs))

    def model(self, shape: tuple[int, ...], output: str) -> Made:
        from onnx import TensorProto

        info = self.helper.make_tensor_value_info
        ends = [info("x", TensorProto.FLOAT, shape)], [info(output, TensorProto.FLOAT, None)]
        graph = self.helper.make_graph(self.nodes, "g", *ends, self.weights)
        opset = self.helper.make_opsetid("", 17)
        x = self.rng.standard_normal(shape).astype(np.float32)
        return self.helper.make_model(graph, opset_imports=[opset], ir_version=9), x


def tiny_nodes(count: int = 3000) -> Made:
    """A chain of nodes of four elements each: what is left is the cost of a node."""
    b = Builder()
    x, weight, half = "x", b.weight(4, 4), b.constant(np.float32(0.5))
    for _ in range(count // 4):
        product = b.node("MatMul", x, weight)
        x = b.node("Relu", b.node("Add", b.node("Mul", product, half), half))
    return b.model((1, 4), x)


def bert(layers: int = 2, steps: int = 128, width: int = 768, heads: int = 12) -> Made:
    b, size = Builder(), width // heads
    split, join = b.constant([0, steps, heads, size]), b.constant([0, steps, width])
    root, one, half = (b.constant(np.float32(number)) for number in (2**0.5, 1, 0.5))
    scale = b.constant(np.float32(size**-0.5))

    def head(x: str, order: list[int]) -> str:
        return b.node("Transpose", b.node("Reshape", b.linear(x, width, width), split), perm=order)

    def norm(x: str) -> str:
        return b.node("LayerNormalization", x, b.weight(width), b.weight(width), axis=-1)

    def gelu(x: str) -> str:
        error = b.node("Add", b.node("Erf", b.node("Div", x, root)), one)
        return b.node("Mul", b.node("Mul", x, error), half)

    x = "x"
    for _ in range(layers):
        scores = b.node("Mul", b.node("MatMul", head(x, [0, 2, 1, 3]), head(x, [0, 2, 3, 1])), scale)
        mixed = b.node("MatMul", b.node("Softmax", scores, axis=-1), head(x, [0, 2, 1, 3]))
        merged = b.node("Reshape", b.node("Transpose", mixed, perm=[0, 2, 1, 3]), join)
        x = norm(b.node("Add", x, b.linear(merged, width, width)))
        inner = gelu(b.linear(x, width, 4 * width))
        x = norm(b.node("Add", x, b.linear(inner, 4 * width, width)))
    return b.model((1, steps, width), x)


def resnet50(size: int = 224) -> Made:
    b = Builder()
    x = b.node("Relu", b.conv("x", (3, 64), 7, 2))
    x, channels = b.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 64
    for count, width, first_stride in RESIDUAL:
        for block in range(count):
            stride = first_stride if block == 0 else 1
            y = b.node("Relu", b.conv(x, (channels, width), 1))
            y = b.node("Relu", b.conv(y, (width, width), 3, stride))
            y = b.conv(y, (width, 4 * width), 1)
            x = x if block else b.conv(x, (channels, 4 * width), 1, stride)
            x, channels = b.node("Relu", b.node("Add", y, x)), 4 * width
    x = b.node("Flatten", b.node("GlobalAveragePool", x))
    return b.model((1, 3, size, size), b.node("Softmax", b.linear(x, channels, 1000), axis=1))


def mobilenet(size: int = 224) -> Made:
    b = Builder()
    low, high = b.constant(np.float32(0)), b.constant(np.float32(6))

    def clipped(x: str) -> str:
        return b.node("Clip", x, low, high)

    x, channels = clipped(b.conv("x", (3, 32), 3, 2)), 32
    for factor, outs, count, first_stride in INVERTED:
        for block in range(count):
            stride, inner = (first_stride if block == 0 else 1), channels * factor
            y = x if factor == 1 else clipped(b.conv(x, (channels, inner), 1))
            y = b.conv(clipped(b.conv(y, (inner, inner), 3, stride, inner)), (inner, outs), 1)
            x, channels = (b.node("Add", x, y) if stride == 1 and channels == outs else y), outs
    x = b.node("GlobalAveragePool", clipped(b.conv(x, (channels, 1280), 1)))
    return b.model((1, 3, size, size), b.linear(b.node("Flatten", x), 1280, 1000))


NETWORKS: dict[str, Callable[[], Made]] = {
    "3,000 tiny nodes": tiny_nodes,
    "BERT width, two layers": bert,
    "ResNet-50": resnet50,
    "MobileNetV2": mobilenet,
}
"""By name; evaluating.py converts them to IR with OpenVINO."""


def packed_weights(path: Path, layers: int = 8, width: int = 1024, group: int = 64) -> np.ndarray:
    """Write the IR of layers whose weights are u4 codes, shifted and scaled in f16 by groups, as compressed
    language models have them. Returns a value for its input. ONNX has no form of it.
    """
    import openvino as ov
    from openvino import opset13 as ops

    rng, groups = np.random.default_rng(0), (width, width // group, 1)
    x = data = ops.parameter([16, width], np.float32, name="x")
    for _ in range(layers):
        raw = rng.integers(0, 256, width * width // 2, np.uint8)
        codes = ops.constant(ov.Tensor(raw, [width, width // group, group], ov.Type.u4))
        shifted = ops.subtract(ops.convert(codes, "f16"), ops.constant(np.full(groups, 8, np.float16)))
        scaled = ops.multiply(shifted, ops.constant((rng.random(groups) * 0.02).astype(np.float16)))
        merged = ops.reshape(scaled, ops.constant(np.array([width, width])), False)
        x = ops.relu(ops.matmul(x, ops.convert(merged, "f32"), False, True))
    ov.serialize(ov.Model([ops.result(x)], [data], "packed"), str(path))
    return rng.standard_normal((16, width)).astype(np.float32)
