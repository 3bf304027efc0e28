"""Every definition: its grammar, its examples, its counterexamples, and their agreement with the code."""

from pathlib import Path

import pytest
from stored import assert_stored

from irops.analysis.invocation import Invocation
from irops.conformance.cases import expected_outputs, inputs_of, outcome
from irops.conformance.kit import mismatch
from irops.diagnostics.diagnostic import errors_of
from irops.dialects import others
from irops.dialects.registry import default_registry
from irops.spec.load import counterexamples, examples, incoherences
from irops.values.fact import Fact

REGISTRY = default_registry()
OWN = [op for op in REGISTRY.ids() if op in REGISTRY._own]
FOREIGN = [REGISTRY.newest(op) for dialect in others() for op in REGISTRY.ids(dialect.name)]
IDS = [*OWN, *FOREIGN]


def failure(op, case):
    """Why a case is not as it says, or "": an example gives its outputs, a counterexample is reported."""
    outputs, diagnostics = outcome(op, case)
    if case.violates is not None:
        code = case.violates if case.violates.startswith("IR") else f"{op.id}:{case.violates}"
        reported = [diagnostic.constraint or diagnostic.code for diagnostic in diagnostics]
        return "" if code in reported else f"reported {reported}, expected {code}"
    expected, errors = expected_outputs(op, case), errors_of(diagnostics)
    if errors:
        return str(errors[0])
    if op.definition.library:
        tensors = inputs_of(op, case)
        facts = [None if t is None else Fact(t.element_type, t.shape, t.value) for t in tensors]
        outputs = Invocation(op, case.attributes).infer(facts)
        wanted = [Fact(tensor.element_type, tensor.shape) for tensor in expected]
        return "" if [*map(str, outputs)] == [*map(str, wanted)] else f"infers {outputs}, expected {wanted}"
    if len(outputs) != len(expected):
        return f"computes {len(outputs)} outputs, expected {len(expected)}"
    pairs = zip(outputs, (tensor.value for tensor in expected))
    reasons = (mismatch(op, ours, value, case.tolerance) for ours, value in pairs if value is not None)
    return next(filter(None, reasons), "")


def failures(op_id, kind):
    """What is wrong with the cases of a definition, by their lines."""
    op = REGISTRY.op(op_id)
    found = {case.line: failure(op, case) for case in kind(op.definition)}
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
