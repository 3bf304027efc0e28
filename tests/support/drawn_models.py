"""Models to draw."""

import numpy as np

import irops
from irops.ir.model import Edge, Layer, LayerGraph, Model, Port


def detector() -> irops.Graph:
    """Two heads on one backbone, and non-maximum suppression."""
    g = irops.Graph("detector")
    x = g.parameter("image", "f32[1,3,64,64]")

    def convolution(x, channels: int, name: str, stride: int):
        weights = np.full((channels, int(x.shape[1].low), 3, 3), 0.1, np.float32)
        around = {"pads_begin": (1, 1), "pads_end": (1, 1), "dilations": (1, 1)}
        return g.ops.Convolution(x, weights, strides=(stride, stride), **around, name=name)

    x = g.ops.ReLU(convolution(x, 16, "stem", 2), name="stem/relu")
    boxes, scores = [], []
    for head in range(2):
        x = g.ops.ReLU(convolution(x, 32, f"stage{head}", 2), name=f"stage{head}/relu")
        for found, width, channels in ((boxes, 4, 8), (scores, 3, 6)):
            value = convolution(x, channels, f"head{head}/{channels}", 1)
            value = g.ops.Transpose(value, [0, 2, 3, 1], name=f"head{head}/{channels}/transpose")
            found.append(g.ops.Reshape(value, [1, -1, width], special_zero=False))
    all_boxes = g.ops.Concat(*boxes, axis=1, name="boxes")
    all_scores = g.ops.Transpose(g.ops.SoftMax(g.ops.Concat(*scores, axis=1), axis=2), [0, 2, 1])
    limits = 100, np.float32(0.5), np.float32(0.3)
    given = g.ops.NonMaxSuppression(all_boxes, all_scores, *limits, box_encoding="center", name="nms")
    for value, name in zip(given, ("selected", "selected_scores", "count")):
        g.result(value, name)
    return g


def blocks(count: int = 5, part: str = "block") -> irops.Graph:
    """Equal residual blocks that share a mask, with a dynamic reshape in each."""
    g = irops.Graph("blocks")
    x = g.parameter("x", "f32[?,8]")
    mask = g.ops.Sigmoid(g.parameter("mask", "f32[?,8]"), name="mask/sigmoid")
    for k in range(count):
        y = g.ops.MatMul(x, np.full((8, 8), k + 1, np.float32), name=f"{part}{k}/matmul")
        y = g.ops.Multiply(g.ops.Tanh(y, name=f"{part}{k}/tanh"), mask, name=f"{part}{k}/mask")
        y = g.ops.Reshape(y, g.ops.ShapeOf(x, name=f"{part}{k}/shape"), special_zero=False)
        x = g.ops.Add(x, y, name=f"{part}{k}/add")
    g.result(x, "y")
    return g


def loop(carried: str = "total", given: str = "next") -> irops.Graph:
    """A TensorIterator that adds up rows."""
    body = irops.Graph("body")
    row, total = body.parameter("row", "f32[1,4]"), body.parameter(carried, "f32[1,4]")
    body.result(total + row, given)
    g = irops.Graph("running_total")
    rows = g.parameter("rows", "f32[N,4]")
    inputs = {"row": g.sliced(rows, axis=0), carried: g.carried(np.zeros((1, 4), np.float32), given)}
    _, every = g.TensorIterator(body, inputs, [given, g.stacked(given, axis=0)], name="loop")
    g.result(every, "totals")
    return g


def chain(count: int, seed: int = 0) -> Model:
    """One layer after another, of types in no order."""
    rng = np.random.default_rng(seed)
    kinds = np.array(["ReLU", "Tanh", "Exp", "Abs"])[rng.integers(4, size=count)]
    data = {"shape": "2", "element_type": "f32"}
    layers = [Layer(0, "x", "Parameter", "opset1", data, [], [Port(1, "FP32", (2,))])]
    for k in range(1, count):
        name = f"part{k // 100}/step{k}"
        ports = [Port(0, "FP32", (2,))], [Port(1, "FP32", (2,))]
        layers.append(Layer(k, name, str(kinds[k]), "opset1", {}, *ports))
    return Model("chain", 11, LayerGraph(layers, [Edge(k - 1, 1, k, 0) for k in range(1, count)]))
