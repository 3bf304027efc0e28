"""Sizes that are assumed for the axes of inputs whose size is not known."""

import numpy as np
import pytest

import irops
from irops.analysis.made_up import assumed_shapes, made_up_inputs
from irops.analysis.model_analysis import analyse


def assumed(net, layers, known=None, **constants):
    found = assumed_shapes(analyse(net(layers, **constants)), known or {})
    return {position: str(shape) for position, shape in found.items()}


POOL = "p: MaxPool x kernel={0},{0} strides=1,1 pads_begin=0,0 pads_end=0,0 rounding_type=floor; y: Result p"
PRODUCT = "a: f32[?,?]; b: f32[?,?]; p: MatMul a b transpose_a=false transpose_b=false; y: Result p"
SUM = "past: f32[?,4]; new: f32[?,4]; mask: f32[?,4]; all: Concat past new axis=0"


@pytest.mark.parametrize(
    ("layers", "sizes"),
    [
        ("x: f32[?,3,?,?]; y: Result x", ["[2,3,5,7]"]),  # distinct and above 1
        ("a: f32[?,?]; b: f32[?]; y: Result a; z: Result b", ["[2,3]", "[2]"]),  # first axes have one size
        (PRODUCT, ["[2,3]", "[3,5]"]),  # what a layer requires to be equal is equal
        (f"{SUM}; y: Add all mask auto_broadcast=none; z: Result y", ["[2,4]", "[2,4]", "[4,4]"]),
        ("x: f32[?,3,?,?]; " + POOL.format(5), ["[2,3,5,7]"]),
        ("x: f32[?,3,?,?]; " + POOL.format(60), ["[2,3,64,64]"]),  # grow until there is no error
        ("x: f32[2..,3,..6,20..]; " + POOL.format(5), ["[2,3,5,32]"]),  # within the intervals of the input
        ("x: f32[..1,5000..]; y: Result x", ["[1,5000]"]),
        ("x: f32[?,3,..4,?]; " + POOL.format(5), ["[2,3,2,5]"]),  # an error that sizes do not change
        ("x: f32[2,3]; z: f32[...]; y: Result x; w: Result z", []),  # static, and of unknown rank
    ],
)
def test_unknown_sizes_are_assumed(net, layers, sizes):
    assert assumed(net, layers) == dict(enumerate(sizes))


def test_a_size_that_meets_weights_is_theirs():
    graph = irops.Graph("dense")
    x = graph.parameter("x", "f32", ["?", "?"])
    graph.result(graph.add("MatMul", x, np.zeros((768, 10), np.float32)), name="y")
    assert {k: str(shape) for k, shape in assumed_shapes(analyse(graph.model())).items()} == {0: "[2,768]"}


def test_a_size_is_1_where_inference_refuses_all_others(net):
    assert assumed(net, "x: f32[?,?]; s: Squeeze x axes; y: Result s", axes=np.int64([1])) == {0: "[2,1]"}


def test_known_shapes_of_other_inputs_count(net):
    layers = "a: f32[?]; b: f32[?]; c: Add a b auto_broadcast=none; y: Result c"
    assert assumed(net, layers, {0: (11,)}) == {1: "[11]"}


def attention(axis):
    graph = irops.Graph("attention")
    q, k, v = (graph.parameter(name, "f32", ["?", "?", "?", 8]) for name in "qkv")
    scores = graph.add("MatMul", q, k, transpose_a=False, transpose_b=True)
    weights = graph.add("SoftMax-8", scores, axis=axis, name="weights")
    graph.result(graph.add("MatMul", weights, v, transpose_a=False, transpose_b=False), name="y")
    return graph.model()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_softmax_along_a_wrong_axis_shows(axis):
    inputs = [filled.array for filled in made_up_inputs(analyse(attention(3)), "random")]
    found = irops.compare(attention(3), inputs, b=attention(axis))
    assert [result.is_fault for result in found.results] == [True]
    assert found.notes[0].startswith("dynamic inputs in this run: q [2,")
    assert not any("size 1" in note for note in found.notes)
    small = [np.ones((1, 1, 1, 8), np.float32)] * 3
    note = irops.compare(attention(3), small, b=attention(axis)).notes[1]
    assert note.startswith("  size 1: q in axis 0, q in axis 1, q in axis 2, k in axis 0")


def test_sizes_are_alike_where_distinct_ones_need_too_many_tries(net, monkeypatch):
    monkeypatch.setattr("irops.analysis.made_up.MAX_TRIES", 2)
    assert assumed(net, PRODUCT) == {0: "[2,2]", 1: "[2,2]"}
