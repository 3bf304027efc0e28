"""All errors of a file are reported, each once, at its location; their limits and order."""

from functools import partial
from pathlib import Path

import pytest
from tables import table

from irops.diagnostics.diagnostic import Edit, Fix, ReadError, Severity
from irops.files.limits import Clock, Limits
from irops.ir.locate import SourceText
from irops.ir.model import Layer, UniqueNames
from irops.ir.parse import CLOCK_MASK, Faults
from irops.ir.read import load, loads, read

FILES = Path(__file__).parent / "files"
REPORTED = int(Limits().findings)
PLAIN = (FILES / "plain.xml").read_text()
BODIES = (FILES / "bodies.xml").read_text()


def found_in(text):
    try:
        return loads(text.encode())[1]
    except ReadError as error:
        return error.diagnostics


def changed(old, new, text=PLAIN):
    """The findings after the first occurrence of old became new."""
    assert old in text
    return found_in(text.replace(old, new, 1))


def shown(found):
    return [(d.name, d.message) for d in found]


ADD = '<layer id="2" name="sum" type="Add" version="opset1">'
NUMBER = "must be a decimal integer from 0 to 2^63-1"
DIM = "<dim>3</dim>"
MALFORMED, NONCANONICAL = "malformed-number", "noncanonical-number"
VERSION_RULE = "unsupported-ir-version"
SIZE = "malformed-dimension"


NO_INTEGER, NO_CANON = f"is not an integer, {NUMBER}", "is not in canonical form, must be 2"


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        *((text, MALFORMED, NO_INTEGER) for text in ("2abc", "\N{ARABIC-INDIC DIGIT TWO}", "2_0", "")),
        *((text, NONCANONICAL, NO_CANON) for text in ("+2", " 2", "02")),
    ],
)
def test_the_id_of_a_layer_is_a_number_in_canonical_form(text, name, message):
    found = changed(ADD, ADD.replace('"2"', f'"{text}"'))
    assert shown(found) == [(name, f"id '{text}' of layer \"sum\" {message}")]


@pytest.mark.parametrize(("old", "new", "name", "message"), table(__file__, "one_fault_gives_one_finding"))
def test_one_fault_gives_one_finding(old, new, name, message):
    assert shown(changed(old, new)) == [(name, message)]


def test_a_wrong_root_is_named():
    assert shown(found_in(PLAIN.replace("net ", "model ").replace("</net", "</model"))) == [
        ("wrong-root", "the root element is <model>, must be <net>")
    ]


def test_a_file_without_layers_is_reported():
    found = shown(found_in('<net version="11"/>'))
    assert found == [("missing-section", "<net> has no <layers>, must have one")]


@pytest.mark.parametrize(
    ("old", "new", "name", "message"), table(__file__, "one_fault_in_a_port_map_gives_one_finding")
)
def test_one_fault_in_a_port_map_gives_one_finding(old, new, name, message):
    assert shown(changed(old, new, BODIES)) == [(name, message)]


def test_all_faults_are_reported_in_the_order_of_the_file():
    text = PLAIN.replace('version="11"', 'version="99"').replace('id="2" name', 'id="x" name')
    found = found_in(text.replace(DIM, "<dim>q</dim>", 1).replace('to-port="1"', 'to-port="q"'))
    assert [d.name for d in found] == [VERSION_RULE, SIZE, MALFORMED, MALFORMED]
    assert [d.location.line for d in found] == [2, 9, 21, 53]


@pytest.mark.parametrize("ident", ["x", "", "2abc"])
def test_a_layer_whose_id_cannot_be_read_gets_the_one_that_edges_mean(ident):
    model, _ = loads(PLAIN.replace('id="2" name', f'id="{ident}" name').encode())
    assert model.layer("sum").id == 2


def test_a_port_whose_id_cannot_be_read_gets_that_of_its_place():
    model, _ = loads(PLAIN.replace('<port id="1"', "<port").replace('<port id="2"', '<port id="?"').encode())
    assert [port.id for port in (*model.layer("sum").inputs, *model.layer("sum").outputs)] == [0, 1, 2]


def test_a_graph_that_lost_an_edge_says_so():
    model, _ = loads(PLAIN.replace('to-port="1"', 'to-port="q"').encode())
    assert model.graph.incomplete
    assert len(model.edges) == 2


def test_a_dimension_that_cannot_be_read_is_one_that_is_not_known():
    model, _ = loads(PLAIN.replace("<dim>3</dim>", "<dim>q</dim>", 1).encode())
    assert model.layer("x").outputs[0].dims == (-1, -1)


