"""The irops.call(…) line of every op page is Python, and runs on the inputs of the op's first example."""

import ast

import pytest
from invoking import loaded

import irops
from irops.conformance.cases import expected_outputs
from irops.dialects import dialects
from irops.dialects.registry import default_registry
from irops.document.views import call_text, called_case, literal
from irops.values.element import element_type
from irops.values.shape import Shape
from irops.verdicts.metrics import difference

IDS = [op for dialect in dialects() for op in default_registry().versions(dialect.name)]
DEFINITIONS = {op.id: op.definition for op in loaded(IDS)}
CALLABLE = [op for op, d in DEFINITIONS.items() if call_text(d) and d.type != "Result" and not d.library]


def variables(definition):
    """The arrays of the first example by the names that the line uses; None for an input left out."""
    tensors = called_case(definition).tensors
    of_port = {port.name: [t.value for t in tensors if t.name == port.name] for port in definition.inputs}
    return {
        port.name: of_port[port.name] if port.variadic else (of_port[port.name] or [None])[0]
        for port in definition.inputs
    }


@pytest.mark.parametrize("id", CALLABLE)
def test_the_call_on_a_page_runs_and_gives_the_outputs_of_the_example(id):
    definition = DEFINITIONS[id]
    line = call_text(definition)
    ast.parse(line)
    results = eval(line, {"irops": irops}, variables(definition))
    results = results if isinstance(results, tuple) else (results,)
    expected = [t.value for t in expected_outputs(default_registry().op(id), called_case(definition))]
    for result, truth in zip(results, expected):
        assert truth is None or not difference(result, truth), line


def test_every_op_with_inputs_has_a_call_unless_it_has_bodies_or_state():
    without = {d.type for d in DEFINITIONS.values() if d.inputs and not (d.bodies or d.stateful or d.library)}
    assert without - {"Result"} == {DEFINITIONS[op].type for op in CALLABLE}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((), "()"),
        ((1,), "(1,)"),
        ((0.5, 2.0), "(0.5, 2)"),
        (True, "True"),
        (1e-8, "1e-08"),
        (float("inf"), 'float("inf")'),
        (float("nan"), 'float("nan")'),
        (element_type("f32"), "'f32'"),
        (Shape.parse("1,?"), "'1,?'"),
        ("a", "'a'"),
    ],
)
def test_a_value_is_written_as_python(value, text):
    assert literal(value) == text
    eval(text)
