"""The texts of attributes: read whole, or not at all; those of a layer, parsed into values, and what is wrong
with them.
"""

from dataclasses import replace
from functools import partial
from math import inf

import pytest
from hypothesis import given, strategies as st
from tables import table

import irops
from irops.spec.attributes import MAX_SUGGESTIONS, DomainError, bind, bound_values, parse
from irops.spec.binding import Functions
from irops.spec.definition import Attribute
from irops.spec.op import Op
from irops.values.element import element_type, element_types
from irops.values.shape import Shape


@pytest.mark.parametrize(("kind", "text", "value"), table(__file__, "texts_and_their_values"))
def test_texts_and_their_values(kind, text, value):
    assert repr(parse(Attribute("a", kind), text)) == value


REFUSED = table(__file__, "refused")


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in REFUSED.items() for text in texts]
)
def test_what_is_no_value_is_refused(kind, text):
    with pytest.raises(DomainError, match=r"^a is "):
        parse(Attribute("a", kind), text)


def test_words_are_compared_without_case_and_known_by_their_aliases():
    mode = Attribute("mode", "enum", values=("none", "numpy"), aliases=(("explicit", "none"),))
    assert [parse(mode, text) for text in ("NumPy", "EXPLICIT")] == ["numpy", "none"]
    with pytest.raises(DomainError, match="mode is 'sideways', must be one of none, numpy"):
        parse(mode, "sideways")


KINDS = {
    "bool": st.booleans(),
    "int": st.integers(-(2**63), 2**63 - 1),
    "axis": st.integers(-64, 64),
    "float": st.floats(allow_nan=False),
    "string": st.text(),
    "ints": st.lists(st.integers(-(2**63), 2**63 - 1)).map(tuple),
    "axes": st.lists(st.integers(-64, 64)).map(tuple),
    "floats": st.lists(st.floats(allow_nan=False)).map(tuple),
    "dims": st.lists(st.integers(0, 2**63 - 1)).map(tuple),
    "strings": st.lists(st.text("abc_ -\u00e9", min_size=1).filter(lambda s: s == s.strip() and s)).map(
        tuple
    ),
    "element_type": st.sampled_from(element_types()),
    "shape": st.sampled_from(["[...]", "[]", "[1,?,2..5,..7,3..]", "[0]"]).map(Shape.parse),
}