def test_the_number_that_openvino_reads_from_a_prefix_is_in_the_note():
    (found,) = changed("<dim>3</dim>", "<dim>4abc</dim>")
    assert found.notes == ("OpenVINO silently reads it as 4",)


def test_an_unknown_precision_of_an_input_is_a_warning():
    (found,) = changed('<port id="1" precision="FP32">', '<port id="1" precision="F32">')
    assert (found.name, found.severity) == ("unknown-precision", "warning")


def test_of_very_many_findings_the_first_are_reported():
    layers = '<layer id="0" name="a" type="T" version="opset1"/>' * (REPORTED + 50)
    found = found_in(f'<net version="11"><layers>{layers}</layers></net>')
    assert len(found) == REPORTED + 1
    message = f"49 more findings are not reported; the limit is {REPORTED:,} (findings)"
    assert shown(found)[-1] == ("too-many-findings", message)


TEXT = b'<a x="1">\n<b/><c/><b y="2"/></a>'


def faults(limit=1000, *, as_stored=True):
    return Faults(SourceText("m.xml", TEXT, as_stored=as_stored), Limits(findings=limit))


@pytest.mark.parametrize(
    ("where", "line", "column"), table(__file__, "a_finding_is_at_an_element_its_attribute_or_its_child")
)
def test_a_finding_is_at_an_element_its_attribute_or_its_child(where, line, column):
    found = faults()
    found.add("unknown-element", "m", 0, **where)
    assert (found.findings[0].location.line, found.findings[0].location.column) == (line, column)


def test_a_finding_names_the_layer_and_the_path_that_are_read():
    found = faults()
    found.layer, found.path = Layer(3, "n", "T", "opset1"), ("loop", "body")
    found.add("unknown-element", "m", 0, notes=("n",), level=Severity.WARNING)
    (one,) = found.findings
    assert (one.location.layer_id, one.location.path) == (3, ("loop", "body"))
    assert (one.notes, one.severity) == (("n",), Severity.WARNING)


def test_a_fix_is_for_the_bytes_of_the_file_only():
    fix = Fix("w", (Edit(0, 1, ""),))
    for stored in (True, False):
        found = faults(as_stored=stored)
        found.add("unknown-element", "m", 0, fix=fix)
        assert found.findings[0].fix == (fix if stored else None)


@pytest.mark.parametrize(("count", "reported", "more"), [(1, 1, 0), (2, 2, 0), (3, 2, 1), (5, 2, 3)])
def test_findings_beyond_the_limit_are_counted(count, reported, more):
    found = faults(2)
    for k in range(count):
        found.add("unknown-element", f"m{k}", 0)
    listed = found.in_order()
    assert [d.name for d in listed] == ["unknown-element"] * reported + ["too-many-findings"] * bool(more)
    if more:
        assert listed[-1].message.startswith(f"{more} more ")
        assert listed[-1].location.line == 2
        assert len(listed[-1].notes) == 1
    assert found.in_order() == listed


def test_the_error_that_ends_reading_comes_first():
    found = faults()
    found.add("unknown-element", "early", 0)
    error = found.stop("malformed-xml", "last", 10, notes=("n",))
    assert [d.name for d in error.diagnostics] == ["malformed-xml", "unknown-element"]
    assert error.diagnostics[0].notes == ("n",)


def test_an_error_of_the_file_as_a_whole_has_no_line():
    for error in (faults().stop("malformed-xml", "m"), faults().refuse("too-many-layers", "m")):
        where = error.diagnostics[0].location
        assert (where.file, where.line) == ("m.xml", None)


def test_the_error_of_a_limit_names_the_limit():
    (found,) = faults().refuse("too-many-layers", "there are 9", 0).diagnostics
    assert found.message == "there are 9; the limit is 1,000,000 (layers)"
    assert len(found.notes) == 1


def nested(depth):
    return net(f"<layers/><rt_info>{'<a>' * depth}{'</a>' * depth}</rt_info>")


def net(inside, attributes=""):
    return f'<net version="11"{attributes}>{inside}</net>'.encode()


def with_layers(count):
    return net(f"<layers>{'<layer/>' * count}</layers>")


def with_port(inside):
    layer = f'<layer id="0" name="n" type="T" version="opset1"><input>{inside}</input></layer>'
    return net(f"<layers>{layer}</layers>")


def error_of(text, **limits):
    with pytest.raises(ReadError) as error:
        loads(text, limits=Limits(**limits))
    return error.value.diagnostics[0]


