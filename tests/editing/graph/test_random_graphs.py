"""OpenVINO reads random graphs that were built with irops.Graph, infers the same, and computes the same. Of
random edits irops.diff lists exactly these, and OpenVINO reads the result.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_graphs import Maker

import irops
from irops.diagnostics.diagnostic import DiagnosticError
from irops.ir.model import LayerKind

SEEDS = range(60)
ORACLE = """
import json, sys
import numpy as np
import openvino as ov

core = ov.Core()
for line in sys.stdin:
    path = line.strip()
    answer = {}
    try:
        model = core.read_model(path + ".xml")
        answer["facts"] = [
            [r.get_output_element_type(0).to_string(), str(r.get_output_partial_shape(0))]
            for r in model.results
        ]
        answer["refusal"] = True  # of the plug-in, which may lack kernels for this processor
        compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        del answer["refusal"]
        with np.load(path + ".npz") as inputs:
            results = compiled(dict(inputs))
        np.savez(path + "_results.npz", *[results[output] for output in compiled.outputs])
    except RuntimeError as error:
        answer["error"] = str(error)
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with graphs of all seeds, and what OpenVINO says of each."""
    pytest.importorskip("openvino")
    folder = tmp_path_factory.mktemp("graphs")
    for seed in SEEDS:
        maker = Maker(seed)
        irops.write(maker.graph.model(), folder / f"{seed}.xml")
        np.savez(folder / f"{seed}.npz", **maker.arrays)
    given = "".join(f"{folder / str(seed)}\n" for seed in SEEDS)
    done = subprocess.run(
        [sys.executable, "-c", ORACLE], input=given, capture_output=True, text=True, check=True
    )
    return folder, dict(zip(SEEDS, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.slow("OpenVINO runs many models")
@pytest.mark.parametrize("seed", SEEDS)
def test_openvino_agrees_with_a_random_graph(seed, made):
    folder, answers = made
    answer = answers[seed]
    assert not irops.check(folder / f"{seed}.xml").errors
    graph = irops.Graph(irops.read(folder / f"{seed}.xml"))
    assert "facts" in answer, answer
    results = [node for node in graph.order if node.kind is LayerKind.RESULT]
    facts = [[str(value.element_type), str(value.shape)] for value in graph.results]
    assert facts == answer["facts"]
    if "refusal" in answer and "bad combination" in answer["error"]:
        pytest.skip(f"OpenVINO lacks kernels for this processor: {answer['error']}")
    with np.load(folder / f"{seed}.npz") as inputs:
        arrays = dict(inputs)
    if "error" in answer:  # sizes that only the run knows do not fit together
        with pytest.raises(DiagnosticError):
            irops.run(folder / f"{seed}.xml", arrays)
        return
    computed = irops.run(folder / f"{seed}.xml", arrays)
    with np.load(folder / f"{seed}_results.npz") as expected:
        for node, array in zip(results, [expected[name] for name in expected.files], strict=True):
            assert computed[node.name].shape == array.shape
            assert np.allclose(computed[node.name], array, rtol=1e-3, atol=1e-3, equal_nan=True), node


def test_the_random_graphs_are_of_many_ops():
    types = {node.type for seed in SEEDS for node in Maker(seed).graph}
    assert len(types) > 35
    assert {"TensorIterator", "Concat", "MatMul", "Split"} <= types


EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = ("digit_classifier", "bidirectional_encoder", "turned_rows", "running_total")
CORPUS = os.environ.get("IROPS_CORPUS")
EDITS = 20
ADDING = ("insert", "result")
KINDS = ("rename", "replace", "remove", *ADDING)
UNARY = ("ReLU", "Tanh", "Sigmoid", "Gelu", "Swish", "Exp", "Clamp", "Negative")


def edited(model, seed):
    """A graph of a model after EDITS random edits, and the names that a difference lists.

    Each node is edited once, and where the model has too few, nodes get more neighbours.
    """
    chance = random.Random(seed)
    graph = irops.Graph(model)
    nodes = [
        node for node in graph if node.kind is not LayerKind.CONSTANT and not follows_from_constants(node)
    ]
    chance.shuffle(nodes)
    done = {}
    count = 0
    for number in range(20 * len(nodes)):
        node = nodes[number % len(nodes)]
        kinds = KINDS if number < len(nodes) else ADDING
        for _ in range(4):  # not every edit applies to every node
            try:
                changes = [] if node.removed else edit(graph, node, count, chance.choice(kinds))
            except DiagnosticError:  # refused, and so not done
                continue
            for what, name in changes:
                done.setdefault(what, []).append(name)
            if changes:
                count += 1
                break
        if count == EDITS:
            break
    return graph, done


def follows_from_constants(node):
    """Whether a difference lists it among the weights."""
    values = [value for value in node.inputs if value is not None]
    return bool(values) and all(
        value.node.kind is LayerKind.CONSTANT or follows_from_constants(value.node) for value in values
    )


def edit(graph, node, number, kind):
    """Make one edit; what a difference lists of it."""
    one = len(node.outputs) == 1
    match kind:
        case "rename" if node.kind is LayerKind.OPERATION:
            graph.rename(node, f"renamed_{number}")
            return [("renamed", node.name)]
        case "insert" if one and node.outputs[0].element_type.floating:
            added = graph.insert_after(node, "Abs", name=f"inserted_{number}")
            return [("added", added.name)]
        case "replace" if node.type in UNARY:
            graph.replace(node, "Erf")
            return [("changed", node.name)]
        case "remove" if node.kind is LayerKind.OPERATION and node.type in UNARY:
            graph.remove(node)
            return [("removed", node.name)]
        case "result" if one and node.kind is LayerKind.OPERATION:
            return [("added", graph.add_result(node.outputs[0], f"extra_{number}").name)]
    return []


def listed(model, other):
    difference = irops.diff(model, other)
    found = {
        what: sorted(change.name for change in getattr(difference, what))
        for what in ("added", "removed", "changed", "renamed")
    }
    assert not difference.weights
    assert not difference.moved
    return {what: names for what, names in found.items() if names}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", NAMES)
def test_a_difference_lists_the_edits(name, seed):
    model = irops.read(EXAMPLES / name / "model.xml")
    graph, done = edited(model, f"{name} {seed}")
    assert done
    assert listed(model, graph.model()) == {what: sorted(names) for what, names in done.items()}


@pytest.mark.slow("OpenVINO reads many models")
def test_openvino_reads_edited_models(tmp_path):
    pytest.importorskip("openvino")
    for name in NAMES:
        graph, _ = edited(irops.read(EXAMPLES / name / "model.xml"), name)
        irops.write(graph.model(), tmp_path / f"{name}.xml")
        assert not irops.check(tmp_path / f"{name}.xml").errors
    script = (
        "import json, sys, openvino as ov\n"
        "core = ov.Core()\n"
        "print(json.dumps([len(core.read_model(path).results) for path in sys.argv[1:]]))"
    )
    paths = [str(tmp_path / f"{name}.xml") for name in NAMES]
    done = subprocess.run([sys.executable, "-c", script, *paths], capture_output=True, text=True, check=True)
    counts = [len(irops.Graph(irops.read(path)).results) for path in paths]
    assert json.loads(done.stdout.splitlines()[-1]) == counts


@pytest.mark.slow("corpora")
@pytest.mark.skipif(not CORPUS, reason="IROPS_CORPUS names no folder of corpora")
def test_a_difference_lists_the_edits_of_every_network_of_the_corpus():
    for path in sorted(Path(CORPUS or "").glob("arch/**/*.xml")):
        model = irops.read(path)
        assert irops.Graph(model).model().graph == model.graph
        graph, done = edited(model, path.parent.name)
        assert listed(model, graph.model()) == {what: sorted(names) for what, names in done.items()}, path
