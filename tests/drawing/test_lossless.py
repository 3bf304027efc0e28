"""A picture is lossless: from its scene, the graph can be rebuilt, edge by edge."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from drawn_models import blocks, chain, detector, loop
from random_graphs import Maker

import irops
from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.structure import GraphNode
from irops.drawing.boxes import Box, BoxKind, Scene
from irops.drawing.build import Notes, SceneBuilder

Edge = tuple[int, int, int]
"""The id of a layer, the index of its output, and the id of a layer that uses it."""


def losses(analysis: ModelAnalysis, *, unfold: bool = False) -> list[str]:
    """What the scene of a model, before its layout, loses or invents, bodies included."""
    scene = SceneBuilder(Notes(), unfold=unfold).scene(analysis.root, analysis.infer())
    return list(_losses(scene, analysis.root))


def frames(scene: Scene) -> list[str]:
    return [box.title for box in scene.boxes if box.kind is BoxKind.REPEAT]


def _losses(scene: Scene, graph: GraphNode) -> Iterator[str]:
    assert all(box.kind in (BoxKind.LAYER, BoxKind.REPEAT) for box in scene.boxes)
    drawn = Counter(number for box in scene.boxes for copy in copies_of(box) for number in copy)
    folded = {number for box in scene.boxes for number in folded_in(box)}
    yield from (f"layer {number} is drawn {count} times" for number, count in drawn.items() if count > 1)
    yield from (f"layer {number} is missing" for number in graph.layers.keys() - drawn.keys() - folded)
    yield from (f"layer {number} is drawn and folded" for number in drawn.keys() & folded)
    wanted = {
        (source[0].id, source[1], number)
        for number, sources in graph.wiring.inputs.items()
        for source in sources
        if source is not None and number in drawn and source[0].id in drawn
    }
    found = set(edges_of(scene))
    yield from (f"edge {edge} is missing" for edge in sorted(wanted - found))
    yield from (f"edge {edge} is invented" for edge in sorted(found - wanted))
    for box in scene.boxes:
        for inner in box.parts[0][1].boxes if box.kind is BoxKind.REPEAT else (box,):
            for name, part in inner.parts:
                assert inner.node is not None
                yield from (f"{name}: {loss}" for loss in _losses(part, inner.node.bodies[name].graph))


def copies_of(box: Box) -> list[list[int]]:
    """The ids of the layers that a box stands for, by block: the first is drawn, the others are listed."""
    if box.kind is BoxKind.LAYER:
        assert box.node is not None
        return [[box.node.layer.id]]
    first = [inner.node.layer.id for inner in box.parts[0][1].boxes if inner.node is not None]
    others = [node.layer.id for node in box.folded[: (count_of(box) - 1) * len(first)]]
    return [first, *(others[k : k + len(first)] for k in range(0, len(others), len(first)))]


def count_of(frame: Box) -> int:
    return int(frame.title.split()[0])


def folded_in(box: Box) -> Iterator[int]:
    """The ids of the layers that are drawn as parameters in a box."""
    copies = len(copies_of(box)[0]) * (count_of(box) - 1) if box.kind is BoxKind.REPEAT else 0
    yield from (node.layer.id for node in box.folded[copies:])
    if box.kind is BoxKind.REPEAT:
        yield from (node.layer.id for inner in box.parts[0][1].boxes for node in inner.folded)


def edges_of(scene: Scene) -> Iterator[Edge]:
    for link in scene.links:
        if link.entry is None:
            ((target,),) = copies_of(scene.boxes[link.target])
            yield *_value(scene, link.source, link.port), target
    for number, box in enumerate(scene.boxes):
        if box.kind is BoxKind.REPEAT:
            yield from _edges_of_frame(scene, number)


def _value(scene: Scene, number: int, port: int) -> tuple[int, int]:
    """The layer and the output that a port of a box is: of a frame, those of its last block."""
    box = scene.boxes[number]
    if box.kind is BoxKind.LAYER:
        return copies_of(box)[0][0], port
    inner = box.parts[0][1]
    leaving = [place for place, inside in enumerate(inner.boxes) if inside.kind is BoxKind.EXIT][port]
    ((source, output),) = [(link.source, link.port) for link in inner.links if link.target == leaving]
    return copies_of(box)[-1][_place(inner, source)], output


def _place(inner: Scene, number: int) -> int:
    """Which layer of a block a box is."""
    return sum(box.kind is BoxKind.LAYER for box in inner.boxes[:number])


def _edges_of_frame(scene: Scene, number: int) -> Iterator[Edge]:
    frame, inner = scene.boxes[number], scene.boxes[number].parts[0][1]
    outside = {
        link.entry: _value(scene, link.source, link.port) for link in scene.links if link.target == number
    }
    copies = copies_of(frame)
    assert len(copies) == count_of(frame) > 1
    for link in inner.links:
        source, target = inner.boxes[link.source], inner.boxes[link.target]
        if target.kind is BoxKind.EXIT:
            continue
        for block, layers in enumerate(copies):
            if source.kind is BoxKind.LAYER:
                value = layers[_place(inner, link.source)], link.port
            elif block and source.carried is not None:
                value = copies[block - 1][_place(inner, source.carried[0])], source.carried[1]
            else:
                value = outside[link.source]
            yield *value, layers[_place(inner, link.target)]


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
