"""Small networks of the usual kinds, built by irops.Graph, in which faults can be planted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import irops
from irops.editing.graph.node import Value
from irops.ir.model import Model

Built = tuple[Model, list[Any]]


def numbers(seed: int, *shape: int, scale: float = 1.0) -> Any:
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def encoder() -> Built:
    """Token ids, a mask, attention of two heads, a normalisation, a feed-forward part, weights in i4."""
    g = irops.Graph("encoder")
    ids, mask = g.parameter("ids", "i64[N,S]"), g.parameter("mask", "i64[N,S]")
    table = numbers(0, 20, 16)
    x = g.ops.Gather(table, ids, np.int64(0), name="embedding")
    hidden = (1 - g.ops.Convert(mask, destination_type="f32")) * np.float32(-1e9)
    hidden = g.ops.Unsqueeze(hidden, [1, 2], name="mask4")

    def linear(value: Value, rows: int, columns: int, seed: int, name: str) -> Value:
        product = g.ops.MatMul(value, numbers(seed, rows, columns, scale=0.3), name=f"{name}/product")
        return g.ops.Add(product, numbers(seed + 50, columns), name=f"{name}/bias")

    def normalised(value: Value, name: str) -> Value:
        flat = g.ops.MVN(
            value, [-1], normalize_variance=True, eps=1e-5, eps_mode="inside_sqrt", name=f"{name}/mvn"
        )
        scaled = g.ops.Multiply(flat, 1 + numbers(len(name), 16, scale=0.2), name=f"{name}/gamma")
        return g.ops.Add(scaled, numbers(len(name) + 9, 16, scale=0.2), name=f"{name}/beta")

    for block in range(2):
        at = f"block{block}"

        def heads(value: Value, name: str) -> Value:
            parts = g.ops.Reshape(value, [0, 0, 2, 8], special_zero=True, name=f"{name}/parts")
            return g.ops.Transpose(parts, [0, 2, 1, 3], name=f"{name}/heads")

        q, k, v = (
            heads(linear(x, 16, 16, 10 * block + n, f"{at}/{w}"), f"{at}/{w}") for n, w in enumerate("qkv")
        )
        scores = g.ops.MatMul(q, k, transpose_b=True, name=f"{at}/scores")
        scores = g.ops.Multiply(scores, np.float32(8**-0.5), name=f"{at}/scale")
        weights = g.ops.SoftMax(g.ops.Add(scores, hidden, name=f"{at}/masked"), axis=-1, name=f"{at}/softmax")
        mixed = g.ops.Transpose(g.ops.MatMul(weights, v, name=f"{at}/mixed"), [0, 2, 1, 3], name=f"{at}/back")
        joined = g.ops.Reshape(mixed, [0, 0, 16], special_zero=True, name=f"{at}/joined")
        x = normalised(
            g.ops.Add(linear(joined, 16, 16, 5 + block, f"{at}/out"), x, name=f"{at}/sum"), f"{at}/norm"
        )
        inner = g.ops.Gelu(
            linear(x, 16, 24, 7 + block, f"{at}/up"), approximation_mode="ERF", name=f"{at}/gelu"
        )
        codes = np.random.default_rng(block).integers(-7, 8, (24, 16))
        packed = g.constant(codes, name=f"{at}/codes", element_type="i4")
        unpacked = g.ops.Convert(packed, destination_type="f16", name=f"{at}/unpacked")
        scales = np.full((1, 16), 0.05, np.float16) + np.arange(16, dtype=np.float16) / 500
        down = g.ops.Convert(g.ops.Multiply(unpacked, scales, name=f"{at}/scaled"), destination_type="f32")
        x = g.ops.Add(g.ops.MatMul(inner, down, name=f"{at}/down"), x, name=f"{at}/sum2")
    first = g.ops.Squeeze(g.ops.Slice(x, [0], [1], [1], [1], name="first"), [1], name="token")
    g.result(g.ops.Tanh(linear(first, 16, 5, 40, "head"), name="head/tanh"), "logits")
    given = (
        np.random.default_rng(1).integers(0, 20, (3, 5)),
        np.array([[1, 1, 1, 1, 0], [1] * 5, [1, 1, 0, 0, 0]]),
    )
    return g.model(), list(given)


def detector() -> Built:
    """Convolutions, quantisation, pooling, padding, resizing, and what detectors do at the end."""
    g = irops.Graph("detector")
    x = g.parameter("image", "f32[2,3,13,11]")

    def convolution(value: Value, out: int, name: str, stride: int = 1, kernel: int = 3) -> Value:
        weights = numbers(len(name) + out, out, int(value.shape[1].low), kernel, kernel, scale=0.3)
        pad = kernel // 2
        around = {"pads_begin": (pad, pad), "pads_end": (pad, pad), "dilations": (1, 1)}
        made = g.ops.Convolution(value, weights, strides=(stride, stride), **around, name=f"{name}/conv")
        return g.ops.Add(made, numbers(out, 1, out, 1, 1), name=f"{name}/bias")

    x = g.ops.ReLU(convolution(x, 6, "stem"), name="stem/relu")
    low, high = np.float32(0), np.float32(2.5)
    x = g.ops.FakeQuantize(x, low, high, low, high, levels=256, name="stem/levels")
    branch = g.ops.Clamp(convolution(x, 6, "left"), min=0.0, max=1.5, name="left/clamp")
    other = g.ops.HSwish(convolution(x, 6, "right", kernel=1), name="right/hswish")
    x = g.ops.Add(g.ops.PReLU(branch, numbers(3, 6), name="left/prelu"), other, name="sum")
    window = {"strides": (1, 1), "pads_begin": (1, 1), "pads_end": (1, 1), "kernel": (3, 3)}
    pooled = g.ops.AvgPool(
        x, **window, exclude_pad=True, rounding_type="floor", auto_pad="explicit", name="average"
    )
    greatest = g.ops.MaxPool(
        x, **window, dilations=(1, 1), rounding_type="floor", auto_pad="explicit", axis=0, name="greatest"
    )[0]
    x = g.ops.Concat(pooled, greatest, axis=1, name="both")
    one, two = g.ops.Split(x, np.int64(1), num_splits=2, name="halves")
    x = g.ops.Multiply(g.ops.Sigmoid(one, name="gate"), two, name="gated")
    padded = g.ops.Pad(x, [0, 0, 1, 1], [0, 0, 1, 1], np.float32(0), pad_mode="reflect", name="padded")
    x = g.ops.Slice(padded, [0, 1], [13, 12], [1, 1], [2, 3], name="cropped")
    x = g.ops.GroupNormalization(
        x, 1 + numbers(4, 6, scale=0.2), numbers(5, 6), num_groups=2, epsilon=1e-5, name="groups"
    )
    x = g.ops.Interpolate(
        x,
        np.int64([9, 20]),
        np.int64([2, 3]),
        mode="linear_onnx",
        shape_calculation_mode="sizes",
        coordinate_transformation_mode="half_pixel",
        nearest_mode="round_prefer_floor",
        antialias=False,
        cube_coeff=-0.75,
        pads_begin=(0,),
        pads_end=(0,),
        name="resized",
    )
    energy = g.ops.ReduceMean(x, [2, 3], keep_dims=False, name="energy")
    values, places = g.ops.TopK(
        energy, np.int64(3), axis=1, mode="max", sort="value", index_element_type="i64", name="best"
    )
    g.result(values, "best_values")
    g.result(places, "best_places")
    share = g.ops.Divide(
        energy,
        g.ops.ReduceSum(g.ops.Abs(energy, name="abs"), [1], keep_dims=True, name="total"),
        name="share",
    )
    g.result(g.ops.Power(share, np.float32(2), name="squared"), "shares")
    g.result(x, "map")
    return g.model(), [numbers(8, 2, 3, 13, 11)]


def recurrent() -> Built:
    """LSTM and GRU over sequences, a cumulative sum, a Roll, a TensorIterator."""
    g = irops.Graph("recurrent")
    x = g.parameter("x", "f32[2,T,5]")
    zero = np.zeros((2, 1, 4), np.float32)
    lengths = np.int64([3, 6])
    weights = numbers(1, 1, 16, 5), numbers(2, 1, 16, 4), numbers(3, 1, 16)
    y, last, _ = g.ops.LSTMSequence(
        x,
        zero,
        zero,
        lengths,
        *weights,
        hidden_size=4,
        direction="forward",
        activations=("sigmoid", "tanh", "tanh"),
        name="lstm",
    )
    y = g.ops.Squeeze(y, [1], name="steps")
    y = g.ops.Roll(
        g.ops.CumSum(y, np.int64(1), exclusive=False, reverse=False, name="sums"), [1], [2], name="rolled"
    )
    y = g.ops.Subtract(y, g.ops.ReduceMax(y, [1], keep_dims=True, name="greatest"), name="below")
    gates = numbers(4, 1, 12, 4), numbers(5, 1, 12, 4), numbers(6, 1, 16)
    z, final = g.ops.GRUSequence(
        y, zero, lengths, *gates, hidden_size=4, direction="reverse", linear_before_reset=True, name="gru"
    )
    body = irops.Graph("body")
    row, total = body.parameter("row", "f32[2,1,1,4]"), body.parameter("total", "f32[2,1,1,4]")
    product = body.ops.MatMul(row, numbers(7, 4, 4), name="product")
    body.result(body.ops.Tanh(body.ops.Add(product, total, name="added"), name="squashed"), "next")
    z = g.ops.Transpose(z, [0, 2, 1, 3], name="time_first")
    _, every = g.TensorIterator(
        body,
        {"row": g.sliced(z, axis=1), "total": g.carried(np.zeros((2, 1, 1, 4), np.float32), "next")},
        ["next", g.stacked("next", axis=1)],
        name="loop",
    )
    g.result(every, "every")
    g.result(g.ops.Concat(last, final, axis=2, name="states"), "states")
    return g.model(), [numbers(9, 2, 6, 5)]


NETWORKS: dict[str, Callable[[], Built]] = {f.__name__: f for f in (encoder, detector, recurrent)}
