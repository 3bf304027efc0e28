"""Layers that OpenVINO refuses have an error; those that it computes in one way have a warning at most."""

import numpy as np
import pytest
from commands import python_process
from libraries import needs
from probes import Probe
from runtimes import read_all
from tables import table

import irops
from irops.dialects.registry import default_registry

pytestmark = pytest.mark.slow("OpenVINO reads many models")


REFUSED = dict(table(__file__, "refused"))
COMPUTED = {name: (question, warnings) for name, question, warnings in table(__file__, "computed")}
STRICT = dict(table(__file__, "strict"))
"""What OpenVINO reads and irops refuses; docs/decisions/0012 says why."""
UNRANKED = """
import sys
from openvino import Model, PartialShape, Type, opset13, serialize
from openvino.op import Parameter

data, filters = (Parameter(Type.f32, PartialShape(shape)) for shape in ("...", sys.argv[2]))
convolved = opset13.convolution(data, filters, [], [], [], [], auto_pad=sys.argv[3])
serialize(Model([convolved], [data, filters], "m"), sys.argv[1])
"""


def probe_of(name, question):
    """A layer of the op with which the name begins."""
    return Probe.parse(name.split()[0].rstrip(","), f"{question} -> reads")


def findings(tmp_path, text, weights):
    path = tmp_path / "model.xml"
    path.write_text(text)
    path.with_suffix(".bin").write_bytes(weights)
    report = irops.check(str(path))
    return [str(d.severity.value) for d in report.diagnostics], str(path)


@pytest.mark.parametrize("name", REFUSED)
def test_what_openvino_refuses_has_an_error(name, tmp_path):
    assert "error" in findings(tmp_path, *probe_of(name, REFUSED[name]).model())[0]


@pytest.mark.parametrize("name", STRICT)
def test_an_empty_list_beside_others_is_an_error(name, tmp_path):
    assert findings(tmp_path, *probe_of(name, STRICT[name]).model())[0] == ["error"]


@needs("openvino")
@pytest.mark.parametrize("auto_pad", ["explicit", "same_upper", "valid"])
@pytest.mark.parametrize(("filters", "empty"), [("...", True), ("?,?,?,?", False)])
def test_what_openvino_writes_of_an_unranked_convolution_has_no_error(filters, empty, auto_pad, tmp_path):
    path = tmp_path / "model.xml"
    python_process("-c", UNRANKED, path, filters, auto_pad, check=True)
    assert ('strides="" dilations="" pads_begin="" pads_end=""' in path.read_text()) is empty
    assert not irops.check(path).errors
    assert not irops.infer(irops.read(path), {"Parameter_1": "1,1,4,4"}).errors


@pytest.mark.parametrize("name", COMPUTED)
def test_what_openvino_computes_in_one_way_has_no_error(name, tmp_path):
    question, warnings = COMPUTED[name]
    probe = probe_of(name, question)
    severities, path = findings(tmp_path, *probe.model())
    assert severities == ["warning"] * warnings
    assert irops.run(path, {f"input{k}": array for k, array in enumerate(probe.given)})


def test_softmax_without_axis_is_computed_along_axis_0_as_openvino_does():
    data = np.array([[0, 1], [0, 3]], np.float32)
    definition = default_registry().op("SoftMax-1").definition.attributes["axis"]
    assert (definition.default, definition.reader_default) == ("1", "0")
    found = irops.call("SoftMax-1", data)
    assert np.allclose(found.sum(axis=0), 1)


@needs("openvino")
def test_openvino_refuses_and_reads_the_same_models():
    computed = {name: question for name, (question, _) in COMPUTED.items()}
    probes = {name: probe_of(name, question) for name, question in (REFUSED | computed | STRICT).items()}
    types = (default_registry().op(probe.op).definition.type for probe in probes.values())
    questions = ((kind, *probe.model()) for kind, probe in zip(types, probes.values()))
    refused = {name for name, reading in zip(probes, read_all(questions)) if isinstance(reading, str)}
    assert refused == set(REFUSED)
