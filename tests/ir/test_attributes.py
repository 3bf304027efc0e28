"""Integers as files write them, and ids that cannot be read: they get those that cause no other fault."""

import pytest
from tables import table

from irops.ir.attributes import INT64_MAX, INT64_MIN, integer, number_layers, number_ports, prefix_note
from irops.ir.locate import SourceText
from irops.ir.model import Edge, Layer, LayerGraph, Port
from irops.ir.parse import Faults


@pytest.mark.parametrize(
    ("text", "value", "plain"), table(__file__, "a_text_is_an_integer_as_a_whole_and_plain_or_not")
)
def test_a_text_is_an_integer_as_a_whole_and_plain_or_not(text, value, plain):
    assert integer(text) == (None if value == "-" else value, plain)


def test_the_bounds_are_those_of_64_bits():
    assert (INT64_MIN, INT64_MAX) == (-9223372036854775808, 9223372036854775807)


@pytest.mark.parametrize(
    ("text", "number"), table(__file__, "what_openvino_reads_of_more_than_a_number_is_its_prefix")
)
def test_what_openvino_reads_of_more_than_a_number_is_its_prefix(text, number):
    assert prefix_note(text) == (() if number == "-" else (f"OpenVINO silently reads it as {number}",))


def numbered(ids, mentioned=()):
    """The ids of layers after numbering, and the names of the findings; mentioned: ids that edges have."""
    layers = [Layer(k, f"n{place}", "T", "opset1", at=0) for place, k in enumerate(ids)]
    faults = Faults(SourceText(None, b"<layer id='1'/>"))
    number_layers(LayerGraph(layers, [Edge(k, 0, k, 0) for k in mentioned]), faults)
    assert faults.layer is None
    return [layer.id for layer in layers], [d.name for d in faults.findings]


@pytest.mark.parametrize(
    ("ids", "mentioned", "after"),
    table(__file__, "a_layer_without_an_id_gets_the_next_or_the_one_that_edges_mean"),
)
def test_a_layer_without_an_id_gets_the_next_or_the_one_that_edges_mean(ids, mentioned, after):
    assert numbered(ids, mentioned) == (after, [])


def test_ids_that_repeat_are_found_once_for_each_further_layer():
    assert numbered([3, 3, 4, 3]) == ([3, 3, 4, 3], ["duplicate-layer-id"] * 2)
    layers = [Layer(3, name, "T", "opset1", at=0) for name in "ab"]
    faults = Faults(SourceText(None, b"<layer id='1'/>"))
    number_layers(LayerGraph(layers), faults)
    (found,) = faults.findings
    assert found.location.layer_name == "b"
    assert '"b"' in found.message
    assert '"a"' in found.message
    assert found.location.column == 8


def ports_of(inputs, outputs):
    ports = ([Port(k, at=0) for k in inputs], [Port(k, at=0) for k in outputs])
    layer = Layer(0, "n", "T", "opset1", {}, *ports)
    faults = Faults(SourceText(None, b"<port id='1'/>"))
    number_ports(layer, faults)
    found = [f"{d.name} at column {d.location.column}" for d in faults.findings]
    return [port.id for port in layer.inputs], [port.id for port in layer.outputs], found


@pytest.mark.parametrize(
    ("inputs", "outputs", "after"),
    table(__file__, "a_port_without_an_id_gets_that_of_its_place_or_a_free_one"),
)
def test_a_port_without_an_id_gets_that_of_its_place_or_a_free_one(inputs, outputs, after):
    assert ports_of(inputs, outputs) == (*after, [])


def test_port_ids_that_repeat_are_found_on_their_side():
    assert ports_of([1, 1, 1], [2]) == ([1, 1, 1], [2], ["duplicate-port-id at column 7"] * 2)
    assert ports_of([0], [1, 1]) == ([0], [1, 1], ["duplicate-port-id at column 7"])
    assert ports_of([1], [1]) == ([1], [1], [])
