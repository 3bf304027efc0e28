"""What the checks of a graph say, and what they leave unsaid. That each rule is raised at the right place:
tests/rules.
"""

from __future__ import annotations

from irops.analysis.checks.run import CHECKS, check
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Diagnostic
from irops.ir.model import BackEdge, Body, Edge, Graph, Layer, Model, Port, PortMapping
from irops.ir.read import loads


def parameter(id_: int, name: str = "x") -> Layer:
    return Layer(
        id_,
        name,
        "Parameter",
        "opset1",
        {"shape": "2", "element_type": "f32"},
        outputs=[Port(0, "FP32", (2,))],
    )


def result(id_: int, name: str = "y") -> Layer:
    return Layer(id_, name, "Result", "opset1", inputs=[Port(0, None, (2,))])


def unary(id_: int, name: str, inputs: int = 1) -> Layer:
    return Layer(
        id_,
        name,
        "Sigmoid",
        "opset1",
        inputs=[Port(k) for k in range(inputs)],
        outputs=[Port(9, "FP32", (2,))],
    )


def straight(*extra: Layer, edges: tuple[Edge, ...] = ()) -> Model:
    """x -> a -> y, and more."""
    return Model(
        graph=Graph(
            [parameter(0), unary(1, "a"), result(2), *extra], [Edge(0, 0, 1, 0), Edge(1, 9, 2, 0), *edges]
        )
    )


def found(model: Model, read_findings: tuple[Diagnostic, ...] = ()) -> list[str]:
    return [d.name for d in structural(model, read_findings)]


def structural(model: Model, read_findings: tuple[Diagnostic, ...] = ()) -> list[Diagnostic]:
    """The findings that do not depend on inference."""
    analysis = ModelAnalysis(model, read_findings=read_findings)
    return [*analysis.structural_findings, *(d for each in CHECKS for d in each(analysis))]


def messages(model: Model) -> list[str]:
    return [d.message for d in structural(model)]


def test_a_sound_graph_has_no_findings() -> None:
    assert found(straight()) == []


def test_a_model_without_a_file_is_checked_too() -> None:
    report = check(straight(unary(3, "idle"), edges=(Edge(0, 0, 3, 0),)))
    (idle,) = (d for d in report if d.name == "dead-layer")
    assert (idle.location.file, idle.location.line, idle.location.layer_name, report.path) == (
        None,
        None,
        "idle",
        None,
    )


def test_an_edge_that_ends_nowhere_is_reported_alone() -> None:
    model = straight()
    model.edges[1] = Edge(1, 9, 77, 0)
    assert messages(model) == [
        'an edge from layer 1 "a" (Sigmoid) ends at layer 77, which does not exist in the graph'
    ]


def test_an_edge_of_a_body_to_a_layer_outside_says_so() -> None:
    body = Graph([parameter(0, "p"), result(1, "r")], [Edge(0, 0, 1, 0), Edge(2, 0, 1, 0)])
    (finding,) = structural(looping(body))
    assert (
        finding.message
        == 'an edge to layer 1 "r" (Result) starts at layer 2, which does not exist in the body'
    )
    assert finding.notes[1].startswith('layer 2 "y" (Result) is outside the body')
    assert finding.location.path == ("loop", "body")


def looping(
    body: Graph,
    type_: str = "TensorIterator",
    inputs: tuple[PortMapping, ...] = (PortMapping(0, 0),),
    outputs: tuple[PortMapping, ...] = (PortMapping(1, 1),),
    back: tuple[BackEdge, ...] = (),
) -> Model:
    loop = Layer(
        1,
        "loop",
        type_,
        "opset5" if type_ == "Loop" else "opset1",
        inputs=[Port(0)],
        outputs=[Port(1, "FP32", (2,))],
        bodies={"body": Body("body", body, list(inputs), list(outputs), list(back))},
    )
    return Model(graph=Graph([parameter(0), loop, result(2)], [Edge(0, 0, 1, 0), Edge(1, 1, 2, 0)]))


def passing() -> Graph:
    return Graph([parameter(0, "p"), result(1, "r")], [Edge(0, 0, 1, 0)])


def test_a_sound_body_has_no_findings() -> None:
    assert found(looping(passing(), back=(BackEdge(1, 0),))) == []


