"""Findings of the reader: which rules, at which places. In the texts a bar stands before each place."""

import pytest
from tables import table

from irops.diagnostics.diagnostic import ReadError
from irops.ir import attributes
from irops.ir.attributes import integer
from irops.ir.model import PortMapping
from irops.ir.read import loads


def in_layer(inside, head='id="0" name="n" type="T" version="opset1"'):
    return f'<net version="11"><layers>\n<layer {head}>\n{inside}\n</layer></layers></net>'


def in_body(maps, inside="<layers/><edges/>"):
    return in_layer(f"<port_map>{maps}</port_map>\n<body>{inside}</body>")


def read(text):
    try:
        return loads(text.encode())
    except ReadError as error:
        return None, error.diagnostics


def read_model(text):
    return read(text)[0]


def places(marked):
    found = []
    for k, line in enumerate(marked.split("\n"), 1):
        parts = line.split("|")[:-1]
        found += [(k, sum(map(len, parts[: n + 1])) + 1) for n in range(len(parts))]
    return found


@pytest.mark.parametrize(("within", "marked", "names"), table(__file__, "a_finding_is_at_its_place"))
def test_a_finding_is_at_its_place(within, marked, names):
    marked = in_layer(marked) if within == "layer" else marked
    _, found = read(marked.replace("|", ""))
    assert [d.name for d in found] == names
    assert list(dict.fromkeys((d.location.line, d.location.column) for d in found)) == places(marked)


RUNTIME = '<rt_info><attribute name="fused_names" version="0"{}/><attribute name="b"/></rt_info>'


def test_a_runtime_attribute_without_its_value_is_an_error_and_one_without_a_version_a_warning():
    text = in_layer(RUNTIME.format("")).replace("|", "")
    assert [str(each.severity) for each in read(text)[1]] == ["error", "warning"]
    text = in_layer(RUNTIME.format(' value=""')).replace("|", "")
    assert [str(each.severity) for each in read(text)[1]] == ["warning"]


@pytest.mark.parametrize(("text", "notes"), table(__file__, "a_finding_notes_what_openvino_does"))
def test_a_finding_notes_what_openvino_does(text, notes):
    (found,) = read(text)[1]
    assert found.notes == tuple(notes)


def test_a_namespace_is_noted_where_the_root_has_one():
    (found,) = read('<x:net version="11" xmlns:x="u"/>')[1]
    assert len(found.notes) == 1


def test_the_layer_of_a_finding_is_the_one_that_is_read():
    text = (
        '<net version="11"><layers><layer id="3" name="a" type="T" version="opset1" hue="red"/>'
        '<layer id="4" name="b" type="T" version="opset1"><q/></layer></layers><edges hue="red"/></net>'
    )
    found = read(text)[1]
    assert [(d.location.layer_id, d.location.layer_name) for d in found] == [(3, "a"), (4, "b"), (None, None)]


def test_findings_behind_a_body_are_those_of_its_layer():
    text = in_layer(
        '<body><layers><layer id="7" name="inner" type="T" version="opset1"><q/></layer></layers></body>'
        '<port_map><input internal_layer_id="0"/></port_map><z/>'
    )
    found = [(d.location.layer_name, d.location.path) for d in read(text)[1]]
    assert found == [("inner", ("n", "body")), ("n", ()), ("n", ())]


@pytest.mark.parametrize(
    ("text", "incomplete"),
    [
        (in_body('<input internal_layer_id="0"/>'), True),
        (in_body('<input external_port_id="0" internal_layer_id="0"/>'), False),
        (in_layer('<back_edges><edge from-layer="0"/></back_edges><body/>'), True),
    ],
)
def test_what_could_not_be_read_of_the_maps_is_remembered(text, incomplete):
    assert read_model(text).layers[0].bodies["body"].incomplete is incomplete


def test_entries_behind_a_faulty_one_are_read():
    maps = '<frob/><input internal_layer_id="0"/><input external_port_id="1" internal_layer_id="2"/>'
    maps += '<output external_port_id="3" internal_layer_id="4" axis="1" stride="-1"/>'
    body = read_model(in_body(maps)).layers[0].bodies["body"]
    assert [(m.external_port_id, m.internal_layer_id, m.axis) for m in body.inputs] == [(1, 2, None)]
    assert body.outputs == [PortMapping(3, 4, axis=1, stride=-1, written=body.outputs[0].written)]
    edges = '<q/><edge from-layer="0"/><edge from-layer="5" to-layer="6"/>'
    model = read_model(in_layer(f"<back_edges>{edges}</back_edges><body/>"))
    assert [(e.from_layer, e.to_layer) for e in model.layers[0].bodies["body"].back_edges] == [(5, 6)]


@pytest.mark.parametrize(
    ("inside", "unknown", "bodies"), table(__file__, "maps_of_a_body_that_is_not_there_are_kept")
)
def test_maps_of_a_body_that_is_not_there_are_kept(inside, unknown, bodies):
    (layer,) = read_model(in_layer(inside)).layers
    assert ([e.tag for e in layer.unknown], list(layer.bodies)) == (unknown, bodies)


@pytest.mark.parametrize(
    ("words", "shown"),
    [("x" * 40, "x" * 40), ("a" + "x" * 40, "a" + "x" * 39 + "…"), ("two\nlines", "two\\nlines")],
)
def test_stray_text_is_shown_in_part(words, shown):
    (found,) = read(f'<net version="11"><layers>  {words}  </layers></net>')[1]
    assert f"'{shown}'" in found.message
    assert found.location.column == 29


def test_a_number_that_was_read_before_is_not_parsed_again(monkeypatch):
    parsed = []
    monkeypatch.setattr(attributes, "integer", lambda text: parsed.append(text) or integer(text))
    edges = '<edge from-layer="1" from-port="0" to-layer="1" to-port="0"/>' * 3
    model = read_model(
        f'<net version="11"><layers><layer id="0" name="n" type="T" version="opset1"/></layers><edges>{edges}'
        '<edge from-layer="0" from-port="0" to-layer="0" to-port="1" x="1"/></edges></net>'
    )
    assert parsed == ["0", "1"]
    assert len(model.edges) == 4


def test_a_negative_number_of_one_attribute_is_none_of_another():
    layer = '<layer id="1" name="m" type="T" version="opset1"><input><port id="-1"/></input></layer>'
    text = in_body('<input external_port_id="-1" internal_layer_id="0"/>')
    _, found = read(text.replace("</layers></net>", f"{layer}</layers></net>"))
    assert [(d.name, d.location.layer_name) for d in found] == [("malformed-number", "m")]


def test_ports_behind_an_unknown_element_are_read():
    model, found = read(in_layer('<input><q/><port id="0"/><!-- c --><port id="1"/></input>'))
    assert [d.name for d in found] == ["unknown-element"]
    assert [port.id for port in model.layers[0].inputs] == [0, 1]


@pytest.mark.parametrize(("name", "text", "why"), table(__file__, "values_of_runtime_attributes"))
def test_values_of_runtime_attributes_that_openvino_refuses_are_errors(name, text, why):
    payload = "layout" if name == "layout" else "value"
    info = f'<rt_info><attribute name="{name}" version="0" {payload}="{text}"/></rt_info>'
    assert [d.message.partition(": ")[2] for d in read(in_layer(info).replace("|", ""))[1]] == why
