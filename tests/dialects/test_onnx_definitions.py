"""Definitions of ONNX: versions that tests of the newest one leave out, and constraints that they lack."""

from __future__ import annotations

import pytest
from libraries import Late

import irops
from irops.conformance.cases import failure
from irops.diagnostics.rule import Severity
from irops.dialects import dialect_named
from irops.registry import default_registry
from irops.spec.cases import counterexamples, examples
from irops.spec.load import cited_constraints

onnx = Late("onnx")
ONNX = dialect_named("onnx")


@pytest.mark.parametrize("file", default_registry().ids("onnx"))
def test_older_versions_with_other_parts_pass_their_examples(file):
    """tests/ops tests the newest version of each file; this, the versions with other ports or attributes."""
    newest = default_registry().op(ONNX.newest(file)).definition
    seen = {parts(newest)}
    for version in reversed(ONNX.versions(file)):
        op = default_registry().op(version)
        if parts(op.definition) not in seen:
            seen.add(parts(op.definition))
            for case in (*examples(op.definition), *counterexamples(op.definition)):
                assert failure(op, case) == "", f"{version}, line {case.line}"


CANNOT_BREAK = {
    "AveragePool": {"C9"},
    "ConvInteger": {"C9"},
    "Loop": {"C7", "C8", "C9"},  # of Loop-5, which joins along axes, and whose outputs need no back edge
    "LpPool": {"C4", "C9"},
    "MaxPool": {"C9"},
    "QLinearConv": {"C9"},
    "Resize": {"C5", "C6", "C7", "C8"},  # of Resize-10 and Resize-11, whose inputs and attributes are fewer
    "Scan": {"C7", "C8", "C9"},
    "TopK": {"C3"},
    "Unique": {"C1", "C2"},
}
"""Constraints of ops of OpenVINO whose functions are called so that they hold, or are not reported."""


@pytest.mark.parametrize("file", default_registry().ids("onnx"))
def test_functions_cite_no_constraint_that_a_definition_lacks(file):
    op = default_registry().op(ONNX.newest(file))
    if op.definition.same_as is None:
        cited = cited_constraints(op.definition, op.functions)
        assert cited - set(op.definition.constraints) <= CANNOT_BREAK.get(op.definition.type, set())


def parts(definition):
    ports = (*definition.inputs, *definition.outputs)
    constraints = tuple(c.text for c in definition.constraints.values())
    return tuple(port.name for port in ports), tuple(definition.attributes), constraints


def test_an_attribute_that_an_op_lacks_is_an_error_as_in_the_checker_of_onnx(saved):
    path = saved([("Cos", ["x"], ["y"], {"bogus": 1})], {"x": (1, [2])}, {"y": (1, [2])})
    found = irops.check(path).diagnostics
    assert [(d.code, d.severity) for d in found] == [("IR311", Severity.ERROR)]
    with pytest.raises(onnx.checker.ValidationError, match="Unrecognized attribute: bogus"):
        onnx.checker.check_model(onnx.load(str(path)), full_check=True)
