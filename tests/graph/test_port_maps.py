"""Port maps and back edges of bodies: followed in terms of positions, and validated entry by entry."""

from __future__ import annotations

from dataclasses import replace

import pytest

from irops.graph.topology import parameters_of, port_maps, results_of
from irops.ir.model import BackEdge, Body, Layer, LayerGraph, Port, PortMapping
from irops.spec.body import BodyInput, BodyOutput, Cut, Feedback


def inner(*kinds: str) -> LayerGraph:
    """A graph of layers with ids 10, 11 …; P: a Parameter, R: a Result, others: an Add."""
    types = {"P": "Parameter", "R": "Result"}
    return LayerGraph(
        [Layer(10 + k, f"n{k}", types.get(kind, "Add"), "opset1", at=100 + k) for k, kind in enumerate(kinds)]
    )


def layer(type: str = "TensorIterator", inputs: int = 2) -> Layer:
    return Layer(1, "outer", type, "opset1", inputs=[Port(k) for k in range(inputs)], at=7)


GRAPH = inner("P", "A", "P", "R", "R")
CUT = {"axis": 1, "start": 2, "end": -3, "stride": -1, "part_size": 2}
INPUTS = [PortMapping(0, 10, at=20), PortMapping(1, 12, at=21, **CUT)]
OUTPUTS = [PortMapping(5, 13, at=30), PortMapping(3, 14, axis=0, at=31)]
BODY = Body("body", GRAPH, INPUTS, OUTPUTS, [BackEdge(13, 10, at=40)])
CONDITION = PortMapping(-1, 13, purpose="execution_condition", at=32)


def faults(body: Body, type: str = "TensorIterator", inputs: int = 2) -> list[tuple[str, int]]:
    maps, found = port_maps(layer(type, inputs), body)
    assert (maps is None) is any(not fault.harmless for fault in found)
    assert all("outer" in fault.message for fault in found)
    assert all(fault.note for fault in found)
    return [(fault.rule, fault.at) for fault in found]


def test_parameters_and_results_are_in_the_order_of_the_file():
    assert [x.id for x in parameters_of(GRAPH.layers)] == [10, 12]
    assert [x.id for x in results_of(GRAPH.layers)] == [13, 14]


def test_maps_are_followed_by_positions_and_outputs_are_numbered_by_their_port_ids():
    maps, found = port_maps(layer(), BODY)
    assert found == ()
    assert maps is not None
    assert maps.inputs == (BodyInput(0, 0, None, None, 20), BodyInput(1, 1, Cut(1, 2, -3, -1, 2), None, 21))
    assert maps.outputs == (BodyOutput(1, 0, None, None, 30), BodyOutput(0, 1, Cut(0), None, 31))
    assert maps.back_edges == (Feedback(0, 0, 40),)


def test_a_loop_has_a_condition_and_may_ask_for_the_iteration():
    body = replace(
        BODY,
        inputs=[INPUTS[0], PortMapping(-1, 12, purpose="current_iteration", at=21)],
        outputs=[CONDITION, PortMapping(3, 14, at=31)],
    )
    maps, found = port_maps(layer("loop"), body)
    assert found == ()
    assert maps is not None
    assert maps.inputs[1] == BodyInput(None, 1, None, "current_iteration", 21)
    assert maps.outputs == (
        BodyOutput(None, 0, None, "execution_condition", 32),
        BodyOutput(0, 1, None, None, 31),
    )


@pytest.mark.parametrize(
    ("inputs", "rules"),
    [
        ([PortMapping(0, 10), PortMapping(1, 11, at=9)], [("unknown-internal-layer", 9)]),
        ([PortMapping(0, 10), PortMapping(1, 99, at=9)], [("unknown-internal-layer", 9)]),
        ([PortMapping(0, 10), PortMapping(1, 13, at=9)], [("unknown-internal-layer", 9)]),
        ([PortMapping(0, 10), PortMapping(2, 12, at=9)], [("unknown-external-port", 9)]),
        ([PortMapping(0, 10), PortMapping(-1, 12, at=9)], [("unknown-external-port", 9)]),
        ([PortMapping(0, 10), PortMapping(-2, 12, at=9)], [("unknown-external-port", 9)]),
        ([PortMapping(0, 10), PortMapping(0, 12, at=9)], []),
        ([PortMapping(0, 10), PortMapping(1, 10, at=9)], [("duplicate-parameter-mapping", 9)]),
        ([PortMapping(0, 10)], [("unmapped-parameter", 102)]),
        ([], [("unmapped-parameter", 100), ("unmapped-parameter", 102)]),
        ([PortMapping(0, 10), PortMapping(1, 12, axis=0, stride=0, at=9)], [("invalid-slice", 9)]),
        ([PortMapping(0, 10), PortMapping(1, 12, axis=0, part_size=0, at=9)], [("invalid-slice", 9)]),
        ([PortMapping(0, 10), PortMapping(1, 12, axis=0, part_size=-1, at=9)], [("invalid-slice", 9)]),
        ([PortMapping(0, 10), PortMapping(1, 12, stride=0, part_size=0)], []),
        ([PortMapping(0, 10), PortMapping(1, 12, axis=0, stride=1, part_size=1)], []),
        ([INPUTS[0], PortMapping(-1, 12, purpose="current_iteration", at=9)], [("unknown-purpose", 9)]),
        ([PortMapping(0, 10), PortMapping(1, 12, purpose="hue", at=9)], [("unknown-purpose", 9)]),
    ],
)
def test_an_input_of_a_map_leads_from_a_port_to_a_parameter(inputs, rules):
    assert faults(replace(BODY, inputs=inputs)) == rules


