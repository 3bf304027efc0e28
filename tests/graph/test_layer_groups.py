"""Layers in groups of one type, version and kind."""

from __future__ import annotations

from irops.graph.topology import LayerGroups
from irops.ir.model import Layer, LayerKind

TYPES = (
    ("ReLU", "opset1"),
    ("Result", "opset1"),
    ("relu", "opset1"),
    ("Assign", "opset3"),
    ("ReLU", "opset1"),
    ("Result", "opset1"),
    ("ReLU", "opset2"),
)
LAYERS = [Layer(number, f"layer {number}", *kind) for number, kind in enumerate(TYPES)]


def ids(layers):
    return [layer.id for layer in layers]


def test_layers_of_several_groups_are_in_the_order_of_the_file():
    groups = LayerGroups(LAYERS)
    assert ids(groups.of_type("relu")) == [0, 2, 4, 6]
    assert ids(groups.of_kinds(LayerKind.RESULT, LayerKind.SINK)) == [1, 3, 5]
    assert ids(groups.of_type("result")) == [1, 5]
    assert groups.of_type("add") == []


def test_each_group_is_asked_once():
    asked = []
    LayerGroups(LAYERS).where(lambda layer: asked.append(layer.id) or True)
    assert asked == ids(LayerGroups(LAYERS).first_layers) == [0, 1, 2, 3, 6]


def test_a_kind_that_the_reader_knows_makes_a_group():
    known = Layer(9, "x", "ReLU", "opset1", own_kind=LayerKind.PARAMETER)
    groups = LayerGroups([*LAYERS, known])
    assert ids(groups.of_kinds(LayerKind.PARAMETER)) == [9]
    assert ids(groups.of_type("relu")) == [0, 2, 4, 6, 9]
