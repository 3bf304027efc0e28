"""OpenVINO, in a process of its own since it may crash, finds the same in what irops writes."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from irops import Graph
from irops.ir.read import read
from irops.ir.write import write
from irops.values.element import element_types, tagged

FILES = Path(__file__).parent / "files"

pytestmark = [
    pytest.mark.slow("OpenVINO reads and runs models"),
    pytest.mark.skipif(importlib.util.find_spec("openvino") is None, reason="openvino is not installed"),
]

RESULTS = """
import json, sys
import numpy as np
import openvino as ov
core = ov.Core()
values = []
for path in sys.argv[1:]:
    model = core.read_model(path)
    for parameter in model.get_parameters():
        if parameter.partial_shape.is_dynamic:
            sizes = [2 if d.is_dynamic else d for d in parameter.partial_shape]
            model.reshape({parameter.output(0): ov.PartialShape(sizes)})
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    random = np.random.default_rng(0)
    inputs = [random.random(tuple(i.shape)).astype(i.element_type.to_dtype()) for i in compiled.inputs]
    results = compiled(inputs)
    values.append([[str(o.element_type), sorted(name.rstrip("0123456789") for name in o.names),
                  list(o.shape), results[o].ravel().tolist()] for o in compiled.outputs])
    ops = model.get_ordered_ops()
    values[-1].append([[n.friendly_name.rstrip("0123456789"), n.get_type_name()] for n in ops])
print(json.dumps(values))
"""


def openvino(script, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ["plain", "bodies", "old"])
def test_openvino_computes_the_same_from_what_irops_writes(name, tmp_path):
    write(read(FILES / f"{name}.xml"), tmp_path / "copy.xml")
    original, copy = openvino(RESULTS, FILES / f"{name}.xml", tmp_path / "copy.xml")
    assert copy == original
    assert original[0][3]


VALUES = """
import json, sys
import openvino as ov
import openvino.opset13 as ops
from openvino.passes import ConstantFolding, Manager
values = {}
for operation in ov.Core().read_model(sys.argv[1]).get_ordered_ops():
    if operation.get_type_name() == "Constant":
        if operation.get_element_type() == ov.Type.string:
            values[operation.friendly_name] = operation.get_value_strings()
        else:
            wide = "f64" if operation.get_element_type().size > 2 else "f32"
            model = ov.Model([ops.result(ops.convert(operation, wide))], [])
            folding = Manager()
            folding.register_pass(ConstantFolding())
            folding.run_passes(model)
            folded = model.get_results()[0].input_value(0).get_node()
            known = folded.get_type_name() == "Constant"
            values[operation.friendly_name] = folded.get_data().ravel().tolist() if known else None
print(json.dumps(values))
"""
TESTED = [t for t in element_types() if t.kind != "dynamic"]


def _elements(element):
    if element.kind == "string":
        return np.array(["abc", "", "é", "z,z"], object)
    if element.kind == "lookup":
        return np.arange(9, dtype=np.uint8)
    if element.kind == "boolean":
        return np.array([True, False, True])
    if element.name == "f8e8m0":
        return np.array([0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]).astype(element.dtype)
    top = 1 << min(element.bits - (element.kind == "signed"), 6)
    low = -top if element.kind == "signed" else 0
    if element.floating:
        return np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -1]).astype(element.dtype)
    return np.array([(low + 5 * k) % (top - low) + low for k in range(9)]).astype(element.dtype)


def _model_of_constants():
    graph = Graph("constants")
    for element in TESTED:
        constant = graph.constant(tagged(_elements(element), element), name=element.name)
        graph.result(constant, f"of_{element}")
    return graph.model()


def test_openvino_finds_the_elements_that_irops_packs(tmp_path):
    write(_model_of_constants(), tmp_path / "m.xml")
    found = openvino(VALUES, tmp_path / "m.xml")
    for element in TESTED:
        elements = _elements(element)
        if element.kind == "string":
            assert found[element.name] == elements.tolist()
        elif element.kind == "lookup":
            assert found[element.name] == sorted(found[element.name])  # the codes are those of rising values
        else:
            assert found[element.name] == [float(x) for x in elements], element
