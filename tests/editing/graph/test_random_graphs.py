"""OpenVINO reads random graphs that were built with irops.Graph, infers the same, and computes the same. Of
random edits irops.diff lists exactly these, and OpenVINO reads the result.
"""

import random
from pathlib import Path

import numpy as np
import pytest
from random_graphs import Maker
from runtimes import DeclinedError

import irops
from irops.diagnostics.diagnostic import DiagnosticError
from irops.ir.model import LayerKind

SEEDS = range(60)


@pytest.mark.slow("OpenVINO runs many models")
@pytest.mark.parametrize("seed", SEEDS)
def test_openvino_agrees_with_a_random_graph(seed, runtimes, tmp_path):
    maker, path = Maker(seed), tmp_path / "m.xml"
    irops.write(maker.graph.model(), path)
    assert not irops.check(path).errors
    graph = irops.Graph(irops.read(path))
    (facts,) = runtimes.run("shapes", path, [])
    assert [f"{value.element_type}{value.shape}" for value in graph.results] == facts.tolist()
    try:
        expected = runtimes.run("openvino", path, list(maker.arrays.values()))
    except DeclinedError as why:
        if "bad combination" in why.whole:
            pytest.skip(f"OpenVINO lacks kernels for this processor: {why}")
        with pytest.raises(DiagnosticError):  # sizes that only the run knows do not fit together
            irops.run(path, maker.arrays)
        return
    computed = irops.run(path, maker.arrays)
    results = [node.name for node in graph.order if node.kind is LayerKind.RESULT]
    for name, array in zip(results, expected, strict=True):
        assert computed[name].shape == array.shape
        assert np.allclose(computed[name], array, rtol=1e-3, atol=1e-3, equal_nan=True), name


def test_the_random_graphs_are_of_many_ops():
    types = {node.type for seed in SEEDS for node in Maker(seed).graph}
    assert len(types) > 35
    assert {"TensorIterator", "Concat", "MatMul", "Split"} <= types


EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = ("digit_classifier", "bidirectional_encoder", "turned_rows", "running_total")
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
@pytest.mark.parametrize("name", NAMES)
def test_openvino_reads_edited_models(name, runtimes, tmp_path):
    graph, _ = edited(irops.read(EXAMPLES / name / "model.xml"), name)
    irops.write(graph.model(), tmp_path / "m.xml")
    assert not irops.check(tmp_path / "m.xml").errors
    (facts,) = runtimes.run("shapes", tmp_path / "m.xml", [])
    assert len(facts) == len(irops.Graph(irops.read(tmp_path / "m.xml")).results)
