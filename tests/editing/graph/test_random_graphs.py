"""OpenVINO reads random graphs that were built with irops.Graph, infers the same, and computes the same."""

import json
import subprocess
import sys

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
