"""Sizes that are assumed for the axes of inputs whose size is not known."""

from __future__ import annotations

from irops.analysis.assumed_sizes import assumed_shapes
from irops.analysis.infer import analyse


def assumed(net, *layers):
    return {position: str(shape) for position, shape in assumed_shapes(analyse(net(*layers))).items()}


def parameter(name, shape):
    return (name, "Parameter", {"shape": shape, "element_type": "f32"}, [])


def pooled(kernel):
    data = {
        "kernel": kernel,
        "strides": "1,1",
        "pads_begin": "0,0",
        "pads_end": "0,0",
        "rounding_type": "floor",
    }
    return ("pool", "MaxPool", data, ["x"])


def test_unknown_sizes_are_1_where_that_is_possible(net):
    result = assumed(net, parameter("x", "?,3,?"), ("y", "Result", {}, ["x"]))
    assert result == {0: "[1,3,1]"}


def test_sizes_grow_until_inference_finds_no_error_and_the_batch_stays_1(net):
    result = assumed(net, parameter("x", "?,3,?,?"), pooled("5,5"), ("y", "Result", {}, ["pool"]))
    assert result == {0: "[1,3,8,8]"}


def test_sizes_stay_within_the_intervals_of_the_input(net):
    result = assumed(net, parameter("x", "2..,3,..6,7.."), pooled("5,5"), ("y", "Result", {}, ["pool"]))
    assert result == {0: "[2,3,6,8]"}


def test_the_smallest_sizes_remain_where_no_size_is_without_errors(net):
    result = assumed(net, parameter("x", "?,3,..4,?"), pooled("5,5"), ("y", "Result", {}, ["pool"]))
    assert result == {0: "[1,3,1,1]"}


def test_inputs_of_static_shape_or_of_unknown_rank_are_left_out(net):
    layers = [
        parameter("x", "2,3"),
        parameter("z", "..."),
        ("y", "Result", {}, ["x"]),
        ("w", "Result", {}, ["z"]),
    ]
    assert assumed(net, *layers) == {}
