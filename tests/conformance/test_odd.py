"""The odd inputs: each one has a name and a reply, and together they violate every constraint."""

from __future__ import annotations

import re

import pytest

from irops.conformance.odd_inputs.measure import comparison, replies
from irops.conformance.odd_inputs.table import COMPARISONS, Column
from irops.registry import default_registry

OPS = [(spec.name, op) for spec in COMPARISONS for op in spec.ops]


def irops_replies(name, op):
    return replies(comparison(name), Column(op))


@pytest.mark.parametrize(("name", "op"), OPS)
def test_irops_computes_or_refuses_every_odd_input(name, op):
    replies_by_name = irops_replies(name, op)
    assert len(replies_by_name) == len(comparison(name).odd)
    assert {reply.kind for reply in replies_by_name.values()} == {"computes", "refuses"}


@pytest.mark.parametrize(("name", "op"), OPS)
def test_every_constraint_is_violated_by_some_odd_input(name, op):
    violated = {
        text.partition(":")[0]
        for reply in irops_replies(name, op).values()
        for text in (reply.text, *reply.warnings)
    }
    assert set(default_registry().op(op).definition.constraints) <= violated


@pytest.mark.parametrize(("name", "op"), OPS)
def test_messages_about_odd_inputs_begin_with_a_constraint_or_code(name, op):
    for reply in irops_replies(name, op).values():
        for text in (*([reply.text] if reply.kind == "refuses" else []), *reply.warnings):
            assert re.match(r"(C\d+|IR\d{3}): \S", text), text


@pytest.mark.parametrize("spec", COMPARISONS, ids=lambda spec: spec.name)
def test_names_of_odd_inputs_are_unique(spec):
    names = [(odd.group, odd.name) for odd in spec.odd]
    assert len(names) == len(set(names))


def test_the_defaults_of_the_dialects_are_opposite():
    replies_by_name = {
        op: (
            {odd.name: reply for odd, reply in irops_replies("ReverseSequence", op).items()}[
                "no axes written: the defaults"
            ].array.tolist()
        )
        for op in comparison("ReverseSequence").ops
    }
    assert replies_by_name["ReverseSequence-1"] == [[0, 1, 2], [4, 3, 5], [8, 7, 6]]
    assert (
        replies_by_name["onnx:ReverseSequence-10"]
        == replies_by_name["graiphic:ReverseSequence"]
        == [[0, 4, 8], [3, 1, 5], [6, 7, 2]]
    )


def test_invalid_values_are_refused_at_run_time_and_constants_before():
    replies_by_name = {
        odd.name: reply for odd, reply in irops_replies("ReverseSequence", "ReverseSequence-1").items()
    }
    assert replies_by_name["beyond 32 bits, as an input"].loaded
    assert not replies_by_name["beyond 32 bits, as a constant"].loaded
