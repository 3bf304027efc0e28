"""Sizes that are assumed for the axes of inputs whose size is not known."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.analysis.made_up import assumed_shapes, made_up_inputs
from irops.analysis.model_analysis import analyse


def assumed(net, *layers):
    return {position: str(shape) for position, shape in assumed_shapes(analyse(net(*layers))).items()}


def parameter(name, shape):
    return (name, "Parameter", {"shape": shape, "element_type": "f32"}, [])


def pooled(kernel):
    pads = {"pads_begin": "0,0", "pads_end": "0,0", "rounding_type": "floor"}
    return ("pool", "MaxPool", {"kernel": kernel, "strides": "1,1", **pads}, ["x"])


def ending(source, name="y"):
    return (name, "Result", {}, [source])


PRODUCT = ("product", "MatMul", {"transpose_a": "false", "transpose_b": "false"}, ["a", "b"])


def test_sizes_are_distinct_and_above_1(net):
    result = assumed(net, parameter("x", "?,3,?,?"), ending("x"))
    assert result == {0: "[2,3,5,7]"}


def test_first_axes_have_one_size(net):
    layers = [parameter("a", "?,?"), parameter("b", "?"), ending("a"), ending("b", "z")]
    assert assumed(net, *layers) == {0: "[2,3]", 1: "[2]"}


def test_sizes_that_a_layer_requires_to_be_equal_are_equal(net):
    layers = [parameter("a", "?,?"), parameter("b", "?,?"), PRODUCT, ending("product")]
    assert assumed(net, *layers) == {0: "[2,3]", 1: "[3,5]"}


def test_a_size_that_is_a_sum_of_others_is_found(net):
    layers = [
        parameter("past", "?,4"),
        parameter("new", "?,4"),
        parameter("mask", "?,4"),
        ("all", "Concat", {"axis": "0"}, ["past", "new"]),
        ("masked", "Add", {"auto_broadcast": "none"}, ["all", "mask"]),
        ending("masked"),
    ]
    assert assumed(net, *layers) == {0: "[2,4]", 1: "[2,4]", 2: "[4,4]"}


def test_a_size_that_meets_weights_is_theirs():
    graph = irops.Graph("dense")
    x = graph.parameter("x", "f32", ["?", "?"])
    graph.result(graph.add("MatMul", x, np.zeros((768, 10), np.float32)), name="y")
    assert {k: str(shape) for k, shape in assumed_shapes(analyse(graph.model())).items()} == {0: "[2,768]"}


def test_sizes_grow_until_inference_finds_no_error(net):
    result = assumed(net, parameter("x", "?,3,?,?"), pooled("5,5"), ending("pool"))
    assert result == {0: "[2,3,5,7]"}
    result = assumed(net, parameter("x", "?,3,?,?"), pooled("60,60"), ending("pool"))
    assert result == {0: "[2,3,64,64]"}


def test_sizes_stay_within_the_intervals_of_the_input(net):
    result = assumed(net, parameter("x", "2..,3,..6,20.."), pooled("5,5"), ending("pool"))
    assert result == {0: "[2,3,5,32]"}
    result = assumed(net, parameter("x", "..1,5000.."), ending("x"))
    assert result == {0: "[1,5000]"}


def test_a_size_is_1_where_inference_refuses_all_others(net):
    layers = [
        parameter("x", "?,?"),
        ("axes", "Const", {"element_type": "i64", "shape": "1", "offset": "0", "size": "8"}, []),
        ("squeezed", "Squeeze", {}, ["x", "axes"]),
        ending("squeezed"),
    ]
    analysis = analyse(net(*layers, weights=np.int64([1]).tobytes()))
    assert {k: str(shape) for k, shape in assumed_shapes(analysis).items()} == {0: "[2,1]"}


def test_an_error_that_sizes_do_not_change_does_not_count(net):
    result = assumed(net, parameter("x", "?,3,..4,?"), pooled("5,5"), ending("pool"))
    assert result == {0: "[2,3,2,5]"}


def test_known_shapes_of_other_inputs_count(net):
    layers = [parameter("a", "?"), parameter("b", "?"), ("c", "Add", {"auto_broadcast": "none"}, ["a", "b"])]
    analysis = analyse(net(*layers, ending("c")))
    assert {k: str(shape) for k, shape in assumed_shapes(analysis, {0: (11,)}).items()} == {1: "[11]"}


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


def test_inputs_of_static_shape_or_of_unknown_rank_are_left_out(net):
    layers = [parameter("x", "2,3"), parameter("z", "..."), ending("x"), ending("z", "w")]
    assert assumed(net, *layers) == {}


def test_sizes_are_alike_where_distinct_ones_need_too_many_tries(net, monkeypatch):
    monkeypatch.setattr("irops.analysis.made_up.MAX_TRIES", 2)
    layers = [parameter("a", "?,?"), parameter("b", "?,?"), PRODUCT, ending("product")]
    assert assumed(net, *layers) == {0: "[2,2]", 1: "[2,2]"}