def formatted(value):
    """The text of an attribute as files of OpenVINO write it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(formatted, value))
    return repr(value) if isinstance(value, float) else str(value)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_value_is_read_from_its_text(kind, data):
    value = data.draw(KINDS[kind])
    assert parse(Attribute("a", kind), formatted(value)) == value


@pytest.mark.parametrize(
    ("low", "high", "text", "domain"),
    [
        (2, inf, "1", "2 or greater"),
        (-inf, 2, "3", "2 or less"),
        (1, 2, "3", "1 to 2"),
        (1, 2, "0", "1 to 2"),
        (0.5, inf, "0", "0.5 or greater"),
    ],
)
def test_a_number_outside_its_domain_is_refused_with_the_domain(low, high, text, domain):
    with pytest.raises(DomainError, match=f"^a is {text}, must be {domain}$") as error:
        parse(Attribute("a", "int", low=low, high=high), f" {text} ")
    assert (error.value.kind, error.value.reading) == ("attribute-out-of-domain", None)


def test_the_bounds_are_within_the_domain():
    assert [parse(Attribute("a", "int", low=1, high=3), text) for text in "123"] == [1, 2, 3]
    assert parse(Attribute("a", "ints", low=1, high=3), "1,3") == (1, 3)
    with pytest.raises(DomainError, match="1 to 3"):
        parse(Attribute("a", "ints", low=1, high=3), "1,4")
    with pytest.raises(DomainError, match="0 or greater"):
        parse(Attribute("a", "float", low=0), "nan")
    assert parse(Attribute("a", "string", low=1), "text") == "text"


TYPE, ITEMS = "must be an element type such as f32 or i64", "must be a list separated by commas"


@pytest.mark.parametrize(
    ("kind", "text", "message", "reading"),
    [
        ("int", "x", "a is 'x', must be an integer", None),
        ("int", "7x", "a is '7x', must be an integer", "7"),
        ("int", "1.5", "a is '1.5', must be an integer", "1"),
        ("int", "9223372036854775808", "a is 9223372036854775808, must be within 64 bits", None),
        ("int", "-9223372036854775809", "a is -9223372036854775809, must be within 64 bits", None),
        ("float", "x", "a is 'x', must be a number", None),
        ("float", " 1.5x", "a is ' 1.5x', must be a number", "1.5"),
        ("float", "-1e999", "a is -1e999, must be within the range of f64", None),
        ("bool", "yes", "a is 'yes', must be true or false", "none"),
        ("element_type", "f31", f"a is 'f31', {TYPE}; did you mean f32?", None),
        ("element_type", "Int64", f"a is 'Int64', {TYPE}; did you mean i64?", None),
        ("element_type", "complex64", f"a is 'complex64', {TYPE}", None),
        ("ints", "1,x", f"a is '1,x', {ITEMS}; the item 'x' is malformed", None),
        ("ints", "1,, x", f"a is '1,, x', {ITEMS}; an item is empty", None),
        ("ints", "1, 2y,z", f"a is '1, 2y,z', {ITEMS}; the item '2y' is malformed", "2"),
        ("ints", "3 4", f"a is '3 4', {ITEMS}; the item '3 4' is malformed", "3"),
        ("dims", "1,-1", "a is 1,-1, must be sizes of 0 or greater", None),
    ],
)
def test_what_is_no_value_is_refused_with_its_reason(kind, text, message, reading):
    with pytest.raises(DomainError) as error:
        parse(Attribute("a", kind), text)
    assert (str(error.value), error.value.reading) == (message, reading)


def test_what_openvino_reads_for_no_boolean_is_its_default():
    for default, reading in (("true", "true"), ("false", "false"), (None, "true")):
        with pytest.raises(DomainError) as error:
            parse(Attribute("a", "bool", default="true", reader_default=default), "yes")
        assert error.value.reading == reading


def test_an_element_type_may_be_one_of_some():
    kind = Attribute("a", "element_type", values=("i32", "i64"))
    assert parse(kind, "I32") == element_type("i32")
    with pytest.raises(DomainError, match="a is f32, must be one of i32, i64") as error:
        parse(kind, "f32")
    assert error.value.kind == "attribute-out-of-domain"


def test_other_dialects_have_their_own_types_and_symbols():
    assert parse(Attribute("a", "element_type", dialect="onnx"), "complex64").name == "complex64"
    assert str(parse(Attribute("a", "shape", dialect="onnx"), "n,3")[0].symbol) == "n"
    with pytest.raises(DomainError, match=r"^a is 'n,3': 'n' is not a dimension"):
        parse(Attribute("a", "shape"), "n,3")


MODEL = irops.definition("ReverseSequence-1")


def op(*attributes, dialect="openvino"):
    named = {a.name: a for a in attributes}
    return Op(replace(MODEL, attributes=named, dialect=dialect), Functions(), "m")


number = partial(Attribute, "a", "int")
READS_4 = "OpenVINO silently reads a=4"
TEXT = Attribute("a", "string", default="x", reader_default="")
SIZE = Attribute("size", "int", low=0, default="3")
MODE = Attribute("mode", "string", required=True)


def test_given_attributes_are_parsed_and_others_have_their_default():
    found = bind(op(SIZE, MODE), {"mode": "m"})
    assert (found.values, found.faults, found.usable) == ({"size": 3, "mode": "m"}, (), True)
    assert bind(op(SIZE), {"size": "7"}).values == {"size": 7}


@pytest.mark.parametrize(
    ("dialect", "text", "rule", "note"),
    [
        ("openvino", "7x", "malformed-attribute", "OpenVINO silently reads size=7"),
        ("openvino", "x", "malformed-attribute", None),
        ("openvino", "-1", "attribute-out-of-domain", None),
        ("onnx", "7x", "malformed-attribute", None),
    ],
)
def test_a_text_that_is_no_value_is_a_fault_and_the_values_are_not_usable(dialect, text, rule, note):
    found = bind(op(SIZE, dialect=dialect), {"size": text})
    (fault,) = found.faults
    assert (fault.rule, fault.attribute, fault.note, fault.default) == (rule, "size", note, None)
    assert fault.message.startswith("size is ")
    assert (found.values, found.usable) == ({}, False)


@pytest.mark.parametrize(
    ("attribute", "fault", "usable", "value"),
    [
        (number(required=True), ("missing-attribute", None, None), False, None),
        (number(required=True, reader_default="4"), ("missing-attribute", READS_4, None), False, 4),
        (number(default="3", reader_default="4"), ("conflicting-defaults", None, "4"), True, 4),
        (number(default="4", reader_default="4"), None, True, 4),
        (number(default="4"), None, True, 4),
        (number(reader_default="4"), ("conflicting-defaults", None, None), True, 4),
        (TEXT, ("conflicting-defaults", None, ""), True, ""),
        (number(), None, True, None),
        (Attribute("a", "ints", default=""), None, True, ()),
    ],
)
def test_an_attribute_that_is_missing_has_a_fault_where_its_default_is_not_clear(
    attribute, fault, usable, value
):
    found = bind(op(attribute), {})
    assert (found.values, found.usable) == ({"a": value}, usable)
    got = [(f.rule, f.note, f.default) for f in found.faults]
    assert got == ([] if fault is None else [fault])


def test_the_message_of_conflicting_defaults_names_both():
    (fault,) = bind(op(TEXT), {}).faults
    assert "its default is x in the specification, but empty in OpenVINO" in fault.message
    (fault,) = bind(op(number(reader_default="4")), {}).faults
    assert "its default is none in the specification, but 4 in OpenVINO" in fault.message


def test_a_default_outside_the_domain_is_not_written_into_a_file():
    outside = Attribute("a", "int", low=0, default="1", reader_default="-1")
    (fault,) = bind(op(outside), {}).faults
    assert (fault.rule, fault.default) == ("conflicting-defaults", None)


@pytest.mark.parametrize(
    ("dialect", "name", "note"),
    [
        ("openvino", "siez", "did you mean size? OpenVINO silently ignores siez"),
        ("openvino", "SIZE", "did you mean size? OpenVINO silently ignores SIZE"),
        ("onnx", "siez", "did you mean size?"),
        ("openvino", "hue", None),
    ],
)
def test_an_attribute_that_is_not_known_is_a_fault_and_the_rest_is_usable(dialect, name, note):
    found = bind(op(SIZE, dialect=dialect), {name: "1"})
    (fault,) = found.faults
    assert (fault.rule, fault.attribute, fault.note) == ("unknown-attribute", name, note)
    assert (found.values, found.usable) == ({"size": 3}, True)


def test_similar_names_are_looked_up_for_the_first_unknown_attributes_only():
    found = bind(op(SIZE), {f"size{k}": "1" for k in range(MAX_SUGGESTIONS + 2)})
    noted = [fault.note is not None for fault in found.faults]
    assert noted == [True] * MAX_SUGGESTIONS + [False] * 2


def test_faults_are_in_the_order_of_the_file_and_missing_attributes_come_first():
    found = bind(op(SIZE, MODE, Attribute("on", "bool")), {"hue": "1", "on": "maybe", "size": "x"})
    assert [fault.attribute for fault in found.faults] == ["mode", "hue", "on", "size"]
    assert not found.usable


def test_values_are_completed_by_defaults():
    assert bound_values(op(SIZE, MODE), {"mode": 1}) == {"size": 3, "mode": 1}
    assert bound_values(op(SIZE, MODE), {"size": None, "other": 2}) == {"size": None, "mode": None}
