"""The odd inputs that are tried: each has a name and an answer, and together they break whatever can be
broken.
"""

from __future__ import annotations

import re

import pytest

from irops.conformance.odd_inputs.measure import comparison, replies
from irops.conformance.odd_inputs.table import COMPARISONS, Column
from irops.registry import default_registry

OPS = [(compared.name, op) for compared in COMPARISONS for op in compared.ops]


def own(name, op):
    return replies(comparison(name), Column(op))


@pytest.mark.parametrize(("name", "op"), OPS)
def test_irops_computes_or_refuses_every_odd_input(name, op):
    found = own(name, op)
    assert len(found) == len(comparison(name).odd)
    assert {reply.kind for reply in found.values()} == {"gives", "refuses"}


@pytest.mark.parametrize(("name", "op"), OPS)
def test_every_requirement_is_broken_by_some_odd_input(name, op):
    broken = {
        text.partition(":")[0] for reply in own(name, op).values() for text in (reply.text, *reply.warnings)
    }
    assert set(default_registry().op(op).definition.constraints) <= broken


@pytest.mark.parametrize(("name", "op"), OPS)
def test_what_irops_says_of_an_odd_input_begins_with_a_number(name, op):
    for reply in own(name, op).values():
        for text in (*([reply.text] if reply.kind == "refuses" else []), *reply.warnings):
            assert re.match(r"(C\d+|IR\d{3}): \S", text), text


@pytest.mark.parametrize("compared", COMPARISONS, ids=lambda compared: compared.name)
def test_no_two_odd_inputs_have_one_name(compared):
    names = [(odd.group, odd.name) for odd in compared.odd]
    assert len(names) == len(set(names))


def test_the_defaults_of_the_dialects_are_opposite():
    found = {
        op: (
            {odd.name: reply for odd, reply in own("ReverseSequence", op).items()}[
                "no axes written: the defaults"
            ].array.tolist()
        )
        for op in comparison("ReverseSequence").ops
    }
    assert found["ReverseSequence-1"] == [[0, 1, 2], [4, 3, 5], [8, 7, 6]]
    assert (
        found["onnx:ReverseSequence-10"]
        == found["graiphic:ReverseSequence"]
        == [[0, 4, 8], [3, 1, 5], [6, 7, 2]]
    )


def test_what_values_tell_is_refused_when_it_runs_and_before_where_they_are_constants():
    found = {odd.name: reply for odd, reply in own("ReverseSequence", "ReverseSequence-1").items()}
    assert found["beyond 32 bits, as an input"].loaded
    assert not found["beyond 32 bits, as a constant"].loaded
