"""The texts of attributes: read whole, or not at all."""

from __future__ import annotations

import pytest

from irops.spec.definition import Attribute
from irops.spec.domains import DomainError, parse
from irops.values.element import element_type
from irops.values.shape import Shape


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("int", "7", 7),
        ("int", " -3 ", -3),
        ("int", "+1", 1),
        ("float", "1e-3", 1e-3),
        ("float", "-inf", float("-inf")),
        ("float", ".5", 0.5),
        ("bool", "True", True),
        ("bool", "0", False),
        ("ints", "1, 2,3", (1, 2, 3)),
        ("ints", "", ()),
        ("floats", "1.5,2", (1.5, 2.0)),
        ("strings", "relu, tanh,", ("relu", "tanh")),
        ("string", " as it is ", " as it is "),
        ("element_type", "F32", element_type("f32")),
        ("shape", "?,1..3", Shape.parse("?,1..3")),
        ("dims", "2,0", (2, 0)),
        ("axis", "-1", -1),
        ("int", "9223372036854775807", 2**63 - 1),
    ],
)
def test_texts_and_their_values(kind, text, value):
    assert parse(Attribute("a", kind), text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("int", "1.5"),
        ("int", ""),
        ("int", "one"),
        ("int", "0x1"),
        ("int", "1L"),
        ("int", "0_1"),
        ("int", "1 1"),
        ("int", "\u0661"),
        ("int", "\u00b9"),
        ("int", "18446744073709551617"),
        ("int", "9223372036854775808"),
        ("float", "6,5"),
        ("float", ""),
        ("float", "1e999"),
        ("float", "0.5abc"),
        ("float", "0x1p-1"),
        ("bool", "maybe"),
        ("bool", "-1"),
        ("bool", ""),
        ("ints", "1,,1"),
        ("ints", "1,1,"),
        ("ints", "1;1"),
        ("ints", "a, b"),
        ("ints", "[1, 1]"),
        ("ints", "3 4"),
        ("element_type", "f31"),
        ("element_type", ""),
        ("element_type", "FP32"),
        ("shape", "2,-2"),
        ("dims", "-1"),
        ("dims", "?"),
        ("dims", "1..3"),
    ],
)
def test_what_is_no_value_is_refused(kind, text):
    with pytest.raises(DomainError, match=r"^a is "):
        parse(Attribute("a", kind), text)


@pytest.mark.parametrize(
    ("kind", "text", "reading"),
    [("int", "1.5", "1"), ("float", "0.5abc", "0.5"), ("ints", "3 4", "3"), ("bool", "yes", "true")],
)
def test_the_value_that_openvino_reads_is_in_the_note(kind, text, reading):
    with pytest.raises(DomainError) as caught:
        parse(Attribute("a", kind, default="true" if kind == "bool" else None), text)
    assert caught.value.reading == reading


def test_a_value_outside_its_domain_is_reported_with_the_domain():
    with pytest.raises(DomainError, match="levels is 1, must be 2 or greater") as caught:
        parse(Attribute("levels", "int", low=2), "1")
    assert caught.value.kind == "attribute-out-of-domain"


def test_words_are_compared_without_case_and_known_by_their_aliases():
    mode = Attribute("mode", "enum", values=("none", "numpy"), aliases=(("explicit", "none"),))
    assert [parse(mode, text) for text in ("NumPy", "EXPLICIT")] == ["numpy", "none"]
    with pytest.raises(DomainError, match="mode is 'sideways', must be one of none, numpy"):
        parse(mode, "sideways")
