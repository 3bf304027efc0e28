"""Definitions: every part of the XML is read, and every contradiction is reported at its line."""

from math import inf
from pathlib import Path

import pytest
from lxml import etree
from tables import table

from irops.diagnostics.diagnostic import DefinitionError, Severity
from irops.spec.definition import Attribute, Constraint, Gradient, Note
from irops.spec.load import counterexamples, examples, load_definition, prose

WHOLE = Path(__file__).with_name("MyOp-3.xml").read_text()


@pytest.fixture
def load(tmp_path):
    """A function that loads WHOLE with parts of its text replaced."""

    def of(*changes):
        text = WHOLE
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        path = tmp_path / "MyOp-3.xml"
        path.write_text(text)
        return load_definition(path)

    return of


def test_texts_are_folded_and_formulas_keep_their_lines(load):
    found = load()
    assert (found.id, str(found), found.page, found.file_id) == ("MyOp-3", "MyOp-3", "MyOp-3", "MyOp-3")
    assert (found.type, found.version) == ("MyOp", "opset3")
    assert (found.category, found.module) == ("movement", "my_op")
    assert (found.dialect, found.stateful, found.same_as, found.given) == ("openvino", True, None, ())
    assert found.path.endswith("MyOp-3.xml")
    assert found.summary == "One line."
    assert found.description == "First.\n\nSecond paragraph."
    assert found.formula == "a = b\n  c = d"
    assert (found.source, found.changes) == ("here", "what differs")
    assert found.bodies == {"then_body": "A body."}
    assert found.later == frozenset()


def test_what_is_not_said_is_empty(load):
    found = load((' stateful="yes"', ""), ('type="MyOp"', 'type="MyOp" module="elsewhere"'))
    assert (found.stateful, found.module) == (False, "elsewhere")


def test_every_part_of_an_attribute_is_read(load):
    found = load().attributes
    assert found["mode"] == Attribute(
        "mode", "enum", "How.", required=True, default="a", reader_default="b", values=("a", "b"),
        aliases=(("x", "a"), ("y", "b")), label="The mode", switch="on", builder=True,
    )  # fmt: skip
    assert found["size"] == Attribute("size", "int", low=-1.0, high=8.0)
    assert found["to"].values == ("f32", "i64")
    assert (found["axis"].of, found["axis"].low, found["axis"].high) == ("data", -inf, inf)
    assert (found["on"].required, found["on"].builder) == (False, False)


def test_every_part_of_a_port_is_read(load):
    found = load()
    data, k, rest = found.inputs
    out, other = found.outputs
    assert (data.id, data.type, data.low_rank, data.high_rank, data.text) == (0, "T", 2, 2, "The data.")
    assert data.allowed == found.types["T"].allowed
    assert "f32" in data.allowed
    assert "f64" not in data.allowed
    assert [port.optional for port in (data, k)] == [False, True]
    assert [port.variadic for port in (data, k, rest)] == [False, False, True]
    assert (k.low_rank, k.high_rank, k.allowed) == (0, 1, {"i32", "i64"})
    assert (rest.low_rank, rest.high_rank) == (1, inf)
    assert (out.id, out.low_rank, out.high_rank, out.shape) == (3, 0, 4, ("same", "data"))
    assert (other.type, other.allowed, other.low_rank, other.high_rank) == ("@to", frozenset(), 0, inf)
    assert data.shape == ()


def test_gradients_constraints_and_notes_are_read(load):
    found = load()
    assert found.gradients == {"data": Gradient("data", "formula", ("data", "out"), "on")}
    assert found.constraints == {
        "C1": Constraint("C1", "one"),
        "C2": Constraint("C2", "two", "run", Severity.WARNING, ("mode", "size")),
    }
    assert found.notes == (Note("general"), Note("about one", "C1"))


def test_cases_are_read_with_their_tensors(load):
    found = load()
    (example,) = examples(found)
    assert (example.name, example.attributes, example.tolerance) == ("e", {"size": "1"}, 0.5)
    assert (example.violates, example.net) == (None, None)
    assert WHOLE.split("\n")[example.line - 1].strip().startswith("<example")
    data, k, rest, out = example.tensors
    assert (data.name, str(data.element_type), str(data.shape)) == ("data", "f32", "[2]")
    assert (data.value.tolist(), data.output) == ([1.0, 2.0], False)
    assert (k.value, rest.value) == (None, None)
    assert (out.value.tolist(), out.output) == ([True, False], True)
    first, second = counterexamples(found)
    assert (first.violates, first.net, first.tolerance) == ("C1", b'<net a="1"/>', 1e-5)
    assert (first.name, first.attributes) == (None, {})
    assert (second.violates, second.net) == ("IR401", None)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("i8", "1 -2", [1, -2]),
        ("u64", "18446744073709551615 0", [2**64 - 1, 0]),
        ("nf4", "7 15", [7, 15]),
        ("u1", "1 0", [1, 0]),
        ("f32", "1.5 -inf", [1.5, -inf]),
        ("f16", "0.1 2", [0.0999755859375, 2.0]),
        ("boolean", "True false", [True, False]),
        ("string", "'a b' c", ["a b", "c"]),
        ("complex64", "1+2j 3", [1 + 2j, 3 + 0j]),
    ],
)
def test_values_are_read_by_their_type(load, kind, text, value):
    found = load(('type="f32" shape="2">1 2', f'type="{kind}" shape="2">{text}'))
    tensor = examples(found)[0].tensors[0]
    assert tensor.value.tolist() == value
    assert tensor.value.dtype == tensor.element_type.dtype


