"""irops.check: everything in one pass, in order, once. What the checks of a graph say, and what they leave
unsaid; each rule is in irops/diagnostics/rules.
"""

from pathlib import Path

import pytest

import irops
from irops.analysis.checks.run import CASCADES, CHECKS, check
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.rules import rule
from irops.ir.model import BackEdge, Body, Edge, Layer, LayerGraph, Model, Port, PortMapping
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


def messages(model):
    return [d.message for d in structural(model)]


def test_a_sound_graph_has_no_findings():
    assert found(straight()) == []


def test_a_model_without_a_file_is_checked_too():
    report = check(straight(unary(3, "idle"), edges=(Edge(0, 0, 3, 0),)))
    (where,) = (d.location for d in report if d.name == "dead-layer")
    assert (where.file, where.line, where.layer_name, report.path) == (None, None, "idle", None)


def test_an_edge_that_ends_nowhere_is_reported_alone():
    model = straight()
    model.edges[1] = Edge(1, 9, 77, 0)
    (message,) = messages(model)
    assert message == 'an edge from layer 1 "a" (Sigmoid) ends at layer 77, which does not exist in the graph'


def test_an_edge_of_a_body_to_a_layer_outside_says_so():
    body = LayerGraph([parameter(0, "p"), result(1, "r")], [Edge(0, 0, 1, 0), Edge(2, 0, 1, 0)])
    (finding,) = structural(looping(body))
    start = 'an edge to layer 1 "r" (Result) starts at layer 2'
    assert finding.message == f"{start}, which does not exist in the body"
    assert finding.notes[1].startswith('layer 2 "y" (Result) is outside the body')
    assert finding.location.path == ("loop", "body")


IN, OUT = (PortMapping(0, 0),), (PortMapping(1, 1),)


def looping(body, type_="TensorIterator", inputs=IN, outputs=OUT, back=()):
    version = "opset5" if type_ == "Loop" else "opset1"
    bodies = {"body": Body("body", body, list(inputs), list(outputs), list(back))}
    loop = Layer(1, "loop", type_, version, {}, [Port(0)], [Port(1, "FP32", (2,))], bodies)
    return Model(graph=LayerGraph([parameter(0), loop, result(2)], [Edge(0, 0, 1, 0), Edge(1, 1, 2, 0)]))


def passing():
    return LayerGraph([parameter(0, "p"), result(1, "r")], [Edge(0, 0, 1, 0)])


COUNTING = PortMapping(-1, 0, purpose="current_iteration")


@pytest.mark.parametrize(
    ("mapping", "rules"),
    [
        (PortMapping(0, 0), []),
        (PortMapping(0, 0, axis=0, stride=-1), []),
        (PortMapping(0, 0, axis=0, stride=0), ["invalid-slice"]),
        (PortMapping(0, 0, stride=0), []),  # without an axis nothing is cut
        (PortMapping(0, 7), ["unknown-internal-layer"]),  # and no unmapped Parameter
        (PortMapping(-1, 0), ["unknown-external-port"]),
        (COUNTING, ["unknown-purpose"]),
    ],
)
def test_an_input_of_a_body_is_reported_by_one_rule(mapping, rules):
    assert found(looping(passing(), inputs=(mapping,), back=(BackEdge(1, 0),))) == rules


def test_the_iteration_number_takes_no_port():
    going_on = PortMapping(-1, 1, purpose="execution_condition")
    assert found(looping(passing(), "Loop", (COUNTING,), (PortMapping(1, 1), going_on))) == []


def test_a_graph_in_a_body_is_checked_like_any_other():
    body = passing()
    body.layers.append(unary(5, "lost"))
    assert found(looping(body)) == ["unconnected-input"]


def test_a_cycle_names_eight_layers_at_most():
    around = [unary(k, f"n{k}") for k in range(10, 22)]
    edges = tuple(Edge(a.id, 9, b.id, 0) for a, b in zip(around, around[1:] + around[:1]))
    (message,) = messages(straight(*around, edges=edges))
    assert message.startswith('the graph has the cycle 10 "n10" -> 11 "n11" -> ')
    assert message.endswith('17 "n17" -> (4 more) -> 10 "n10", must have no cycle')


def test_a_dead_end_is_reported_once_with_what_leads_there():
    chain = [unary(10, "d0"), unary(11, "d1"), unary(12, "d2")]
    (message,) = messages(straight(*chain, edges=(Edge(0, 0, 10, 0), Edge(10, 9, 11, 0), Edge(11, 9, 12, 0))))
    dead = 'layer 12 "d2" (Sigmoid) (nor on 2 layers that only it depends on)'
    assert message.startswith(f"no result of the model depends on {dead}")


def test_an_unused_parameter_is_no_dead_end():
    assert found(straight(parameter(3, "spare"))) == []


def test_a_model_that_only_keeps_state_has_a_purpose():
    ports = [Port(0)], [Port(1)]
    data = {"variable_id": "v", "variable_type": "f32", "variable_shape": "2"}
    read = Layer(1, "read", "ReadValue", "opset6", data, *ports)
    keep = Layer(2, "keep", "Assign", "opset6", {"variable_id": "v"}, *ports)
    edges = [Edge(0, 0, 1, 0), Edge(1, 1, 2, 0)]
    assert found(Model(graph=LayerGraph([parameter(0), read, keep], edges))) == []


