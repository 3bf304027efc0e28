"""Parts of models as models of their own; the parts of random cuts, run one after the other, give what the
whole gives. IROPS_CORPUS names a folder of corpora; the networks in its folder arch are cut too.
"""

import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.cli.main import main
from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.extraction import Boundary, cut_values, extracted
from irops.ir.model import LayerKind
from tests.conftest import model_of


def forked():
    """x -> relu -> split -> (left -> tanh, right) -> joined, beside a constant."""
    return model_of(
        "x: f32[?,4]; relu: ReLU x; split: Split relu one num_splits=2; tanh: Tanh split:0",
        "tanh_1: Multiply split:1 three; joined: Concat tanh tanh_1 axis=1; y: Result joined",
        "z: f32[2]; more: Add z ones; other: Result more",
        one=np.array(1),
        three=np.float32([[3]]),
        ones=np.ones(2, np.float32),
    )


def layers(model):
    return [layer.name for layer in model.layers if not layer.is_constant]


def test_a_part_lies_between_values():
    part = irops.extract(forked(), inputs=["relu"], outputs=["tanh"])
    assert layers(part) == ["relu", "split", "tanh", "tanh_1"]
    assert str(irops.infer(part)["relu", 0]) == "f32[?,4]"
    assert not irops.check(part).errors
    data = np.array([[1, 2, -3, 4]], np.float32)
    assert np.allclose(irops.run(part, {"relu": data})["tanh"], np.tanh(data[:, :2]))


def test_a_result_without_an_input_is_in_no_part():
    model = forked()
    model.graph.edges[:] = [edge for edge in model.edges if edge.to_layer != model.results[0].id]
    model.results[0].inputs.clear()
    assert [layer.name for layer in irops.extract(model).results] == ["other"]


def test_an_output_of_several_is_named_by_its_index():
    model = forked()
    part = irops.extract(model, inputs=["split:0", ("split", 1)], outputs=["joined"])
    assert layers(part)[:2] == ["split:0", "split:1"]
    data = np.ones((1, 2), np.float32)
    result = irops.run(part, {"split:0": data, "split:1": data})["joined"]
    assert np.allclose(result, [[np.tanh(1)] * 2 + [3] * 2])


def test_what_is_not_named_is_that_of_the_model():
    model = forked()
    assert layers(irops.extract(model, outputs=["tanh"]))[0] == "x"
    found = [layer for layer in layers(irops.extract(model, inputs=["tanh", "split:1"])) if "other" in layer]
    assert found == []
    everything = irops.extract(model)
    assert [layer.id for layer in everything.layers] == [layer.id for layer in model.layers]


def test_a_part_around_a_layer():
    part = irops.extract(forked(), around="tanh", hops=1)
    assert {"split", "tanh", "joined"} <= set(layers(part))
    assert "relu" in [p.name for p in ModelAnalysis(part).signature.inputs]
    assert not irops.check(part).errors
    farthest = (irops.extract(forked(), around="tanh", hops=hops) for hops in (9, 10**20))
    assert len({tuple(layers(part)) for part in farthest}) == 1
    alone = irops.extract(forked(), around="tanh", hops=0)
    assert [p.name for p in ModelAnalysis(alone).signature.inputs] == ["split:0"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"inputs": ["tanh"], "outputs": ["joined"]}, "the edge from 'x' to input 0 of layer .*relu"),
        ({"inputs": ["tanh", "z"], "outputs": ["tanh"]}, "no output depends on the input 'z'"),
        ({"outputs": ["tahn"]}, "did you mean 'tanh'"),
        ({"outputs": ["split"]}, 'has 2 outputs; name one of them, "split:0"'),
        ({"outputs": ["split:2"]}, "has no output 2; it has 2"),
        ({"outputs": ["split:\u00b2"]}, "there is no layer"),
        ({"outputs": ["split:" + "9" * 5000]}, "there is no layer"),
        ({"around": "tahn"}, "did you mean 'tanh'"),
    ],
)
def test_a_part_that_cannot_be_taken_is_refused(names, message):
    with pytest.raises(DiagnosticError, match=message):
        irops.extract(forked(), **names)


