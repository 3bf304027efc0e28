"""irops.check: everything in one pass, in order, once. What the checks of a graph say, and what they leave
unsaid; each rule is in irops/diagnostics/rules.
"""

import re
from pathlib import Path

import pytest

import irops
from irops.analysis.checks.run import CASCADES, CHECKS, check
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.rules import rule
from irops.ir.model import Body, Edge, Layer, LayerGraph, Model, Port, PortMapping
from irops.ir.read import loads
from tests.conftest import net_text


def parameter(id_, name="x"):
    data = {"shape": "2", "element_type": "f32"}
    return Layer(id_, name, "Parameter", "opset1", data, outputs=[Port(0, "FP32", (2,))])


def result(id_, name="y"):
    return Layer(id_, name, "Result", "opset1", inputs=[Port(0, None, (2,))])


def unary(id_, name, inputs=1):
    ports = [Port(k) for k in range(inputs)]
    return Layer(id_, name, "Sigmoid", "opset1", inputs=ports, outputs=[Port(9, "FP32", (2,))])


def straight(*extra, edges=()):
    """x -> a -> y, and more."""
    layers = [parameter(0), unary(1, "a"), result(2), *extra]
    return Model(graph=LayerGraph(layers, [Edge(0, 0, 1, 0), Edge(1, 9, 2, 0), *edges]))


def found(model, read_findings=()):
    return [d.name for d in structural(model, read_findings)]


def structural(model, read_findings=()):
    """The findings that do not depend on inference."""
    analysis = ModelAnalysis(model, read_findings=read_findings)
    return [*analysis.structural_findings, *(d for each in CHECKS for d in each(analysis))]


