"""What differs between two models."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from counting import instructions
from tiers import slow_but

import irops
from irops.editing.diff.comparison import compared
from irops.editing.diff.differences import Difference, LayerChange, WeightChange
from irops.ir.model import Element, Graph, LayerKind

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("digit_classifier", "bidirectional_encoder", "turned_rows", "running_total")


def model(name: str = "bidirectional_encoder") -> irops.Model:
    return irops.read(EXAMPLES / name / "model.xml")


def kinds(difference: Difference) -> dict[str, list[str]]:
    """The names of layers that a difference lists, by what differs."""
    found = {
        what: [change.name for change in getattr(difference, what)]
        for what in ("added", "removed", "changed", "rewired", "renamed", "moved")
    }
    found["weights"] = [change.name for change in difference.weights]
    return {what: names for what, names in found.items() if names}


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_the_same_as_itself(name: str, tmp_path: Path):
    irops.write(model(name), tmp_path / "copy.xml")
    difference = irops.diff(EXAMPLES / name / "model.xml", tmp_path / "copy.xml")
    assert difference.same
    assert kinds(difference) == {}
    assert str(difference).splitlines()[-1] == "no difference"


def shuffled(original: irops.Model, seed: int) -> irops.Model:
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
    return replace(original, graph=Graph([*parameters, *others, *results], edges), source=None)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_model_renumbered_renamed_and_reordered_is_the_same(name: str, seed: int):
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
    assert difference.weights[0].greatest == pytest.approx(1)
    assert difference.weights[0].share == pytest.approx(1 / value.size)
    assert not difference.same
    assert difference


def test_a_changed_attribute_is_shown_with_both_values():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2,3]")
    graph.result(graph.ops.SoftMax(x, axis=1, name="softmax"), "y")
    other = irops.Graph(graph.model())
    other.set_attributes(other["softmax"], axis=0)
    difference = irops.diff(graph.model(), other.model())
    assert [str(change) for change in difference.changed] == ["changed softmax (SoftMax-8): axis 1 -> 0"]
    other.replace(other["softmax"], "LogSoftmax-5", axis=1)
    (change,) = irops.diff(graph.model(), other.model()).changed
    assert change.details == ("op SoftMax-8 -> LogSoftmax-5",)


def test_another_spelling_of_an_attribute_is_no_difference():
    graph = irops.Graph()
    graph.result(graph.ops.Clamp(graph.parameter("x", "f32[2]"), min=0, max=1, name="clamp"), "y")
    other = irops.Graph(graph.model())
    other.store.set(other["clamp"], "data", {"min": "0.0", "max": "1e0"})
    assert irops.diff(graph.model(), other.model()).same


def test_shapes_are_listed_where_they_begin_to_differ():
    original = model("turned_rows")
    graph = irops.Graph(original)
    name = graph.inputs[0].node.name
    rank = graph.inputs[0].shape.rank
    graph.reshape({name: ["?"] * (rank or 0)})
    difference = irops.diff(original, graph.model())
    assert [change.name for change in difference.changed] == [name]
    assert any("input 0" in text for text in difference.interface)


def test_weights_in_another_type_are_compared_by_value():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2,64]")
    weights = np.random.default_rng(0).standard_normal((64, 8), np.float32)
    graph.result(graph.ops.MatMul(x, weights, name="matmul"), "y")
    half = irops.Graph()
    x = half.parameter("x", "f32[2,64]")
    converted = half.ops.Convert(weights.astype(np.float16), destination_type="f32")
    half.result(half.ops.MatMul(x, converted, name="matmul"), "y")
    difference = irops.diff(graph.model(), half.model())
    assert kinds(difference) == {"weights": ["matmul"]}
    assert difference.weights[0].kind == "stored"
    assert difference.weights[0].details.startswith("stored as f32 -> f16, greatest difference")
    assert 0 < (difference.weights[0].relative or 0) < 1e-3
    assert irops.diff(graph.model(), half.model(), ignore=["weights"]).same


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
    assert [str(c) for c in difference.changed] == [
        "changed loop/body/inside (Sigmoid-1): op Tanh-1 -> Sigmoid-1"
    ]


def test_inputs_and_outputs_are_listed():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2]")
    graph.result(x + 1, "y")
    other = irops.Graph(graph.model())
    other.add_result(other.inputs[0], "z")
    (text,) = irops.diff(graph.model(), other.model()).interface
    assert text.startswith("1 -> 2 results: y")


def test_small_weights_are_shown_with_their_elements():
    graphs = []
    for axis in (0, -1):
        graph = irops.Graph()
        x = graph.parameter("x", "f32[2,3]")
        graph.result(graph.ops.ReduceSum(x, [axis], keep_dims=True, name="sum"), "y")
        graphs.append(graph.model())
    (weight,) = irops.diff(*graphs).weights
    assert str(weight) == "weights of sum, input 1: [0] -> [-1]"


def test_a_missing_weights_file_is_one_error_and_the_rest_can_be_compared(tmp_path: Path):
    path = tmp_path / "model.xml"
    original = EXAMPLES / "digit_classifier" / "model.xml"
    path.write_bytes(original.read_bytes())
    with pytest.raises(irops.DiagnosticError, match=r"model\.bin does not exist") as error:
        irops.diff(original, path)
    assert len(error.value.diagnostics) == 1
    done = command(original, path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("IR501") == 2  # the finding, and how to explain it
    assert "--ignore weights" in done.stderr
    graph = irops.Graph(irops.read(original))
    graph.rename(graph["softmax"], "other")
    difference = irops.diff(path, graph.model(), ignore=["weights"])
    assert kinds(difference) == {"renamed": ["other"]}
    assert command(original, path, "--ignore", "weights").returncode == 0


def test_weights_that_cannot_be_computed_are_neither_the_same_nor_different():
    change = WeightChange("not compared", (), "matmul", 1, "no kernel")
    assert not Difference("a", "b", weights=(change,)).compared
    other = LayerChange("added", (), "relu", "ReLU-1")
    assert Difference("a", "b", weights=(change,), added=(other,)).compared
    assert Difference("a", "b").compared


def chain(length: int, stem: str) -> irops.Model:
    graph = irops.Graph()
    value = graph.parameter("x", "f32[2,3]")
    for number in range(length):
        value = graph.ops.Tanh(value, name=f"{stem}{number}")
    graph.result(value, "y")
    return graph.model()


def compressed(length: int, stem: str) -> irops.Model:
    """Layers with weights that are converted from f16; those of two stems differ."""
    graph = irops.Graph()
    value = graph.parameter("x", "f32[2,3]")
    for number in range(length):
        weight = np.full((2, 3), number + len(stem) / 4, np.float16)
        value = graph.ops.Add(value, graph.ops.Convert(weight, destination_type="f32"), name=f"add{number}")
    graph.result(value, "y")
    return graph.model()


def shared_weights(length: int, stem: str) -> irops.Model:
    """Weights of which each is computed from the one before."""
    graph = irops.Graph()
    value = graph.parameter("x", "f32[2,3]")
    weight = graph.constant(np.full((2, 3), len(stem), np.float32))
    for number in range(length):
        weight = graph.ops.Negative(weight)
        value = graph.ops.Add(value, weight, name=f"add{number}")
    graph.result(value, "y")
    return graph.model()


def fan(length: int, stem: str) -> irops.Model:
    """Many equal users of one value."""
    graph = irops.Graph()
    value = graph.ops.Exp(graph.parameter("x", "f32[2,3]"), name=f"{stem}exp")
    for number in range(length):
        graph.result(graph.ops.Tanh(value, name=f"{stem}{number}"), f"y{number}")
    return graph.model()


def crowd(length: int, stem: str) -> irops.Model:
    """Many equal users of one value, all alike."""
    graph = irops.Graph()
    value = graph.ops.Exp(graph.parameter("x", "f32[2,3]"), name=f"{stem}exp")
    users = [graph.ops.Tanh(value, name=f"{stem}{number}") for number in range(length)]
    graph.result(graph.ops.Concat(*users, axis=0) if stem == "a" else graph.ops.Abs(value), "y")
    return graph.model()


@pytest.mark.parametrize("made", slow_but([chain, compressed, shared_weights, fan, crowd], (chain, crowd)))
def test_the_cost_grows_with_the_number_of_layers(made: Callable[[int, str], irops.Model]):
    counts = []
    for length in (100, 400):
        a, b = made(length, "a"), made(length, "bb")
        counts.append(instructions(lambda a=a, b=b: irops.diff(a, b), "/irops/editing/"))
    assert counts[1] < 4.6 * counts[0], counts


def test_what_follows_from_a_change_is_listed_under_it():
    original = model("bidirectional_encoder")
    graph = irops.Graph(original)
    graph.reshape({"letters": (2, 7)})
    difference = irops.diff(original, graph.model())
    assert kinds(difference) == {"changed": ["letters"]}
    follows = difference.changed[0].follows
    assert "embedded: output 0 f32[?,?,6] -> f32[2,7,6]" in follows
    assert follows[-2:] == difference.interface
    lines = str(difference).splitlines()
    assert lines[2:4] == [
        "changed letters (Parameter-1): shape ?,? -> 2,7",
        "  embedded: output 0 f32[?,?,6] -> f32[2,7,6]",
    ]
    assert lines[-4:-1] == [
        "  and 10 more outputs with another type or shape",
        "  input 0 (letters): i64[?,?] -> i64[2,7]",
        "  result 0 (encoded): f32[?,?,8] -> f32[2,7,8]",
    ]


def test_shapes_that_follow_from_another_constant_are_listed_under_it():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[6]")
    shape = graph.constant([2, 3], "shape")
    y = graph.ops.Tanh(graph.ops.Reshape(x, shape, special_zero=False, name="reshape"), name="tanh")
    graph.result(y, "y")
    other = irops.Graph(graph.model())
    other.set_constant(other["shape"], [3, 2])
    difference = irops.diff(graph.model(), other.model())
    assert kinds(difference) == {"weights": ["reshape"]}
    assert difference.weights[0].follows == (
        "output 0 f32[2,3] -> f32[3,2]",
        "tanh: output 0 f32[2,3] -> f32[3,2]",
        "result 0 (y): f32[2,3] -> f32[3,2]",
    )


def test_shapes_in_a_body_follow_from_a_change_outside_of_it():
    def looped(size: int) -> irops.Model:
        body = irops.Graph("body")
        body.result(body.ops.Tanh(body.parameter("state", "f32[...]"), name="inside"), "next")
        graph = irops.Graph()
        x = graph.parameter("x", f"f32[1,{size}]")
        (y,) = graph.Loop(body, {"state": graph.carried(x, "next")}, ["next"], trip_count=2, name="loop")
        graph.result(y, "y")
        return graph.model()

    difference = irops.diff(looped(2), looped(3))
    assert kinds(difference) == {"changed": ["x"]}
    assert "loop/body/inside: output 0 f32[1,2] -> f32[1,3]" in difference.changed[0].follows


@pytest.mark.parametrize(
    ("different", "size", "portion"),
    [
        (64, 64, "all 64 elements"),
        (1, 1024, "1 of 1,024 elements"),
        (74, 1024, "7.2 % of 1,024 elements"),
        (512, 1024, "50.0 % of 1,024 elements"),
        (99_999, 100_000, "more than 99.9 % of 100,000 elements"),
        (10, 10_000_000, "0.0001 % of 10,000,000 elements"),
    ],
)
def test_the_number_of_elements_that_differ_is_given(different: int, size: int, portion: str):
    a = np.zeros(size, np.float32)
    b = a.copy()
    b[:different] = 1
    result = compared(a, b)
    assert result is not None
    assert str(result).endswith(f", {portion}")
    assert result.share == different / size


def test_metadata_is_listed_but_does_not_count():
    original = model("turned_rows")
    other = replace(original, rt_info=Element("rt_info", children=[Element("note", {"value": "new"})]))
    difference = irops.diff(original, other)
    assert difference.same
    assert difference.metadata == ("rt_info of the model differs",)
    assert irops.diff(original, other, ignore=["rt_info"]).metadata == ()


def test_a_word_that_cannot_be_ignored_is_refused():
    with pytest.raises(ValueError, match="did you mean 'names'"):
        irops.diff(model(), model(), ignore=["name"])


def test_a_model_of_another_dialect_is_translated(tmp_path: Path):
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


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "irops", "diff", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_the_command_ends_with_1_where_models_differ(tmp_path: Path):
    path = EXAMPLES / "turned_rows" / "model.xml"
    graph = irops.Graph(irops.read(path))
    graph.add_result(graph.inputs[0], "z")
    irops.write(graph.model(), tmp_path / "other.xml")
    same = command(path, path)
    assert (same.returncode, same.stdout.splitlines()[-1]) == (0, "no difference")
    other = command(path, tmp_path / "other.xml", "--output-format", "json")
    assert other.returncode == 1
    assert json.loads(other.stdout)["interface"]
    written = tmp_path / "d.html"
    page = command(path, tmp_path / "other.xml", "--output-format", "html", "-o", written)
    assert (page.returncode, page.stdout) == (1, f"{written}: the report as html\n")
    assert (tmp_path / "d.html").read_text().startswith("<!doctype html>")


def test_the_page_shows_the_drawing_and_what_follows_from_each_change(tmp_path: Path):
    original = EXAMPLES / "bidirectional_encoder" / "model.xml"
    graph = irops.Graph(irops.read(original))
    graph.reshape({"letters": (2, 7)})
    graph.rename(graph["embedded"], "odd\u202e\x9b<name>")
    irops.write(graph.model(), tmp_path / "other.xml")
    done = command(original, tmp_path / "other.xml", "--output-format", "html")
    assert (done.returncode, done.stderr) == (1, "")
    for words in ("the models differ", "<svg", "consequences</summary>", "input 0 (letters)", "was embedded"):
        assert words in done.stdout
    assert "default-src 'none'" in done.stdout
    assert "<script" not in done.stdout
    assert not {"\u202e", "\x9b"} & set(done.stdout)
    assert "<name>" not in done.stdout


def test_other_shapes_are_listed_under_the_change_of_shapes_not_under_new_edges_and_weights():
    original = model("bidirectional_encoder")
    graph = irops.Graph(original)
    graph.reshape({"letters": (2, 7)})
    graph.insert_after(graph["embedded"], "Tanh", name="squashed")
    difference = irops.diff(original, graph.model())
    assert kinds(difference) == {
        "added": ["squashed"],
        "changed": ["letters"],
        "rewired": ["forward_lstm", "turn_around"],
    }
    assert all(not change.follows for change in (*difference.added, *difference.rewired))
    assert "forward_lstm: output 0 f32[?,1,?,4] -> f32[2,1,7,4]" in difference.changed[0].follows


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [(("nope.xml",), 2, "does not exist"), (("--ignore", "name"), 2, "did you mean 'names'")],
)
def test_the_command_refuses_with_a_sentence(arguments, status, message):
    path = EXAMPLES / "turned_rows" / "model.xml"
    paths = (path,) if arguments[0].endswith(".xml") else (path, path)
    done = command(*paths, *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
