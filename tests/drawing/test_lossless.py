"""A picture is lossless: from its scene, and from its SVG, the graph can be rebuilt, edge by edge.

IROPS_CORPUS names a folder of corpora; networks of its folder arch, if there is one, are drawn too.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from drawn_models import blocks, chain, detector, loop
from lxml import etree
from pictures import SVG
from random_graphs import Maker
from rebuilt import losses

import irops
from irops.analysis.model_analysis import analyse
from irops.drawing.draw import draw
from irops.drawing.repeats import Likeness, repeats
from irops.drawing.scene import BoxKind, boxes

ROOT = Path(__file__).resolve().parents[2]
NETWORKS = sorted(Path(os.environ.get("IROPS_CORPUS", "/nonexistent")).glob("arch/*/model.xml"))[::12]
EXAMPLES = sorted((ROOT / "examples").glob("*/model.xml"))


def frames(drawing) -> list[str]:
    return [box.title for _, box in boxes(drawing.scene) if box.kind is BoxKind.REPEAT]


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


def test_parallel_projections_are_no_repeat():
    drawing = draw(attention())
    assert not frames(drawing)
    assert not losses(attention())


def test_blocks_of_attention_are_a_repeat_with_all_edges():
    assert frames(draw(attention(4))) == ["4 × 18 layers"]
    assert not losses(attention(4))


@pytest.mark.parametrize("unfold", [False, True])
@pytest.mark.parametrize(
    "model", [detector, blocks, loop, lambda: chain(200), lambda: chain(2500)],
    ids=["detector", "blocks", "loop", "chain", "chain of blocks"],
)  # fmt: skip
def test_models_are_rebuilt(model, unfold):
    assert not losses(model(), unfold=unfold)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_are_rebuilt(path):
    assert not losses(path)


@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.parent.name)
def test_networks_are_rebuilt(path):
    assert not losses(path)


def test_random_graphs_are_rebuilt():
    for seed in range(40):
        graph = Maker(seed).graph
        assert not losses(graph, unfold=seed % 4 == 0), seed


def repeated(step, count: int = 5, shape: str = "f32[2,4]") -> irops.Graph:
    """A chain of blocks. step: makes the block of a number from a value and the input of the model"""
    g = irops.Graph("repeated")
    x = y = g.parameter("x", shape)
    for k in range(count):
        y = step(g, y, x, k)
    g.result(y, "y")
    return g


def test_branches_that_join_are_no_repeat_wherever_the_sequence_is_cut():
    g = irops.Graph("branches")
    x = g.parameter("x", "f32[2,4]")
    ends = [g.ops.Tanh(g.ops.Sigmoid(g.ops.Exp(g.ops.Abs(x)))) for _ in range(6)]
    g.result(g.ops.Concat(*ends, axis=1), "y")
    assert not frames(draw(g))
    assert not losses(g)


def test_a_value_that_all_blocks_use_is_no_carried_one():
    g = repeated(lambda g, y, x, k: g.ops.Add(g.ops.Tanh(y), x))
    drawing = draw(g)
    assert frames(drawing) == ["5 × 2 layers"]
    entries = [box for scene in drawing.scene.boxes for _, part in scene.parts for box in part.boxes
               if box.kind is BoxKind.ENTRY]  # fmt: skip
    assert [entry.title for entry in entries] == ["x", "x"]
    assert [entry.carried is None for entry in entries] == [False, True]
    assert not losses(g)


def test_outputs_of_blocks_before_the_last_are_labelled():
    g = irops.Graph("skips")
    y = g.parameter("x", "f32[2,4]")
    kept = []
    for _ in range(5):
        y = g.ops.Tanh(g.ops.Exp(y))
        kept.append(y)
    g.result(g.ops.Concat(*kept[::2], axis=1), "y")
    drawing = draw(g)
    (frame,) = [box for box in drawing.scene.boxes if box.kind is BoxKind.REPEAT]
    assert [port.text for port in frame.ports] == ["block 1: f32[2,4]", "block 3: f32[2,4]", "f32[2,4]"]
    assert not losses(g)


def test_blocks_with_other_integer_parameters_are_no_repeat():
    turns = [1, 0], [0, 1]
    g = repeated(lambda g, y, x, k: g.ops.Exp(g.ops.Transpose(y, turns[k % 2])), shape="f32[4,4]", count=6)
    assert frames(draw(g)) == ["3 × 4 layers"]
    assert not losses(g)


def test_parameters_that_differ_between_blocks_show_no_value():
    g = repeated(lambda g, y, x, k: g.ops.Multiply(g.ops.Tanh(y), np.float32(k)))
    text = draw(g).svg
    assert "b f32[], different" in text
    g = repeated(lambda g, y, x, k: g.ops.Multiply(g.ops.Tanh(y), np.float32(3)))
    assert "b 3<" in draw(g).svg


def test_both_inputs_of_a_square_and_the_order_of_a_difference_are_shown():
    g = irops.Graph("ports")
    x, y = g.parameter("x", "f32[4]"), g.parameter("y", "f32[4]")
    g.result(g.ops.Subtract(g.ops.Multiply(y, y, name="square"), x, name="difference"), "z")
    assert not losses(g)
    texts = [text.text for text in etree.fromstring(draw(g).svg.encode()).iter(f"{SVG}text")
             if text.get("class") == "input"]  # fmt: skip
    assert sorted(texts) == ["0", "0,1", "1"]


def test_edges_of_cycles_are_named():
    model = irops.read(ROOT / "tests/rules/IR205.xml")
    assert not losses(model)


@pytest.mark.parametrize("path", sorted((ROOT / "tests/rules").glob("*.xml")), ids=lambda path: path.stem)
def test_models_with_findings_are_rebuilt(path):
    try:
        model = irops.read(path)
    except irops.DiagnosticError:
        return
    assert not losses(model)


@pytest.mark.parametrize("unfold", [False, True])
@pytest.mark.parametrize("model", [detector, blocks, loop, lambda: attention(4), lambda: chain(2500)])
def test_graphviz_has_every_link_of_a_scene(model, unfold):
    drawing = draw(model(), unfold=unfold)
    wanted = []

    def collect(scene, prefix: str) -> None:
        for number, box in enumerate(scene.boxes):
            if box.carried is not None:
                wanted.append((f"{prefix}{box.carried[0]}", f"{prefix}{number}"))
            for place, (_, part) in enumerate(box.parts):
                collect(part, f"{prefix}{number}_{place}_")
        for link in scene.links:
            ends = [f"{prefix}{link.source}", f"{prefix}{link.target}"]
            source = scene.boxes[link.source]
            if source.kind is BoxKind.REPEAT:
                inner = source.parts[0][1].boxes
                ends[0] += f"_0_{[k for k, box in enumerate(inner) if box.kind is BoxKind.EXIT][link.port]}"
            if link.entry is not None:
                ends[1] += f"_0_{link.entry}"
            wanted.append(tuple(ends))

    collect(drawing.scene, "n")
    edges = re.findall(r"^ *(n[\d_]+) -> (n[\d_]+)[ ;]", drawing.dot, re.M)
    nodes = set(re.findall(r"^ *(n[\d_]+) \[", drawing.dot, re.M))
    assert sorted(edges) == sorted(wanted)
    assert {end for edge in edges for end in edge} <= nodes


def test_branches_are_no_repeat_where_each_part_ends_with_the_start_of_the_next_branch():
    g = irops.Graph("branches")
    x = g.parameter("x", "f32[2,4]")
    starts = [g.ops.Exp(x, name=f"start{k}") for k in range(4)]
    ends = [
        g.ops.Sigmoid(g.ops.Tanh(start, name=f"middle{k}"), name=f"end{k}") for k, start in enumerate(starts)
    ]
    g.result(g.ops.Concat(*ends, g.ops.Abs(x, name="apart"), axis=1, name="all"), "y")
    graph = analyse(g.model()).root
    names = ["x", "start0", "apart"]
    for k in range(4):
        names += [f"middle{k}", f"end{k}", *([f"start{k + 1}"] if k < 3 else [])]
    order = [graph.find(name).layer.id for name in [*names, "all", "y"]]
    assert repeats(Likeness(graph, None, set()), order) == []


def test_blocks_that_use_a_value_of_the_first_block_are_no_copies_of_the_second():
    def block(g: irops.Graph, y, other):
        return g.ops.Add(g.ops.Tanh(g.ops.Exp(g.ops.Sigmoid(g.ops.Sin(y)))), other)

    g = irops.Graph("skips")
    x = g.parameter("x", "f32[2,4]")
    first = block(g, x, x)
    y = block(g, first, first)
    for _ in range(3):
        y = block(g, y, first)
    g.result(y, "y")
    assert not losses(g)
