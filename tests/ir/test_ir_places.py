"""Findings of the reader: which rules, at which places. In the texts a bar stands before each place."""

import pytest

from irops.diagnostics.diagnostic import ReadError
from irops.ir import attributes
from irops.ir.attributes import integer
from irops.ir.model import PortMapping
from irops.ir.read import loads

IGNORES = ("OpenVINO silently ignores it",)
REFUSES = ("OpenVINO refuses the file",)
IGNORED = ("OpenVINO ignores the precision of an input port",)
NUMBER, STRAY, UNKNOWN = "noncanonical-number", "stray-attribute", "unknown-element"
TWICE, OUT = "duplicate-section", '<port id="0" precision="FP32">'


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


CASES = [
    (in_layer('<rt_info>|<attribute name="layout" version="0"/></rt_info>'), ["empty-rt-info"]),
    (in_layer('<rt_info><attribute name="layout" version="0" layout="NC"/></rt_info>'), []),
    (in_layer('<rt_info>|<attribute name="layout" version="0" value="NC"/></rt_info>'), ["empty-rt-info"]),
    (in_layer('<rt_info><attribute name="fused_names" version="0" value="NC"/></rt_info>'), []),
    (in_layer('<rt_info><x name="layout"/><attribute name="a" version="0"/></rt_info>'), []),
    (in_layer('<rt_info>|<attribute version="0"/>|<attribute name="a"/></rt_info>'), ["empty-rt-info"] * 2),
    (in_layer("<rt_info>|<attribute/></rt_info>"), ["empty-rt-info"]),
    (
        in_layer(
            '<rt_info><attribute name="a" version="0"/><b name="a"/>'
            '|<attribute name="a" version="1"/></rt_info>'
        ),
        ["duplicate-rt-info"],
    ),
    (in_layer(f"<output>{OUT}<rt_info>|<attribute/></rt_info></port></output>"), ["empty-rt-info"]),
    (in_layer('<output><port id="0" |precision="X"/></output>'), ["unknown-precision"]),
    (in_layer('<input><port id="0" |precision="X"/></input>'), ["unknown-precision"]),
    (in_layer('<output>|<port id="0"/></output>'), ["incomplete-element"]),
    (in_layer('<input><port id="0"/></input>'), []),
    (
        in_layer(
            '<output><port id="0" precision="FP32">|<dim>+1</dim><dim> 2</dim>|<dim>-2</dim><dim>-1</dim>'
            "|<dim>x</dim>|<dim>9223372036854775808</dim><dim>9223372036854775807</dim></port></output>"
        ),
        ["noncanonical-number", *["malformed-dimension"] * 3],
    ),
    (in_layer('<output><port id="0" precision="FP32" |x="1" |y="2"/></output>'), ["stray-attribute"] * 2),
    (in_layer('<input><port id="0"><dim |a="1" |b="2">1</dim></port></input>'), ["stray-attribute"] * 2),
    (in_layer('<input><port id="0">|<q/><rt_info/>|<rt_info/></port></input>'), [UNKNOWN, TWICE]),
    (in_layer('<input><port id="0"><dim>1|<q/></dim></port></input>'), ["unknown-element"]),
    (in_layer('<output>|<q><port id="0"/></q></output>'), ["unknown-element"]),
    (in_layer('<data/>|<data/>\n|<zzz name="h"/>'), ["duplicate-section", "unknown-element"]),
    (in_layer("<data>|<q/></data>"), ["unknown-element"]),
    (in_layer("<!-- a comment --><data><!-- another --></data>"), []),
    (in_layer('<input><port id="0"/></input>|<input><port id="0"/></input>'), ["duplicate-section"]),
    (in_layer('<input><port id="0"/><port |id="0"/></input>'), ["duplicate-port-id"]),
    (in_layer('<input><port |id=" 0"/><port |id="00"/></input>'), [NUMBER, NUMBER, "duplicate-port-id"]),
    (in_layer("", '|id="x" name="n" type="T" version="opset1"'), ["malformed-number"]),
    (in_layer("", '|id="-1" name="n" type="T" version="opset1"'), ["malformed-number"]),
    (in_layer("", 'id="0" name="" |type="" |version=""'), ["empty-attribute"] * 2),
    (in_layer("", 'id="0" name="n" type="T" version="opset1" |hue="red"'), ["stray-attribute"]),
    ('<net version="11"><layers>\n|<layer/></layers></net>', ["incomplete-element"] * 4),
    (
        '<net version="11" |a="1" |p:b="2" xmlns:q="u" |q:c="1" xmlns="x" |xml:d="3"><layers/></net>',
        ["stray-attribute", "unbound-prefix", "stray-attribute", "stray-attribute"],
    ),
    ('<net version="11" xmlns:q="u"><layers |q:a="1"/></net>', ["stray-attribute"]),
    ('<net version="11"><layers |q:a="1"/></net>', ["unbound-prefix"]),
    ('<net version="11"><layers xmlns:q="u" |q:a="1"/></net>', ["stray-attribute"]),
    (
        '<net version="11"><layers/>|<layers a="1"/>\n<edges |b="2"/><rt_info/>'
        "|<rt_info/>|<q/><!-- c --></net>",
        ["duplicate-section", "stray-attribute", "duplicate-section", "unknown-element"],
    ),
    ('<net version="11"><layers>|text here|<x/></layers></net>', ["stray-text", "unknown-element"]),
    ('<net version="11"><layers/><edges>|<edge/></edges></net>', ["incomplete-element"] * 4),
    (
        '<net version="11"><layers/><edges><edge |from-layer="x" from-port="0" to-layer="0" |to-port="y"/>\n'
        '<edge from-layer="0" from-port="0" to-layer="0" to-port="0" |z="1"/>'
        '<edge from-layer="0" from-port="0" to-layer="0" to-port="0">|<q/></edge></edges></net>',
        ["malformed-number", "malformed-number", "stray-attribute", "unknown-element"],
    ),
    ('|<x:net version="11" xmlns:x="u"/>', ["wrong-root"]),
    ("|<model/>", ["wrong-root"]),
    ('|<net version="9"/>', ["old-ir-version"]),
    ('|<net version="1"/>', ["old-ir-version"]),
    ('<net |version="0"><layers/></net>', ["unsupported-ir-version"]),
    ('<net |version="12"><layers/></net>', ["unsupported-ir-version"]),
    ('<net |version="x"><layers/></net>', ["unsupported-ir-version"]),
    ('<net |version="010"><layers/></net>', ["noncanonical-number"]),
    ("|<net><layers/></net>", ["unsupported-ir-version"]),
    ('|<net version="11"/>', ["missing-section"]),
    (
        in_body(
            '|<input internal_layer_id="0"/>|<frob/><output external_port_id="0" |internal_layer_id="-1"/>'
        ),
        ["incomplete-element", "unknown-element", "malformed-number"],
    ),
    (in_body('<input external_port_id="-1" internal_layer_id="0" |hue="1">|<q/></input>'), [STRAY, UNKNOWN]),
    (
        in_body('<input |external_port_id="-2" internal_layer_id="0" |axis="q" |start="+1" end="-1"/>'),
        ["malformed-number", "malformed-number", "noncanonical-number"],
    ),
    (in_body("", "<layers/><edges/><rt_info/>|<rt_info/>|<layers/>|<q/>"), [TWICE, TWICE, UNKNOWN]),
    (
        in_layer(
            '<back_edges>|<edge from-layer="0"/>|<frob/>'
            '<edge |from-layer="a" to-layer="0"/></back_edges><body/>'
        ),
        ["incomplete-element", "unknown-element", "malformed-number"],
    ),
    (
        in_layer('<back_edges><edge from-layer="0" to-layer="0" |hue="1">|<q/></edge></back_edges><body/>'),
        ["stray-attribute", "unknown-element"],
    ),
    (in_layer("<body/>|<body/>"), ["duplicate-section"]),
]