@pytest.mark.parametrize(
    ("old", "new", "part"), table(__file__, "what_contradicts_itself_is_reported_where_it_stands")
)
def test_what_contradicts_itself_is_reported_where_it_stands(load, old, new, part):
    with pytest.raises(DefinitionError) as error:
        load((old, new))
    messages = [d.message for d in error.value.diagnostics]
    assert any(part in message for message in messages), messages
    assert all(d.name == "inconsistent-definition" for d in error.value.diagnostics)
    assert all(d.location.line for d in error.value.diagnostics)


@pytest.mark.parametrize(("old", "new"), table(__file__, "what_does_not_contradict_itself_is_accepted"))
def test_what_does_not_contradict_itself_is_accepted(load, old, new):
    assert load((old, new)).type == "MyOp"


def test_all_contradictions_are_reported_at_once(load):
    with pytest.raises(DefinitionError) as error:
        load(('note of="C1"', 'note of="C9"'), ('violates="C1"', 'violates="C9"'), ('max="8"', 'max="x"'))
    assert [d.message.split()[0] for d in error.value.diagnostics] == ["max", "a", "a"]
    numbered = [WHOLE.split("\n")[d.location.line - 1] for d in error.value.diagnostics[1:]]
    assert ["<note" in line or "<counterexample" in line for line in numbered] == [True, True]


@pytest.mark.parametrize(
    ("old", "new", "name"), table(__file__, "what_breaks_the_grammar_is_refused_with_a_line")
)
def test_what_breaks_the_grammar_is_refused_with_a_line(load, old, new, name):
    with pytest.raises(DefinitionError) as error:
        load((old, new))
    assert {d.name for d in error.value.diagnostics} == {name}
    assert all(d.location.line and d.location.line > 0 for d in error.value.diagnostics)


def test_an_element_in_the_wrong_place_is_reported_with_the_order(load):
    with pytest.raises(DefinitionError, match=r"formula there.*the order is summary, description, "):
        load(("<source>", "<formula>x</formula><source>"))


def test_a_definition_that_is_absent_or_large_is_refused_and_no_other_file_is_read(load, tmp_path):
    with pytest.raises(DefinitionError, match="cannot be read") as error:
        load_definition(tmp_path / "gone.xml")
    assert error.value.diagnostics[0].name == "unreadable-definition"
    (tmp_path / "large.xml").write_bytes(bytes(1 + (16 << 20)))
    with pytest.raises(DefinitionError, match="cannot be read: has more than 16,777,216 bytes"):
        load_definition(tmp_path / "large.xml")
    load(("<layer", f'<!DOCTYPE x [<!ENTITY x SYSTEM "{__file__}">]><layer'), (">One", ">&x;"))


@pytest.mark.parametrize(
    ("version", "attributes", "notes", "cases", "types", "to", "y"),
    [
        (None, ["a", "to"], ["kept"], (1, 0), {"f32"}, ("f32",), {"f32"}),
        (8, ["a", "to"], ["kept"], (1, 0), {"f32"}, ("f32",), {"f32"}),
        (9, ["a", "b", "to"], ["kept", "gone"], (2, 0), {"f32"}, ("f32",), {"f32", "i64"}),
        (10, ["a", "b", "to"], ["kept", "gone"], (2, 1), {"f32"}, ("f32",), {"f32", "i64"}),
        (13, ["a", "b", "to"], ["kept", "gone"], (2, 1), {"f32", "bf16"}, ("bf16", "f32"), {"f32", "i64"}),
    ],
)
def test_a_definition_is_read_as_of_an_opset(version, attributes, notes, cases, types, to, y):
    found = load_definition(Path(__file__).with_name("MyOp-7.xml"), version=version)
    assert found.id == f"onnx:MyOp-{version or 7}"
    assert (found.file_id, found.page) == ("onnx:MyOp-7", "onnx-MyOp-7")
    assert list(found.attributes) == attributes
    assert [note.text for note in found.notes] == notes
    assert (len(examples(found)), len(counterexamples(found))) == cases
    assert found.inputs[0].allowed == types
    assert found.attributes["to"].values == to
    assert found.outputs[0].allowed == y
    assert found.later == ({"b"} if version in (None, 8) else set())
    assert found.attributes["a"].dialect == "onnx"


@pytest.mark.parametrize(("xml", "text"), table(__file__, "prose_keeps_its_paragraphs"))
def test_prose_keeps_its_paragraphs(xml, text):
    assert prose(etree.fromstring(xml)) == text