@pytest.mark.parametrize(
    ("outputs", "rules"),
    [
        ([], []),
        ([PortMapping(0, 13), PortMapping(1, 13)], []),
        ([PortMapping(0, 10, at=9)], [("unknown-internal-layer", 9)]),
        ([PortMapping(0, 99, at=9)], [("unknown-internal-layer", 9)]),
        ([PortMapping(99, 13)], []),
        ([PortMapping(-1, 13, at=9)], [("unknown-external-port", 9)]),
        ([PortMapping(0, 13), PortMapping(0, 14, at=9)], [("duplicate-output-mapping", 9)]),
        ([PortMapping(-1, 13, purpose="execution_condition", at=9)], [("unknown-purpose", 9)]),
        ([PortMapping(0, 13, axis=0, stride=0, at=9)], [("invalid-slice", 9)]),
    ],
)
def test_an_output_of_a_map_leads_from_a_result_to_a_port(outputs, rules):
    assert faults(replace(BODY, outputs=outputs, back_edges=[])) == rules


@pytest.mark.parametrize(
    ("edge", "rules"),
    [
        (BackEdge(13, 10), []),
        (BackEdge(10, 10, at=9), [("dangling-back-edge", 9)]),
        (BackEdge(13, 13, at=9), [("dangling-back-edge", 9)]),
        (BackEdge(99, 98, at=9), [("dangling-back-edge", 9)] * 2),
    ],
)
def test_a_back_edge_leads_from_a_result_to_a_parameter(edge, rules):
    assert faults(replace(BODY, back_edges=[edge])) == rules


@pytest.mark.parametrize(
    ("type", "outputs", "rules"),
    [
        ("Loop", [CONDITION], []),
        ("LOOP", [CONDITION], []),
        ("Loop", [], [("missing-condition", 7)]),
        ("Loop", [PortMapping(0, 13)], [("missing-condition", 7)]),
        ("If", [], []),
        ("Loop", [CONDITION, PortMapping(-1, 14, purpose="execution_condition")], []),
        (
            "Loop",
            [CONDITION, PortMapping(0, 14, purpose="current_iteration", at=9)],
            [("unknown-purpose", 9)],
        ),
    ],
)
def test_a_loop_has_an_output_with_the_condition(type, outputs, rules):
    assert faults(replace(BODY, outputs=outputs, back_edges=[]), type) == rules


def test_a_purpose_of_the_other_side_is_none():
    body = replace(
        BODY, inputs=[INPUTS[0], PortMapping(1, 12, purpose="execution_condition", at=9)], outputs=[CONDITION]
    )
    assert faults(body, "Loop") == [("unknown-purpose", 9)]


def test_what_is_only_absent_is_marked_and_what_is_harmless_too():
    _, found = port_maps(layer("Loop"), replace(BODY, inputs=[], outputs=[]))
    assert [(f.rule, f.absence, f.harmless) for f in found] == [
        ("unmapped-parameter", True, False),
        ("unmapped-parameter", True, False),
        ("missing-condition", True, False),
    ]
    _, found = port_maps(layer(), replace(BODY, outputs=[replace(OUTPUTS[0], purpose="hue")]))
    assert [(f.rule, f.absence, f.harmless) for f in found] == [("unknown-purpose", False, True)]


@pytest.mark.parametrize(("count", "words"), [(0, "0 inputs"), (1, "1 input,"), (2, "2 inputs")])
def test_an_unknown_port_is_reported_with_the_number_of_inputs(count, words):
    body = replace(BODY, inputs=[PortMapping(9, 10, at=5), PortMapping(9, 12, at=6)])
    _, found = port_maps(layer(inputs=count), body)
    assert [f.at for f in found] == [5, 6]
    assert words in found[0].message


def test_a_fault_says_what_the_layer_is_instead():
    for number, words in ((99, "does not exist"), (11, "of type Add"), (13, "of type Result")):
        _, found = port_maps(layer(), replace(BODY, inputs=[PortMapping(0, number)]))
        assert f"layer {number} " in found[0].message
        assert words in found[0].message


def test_faults_are_all_found_in_the_order_of_the_checks():
    inputs = [PortMapping(9, 99, purpose="p", axis=0, stride=0, at=1)]
    body = Body("body", GRAPH, inputs, [PortMapping(-9, 98, at=2)], [BackEdge(97, 10, at=3)])
    assert [rule for rule, _ in faults(body, "Loop")] == [
        "unknown-internal-layer", "unknown-external-port", "unknown-purpose", "invalid-slice",
        "unknown-internal-layer", "unknown-external-port", "dangling-back-edge", "missing-condition",
    ]  # fmt: skip


def test_an_output_of_port_0_is_the_first():
    body = replace(BODY, outputs=[PortMapping(3, 13), PortMapping(0, 14)], back_edges=[])
    maps, found = port_maps(layer(), body)
    assert found == ()
    assert maps is not None
    assert [output.port for output in maps.outputs] == [1, 0]
