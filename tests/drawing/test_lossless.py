"""A picture is lossless: from its scene, the graph can be rebuilt, edge by edge."""

from pathlib import Path

import numpy as np
import pytest
from drawn_models import blocks, chain, detector, loop
from random_graphs import Maker
from rebuilt import frames, losses

import irops
from irops.analysis.model_analysis import analyse
from irops.drawing.build import Notes, SceneBuilder

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*/model.xml"))


def lost(graph: irops.Graph | irops.Model, **options) -> list[str]:
    return losses(analyse(graph), **options)


def repeats_of(graph: irops.Graph | irops.Model) -> list[str]:
    analysis = analyse(graph)
    return frames(SceneBuilder(Notes(), unfold=False).scene(analysis.root, analysis.infer()))


def attention(count: int = 1) -> irops.Graph:
    """Attention blocks, whose projections of q, k and v are alike and side by side."""
    g = irops.Graph("attention")
    x = g.parameter("x", "f32[2,6,16]")

    def projection(x, name: str, seed: int):
        y = g.ops.MatMul(x, np.full((16, 16), seed, np.float32), name=f"{name}/matmul")
        y = g.ops.Add(y, np.full((1, 1, 16), seed, np.float32), name=f"{name}/bias")
        y = g.ops.Reshape(y, [0, 0, 4, 4], special_zero=True, name=f"{name}/heads")
        return g.ops.Transpose(y, [0, 2, 1, 3], name=f"{name}/transpose")

    for k in range(count):
        q, key, v = (projection(x, f"block{k}/{name}", n + 1) for n, name in enumerate("qkv"))
        scores = g.ops.SoftMax(g.ops.MatMul(q, key, transpose_b=True, name=f"block{k}/scores"), axis=3)
        y = g.ops.Transpose(g.ops.MatMul(scores, v, name=f"block{k}/mixed"), [0, 2, 1, 3])
        x = g.ops.Add(x, g.ops.Reshape(y, [0, 0, 16], special_zero=True), name=f"block{k}/out")
    g.result(x, "y")
    return g


def repeated(step, count: int = 5) -> irops.Graph:
    """A chain of blocks. step: makes a block from a value and the input of the model"""
    g = irops.Graph("repeated")
    x = y = g.parameter("x", "f32[2,4]")
    for _ in range(count):
        y = step(g, y, x)
    g.result(y, "y")
    return g


def test_parallel_projections_are_no_repeat():
    assert repeats_of(attention()) == []
    assert lost(attention()) == []


def test_blocks_of_attention_are_a_repeat_with_all_edges():
    assert repeats_of(attention(3)) == ["3 × 18 layers"]
    assert lost(attention(3)) == []


@pytest.mark.parametrize("unfold", [False, True])
@pytest.mark.parametrize("model", [detector, blocks, loop], ids=["detector", "blocks", "loop"])
def test_models_are_rebuilt(model, unfold):
    assert lost(model(), unfold=unfold) == []


def test_a_chain_is_rebuilt():
    assert losses(analyse(chain(200))) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_are_rebuilt(path):
    assert losses(analyse(path)) == []


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs_are_rebuilt(seed):
    assert lost(Maker(seed).graph, unfold=seed % 4 == 0) == []


def test_branches_that_join_are_no_repeat_wherever_the_sequence_is_cut(net):
    branches = (f"a{k}: Abs x; b{k}: Exp a{k}; c{k}: Sigmoid b{k}; d{k}: Tanh c{k}" for k in range(6))
    model = net("x: f32[2,4]", *branches, "all: Concat d0 d1 d2 d3 d4 d5 axis=1; y: Result all")
    assert repeats_of(model) == []
    assert lost(model) == []


def test_a_value_that_all_blocks_use_is_no_carried_one():
    g = repeated(lambda g, y, x: g.ops.Add(g.ops.Tanh(y), x))
    assert repeats_of(g) == ["5 × 2 layers"]
    assert lost(g) == []


def test_a_block_whose_values_are_used_behind_the_repeat_ends_it(net):
    blocks = (f"a{k}: Exp x{k}; b{k}: Sigmoid a{k}; x{k + 1}: Tanh b{k}" for k in range(8))
    model = net("x0: f32[2,4]", *blocks, "all: Concat x8 x5 axis=1; y: Result all")
    assert repeats_of(model) == ["5 × 3 layers", "3 × 3 layers"]
    assert lost(model) == []


def test_blocks_that_use_a_value_of_the_first_block_are_no_copies_of_the_second(net):
    block = "a{0}: Sin x{0}; b{0}: Sigmoid a{0}; c{0}: Exp b{0}; d{0}: Tanh c{0}; x{1}: Add d{0} x{2}"
    blocks = (block.format(k, k + 1, min(k, 1)) for k in range(5))
    assert lost(net("x0: f32[2,4]", *blocks, "y: Result x5")) == []