def reading(*declarations):
    """x -> a -> y, and layers 3, 4 and so on that read variables with these declarations."""
    layers, edges = [], ()
    for k, data in enumerate(declarations, 3):
        layers.append(Layer(k, f"r{k}", "ReadValue", "opset6", data, [Port(0)], [Port(9)]))
        layers.append(result(k + 10, f"s{k}"))
        edges += (Edge(0, 0, k, 0), Edge(k, 9, k + 10, 0))
    return straight(*layers, edges=edges)


def test_the_same_variable_in_another_spelling_is_the_same():
    first = {"variable_id": "v", "variable_type": "f32", "variable_shape": "-1, 3"}
    second = {"variable_id": "v", "variable_type": "F32", "variable_shape": "[?,3]"}
    assert found(reading(first, second)) == ["unpaired-variable"]


def test_what_the_reader_could_not_take_is_not_missed_again():
    text = net_text("x: f32[2]; y: Result x").replace('from-port="0"', 'from-port="zero"')
    model, reported = loads(text.encode())
    assert [d.name for d in reported] == ["malformed-number"]
    assert found(model, reported) == []
    assert found(model) == ["unconnected-input"]


def test_a_layer_behind_a_dead_end_counts_only_if_nothing_else_depends_on_it():
    (message,) = messages(straight(unary(10, "idle"), edges=(Edge(1, 9, 10, 0),)))
    assert message.startswith('no result of the model depends on layer 10 "idle" (Sigmoid); ')


def test_layers_behind_two_dead_ends_are_counted_once():
    chain = [unary(10, "d"), unary(11, "e"), unary(12, "f")]
    edges = (Edge(0, 0, 10, 0), Edge(10, 9, 11, 0), Edge(10, 9, 12, 0))
    first, second = messages(straight(*chain, edges=edges))
    assert 'layer 11 "e" (Sigmoid) (nor on 1 layer that' in first
    assert 'layer 12 "f" (Sigmoid); ' in second


@pytest.mark.parametrize(("count", "says"), [(0, "0 layers"), (1, "1 layer"), (2, "2 layers")])
def test_a_model_without_results_says_how_many_layers_it_has(count, says):
    model = Model(graph=LayerGraph([parameter(k, f"x{k}") for k in range(count)]))
    assert messages(model)[0].startswith(f"the model has {says} and no Result, must")


@pytest.mark.parametrize(
    ("inputs", "end"),
    [
        (0, 'port 55 of layer 7 "u" (Sigmoid), which has no inputs'),
        (1, "must be port 0, its only input"),
        (3, "must be one of its input ports 0, 1, 2"),
        (8, "ports 0, 1, 2, 3, 4, 5, 6, 7"),
        (9, "ports 0, 1, 2, 3, 4, 5, 6, 7, ..."),
    ],
)
def test_a_port_that_does_not_exist_is_reported_with_those_that_do(inputs, end):
    found = messages(straight(unary(7, "u", inputs), edges=(Edge(0, 0, 7, 55),)))
    assert next(m for m in found if "an edge ends" in m).endswith(end)


def test_an_edge_that_starts_at_an_input_is_reported():
    (message,) = messages(straight(edges=(Edge(1, 0, 2, 0),)))
    place = 'port 0 of layer 1 "a" (Sigmoid)'
    assert message == f"an edge starts at {place}, which is an input, must be port 9, its only output"


def test_two_edges_into_an_input_are_reported_with_where_they_come_from():
    (twice,) = messages(straight(edges=(Edge(0, 0, 1, 0),)))
    start = 'input 0 of layer 1 "a" (Sigmoid) is fed twice by layer 0 "x" (Parameter)'
    assert twice == f"{start}, must have one incoming edge"
    (both,) = messages(straight(edges=(Edge(0, 0, 2, 0),)))
    assert 'is fed by layer 1 "a" (Sigmoid) and by layer 0 "x" (Parameter), must' in both


def test_a_layer_that_feeds_itself_is_a_cycle_of_its_own():
    found = messages(straight(unary(5, "self"), edges=(Edge(5, 9, 5, 0),)))
    assert 'the graph has a cycle: layer 5 "self" (Sigmoid) feeds itself, must have no cycle' in found


def test_names_are_unique_among_layers_and_tensors():
    model = straight()
    model.layers[1].name = "x"
    name = 'layer 1 "x" (Sigmoid) has the name of layer 0 "x" (Parameter), must have a unique name'
    assert messages(model) == [f"{name} to be found by it"]
    model.layers[0].name = model.layers[1].name = ""
    assert messages(model) == []
    for layer in model.layers[:2]:
        layer.outputs[0].names = ("t", "t")
    first, second = 'output 0 of layer 0 "" (Parameter)', 'output 0 of layer 1 "" (Sigmoid)'
    message = f'{second} has the tensor name "t", as has {first}, must have a unique tensor name'
    assert messages(model) == [message] * 2


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


def test_conflicting_declarations_of_a_variable_name_both():
    data = {"variable_id": "v", "variable_type": "f32", "variable_shape": "2"}
    model = reading(data, data | {"variable_type": "f16"}, {"variable_id": "v"})
    assert [m for m in messages(model) if "declares the variable" in m] == [
        'layer 4 "r4" (ReadValue) declares the variable "v" as f16[2], must be f32[2], as layer 3 "r3"'
        " (ReadValue) declares it"
    ]


def test_a_variable_that_is_assigned_and_never_read_is_reported():
    keep = Layer(3, "keep", "Assign", "opset6", {"variable_id": "v"}, [Port(0)], [])
    assert messages(straight(keep, edges=(Edge(0, 0, 3, 0),))) == [
        'layer 3 "keep" (Assign) assigns the variable "v", which no layer reads; there must be a ReadValue'
        " with the same variable_id"
    ]


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