def test_contradicting_arguments_are_refused():
    with pytest.raises(ValueError, match="given alone"):
        irops.extract(forked(), around="tanh", outputs=["y"])
    with pytest.raises(ValueError, match="hops is -1"):
        irops.extract(forked(), around="tanh", hops=-1)
    with pytest.raises(KeyError, match="there is no layer or tensor 'loop'"):
        irops.extract(forked(), outputs=["y"], path=("loop", "body"))
    with pytest.raises(ValueError, match="must end with a body"):
        irops.extract(forked(), outputs=["y"], path=("loop",))


def test_the_values_at_a_cut_are_those_of_the_whole_model():
    model = forked()
    given = {"x": np.array([[1, -2, 3, 4]], np.float32), "z": np.zeros(2, np.float32)}
    part = extracted(ModelAnalysis(model), Boundary(inputs=["split:1", "tanh"], outputs=["y"]))
    values = cut_values(part, model, given)
    assert np.allclose(values["tanh"], np.tanh(np.maximum(given["x"][:, :2], 0)))
    assert irops.run(part.model, values)["y"].tolist() == irops.run(model, given)["y"].tolist()


def test_a_part_of_a_body():
    body = irops.Graph("body")
    new = body.parameter("state", "f32[1,2]") * 2
    body.result(body.ops.Tanh(new, name="inside"), "next")
    graph = irops.Graph()
    x = graph.parameter("x", "f32[1,2]")
    (y,) = graph.Loop(body, {"state": graph.carried(x, "next")}, ["next"], trip_count=2, name="loop")
    graph.result(y, "y")
    model = graph.model()
    part = irops.extract(model, outputs=["inside"], path=("loop", "body"))
    one = np.ones((1, 2), np.float32)
    assert np.allclose(irops.run(part, {"state": one})["inside"], np.tanh(2))
    inner = extracted(ModelAnalysis(model), Boundary(inputs=["state"], path=("loop", "body")))
    assert inner.whole == len(model.layer("loop").bodies["body"].graph.layers)
    with pytest.raises(DiagnosticError, match="differ each time"):
        cut_values(inner, model, {"x": one})


def compressed():
    """x @ (i8 weights, shifted and scaled in f16)."""
    return model_of(
        "unpacked: Convert stored destination_type=f16; scaled: Multiply unpacked scale",
        "wide: Convert scaled destination_type=f32; x: f32[1,4]; product: MatMul x wide",
        "relu: ReLU product; y: Result relu",
        stored=np.arange(-4, 4, dtype=np.int8).reshape(4, 2),
        scale=np.float16([[0.1, 0.37]]),
    )


def test_constants_around_a_layer_come_along_whole():
    model = compressed()
    part = irops.extract(model, around="product", hops=1)
    assert [port.name for port in ModelAnalysis(part).signature.inputs] == ["x"]
    data = np.array([[1, -2, 3, 0.3]], np.float32)
    assert np.array_equal(irops.run(part, {"x": data})["relu.0"], irops.run(model, {"x": data})["relu.0"])


def test_a_cut_within_constants_of_narrow_types_is_named():
    analysis = ModelAnalysis(compressed())
    assert extracted(analysis, Boundary(inputs=["x", "scaled"], outputs=["y"])).rounded == ("scaled",)
    assert extracted(analysis, Boundary(inputs=["product"], outputs=["y"])).rounded == ()
    assert extracted(analysis, Boundary(inputs=["x", "wide"], outputs=["y"])).rounded == ()