@pytest.mark.parametrize(("marked", "names"), CASES)
def test_a_finding_is_at_its_place(marked, names):
    _, found = read(marked.replace("|", ""))
    assert [d.name for d in found] == names
    assert list(dict.fromkeys((d.location.line, d.location.column) for d in found)) == places(marked)


RUNTIME = '<rt_info><attribute name="fused_names" version="0"{}/><attribute name="b"/></rt_info>'


def test_a_runtime_attribute_without_its_value_is_an_error_and_one_without_a_version_a_warning():
    text = in_layer(RUNTIME.format("")).replace("|", "")
    assert [str(each.severity) for each in read(text)[1]] == ["error", "warning"]
    text = in_layer(RUNTIME.format(' value=""')).replace("|", "")
    assert [str(each.severity) for each in read(text)[1]] == ["warning"]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (in_layer('<output><port id="0" precision="X"/></output>'), REFUSES),
        (in_layer('<input><port id="0" precision="X"/></input>'), IGNORED),
        (in_layer("<q/>"), IGNORES),
        (in_layer("", 'id="0" name="n" type="T" version="opset1" hue="red"'), IGNORES),
        (in_layer("", 'id="0" name="n" type="T" version="opset1" p:hue="red"'), IGNORES),
        (in_layer("", 'id="x" name="n" type="T" version="opset1"'), REFUSES),
        (in_layer("<data/><data/>"), ("OpenVINO reads the first and silently ignores this one",)),
        ('<net version="11"><layers>text</layers></net>', IGNORES),
        ('<net version="11"/>', ("OpenVINO silently reads an empty model",)),
        ('<net version="12"><layers/></net>', ('OpenVINO reports "Unable to read the model"',)),
        ("<net><layers/></net>", ('OpenVINO reports "Unable to read the model"',)),
        ('<net version="011"><layers/></net>', REFUSES),
        ("<model/>", ()),
    ],
)
def test_a_finding_notes_what_openvino_does(text, notes):
    (found,) = read(text)[1]
    assert found.notes == notes


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
    ("inside", "unknown", "bodies"),
    [
        ('<port_map><input external_port_id="0" internal_layer_id="0"/></port_map>', ["port_map"], []),
        ("<then_port_map/><back_edges/><else_body/>", ["then_port_map", "back_edges"], ["else_body"]),
    ],
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