FILES = sorted((Path(__file__).parent / "graphs").glob("*.xml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_graph_has_the_findings_that_its_file_announces(path):
    model, reported = loads(path.read_bytes())
    expected = re.findall("<!-- expect: (.*?) -->", path.read_text())
    assert [f"{d.code} {d.message}" for d in structural(model, reported)] == expected


def test_a_model_without_a_file_is_checked_too():
    report = check(straight(unary(3, "idle"), edges=(Edge(0, 0, 3, 0),)))
    (where,) = (d.location for d in report if d.name == "dead-layer")
    assert (where.file, where.line, where.layer_name, report.path) == (None, None, "idle", None)


def test_an_edge_of_a_body_to_a_layer_outside_says_so():
    body = LayerGraph([parameter(0, "p"), result(1, "r")], [Edge(0, 0, 1, 0), Edge(2, 0, 1, 0)])
    bodies = {"body": Body("body", body, [PortMapping(0, 0)], [PortMapping(1, 1)])}
    loop = Layer(1, "loop", "TensorIterator", "opset1", {}, [Port(0)], [Port(1, "FP32", (2,))], bodies)
    layers = [parameter(0), loop, result(2)]
    (finding,) = structural(Model(graph=LayerGraph(layers, [Edge(0, 0, 1, 0), Edge(1, 1, 2, 0)])))
    start = 'an edge to layer 1 "r" (Result) starts at layer 2'
    assert finding.message == f"{start}, which does not exist in the body"
    assert finding.notes[1].startswith('layer 2 "y" (Result) is outside the body')
    assert finding.location.path == ("loop", "body")


def test_what_the_reader_could_not_take_is_not_missed_again():
    text = net_text("x: f32[2]; y: Result x").replace('from-port="0"', 'from-port="zero"')
    model, reported = loads(text.encode())
    assert [d.name for d in reported] == ["malformed-number"]
    assert found(model, reported) == []
    assert found(model) == ["unconnected-input"]


def declared_outputs(declared):
    layer = unary(1, "a")
    layer.outputs = [Port(9 + k) for k in range(declared)]
    edges = [Edge(0, 0, 1, 0), Edge(1, 9, 2, 0)] if declared else [Edge(0, 0, 1, 0)]
    model = Model(graph=LayerGraph([parameter(0), layer, result(2)], edges))
    return [d for d in check(model) if d.name == "wrong-number-of-outputs"]


def test_a_layer_declares_as_many_outputs_as_its_op_has():
    assert declared_outputs(1) == []
    (few,), (many,) = declared_outputs(0), declared_outputs(2)
    assert few.message == 'layer 1 "a" (Sigmoid) declares 0 outputs, must declare 1, as Sigmoid-1 has'
    assert few.notes == ("OpenVINO treats the declared ports as the first ones",)
    assert many.message.startswith('layer 1 "a" (Sigmoid) declares 2 outputs, must declare 1')
    assert many.notes == ('OpenVINO refuses the file: "node index is out of range"',)


@pytest.mark.parametrize(("outputs", "codes"), [(0, []), (1, []), (2, ["wrong-number-of-outputs"])])
def test_a_result_may_declare_its_output_or_not(outputs, codes):
    model = straight()
    model.layers[2].outputs = [Port(k) for k in range(1, outputs + 1)]
    assert [d.name for d in check(model)] == codes


def test_a_parameter_without_an_output_is_reported():
    spare = parameter(3, "spare")
    spare.outputs = []
    assert [d.name for d in check(straight(spare))] == ["wrong-number-of-outputs"]


def stateful(reads, assigns, source):
    """A variable that layer 2 reads and to which layer 3 assigns the output of a layer."""
    data = {"variable_type": "f32", "variable_shape": "2"} if reads == "opset6" else {}
    ports = [Port(0)], [Port(1, "FP32", (2,))]
    read = Layer(2, "read", "ReadValue", reads, {"variable_id": "v"} | data, *ports)
    assign = Layer(3, "assign", "Assign", assigns, {"variable_id": "v"}, *ports)
    edges = [Edge(0, 0, 2, 0), Edge(2, 1, 1, 0), Edge(source, 0 if source == 0 else 1, 3, 0)]
    return Model("m", 11, LayerGraph([parameter(0), result(1), read, assign], edges))


@pytest.mark.parametrize(("reads", "source"), [("opset6", 0), ("opset6", 2), ("opset3", 0), ("opset5", 0)])
def test_an_assign_of_opset3_without_its_read_is_reported_once(reads, source):
    (finding,) = (each for each in check(stateful(reads, "opset3", source)) if each.code == "IR212")
    assert finding.message.startswith('layer 3 "assign" (Assign) of opset3 assigns the variable "v", which')
    assert ("is not read by a ReadValue of opset3" in finding.message) is (reads == "opset6")


@pytest.mark.parametrize(("reads", "assigns"), [("opset3", "opset3"), ("opset5", "opset4")])
def test_an_assign_of_opset3_to_5_may_assign_what_it_reads(reads, assigns):
    assert "IR212" not in {each.code for each in check(stateful(reads, assigns, 2))}


ROOT = Path(__file__).parents[2]
RULES = ROOT / "irops" / "diagnostics" / "rules"


def test_errors_of_all_kinds_are_reported_in_one_pass_in_document_order(tmp_path):
    text = (RULES / "IR202.xml").read_text().replace('element_type="f32"', 'element_type="f31"')
    text = text.replace("<dim>3</dim>", "<dim>3.5</dim>", 1)
    (tmp_path / "m.xml").write_text(text)
    report = irops.check(tmp_path / "m.xml", ignore=["IR304"])
    assert [d.code for d in report] == ["IR314", "IR112", "IR202", "IR202"]
    assert not report.ok


def test_a_file_that_cannot_be_read_is_a_report_with_the_reason(tmp_path):
    report = irops.check(tmp_path / "absent.xml")
    assert [d.code for d in report] == ["IR001"]
    assert report.path == str(tmp_path / "absent.xml")


def test_a_model_that_was_read_is_checked_with_its_places():
    report = irops.check(irops.read(RULES / "IR208.xml"), select=["IR208"])
    assert [(d.code, d.location.line) for d in report] == [("IR208", 15)]
    assert report.path == str(RULES / "IR208.xml")


def test_weights_may_lie_elsewhere(tmp_path):
    (tmp_path / "weights.bin").write_bytes(bytes(24))
    assert "IR501" in {d.code for d in irops.check(RULES / "IR501.xml")}
    assert "IR501" not in {d.code for d in irops.check(RULES / "IR501.xml", tmp_path / "weights.bin")}


def test_rules_are_selected():
    assert {d.code for d in irops.check(RULES / "IR312.xml", select=["IR3"])} == {"IR311", "IR312"}
    assert {d.code for d in irops.check(RULES / "IR312.xml", ignore=["unknown-attribute"])} == {"IR312"}
    with pytest.raises(ValueError, match="there is no rule"):
        irops.check(RULES / "IR312.xml", select=["XR9"])


def test_cascades_are_between_existing_rules():
    for code, suppressed in CASCADES.items():
        assert rule(code).code == code
        assert [rule(name).code for name in suppressed] == list(suppressed)
