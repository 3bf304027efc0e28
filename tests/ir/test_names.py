"""Layers are found by what people call them, in every command and in Python."""

import numpy as np
import pytest

import irops
from irops.ir.names import LayerNames


def model():
    """Two blocks; the layer "twin" gives another tensor than the one that is called twin."""
    graph = irops.Graph("names")
    value = graph.parameter("image", "f32[?,4]")
    for block in range(2):
        weights = graph.constant(np.ones((4, 4), np.float32), name=f"blocks.{block}.proj.weight")
        value = graph.add("MatMul", value, weights, name=f"blocks.{block}.proj/MatMul")
        value = graph.add("Relu", value, name=f"blocks.{block}.Act")
    left, right = graph.add("Split", value, 1, num_splits=2, name="halves")
    graph.rename(left.node, "halves")
    graph.result(graph.add("Tanh", left, name="squashed"), "logits")
    graph.result(graph.add("Abs", right, name="7"), "rest")
    return graph.model()


NAMES = LayerNames((layer.id, layer) for layer in model().layers)


@pytest.mark.parametrize(
    ("key", "name", "index"),
    [
        ("squashed", "squashed", None),
        ("logits", "squashed", 0),
        ("halves:1", "halves", 1),
        ("0", "image", None),
        (0, "image", None),
        ("7", "7", None),
        ("squash", "squashed", None),
        ("1.ACT", "blocks.1.Act", None),
        ("1.proj", "blocks.1.proj/MatMul", None),
        ("*.0.A?t", "blocks.0.Act", None),
        ("[sS]quashed", "squashed", None),
    ],
)
def test_a_layer_is_found_by_name_tensor_output_id_part_and_pattern(key, name, index):
    found, output = NAMES.one(key)
    assert (found.name, output) == (name, index)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("lgits", "there is no layer or tensor 'lgits'; did you mean 'logits'?"),
        ("proj", "'proj' stands for 2 layers: 'blocks.0.proj/MatMul', 'blocks.1.proj/MatMul'"),
        ("blocks.?.Act", "'blocks.?.Act' stands for 2 layers: 'blocks.0.Act', 'blocks.1.Act'"),
        ("ac", "there is no layer or tensor 'ac'"),
        (99, "there is no layer or tensor 99"),
        ("9" * 5000, f"there is no layer or tensor '{'9' * 5000}'"),
        ("nothing*", "there is no layer or tensor 'nothing*'"),
    ],
)
def test_what_is_not_found_or_stands_for_several_is_said(key, message):
    with pytest.raises(KeyError) as raised:
        NAMES.one(key)
    assert raised.value.args == (message,)


def test_a_message_lists_few_of_many_names():
    layers = [(k, layer) for k, layer in enumerate(model().layers * 2)]
    with pytest.raises(KeyError, match=r"and \d+ more"):
        LayerNames(layers).one("*[a-z]*")


@pytest.mark.parametrize("key", [0, "0", "99", ("squashed",)])
def test_nodes_of_a_graph_have_no_ids(key):
    with pytest.raises(KeyError, match="there is no layer or tensor"):
        irops.Graph(model())[key]


def test_a_pattern_names_several_layers_where_several_are_asked_for():
    assert [layer.name for layer, _ in NAMES.all("blocks.?.Act")] == ["blocks.0.Act", "blocks.1.Act"]
    with pytest.raises(KeyError, match="stands for 2"):
        NAMES.all("proj")


def test_all_ways_to_a_layer_take_the_same_keys(tmp_path):
    one = model()
    x = np.ones((1, 4), np.float32)
    assert one["squash"].name == "squashed"
    assert irops.Graph(one)["squash"].name == "squashed"
    facts = irops.infer(one)
    assert facts["squash"] == facts["logits"] == facts["squashed", 0]
    assert facts["halves:1"] == facts["halves", 1]
    assert str(irops.why(one, "logits", axis=1).layer) == "squashed"
    assert irops.why(one, "halves:1").output == 1
    kept = irops.run(one, [x], keep=["blocks.*.Act", "squash"])
    assert {"blocks.0.Act", "blocks.1.Act", "squashed"} <= kept.keys()
    part = irops.extract(one, outputs=["1.act"])
    assert [layer.type for layer in part.layers].count("ReLU") == 2
    found = irops.compare(one, [x], b=one, rtol={"blocks.*.Act": 1e-3, "": 1e-2})
    assert found.ok
    with pytest.raises(ValueError, match="rtol is for 'blok': there is no layer or tensor 'blok'"):
        irops.compare(one, [x], b=one, rtol={"blok": 1e-3})
