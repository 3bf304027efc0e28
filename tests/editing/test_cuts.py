"""Models cut in two at random places: the parts, run one after the other, give what the whole gives.

IROPS_CORPUS names a folder of corpora; the networks in its folder arch are cut too.
"""

import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.editing.extraction import Boundary, cut_values, extracted
from irops.ir.model import LayerKind

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
