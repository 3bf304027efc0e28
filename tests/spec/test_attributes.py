"""The attribute texts of a layer, parsed into values, and what is wrong with them."""

from dataclasses import replace
from functools import partial

import pytest

import irops
from irops.spec.attributes import MAX_SUGGESTIONS, bind, bound_values
from irops.spec.binding import Functions
from irops.spec.definition import Attribute
from irops.spec.op import Op

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
    assert bind(op(Attribute("a", "int")), {}).values == {"a": None}


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
