"""Every definition: its grammar, its examples, its counterexamples, and their agreement with the code."""

from __future__ import annotations

import pytest

from irops.conformance.cases import failure
from irops.dialects import others
from irops.registry import default_registry
from irops.spec.cases import counterexamples, examples
from irops.spec.load import incoherences

REGISTRY = default_registry()
OWN = [op for op in REGISTRY.ids() if op in REGISTRY._own]
FOREIGN = [REGISTRY.newest(op) for dialect in others() for op in REGISTRY.ids(dialect.name)]
IDS = [*OWN, *FOREIGN]


def cases(kind):
    for op_id in IDS:
        op = REGISTRY.op(op_id)
        for case in kind(op.definition):
            yield pytest.param(op, case, id=f"{op_id}:{case.line}")


@pytest.mark.parametrize("op_id", IDS)
def test_sentences_code_and_counterexamples_agree(op_id):
    op = REGISTRY.op(op_id)
    assert incoherences(op.definition, op.functions) == []


@pytest.mark.parametrize("op_id", IDS)
def test_a_definition_has_an_example(op_id):
    definition = REGISTRY.op(op_id).definition
    takes_tensors = all(port.allowed or port.optional for port in definition.inputs)
    assert examples(definition) or not takes_tensors  # examples are tensors


@pytest.mark.parametrize(("op", "case"), list(cases(examples)))
def test_an_example_gives_what_it_says(op, case):
    assert failure(op, case) == ""


@pytest.mark.parametrize(("op", "case"), list(cases(counterexamples)))
def test_a_counterexample_is_told_for_what_it_violates(op, case):
    assert failure(op, case) == ""
