"""Ops, sub-graphs as ops see them, and the constraints that code cites."""

from dataclasses import dataclass, replace

import pytest
from coherence import incoherences

import irops
from irops.dialects.registry import default_registry
from irops.spec.attributes import bind
from irops.spec.binding import Functions
from irops.spec.body import BodyFunction
from irops.spec.load import cited_constraints
from irops.spec.op import Op
from irops.values.violation import require

REVERSE = irops.definition("ReverseSequence-1")


def op(inputs, **changes):
    return Op(replace(REVERSE, inputs=inputs, **changes), Functions(), "m")


def ports(*flags):
    """Ports: an o for an optional one, a v for a variadic one, both, or neither."""
    base = REVERSE.inputs[0]
    return tuple(
        replace(base, name=f"x{k}", optional="o" in f, variadic="v" in f) for k, f in enumerate(flags)
    )


@pytest.mark.parametrize(
    ("flags", "min_inputs", "is_variadic"),
    [
        ((), 0, False),
        (("",), 1, False),
        (("", "o"), 1, False),
        (("", "v"), 2, True),
        (("", "ov"), 1, True),
        (("v",), 1, True),
        (("", "", ""), 3, False),
    ],
)
def test_an_op_counts_the_inputs_that_it_needs(flags, min_inputs, is_variadic):
    found = op(ports(*flags))
    assert (found.min_inputs, found.is_variadic) == (min_inputs, is_variadic)


def test_an_op_knows_the_attributes_that_are_axes():
    assert [a.name for a in default_registry().op("ReverseSequence-1").axes] == ["batch_axis", "seq_axis"]
    assert [a.name for a in default_registry().op("ReduceSum-1").axes] == []
    assert op(()).id == "ReverseSequence-1"


def test_a_body_is_called_with_an_item_for_each_parameter():
    body = BodyFunction(lambda items: [item + 1 for item in items], (), (), ())
    assert body([1, 2]) == [2, 3]
    assert (body.back_edges, body.result_facts) == ((), ())
    assert (body.iterations, body.tensor_bytes) == (1_000_000, 8 * 2**30)
    assert body.may_repeat() is True


def inner(x):
    require(x, "C2")


def outer(x):
    require(x, "C1")
    inner(x)
    return "C10 is text", "C0", "C12x"


def circle(x):
    require(x, "C4")
    return other_way(x)


def other_way(x):
    return circle(x) if x else "C5"


def with_closure(constraint_function):
    def call(x):
        return constraint_function(x)

    return call


@dataclass
class Stock:
    shape: tuple[str, ...]


@pytest.mark.parametrize(
    ("functions", "cited"),
    [
        (Functions(), set()),
        (Functions(shape=inner), {"C2"}),
        (Functions(kernel=outer), {"C1", "C2"}),
        (Functions(values=circle), {"C4", "C5"}),
        (Functions(shape=inner, kernel=circle), {"C2", "C4", "C5"}),
        (Functions(kernel=with_closure(inner)), {"C2"}),
        (Functions(kernel=len), set()),
    ],
)
def test_constraints_are_cited_by_functions_and_by_those_that_they_call(functions, cited):
    definition = replace(REVERSE, outputs=())
    assert cited_constraints(definition, functions) == cited


def test_constraints_are_cited_by_stock_rules_too():
    out = replace(REVERSE.outputs[0], shape=("same", "data", "C7", "xC8"))
    assert cited_constraints(replace(REVERSE, outputs=(out,)), Functions()) == {"C7"}


def test_what_does_not_agree_is_listed():
    registered = default_registry().op("ReverseSequence-1")
    definition, functions = registered.definition, registered.functions
    assert incoherences(definition, functions) == []
    stated = definition.constraints
    extra = replace(definition, constraints={**stated, "C99": stated["C1"]})
    assert incoherences(extra, functions) == [
        "ReverseSequence-1:C99 is defined, but no code cites it",
        "ReverseSequence-1:C99 is violated by no counterexample",
    ]
    fewer = replace(definition, constraints={k: v for k, v in stated.items() if k != "C1"})
    assert incoherences(fewer, functions) == ["ReverseSequence-1:C1 is cited by code, but not defined"]
    assert incoherences(replace(fewer, same_as="ReverseSequence-1"), functions) == []


def test_an_attribute_that_a_layer_has_is_not_suggested_for_another():
    assign = default_registry().op("Assign-6")
    for data, meant in (({}, "variable_id"), ({"variable_id": "a"}, None)):
        assert [f.meant for f in bind(assign, {"variable_type": "f32", **data}).faults][-1] == meant
