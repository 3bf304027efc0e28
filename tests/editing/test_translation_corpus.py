"""All cases of Reverse and ReverseSequence of a corpus of single ops, translated and run by irops, OpenVINO
and ONNX Runtime.

IROPS_CORPUS names a folder of corpora; that of single ops has folders with model.xml, inputs.npz and io.json.
"""

import json
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from runtimes import DeclinedError, same_bits

import irops
from irops.ir.numpy_files import as_declared
from irops.values.element import STRING, element_type

CORPUS = os.environ.get("IROPS_CORPUS")

pytestmark = pytest.mark.skipif(not CORPUS, reason="IROPS_CORPUS names no folder of corpora")
REFUSED = {
    "its rank is unknown, but ONNX requires the rank of every input and output of a model",
    "batch_axis and seq_axis are different axes; got # for both",
    "its data is f#e#m#, which ONNX has only from opset # on, not in #",
}
"""Why a case is not representable in ONNX; # is a number."""
DECLINED = (
    ("openvino", "CPU plug-in doesn't support Parameter operation with dynamic rank"),
    ("openvino", "crashed"),
    ("openvino", "Conversion is failed for: ReverseSequence"),
    ("openvino", "The model has only 1 inputs"),
    ("openvino", "Sequence lengths input size (2) is not equal to batch axis dimension of data input (3)"),
    ("onnxruntime", "Non-zero status code returned while running"),
)
"""What runtimes say where they run no model of such a type, rank or fault. OpenVINO crashes on strings."""
DAMAGED = "f64"
"""What OpenVINO's CPU plug-in carries as f32, in the source as in the translation."""


def cases():
    for index in sorted(Path(CORPUS or "").glob("single-op*/index.jsonl")):
        names = (json.loads(line)["name"] for line in index.read_text().splitlines())
        yield from (index.parent / name for name in names if name.startswith("Reverse"))


def inputs_of(folder):
    declared = json.loads((folder / "io.json").read_text())["inputs"]
    with np.load(folder / "inputs.npz") as stored:
        return [_as(stored[one["key"]], one["type"]) for one in declared]


def _as(array, kind):
    return (
        array.astype(object)
        if element_type(kind) is STRING
        else np.asarray(as_declared(array, element_type(kind)))
    )


def results(model, inputs):
    """What irops gives; None where it refuses the inputs."""
    try:
        return [*irops.run(model, inputs, backends=("reference",)).values()]
    except irops.EvaluationError:
        return None


def reason(error):
    ranks = [d.message for d in error.diagnostics if "its rank is unknown" in d.message]
    text = (ranks or [error.diagnostics[-1].message])[-1].partition(": ")[2]
    return "".join("#" if letter.isdigit() else letter for letter in text).replace("##", "#")


@pytest.mark.slow("corpora")
def test_runtimes_give_for_translations_what_irops_gives_for_the_source(runtimes, tmp_path):
    result, wrong = Counter(), []
    for folder in cases():
        model, inputs = irops.read(folder / "model.xml"), inputs_of(folder)
        paths = [folder / "model.xml"]
        try:
            for dialect, name in (("onnx", "there.onnx"), ("openvino", "back.xml")):
                irops.write(irops.translate(irops.read(paths[-1]), dialect), tmp_path / name)
                paths.append(tmp_path / name)
        except irops.DiagnosticError as error:
            result[reason(error)] += 1
        else:
            result["translated"] += 1
        want = results(model, inputs)
        wrong += [
            f"irops on {path.name} of {folder.name}"
            for path in paths[1:]
            if not same(results(path, inputs), want)
        ]
        for runtime, path in (("openvino", path) for path in paths):
            wrong += judged(runtimes, runtime, path, inputs, want, folder.name)
        if len(paths) > 1:
            wrong += judged(runtimes, "onnxruntime", paths[1], inputs, want, folder.name)
            assert runtimes.run("checker", paths[1], []) == []
    assert result.keys() <= REFUSED | {"translated"}
    assert result["translated"] > 0
    assert wrong == []


def same(found, want):
    return (found is None) == (want is None) and all(map(same_bits, found or (), want or ()))


def judged(runtimes, runtime, path, inputs, want, name):
    try:
        found = runtimes.run(runtime, path, inputs)
    except DeclinedError as error:
        known = any(runtime == who and words in str(error) for who, words in DECLINED)
        return [] if known else [f"{runtime} declines {path.name} of {name}: {error}"]
    damaged = runtime == "openvino" and (DAMAGED in name or want is None)
    return [] if damaged or same(found, want) else [f"{runtime} on {path.name} of {name}"]