def test_the_command_writes_the_part_and_the_values_at_the_cut(tmp_path, capsys):
    irops.write(forked(), tmp_path / "model.xml")
    given = {"x": np.array([[1, -2, 3, 4]], np.float32), "z": np.zeros(2, np.float32)}
    np.savez(tmp_path / "in.npz", **given)
    cut = ["--from", "tanh,split:1", "--to", "y", "--load-inputs", str(tmp_path / "in.npz")]
    assert main(["extract", str(tmp_path / "model.xml"), *cut, "-o", str(tmp_path / "part.xml")]) == 0
    assert "part.xml: 6 layers of 13; 2 values in" in capsys.readouterr().out
    with np.load(tmp_path / "part.npz") as values:
        result = irops.run(tmp_path / "part.xml", dict(values))["y"]
    assert (result == irops.run(tmp_path / "model.xml", given)["y"]).all()


def test_the_command_names_inputs_that_are_rounded(tmp_path, capsys):
    irops.write(compressed(), tmp_path / "model.xml")
    cut = ["--from", "x,scaled", "--to", "y", "-o", str(tmp_path / "part.xml")]
    assert main(["extract", str(tmp_path / "model.xml"), *cut]) == 0
    out = capsys.readouterr().out
    assert "note: input 'scaled' is among constants, which irops computes in f32" in out
    assert "rounded to f16" in out


EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = ("digit_classifier", "bidirectional_encoder", "turned_rows")
CORPUS = os.environ.get("IROPS_CORPUS")
NETWORKS = sorted(Path(CORPUS).glob("arch/*/model.xml"))[::20] if CORPUS else []


def random_cut(analysis, chance):
    """All layers before a random place in one part, all behind it in the other.

    Constants, and what depends on nothing else, come along with either part. A variable is assigned in the
    part that reads it.
    """
    graph = analysis.root
    order = [node.layer for node in graph.order]
    while True:
        place = chance.randrange(1, len(order))
        before, behind = {layer.id for layer in order[:place]} - graph.constants, order[place:]
        before |= {layer.id for layer in order if layer.kind is LayerKind.PARAMETER}
        read = {layer.data["variable_id"] for layer in behind if layer.type == "ReadValue"}
        cuts = {
            (source[0].id, source[1])
            for layer in behind
            if layer.kind is not LayerKind.SINK or layer.data["variable_id"] in read
            for source in graph.wiring.inputs[layer.id]
            if source is not None and source[0].id in before
        }
        ends = [layer.id for layer in behind if layer.kind is LayerKind.RESULT]
        if cuts and ends:
            return Boundary(sorted(cuts), ends)


def assert_parts_give_the_whole(analysis, inputs, boundary):
    second = extracted(analysis, boundary)
    assert not second.rounded
    assert not irops.check(second.model).errors
    results = irops.run(second.model, cut_values(second, analysis, inputs))
    whole = irops.run(analysis, inputs)
    assert results
    for key, result in results.items():
        np.testing.assert_array_equal(result, whole[key])


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(4))
def test_the_parts_of_a_cut_give_what_the_whole_gives(name, seed):
    analysis = ModelAnalysis(irops.read(EXAMPLES / name / "model.xml"))
    with np.load(EXAMPLES / name / "inputs.npz") as file:
        inputs = dict(file)
    assert_parts_give_the_whole(analysis, inputs, random_cut(analysis, random.Random(seed)))


@pytest.mark.slow("corpora")
@pytest.mark.skipif(not CORPUS, reason="IROPS_CORPUS names no folder of corpora")
@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.parent.name)
def test_the_parts_of_a_network_of_the_corpus_give_what_the_whole_gives(path):
    analysis, chance = ModelAnalysis(irops.read(path)), random.Random(path.parent.name)
    for layer in analysis.model.layers:
        _seed(layer)
    ports = json.loads(path.with_name("io.json").read_text())["inputs"]
    with np.load(path.with_name("inputs.npz")) as file:
        inputs = {
            port.name: file[stored["key"]].astype(port.fact.element_type.dtype, copy=False)
            for port, stored in zip(analysis.signature.inputs, ports, strict=True)
        }
    for _ in range(3):
        assert_parts_give_the_whole(analysis, inputs, random_cut(analysis, chance))


def _seed(layer):
    """Without a seed, RandomUniform gives other numbers in every run."""
    if layer.type == "RandomUniform" and layer.data.get("global_seed") == "0":
        layer.data["global_seed"] = "7"
