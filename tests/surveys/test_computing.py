"""The tasks that compute values."""

import os

import pytest
from here_workers import HereWorkers
from libraries import needs
from onnx_protos import FLOAT, proto_of
from tables import table

import irops
from irops.debugging.sources.source import Failure
from irops.surveys.computing import of_failure
from irops.surveys.survey import surveyed

pytestmark = needs("jinja2")


@pytest.fixture
def adding(zoo, net):
    """A model that adds two inputs."""
    model = net("a: f32[2,3]; b: f32[2,3]; sum: Add a b; y: Result sum")
    irops.write(model, zoo / "adding.xml")
    return zoo / "adding.xml"


def test_models_run_on_inputs_that_are_made_up(request_of, adding):
    table = surveyed(request_of(tasks=("run",)), HereWorkers())
    rows = {os.path.basename(row.model): row for row in table}
    assert rows["adding.xml"].status == "pass"
    assert rows["adding.xml"].runtime.startswith("numpy ")
    assert rows["adding.xml"].details == {"outputs": {"sum.0": "f32[2,3]"}}


def test_a_source_that_computes_no_layer_of_a_model_does_not_support_it(request_of, adding):
    (row,) = surveyed(request_of(adding, tasks=("compare",), sources=("reference", "numba")), HereWorkers())
    assert row.status == "unsupported"
    assert row.details == {
        "verdicts": {"skipped": 1},
        "compared": "0 of 1 layer, 0 of 1 result compared",
        "message": "declined: the backend numba has no kernel of Add-1",
    }


def test_a_device_runs_models_in_a_process_of_its_own(request_of, adding):
    pytest.importorskip("openvino")
    request = request_of(adding, tasks=("run", "compare"), sources=("reference", "openvino:CPU"))
    table = surveyed(request, HereWorkers())
    assert {row.task: row.status for row in table} == {
        "run:reference": "pass",
        "run:openvino:CPU": "pass",
        "compare:reference,openvino:CPU": "pass",
    }


def test_a_device_runs_files_of_onnx_as_it_reads_them(request_of, tmp_path):
    pytest.importorskip("onnx")
    pytest.importorskip("openvino")
    model = proto_of([("Relu", ["x"], ["y"])], {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])})
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    request = request_of(tmp_path / "m.onnx", tasks=("run",), sources=("reference", "openvino:CPU"))
    table = surveyed(request, HereWorkers())
    assert {row.task: row.status for row in table} == {"run:reference": "pass", "run:openvino:CPU": "pass"}


def test_an_input_that_cannot_be_made_up_is_an_error(request_of, zoo):
    path = zoo / "sound.xml"
    path.write_text(path.read_text().replace('element_type="f32"', 'element_type="dynamic"', 1))
    (row,) = surveyed(request_of(path, tasks=("run",)), HereWorkers())
    assert row.status == "error"


@pytest.mark.parametrize(("kind", "status"), table(__file__, "each_failure_of_a_source_has_a_status"))
def test_each_failure_of_a_source_has_a_status(kind, status):
    assert of_failure(Failure(kind, "because"))[:2] == (status, {"message": "because"})


def test_a_worker_with_another_runtime_does_not_stand_for_this_one(request_of, monkeypatch):
    monkeypatch.setattr("irops.surveys.survey.runtime_of", lambda task: "numpy 0.1")
    table = surveyed(request_of(tasks=("run",)), HereWorkers())
    assert {row.status for row in table} == {"error"}
    assert "the survey was started with numpy 0.1" in table[0].details["message"]
    assert {row.key for row in table} == {""}
