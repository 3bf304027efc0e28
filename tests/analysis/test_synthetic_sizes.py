"""Sizes that are chosen for the axes of inputs whose size is not known."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import ITERATOR, Net, gives, takes

import irops
from irops.analysis.model_analysis import analyse
from irops.analysis.synthetic_inputs.generate import synthetic_inputs
from irops.analysis.synthetic_inputs.sizes import chosen_sizes


def sizes(net, *layers, fixed=None, weights=b""):
    return dict(chosen_sizes(analyse(net(*layers, weights=weights)), fixed or {}).shapes)


def parameter(name, shape, kind="f32"):
    return (name, "Parameter", {"shape": shape, "element_type": kind}, [])


def pooled(kernel, strides="1,1"):
    data = {
        "kernel": kernel,
        "strides": strides,
        "pads_begin": "0,0",
        "pads_end": "0,0",
        "rounding_type": "floor",
    }
    return ("pool", "MaxPool", data, ["x"])


def test_free_sizes_are_distinct_and_above_1_with_a_batch_of_2(net):
    result = sizes(net, parameter("x", "?,3,?,?"), ("y", "Result", {}, ["x"]))
    assert result == {0: (2, 3, 5, 7)}


def test_sizes_that_a_layer_requires_to_be_equal_are_equal(net):
    result = sizes(
        net,
        parameter("a", "?,?"),
        parameter("b", "?,?"),
        ("product", "MatMul", {"transpose_a": "false", "transpose_b": "false"}, ["a", "b"]),
        ("y", "Result", {}, ["product"]),
    )
    assert result[0][1] == result[1][0]
    assert len({result[0][0], result[0][1], result[1][1]}) == 3


def test_a_size_that_is_a_sum_of_others_is_solved_for(net):
    result = sizes(
        net,
        parameter("past", "?,4"),
        parameter("new", "?,4"),
        parameter("mask", "?,4"),
        ("all", "Concat", {"axis": "0"}, ["past", "new"]),
        ("masked", "Add", {"auto_broadcast": "none"}, ["all", "mask"]),
        ("y", "Result", {}, ["masked"]),
    )
    assert result[2][0] == result[0][0] + result[1][0]


def test_sizes_grow_until_windows_fit_and_nothing_collapses_to_1(net):
    x = parameter("x", "?,3,?,?")
    result = sizes(net, x, pooled("5,5", "4,4"), ("y", "Result", {}, ["pool"]))
    facts = analyse(net(x, pooled("5,5", "4,4"), ("y", "Result", {}, ["pool"]))).infer({"x": result[0]})
    assert min(facts["pool", 0].shape.to_tuple()) > 1
    assert result[0][0] == 2
    assert result[0][2] != result[0][3]


def test_sizes_stay_within_the_intervals_of_the_input(net):
    x = parameter("x", "3..,3,..6,7..")
    result = sizes(net, x, pooled("5,5"), ("y", "Result", {}, ["pool"]))
    assert result == {0: (5, 3, 6, 7)}


def test_a_size_is_1_where_inference_refuses_all_others(net):
    layers = (
        parameter("x", "?,?"),
        ("axes", "Const", {"element_type": "i64", "shape": "1", "offset": "0", "size": "8"}, []),
        ("squeezed", "Squeeze", {}, ["x", "axes"]),
        ("y", "Result", {}, ["squeezed"]),
    )
    assert sizes(net, *layers, weights=np.int64([1]).tobytes()) == {0: (2, 1)}


def test_an_input_of_any_rank_gets_one_that_inference_accepts(net):
    result = sizes(net, parameter("x", "..."), pooled("2,2"), ("y", "Result", {}, ["pool"]))
    assert len(result[0]) == 4


def test_sizes_of_static_inputs_are_as_they_are(net):
    result = sizes(net, parameter("x", "1,3"), ("y", "Result", {}, ["x"]))
    assert result == {0: (1, 3)}


def attention(axis):
    graph = irops.Graph("attention")
    q, k, v = (graph.parameter(name, "f32", ["?", "?", "?", 8]) for name in "qkv")
    scores = graph.add("MatMul", q, k, transpose_a=False, transpose_b=True)
    weights = graph.add("SoftMax-8", scores, axis=axis, name="weights")
    graph.result(graph.add("MatMul", weights, v, transpose_a=False, transpose_b=False), name="y")
    return graph.model()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_softmax_on_another_axis_of_an_attention_block_is_visible(axis):
    analysis = analyse(attention(3))
    chosen = synthetic_inputs(analysis, seed=int(np.random.default_rng().integers(2**31)))
    right = irops.run(analysis, chosen.arrays)["y"]
    wrong = irops.run(attention(axis), chosen.arrays)["y"]
    assert abs(right - wrong).max() > 0.01


def test_symbols_that_inputs_share_get_one_size(net):
    symbol = irops.Graph("s")
    a, b = (symbol.parameter(name, "f32", ["?", 2]) for name in "ab")
    symbol.result(symbol.add("Add", a, b), name="y")
    result = chosen_sizes(analyse(symbol.model()), {}).shapes
    assert result[0] == result[1]


def test_an_iterator_over_an_axis_of_unknown_size_runs_more_than_once():
    net = Net()
    body = net.body()
    item = body.parameter("item", "f32", "?,1")
    doubled = body.result(body.op("Add", item, item))
    maps = takes(0, item, axis=1) + gives(1, doubled, axis=1)
    net.result(net.apply(ITERATOR, net.parameter("x", "f32", "?,?"), body=(body, maps))[0], "y")
    analysis = analyse(net.model())
    chosen = synthetic_inputs(analysis)
    assert min(chosen.arrays[0].shape) > 1
    assert irops.run(analysis, chosen.arrays)["y"].shape == chosen.arrays[0].shape


def test_an_index_inside_a_body_stays_below_the_rows_of_its_table():
    net = Net()
    body = net.body()
    item = body.parameter("item", "i64", "1")
    row = body.op("Gather", body.const(np.zeros((50, 2))), item, body.const(0, np.int64))
    maps = takes(0, item, axis=0) + gives(1, body.result(row), axis=0)
    net.result(net.apply(ITERATOR, net.parameter("ids", "i64", "?"), body=(body, maps))[0], "y")
    analysis = analyse(net.model())
    ids = np.concatenate([synthetic_inputs(analysis, seed=seed).arrays[0] for seed in range(30)])
    assert ids.min() >= 0
    assert 30 < ids.max() < 50
