"""What differs between two models."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tables import table, tensor

import irops
from irops.cli.main import main
from irops.editing.diff import Difference, Elements, LayerChange, Matching, WeightChange, compared, page
from irops.ir.model import Element, LayerGraph, LayerKind

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("digit_classifier", "bidirectional_encoder", "turned_rows", "running_total")


def model(name="bidirectional_encoder"):
    return irops.read(EXAMPLES / name / "model.xml")


def kinds(difference):
    """The names of layers that a difference lists, by what differs."""
    found = {
        what: [change.name for change in getattr(difference, what)]
        for what in ("added", "removed", "changed", "rewired", "renamed", "moved")
    }
    found["weights"] = [change.name for change in difference.weights]
    return {what: names for what, names in found.items() if names}


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_the_same_as_itself(name, tmp_path):
    irops.write(model(name), tmp_path / "copy.xml")
    difference = irops.diff(EXAMPLES / name / "model.xml", tmp_path / "copy.xml")
    assert difference.same
    assert kinds(difference) == {}
    assert str(difference).splitlines()[-1] == "no difference"


def shuffled(original, seed):
    """The model with other ids, other names of layers that are no inputs, in another order."""
    chance = random.Random(seed)
    ids = dict(zip([layer.id for layer in original.layers], chance.sample(range(1000), len(original.layers))))
    layers = [
        replace(
            layer,
            id=ids[layer.id],
            name=layer.name if layer.kind is LayerKind.PARAMETER else f"layer {ids[layer.id]}",
        )
        for layer in original.layers
    ]
    edges = [replace(e, from_layer=ids[e.from_layer], to_layer=ids[e.to_layer]) for e in original.edges]
    parameters = [layer for layer in layers if layer.kind is LayerKind.PARAMETER]
    results = [layer for layer in layers if layer.kind is LayerKind.RESULT]
    others = [layer for layer in layers if layer not in parameters and layer not in results]
    chance.shuffle(others)
    chance.shuffle(edges)
    return replace(original, graph=LayerGraph([*parameters, *others, *results], edges), source=None)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_model_renumbered_renamed_and_reordered_is_the_same(name, seed):
    difference = irops.diff(model(name), shuffled(model(name), seed))
    assert difference.same, str(difference)
    assert difference.renamed
    assert kinds(irops.diff(model(name), shuffled(model(name), seed), ignore=["names", "ids"])) == {}


def test_each_edit_is_listed_once_with_what_is_other():
    original = model("digit_classifier")
    graph = irops.Graph(original)
    convolution = next(node for node in graph if node.type == "Convolution")
    relu = next(node for node in graph if node.type in ("ReLU", "Relu"))
    inserted = graph.insert_after(relu, "Tanh", name="inserted")
    softmax = next(node for node in graph if node.type == "SoftMax")
    graph.rename(softmax, "renamed")
    constant = next(s.node for s in convolution.sources if s is not None and s.node.type == "Const")
    value = constant.output.value.copy()
    value.flat[0] += 1
    graph.set_constant(constant, value)
    difference = irops.diff(original, graph.model())
    users = [user.name for user in inserted.users]
    assert kinds(difference) == {
        "added": ["inserted"],
        "rewired": users,
        "renamed": ["renamed"],
        "weights": [convolution.name],
    }
    assert [change.follows for change in difference.rewired] == ["inserted"] * len(users)
    lines = str(difference).splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("added inserted"))
    assert all(line.startswith("  rewired") for line in lines[first + 1 : first + 1 + len(users)])
    assert difference.weights[0].greatest == pytest.approx(1)
    assert difference.weights[0].share == pytest.approx(1 / value.size)
    assert not difference.same
    assert difference


@pytest.mark.parametrize(
    ("before", "after", "arrays", "report", "back"), table(__file__, "a_report_says_what_differs")
)
def test_a_report_says_what_differs(net, before, after, arrays, report, back):
    constants = {name: tensor(text) for name, text in arrays.items()}
    models = [
        net(layers, **{name: array for name, array in constants.items() if f" {name}" in layers})
        for layers in (before, after)
    ]
    for pair, lines in ((models, report), (models[::-1], back)):
        assert str(irops.diff(*pair)).splitlines()[2:] == lines


def test_shapes_are_listed_where_they_begin_to_differ():
    original = model("turned_rows")
    graph = irops.Graph(original)
    name = graph.inputs[0].node.name
    rank = graph.inputs[0].shape.rank
    graph.reshape({name: ["?"] * (rank or 0)})
    difference = irops.diff(original, graph.model())
    assert [change.name for change in difference.changed] == [name]
    assert any("input 0" in text for text in difference.interface)


def test_weights_in_another_type_are_compared_by_value(net):
    weights = np.random.default_rng(0).standard_normal((64, 8), np.float32)
    plain = net("x: f32[2,64]; matmul: MatMul x w; y: Result matmul", w=weights)
    wide = "w: Convert stored destination_type=f32"
    half = net(
        "x: f32[2,64]", wide, "matmul: MatMul x w; y: Result matmul", stored=weights.astype(np.float16)
    )
    difference = irops.diff(plain, half)
    assert kinds(difference) == {"weights": ["matmul"]}
    assert difference.weights[0].kind == "stored"
    assert difference.weights[0].details.startswith("stored as f32 -> f16, greatest difference")
    assert 0 < (difference.weights[0].relative or 0) < 1e-3
    assert irops.diff(plain, half, ignore=["weights"]).same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.array([200], np.uint8), np.array([-56], np.int8)),  # the same bits
        (np.array([2**53], np.int64), np.array([2**53 + 1], np.int64)),  # the same in f64
        (np.array([2**64 - 1], np.uint64), np.array([-1], np.int64)),
    ],
)
def test_integers_of_any_types_are_compared_exactly(a, b):
    found = compared(a, b)
    assert found is not None
    assert found.share == 1
    assert compared(a[:0], b[:0]) is None
    assert compared(np.array([7], np.int8), np.array([7], np.uint64)) is None


def test_bodies_are_compared():
    body = irops.Graph("body")
    body.result(body.ops.Tanh(body.parameter("state", "f32[1,2]"), name="inside"), "next")
    graph = irops.Graph()
    x = graph.parameter("x", "f32[1,2]")
    (y,) = graph.Loop(body, {"state": graph.carried(x, "next")}, ["next"], trip_count=2, name="loop")
    graph.result(y, "y")
    inner = irops.Graph(graph.model(), path=("loop", "body"))
    inner.replace(inner["inside"], "Sigmoid")
    difference = irops.diff(graph.model(), inner.model())
    expected = ["changed loop/body/inside (Sigmoid-1): op Tanh-1 -> Sigmoid-1"]
    assert [str(c) for c in difference.changed] == expected


def test_models_without_weights_are_compared(tmp_path):
    path = tmp_path / "model.xml"
    path.write_bytes((EXAMPLES / "digit_classifier" / "model.xml").read_bytes())
    graph = irops.Graph(irops.read(EXAMPLES / "digit_classifier" / "model.xml"))
    graph.rename(graph["softmax"], "other")
    difference = irops.diff(path, graph.model())
    assert [change.name for change in difference.renamed] == ["other"]
    assert {change.kind for change in difference.weights} == {"not compared"}
    assert "does not exist" in difference.weights[0].details


@pytest.mark.parametrize(
    ("share", "count", "words"), table(__file__, "the_share_of_elements_that_differ_is_a_number_of_elements")
)
def test_the_share_of_elements_that_differ_is_a_number_of_elements(share, count, words):
    text = str(Elements(0.5, 0.25, share, count))
    assert text == f"greatest difference 0.5 (0.25 of the greatest element), {words}"


def test_a_report_has_no_control_characters_of_a_model():
    hostile = "X\n::error file=a.py::b\x1b[31m\u202e\u009b"
    change = LayerChange("added", (hostile,), hostile, hostile, (hostile,))
    weight = WeightChange("changed", (hostile,), hostile, 0, hostile)
    found = Difference(hostile, hostile, added=(change,), weights=(weight,), interface=(hostile,))
    for text in (str(found), found._repr_html_(), page(found)):
        assert not [line for line in text.splitlines() if line.startswith("::")]
        assert not {"\x1b", "\u202e", "\u009b"} & set(text)


def test_metadata_is_listed_but_does_not_count():
    original = model("turned_rows")
    other = replace(original, rt_info=Element("rt_info", children=[Element("note", {"value": "new"})]))
    difference = irops.diff(original, other)
    assert difference.same
    assert difference.metadata == ("rt_info of the model differs",)
    assert "\nrt_info of the model differs\n" in str(difference)
    assert irops.diff(original, other, ignore=["rt_info"]).metadata == ()


def test_a_model_of_another_dialect_is_translated(tmp_path):
    pytest.importorskip("onnx")
    irops.write(irops.translate(model("turned_rows"), to="onnx"), tmp_path / "model.onnx")
    path = EXAMPLES / "turned_rows" / "model.xml"
    difference = irops.diff(path, tmp_path / "model.onnx", ignore=["names", "ids"])
    assert not difference.interface
    assert not difference.removed


def test_the_report_is_text_json_and_html():
    difference = irops.diff(model(), shuffled(model(), 1))
    assert str(difference).startswith("--- ")
    content = json.loads(json.dumps(difference.to_json()))
    assert (content["schema"], content["same"]) == (1, True)
    assert len(content["renamed"]) == len(difference.renamed)
    page = difference._repr_html_()
    assert page.count("<tr") == 1 + len(difference.renamed) + len(difference.moved)
    assert len(repr(difference).splitlines()) == 1


def test_what_does_not_affect_results_comes_last_and_is_folded():
    graph = irops.Graph(shuffled(model(), 1))
    constant = next(node for node in graph if node.type == "Const" and node.output.value.size > 8)
    graph.set_constant(constant, constant.output.value + 1)
    difference = irops.diff(model(), graph.model())
    lines = str(difference).splitlines()[2:]
    more = f"more renamed layers: {len(difference.renamed) - 8}; JSON and HTML list all"
    assert lines[0].startswith("weights of ")
    assert [line.split()[0] for line in lines[1:9]] == ["renamed"] * 8
    assert lines[9] == more
    shown, _, folded = page(difference).partition("<details>")
    assert (shown.count("<tr class="), "weights" in shown, "renamed</th>" in shown) == (1, True, False)
    assert f"<summary>Renamed layers: {len(difference.renamed)}</summary>" in folded
    assert folded.count("renamed</th>") == len(difference.renamed)


def test_the_command_ends_with_1_where_models_differ(tmp_path, capsys):
    path = str(EXAMPLES / "turned_rows" / "model.xml")
    graph = irops.Graph(irops.read(path))
    graph.add_result(graph.inputs[0], "z")
    irops.write(graph.model(), tmp_path / "other.xml")
    words = ["diff", path, str(tmp_path / "other.xml"), "--output-format"]
    assert main(["diff", path, path]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "no difference"
    assert main([*words, "json"]) == 1
    assert json.loads(capsys.readouterr().out)["interface"]
    assert main([*words, "html", "-o", str(tmp_path / "d.html")]) == 1
    assert capsys.readouterr().out == ""
    assert (tmp_path / "d.html").read_text().startswith("<!doctype html>")


def test_the_command_refuses_models_without_their_weights(tmp_path, capsys):
    whole = EXAMPLES / "digit_classifier" / "model.xml"
    bare = tmp_path / "model.xml"
    bare.write_bytes(whole.read_bytes())
    assert main(["diff", str(whole), str(bare)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = (line for line in err.splitlines() if " error " in line)
    assert "model.bin does not exist" in line
    assert (
        main(["diff", str(whole), str(bare), "--ignore", "weights"]) == 1
    )  # a shape follows from a constant
    assert "weights of" not in capsys.readouterr().out


def test_the_cost_of_a_chain_of_equal_layers_is_linear(monkeypatch):
    def chain(prefix, count, first):
        """No two layers are computed from the same, as the first one differs."""
        graph = irops.Graph("chain")
        value = graph.add(first, graph.parameter("x", "f32[4]"), name=f"{prefix}first")
        for number in range(count):
            value = graph.add("ReLU", value, name=f"{prefix}{number}")
        graph.result(value, "y")
        return graph.model()

    asked = []
    votes = Matching._votes
    monkeypatch.setattr(Matching, "_votes", lambda self, layer: asked.append(layer.id) or votes(self, layer))
    costs = []
    for count in (100, 200):
        asked.clear()
        found = irops.diff(chain("a", count, "Abs"), chain("b", count, "Negative"))
        assert found.summary == f"1 changed, {count + 1} renamed"
        costs.append(len(asked))
    assert costs[1] < 3 * costs[0]
