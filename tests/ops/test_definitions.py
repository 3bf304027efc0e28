"""Every definition: its grammar, its examples, its counterexamples, and their agreement with the code."""

from pathlib import Path

import pytest
from coherence import incoherences
from stored import assert_stored

from irops.conformance.cases import case_fault, outcome
from irops.dialects import others
from irops.dialects.registry import default_registry
from irops.spec.load import counterexamples, examples

REGISTRY = default_registry()
OWN = [op for op in REGISTRY.ids() if op in REGISTRY._own]
FOREIGN = [REGISTRY.newest(op) for dialect in others() for op in REGISTRY.ids(dialect.name)]
IDS = [*OWN, *FOREIGN]


def failures(op_id, kind):
    """What is wrong with the cases of a definition, by their lines."""
    op = REGISTRY.op(op_id)
    found = {case.line: case_fault(op, case) for case in kind(op.definition)}
    return {line: text for line, text in found.items() if text}


@pytest.mark.parametrize("op_id", IDS)
def test_sentences_code_and_counterexamples_agree(op_id):
    op = REGISTRY.op(op_id)
    assert incoherences(op.definition, op.functions) == []


@pytest.mark.parametrize("op_id", IDS)
def test_a_definition_has_an_example(op_id):
    assert examples(REGISTRY.op(op_id).definition)


@pytest.mark.parametrize("op_id", IDS)
def test_examples_give_what_they_say(op_id):
    assert failures(op_id, examples) == {}


@pytest.mark.parametrize("op_id", IDS)
def test_counterexamples_are_reported_for_what_they_violate(op_id):
    assert failures(op_id, counterexamples) == {}


def test_counterexamples_are_reported_in_these_words():
    """The constraint with what was got; other findings as they are."""
    lines = []
    for op in map(REGISTRY.op, IDS):
        for number, case in enumerate(counterexamples(op.definition)):
            said = [(d.constraint, *d.message.partition("; got ")) for d in outcome(op, case)[1]]
            shown = (f"{name} {got}" if name and got else text for name, text, _, got in said)
            lines.append(f"{op.id} {number}: {'; '.join(shown)}\n")
    assert_stored("".join(lines), Path(__file__).with_name("counterexamples.txt"))
