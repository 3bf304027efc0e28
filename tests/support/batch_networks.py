"""Small networks with a batch, and workers that are a loop of this process."""

from __future__ import annotations

import pickle

import numpy as np

import irops

RANDOM = np.random.default_rng(0)


class Loop:
    """Workers within this process, last item first. What is sent is pickled, as it is for others."""

    count = 2

    def run(self, prepare, arguments, items, **_bounds):
        work = prepare(*pickle.loads(pickle.dumps(arguments)))
        for number in reversed(range(len(items))):
            yield number, pickle.loads(pickle.dumps(work(pickle.loads(pickle.dumps(items[number])))))


def random(*shape):
    return RANDOM.standard_normal(shape, np.float32)


def classifier(batch="N"):
    """A convolution, a mean, and a product whose rows are the items."""
    g = irops.Graph("classifier")
    image = g.parameter("image", f"f32[{batch},3,8,8]")
    x = g.ops.Convolution(
        image, random(4, 3, 3, 3), strides=(1, 1), pads_begin=(1, 1), pads_end=(1, 1), dilations=(1, 1)
    )
    x = g.ops.ReLU(x, name="relu")
    pooled = g.ops.ReduceMean(x, [2, 3], keep_dims=False, name="pooled")
    g.result(g.ops.MatMul(pooled, random(4, 5), name="head"), name="logits")
    return g


def two_inputs():
    """Data of items, scaled by a vector that is the same for all of them."""
    g = irops.Graph("scaled")
    data, scale = g.parameter("data", "f32[N,3]"), g.parameter("scale", "f32[?,3]")
    g.result(g.ops.SoftMax(data * scale, axis=1), name="y")
    return g


def meeting():
    """A sum over the batch."""
    g = irops.Graph("meeting")
    data = g.parameter("data", "f32[N,3]")
    g.result(g.ops.ReduceSum(data, [0], keep_dims=False, name="over_items"), name="y")
    return g


def masked():
    """An attention mask that is read by item * length + position, as exported models do."""
    g = irops.Graph("masked")
    mask = g.parameter("mask", "i64[N,5]")
    sizes = g.ops.ShapeOf(mask, output_type="i64")
    items = g.ops.Gather(sizes, 0, 0)
    numbers = g.ops.Range(0, items, 1, output_type="i64")
    index = g.ops.Unsqueeze(numbers, [1]) * 5 + np.arange(5)
    flat = g.ops.Reshape(mask, [-1], special_zero=False)
    g.result(g.ops.Gather(flat, index, 0, name="read"), name="y")
    return g
