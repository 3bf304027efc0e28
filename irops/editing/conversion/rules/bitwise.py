"""Bitwise ops: of booleans they are logical ops; inverted integers are differences."""

from __future__ import annotations

from irops.editing.conversion.refusal import OtherFormError, RefusedError
from irops.editing.conversion.steps import Form, step
from irops.editing.conversion.subject import Subject
from irops.values.element import BOOLEAN


def _logical(subject: Subject, first: str) -> Form:
    kind = subject.element_type(first)
    if kind is not BOOLEAN:
        raise RefusedError(f"it combines the bits of {kind}; older opsets only have logical ops of booleans")
    return Form(subject.inputs, subject.carried())


@step("BitwiseAnd-13", "LogicalAnd-1", decomposition=True)
def bitwise_and(subject: Subject) -> Form:
    return _logical(subject, subject.op.definition.inputs[0].name)


@step("BitwiseOr-13", "LogicalOr-1", decomposition=True)
def bitwise_or(subject: Subject) -> Form:
    return _logical(subject, subject.op.definition.inputs[0].name)


@step("BitwiseXor-13", "LogicalXor-2", decomposition=True)
def bitwise_xor(subject: Subject) -> Form:
    return _logical(subject, subject.op.definition.inputs[0].name)


@step("BitwiseNot-13", "LogicalNot-1", decomposition=True)
def bitwise_not(subject: Subject) -> Form:
    return _logical(subject, subject.op.definition.inputs[0].name)


@step("BitwiseNot-13", "Subtract-1")
def inverted(subject: Subject) -> Form:
    """The sum of a number and its inverse is -1, or the greatest number of an unsigned type."""
    name = subject.op.definition.inputs[0].name
    kind = subject.element_type(name)
    if kind is BOOLEAN or not kind.integral:
        raise OtherFormError(f"its input is {kind}, not an integer")
    low, high = map(int, kind.extent)
    return Form([subject.like(low + high, kind), subject.input(name)])