def test_a_mapping_that_goes_astray_does_not_make_its_parameter_unmapped() -> None:
    assert found(looping(passing(), inputs=(PortMapping(0, 7),))) == ["unknown-internal-layer"]


def test_the_iteration_number_takes_no_port() -> None:
    counting = PortMapping(-1, 0, purpose="current_iteration")
    going_on = PortMapping(-1, 1, purpose="execution_condition")
    assert found(looping(passing(), "Loop", (counting,), (PortMapping(1, 1), going_on))) == []
    assert found(looping(passing(), inputs=(counting,))) == ["unknown-purpose"]


def test_a_port_of_minus_one_needs_a_purpose() -> None:
    assert found(looping(passing(), inputs=(PortMapping(-1, 0),))) == ["unknown-external-port"]


def test_a_stride_may_be_negative_but_not_zero() -> None:
    assert found(looping(passing(), inputs=(PortMapping(0, 0, axis=0, stride=-1),))) == []
    assert found(looping(passing(), inputs=(PortMapping(0, 0, axis=0, stride=0),))) == ["invalid-slice"]
    assert found(looping(passing(), inputs=(PortMapping(0, 0, stride=0),))) == [], (
        "without an axis nothing is cut"
    )


def test_a_graph_in_a_body_is_checked_like_any_other() -> None:
    body = passing()
    body.layers.append(unary(5, "lost"))
    assert found(looping(body)) == ["unconnected-input"]


def test_a_cycle_names_eight_layers_at_most() -> None:
    around = [unary(k, f"n{k}") for k in range(10, 22)]
    edges = tuple(Edge(a.id, 9, b.id, 0) for a, b in zip(around, around[1:] + around[:1]))
    (message,) = messages(straight(*around, edges=edges))
    assert message.startswith('the graph has the cycle 10 "n10" -> 11 "n11" -> ')
    assert message.endswith('17 "n17" -> (4 more) -> 10 "n10", must have no cycle')


def test_a_dead_end_is_reported_once_with_what_leads_there() -> None:
    chain = [unary(10, "d0"), unary(11, "d1"), unary(12, "d2")]
    (message,) = messages(straight(*chain, edges=(Edge(0, 0, 10, 0), Edge(10, 9, 11, 0), Edge(11, 9, 12, 0))))
    assert message.startswith(
        'no result of the model depends on layer 12 "d2" (Sigmoid) (nor on 2 layers that only it depends on)'
    )


def test_an_unused_parameter_is_no_dead_end() -> None:
    assert found(straight(parameter(3, "spare"))) == []


def test_a_model_that_only_keeps_state_has_a_purpose() -> None:
    variable = {"variable_id": "v"}
    read = Layer(
        1,
        "read",
        "ReadValue",
        "opset6",
        variable | {"variable_type": "f32", "variable_shape": "2"},
        [Port(0)],
        [Port(1)],
    )
    keep = Layer(2, "keep", "Assign", "opset6", variable, [Port(0)], [Port(1)])
    assert found(Model(graph=Graph([parameter(0), read, keep], [Edge(0, 0, 1, 0), Edge(1, 1, 2, 0)]))) == []


def test_the_same_variable_in_another_spelling_is_the_same() -> None:
    first = {"variable_id": "v", "variable_type": "f32", "variable_shape": "-1, 3"}
    second = {"variable_id": "v", "variable_type": "F32", "variable_shape": "[?,3]"}
    layers = [
        Layer(k, f"r{k}", "ReadValue", "opset6", data, [Port(0)], [Port(9)])
        for k, data in ((3, first), (4, second))
    ]
    edges = tuple(Edge(0, 0, k, 0) for k in (3, 4)) + tuple(Edge(k, 9, k + 10, 0) for k in (3, 4))
    assert found(straight(*layers, result(13, "a3"), result(14, "a4"), edges=edges)) == []


UNREAD_EDGE = b"""<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="y" type="Result" version="opset1"><input><port id="0"><dim>2</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="zero" to-layer="1" to-port="0"/></edges></net>"""


def test_what_the_reader_could_not_take_is_not_missed_again() -> None:
    model, reported = loads(UNREAD_EDGE)
    assert [d.name for d in reported] == ["malformed-number"]
    assert found(model, reported) == []
    assert found(model) == ["unconnected-input"]
