"""Pictures of differences mark each layer that differs, and say how."""

from __future__ import annotations

import numpy as np
from drawn_models import chain, detector, loop
from pictures import picture
from rebuilt import differences, from_svg

import irops
from irops.analysis.model_analysis import analyse
from irops.drawing.changes import draw_changes


def marked(a, b) -> list[dict[str, str]]:
    """For each picture, the mark of every layer by name, without those that are as before."""
    models = [analyse(model) for model in (a, b)]
    drawings = draw_changes(*models, irops.diff(*models))
    for drawing in drawings:
        for path, scene in from_svg(drawing.svg).items():
            graph = drawing.analysis.by_path[tuple(path.split("/")) if path else ()]
            assert not differences(scene, graph)
    return [
        {
            shape.title: shape.kinds[-1]
            for shape in picture(drawing.svg).shapes
            if "layer" in shape.kinds and "unchanged" not in shape.kinds
        }
        for drawing in drawings
    ]


def network(epsilon: float = 1e-5, more: bool = False, weight: float = 0.5):
    g = irops.Graph("network")
    x = g.parameter("x", "f32[1,4,8,8]")
    filters = np.full((4, 4, 3, 3), weight, np.float32)
    around = {"pads_begin": (1, 1), "pads_end": (1, 1), "dilations": (1, 1)}
    y = g.ops.Convolution(x, filters, strides=(1, 1), **around, name="conv")
    y = g.ops.ReLU(y, name="relu")
    y = g.ops.MVN(y, [2, 3], normalize_variance=True, eps=epsilon, eps_mode="inside_sqrt", name="mvn")
    if more:
        y = g.ops.Tanh(y, name="extra")
    g.result(y, "y")
    return g.model()


def test_an_added_layer_is_marked_in_the_second_picture_alone():
    (after,) = marked(network(), network(more=True))
    assert after["extra"] == "added"
    assert {"conv", "mvn"}.isdisjoint(after)


def test_a_removed_layer_is_marked_in_a_picture_of_the_first_model():
    before, after = marked(network(more=True), network())
    assert before["extra"] == "removed"
    assert "extra" not in after


def test_a_changed_layer_lists_what_differs():
    models = [analyse(network()), analyse(network(epsilon=1e-3))]
    (drawing,) = draw_changes(*models, irops.diff(*models))
    (shape,) = [shape for shape in picture(drawing.svg).shapes if "changed" in shape.kinds]
    assert any("eps" in text for _, _, _, text in shape.texts)


def test_other_weights_are_marked_at_the_layer_that_uses_them():
    (after,) = marked(network(), network(weight=0.25))
    assert after == {"conv": "weights"}


def test_equal_models_have_no_picture():
    assert marked(network(), network()) == []


def test_a_change_in_a_body_marks_the_layer_around_it():
    model = loop().model()
    other = loop().model()
    body = other.layer("loop").bodies["body"].graph
    (add,) = [layer for layer in body.layers if layer.type == "Add"]
    add.type = "Subtract"
    *_, after = marked(model, other)
    assert after["loop"] == "changed"
    assert add.name in after


def test_of_a_large_model_the_surroundings_are_drawn():
    model, other = chain(1000), chain(1000)
    other.layer("part5/step500").type = "Sigmoid"
    *_, after = marked(model, other)
    (drawing,) = draw_changes(analyse(model), analyse(other), irops.diff(model, other))[-1:]
    assert after["part5/step500"] in ("added", "changed")
    assert len(drawing) < 12


def test_differences_of_a_detector_are_drawn():
    other = detector().model()
    other.layer("nms").data["box_encoding"] = "corner"
    (after,) = marked(detector().model(), other)
    assert after == {"nms": "changed"}
