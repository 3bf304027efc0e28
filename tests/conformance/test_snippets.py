"""Snippets reproduce trials exactly."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("hypothesis")

import irops
from irops.conformance.kit import snippet
from irops.conformance.strategies import FILLS, filled
from irops.conformance.trial import LAYOUTS, Trial, TrialInput, expected_of, fits, in_layout
from irops.conformance.verdict import CaseVerdict, Status
from irops.dialects.registry import default_registry
from irops.values.arrays import LONG, array_literal, literal
from irops.values.element import CODED, element_type, element_type_of, element_types, tagged

KINDS = [kind for kind in element_types() if kind.name != "dynamic"]
WRONG = CaseVerdict(Status.FAILED, "", "wrong result")
NAMES = {"np": np, "ml_dtypes": ml_dtypes, "zlib": __import__("zlib"), "base64": __import__("base64")}


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_an_array_is_written_exact_to_the_bit(kind):
    shapes = [(), (0,), (3,), (2, 0, 3), (2, 5), (LONG + 1,), (3, LONG)]
    for shape, fill in product(shapes, FILLS):
        array = filled(kind, shape, fill, 5)
        again = tagged(eval(array_literal(array), dict(NAMES)), kind)
        assert (again.shape, element_type_of(again)) == (array.shape, kind)
        if kind.name == "string":
            assert again.tolist() == array.tolist()
        else:
            assert again.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (True, "True"),
        ((1, -1), "(1, -1)"),
        ("mask", "'mask'"),
        (element_type("f32"), "'f32'"),
        (0.5, "0.5"),
    ],
)
def test_attributes_are_written_as_call_takes_them(value, text):
    assert literal(value) == text


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["f32", "i8", "u3", "nf4", "string", "bf16", "boolean"])
def test_a_layout_changes_no_element_and_no_type(layout, kind):
    for shape in ((), (0,), (2, 3), (3, 1, 2)):
        array = filled(element_type(kind), shape, "counting")
        there = in_layout(array, layout)
        assert (there.shape, element_type_of(there)) == (shape, element_type(kind))
        assert there.tolist() == array.tolist()
        assert not np.shares_memory(there, array)


def test_layouts_are_what_they_are_called():
    array = filled(element_type("f32"), (4, 6), "counting")
    there = {name: in_layout(array, name) for name in LAYOUTS}
    assert there["plain"].flags.c_contiguous
    assert not there["read-only"].flags.writeable
    assert there["fortran"].flags.f_contiguous
    assert there["stepped"].strides[-1] == 8
    assert there["backward"].strides[-1] == -4
    assert not there["unaligned"].flags.aligned


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "plain"])
def test_the_statement_of_a_layout_makes_it(layout):
    array = filled(element_type("f32"), (4, 6), "counting")
    scope = {"np": np, "x": array.copy()}
    exec(LAYOUTS[layout].statement, scope)
    ours, theirs = scope["x"], in_layout(array, layout)
    assert (ours.tolist(), ours.strides, ours.flags.writeable, ours.flags.aligned) == (
        theirs.tolist(),
        theirs.strides,
        theirs.flags.writeable,
        theirs.flags.aligned,
    )


def test_strings_cannot_be_unaligned():
    assert not fits(np.array(["a"], object), "unaligned")


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_snippet_ends_well_with_the_reference(kind, layout):
    trial = Trial(
        default_registry().op("Reverse-1"),
        (TrialInput(filled(element_type(kind), (2, 3), "bits"), layout), TrialInput(np.array([1]))),
        {"mode": "index"},
    )
    exec(snippet(trial, expected_of(trial), WRONG, "reference"), {})


def test_a_snippet_of_several_inputs_and_outputs():
    op = default_registry().op("Split-1")
    trial = Trial(
        op, (TrialInput(np.arange(6.0).reshape(2, 3)), TrialInput(np.array(1))), {"num_splits": "3"}
    )
    text = snippet(trial, expected_of(trial), WRONG, "reference")
    exec(text, {})
    assert "ours[2]" in text
    concat = Trial(
        default_registry().op("Concat-1"),
        (TrialInput(np.zeros((1, 2))), TrialInput(np.ones((3, 2)))),
        {"axis": "0"},
    )
    text = snippet(concat, expected_of(concat), WRONG, "reference")
    exec(text, {})
    assert "_0, " in text


def test_invalid_inputs_are_passed_to_the_kernel_directly():
    trial = Trial(
        default_registry().op("ReverseSequence-1"),
        (TrialInput(np.zeros((1, 2))), TrialInput(np.array([3]))),
        {"batch_axis": "0", "seq_axis": "-1"},
    )
    text = snippet(trial, expected_of(trial), WRONG, "reference")
    assert "batch_axis=0, seq_axis=1)" in text
    exec(text, {})


def test_codes_are_tagged_again():
    assert set(CODED) == {"u1", "u3", "u6", "nf4"}
    trial = Trial(
        default_registry().op("Reverse-1"),
        (TrialInput(filled(element_type("u3"), (2,), "bits")), TrialInput(np.array([0]))),
        {"mode": "index"},
    )
    assert 'data = irops.tagged(data, element_type("u3"))' in snippet(trial, expected_of(trial), WRONG, "x")
    assert irops.tagged