@pytest.mark.parametrize(
    ("limit", "most", "meets", "exceeds", "name"),
    [
        ("depth", 3, nested(1), nested(2), "nesting-too-deep"),
        ("elements", 2, net("<layers/>"), net("<layers/><edges/>"), "too-many-elements"),
        ("attributes", 2, net("<layers/>", ' a=""'), net("<layers/>", ' a="" b=""'), "too-many-attributes"),
        ("layers", 2, with_layers(2), with_layers(3), "too-many-layers"),
    ],
)
def test_what_meets_a_limit_is_read_and_what_exceeds_it_is_refused(limit, most, meets, exceeds, name):
    loads(meets, limits=Limits(**{limit: most}))
    first = error_of(exceeds, **{limit: most})
    assert first.name == name
    assert first.location.column is not None


def test_the_place_of_a_limit_is_the_element_that_exceeds_it():
    where = error_of(net("<layers/>\n <edges/>"), elements=2).location
    assert (where.line, where.column) == (2, 2)


def test_a_port_has_as_many_dims_as_the_limit_says():
    fits, exceeds = (with_port('\n<port id="0">' + "<dim>1</dim>" * dims + "</port>") for dims in (3, 4))
    assert loads(fits, limits=Limits(dims=3))[1] == ()
    found = error_of(exceeds, dims=3)
    assert (found.name, found.location.line, found.location.column) == ("too-many-dimensions", 2, 1)


def test_the_clock_is_looked_at_now_and_then(monkeypatch):
    looks = []
    monkeypatch.setattr(Clock, "expired", property(lambda self: bool(looks.append(1))))
    loads(b'<net version="11"><layers/>' + b"<a/>" * 2 * CLOCK_MASK + b"</net>")
    assert len(looks) == 2


@pytest.mark.parametrize("length", [256, 257])
def test_of_a_dim_so_much_is_kept_as_says_what_is_wrong(length):
    (found,) = loads(with_port(f'<port id="0"><dim>{"x" * length}</dim></port>'))[1]
    assert "x" * 256 in found.message
    assert "x" * 257 not in found.message


def test_text_around_elements_is_kept_without_layout():
    info = "<rt_info> <a> one <b/> two </a><c> x </c><d>a&amp;<!-- n -->b</d></rt_info>"
    model, _ = loads(net(f"<layers/>{info}"))
    a, c, d = model.rt_info.children
    assert (a.text, c.text, d.text) == ("one  two", " x ", "a&b")


def test_comments_before_a_layer_are_its_own_and_others_are_the_graphs():
    a, b, c = (f'<layer id="{k}" name="n{k}" type="T" version="opset1"/>' for k in range(3))
    text = (
        f'<!-- a --><net version="11"><!-- b --><layers><!-- c --><!-- d -->{a}{b}<x/><!-- e -->{c}<!-- f -->'
        "</layers><edges><!-- g --></edges></net><!-- h -->"
    )
    model, _ = loads(text.encode())
    assert [x.comments for x in model.layers] == [(" c ", " d "), (), (" e ",)]
    assert model.comments == (" a ", " h ", " b ")
    assert model.graph.comments == (" f ", " g ")


def test_the_error_of_reading_has_errors_before_warnings(tmp_path):
    (tmp_path / "m.xml").write_text('<net version="011" a="1"><layers><layer/></layers></net>')
    with pytest.raises(ReadError) as error:
        read(tmp_path / "m.xml")
    levels = [d.severity for d in error.value.diagnostics]
    assert levels == sorted(levels)
    assert {"error", "warning"} == set(levels)


@pytest.mark.parametrize("stored", [False, True])
def test_a_text_may_have_as_many_bytes_as_the_limit_says(tmp_path, stored):
    text, path = net("<layers/>"), tmp_path / "m.xml"
    path.write_bytes(text)
    attempt = partial(load, path) if stored else partial(loads, text)
    fits, exceeds = (Limits(xml_bytes=size) for size in (len(text), len(text) - 1))
    assert attempt(limits=fits)[1] == ()
    with pytest.raises(ReadError) as error:
        attempt(limits=exceeds)
    (found,) = error.value.diagnostics
    assert (found.name, found.location.line) == ("oversized-file", None)
    assert f"{len(text)} bytes" in found.message


@pytest.mark.parametrize("size", [4095, 4096, 4097, 9000])
def test_a_file_of_any_size_is_read_whole(tmp_path, size):
    text = '<net version="11"><layers/>{}</net>'
    text = text.format("<!--" + "x" * (size - len(text) + 2 - 7) + "-->")
    assert len(text) == size
    (tmp_path / "m.xml").write_text(text)
    model, found = load(tmp_path / "m.xml")
    assert found == ()
    assert len(model.source.data) == size


def test_no_two_names_are_the_same():
    names = UniqueNames(["a", "a#1"])
    assert [names.unique(name) for name in "aabb"] == ["a#2", "a#3", "b", "b#1"]
    assert "a#3" in names
    assert "c" not in names
