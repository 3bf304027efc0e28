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


def lost(graph: irops.Graph, **options) -> list[str]:
    return losses(analyse(graph.model()), **options)


def repeats_of(graph: irops.Graph) -> list[str]:
    analysis = analyse(graph.model())
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


def test_branches_that_join_are_no_repeat_wherever_the_sequence_is_cut():
    g = irops.Graph("branches")
    x = g.parameter("x", "f32[2,4]")
    ends = [g.ops.Tanh(g.ops.Sigmoid(g.ops.Exp(g.ops.Abs(x)))) for _ in range(6)]
    g.result(g.ops.Concat(*ends, axis=1), "y")
    assert repeats_of(g) == []
    assert lost(g) == []


def test_a_value_that_all_blocks_use_is_no_carried_one():
    g = repeated(lambda g, y, x: g.ops.Add(g.ops.Tanh(y), x))
    assert repeats_of(g) == ["5 × 2 layers"]
    assert lost(g) == []


def test_a_block_whose_values_are_used_behind_the_repeat_ends_it():
    g = irops.Graph("skips")
    y = g.parameter("x", "f32[2,4]")
    used = []
    for k in range(8):
        y = g.ops.Tanh(g.ops.Sigmoid(g.ops.Exp(y)))
        used += [y] if k == 4 else []
    g.result(g.ops.Concat(y, *used, axis=1), "y")
    assert repeats_of(g) == ["5 × 3 layers", "3 × 3 layers"]
    assert lost(g) == []


def test_blocks_that_use_a_value_of_the_first_block_are_no_copies_of_the_second():
    g = irops.Graph("skips")
    x = g.parameter("x", "f32[2,4]")

    def block(y, other):
        return g.ops.Add(g.ops.Tanh(g.ops.Exp(g.ops.Sigmoid(g.ops.Sin(y)))), other)

    first = block(x, x)
    y = block(first, first)
    for _ in range(3):
        y = block(y, first)
    g.result(y, "y")
    assert lost(g) == []
