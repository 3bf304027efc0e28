"""The trials in a definition: its examples, and the counterexamples that only a running kernel can detect."""

from __future__ import annotations

from collections.abc import Iterator

from irops.conformance.example import expected_outputs, inputs_of
from irops.conformance.trial import Expected, InvalidTrial, Trial, TrialInput, expected_of
from irops.spec.cases import counterexamples, examples
from irops.spec.definition import Case, Tensor
from irops.spec.op import Op
from irops.values.element import Array, zeros

LARGE = 1 << 20
"""Largest number of elements for which a tensor without a value is allocated."""
DefinitionCase = tuple[str, str, Trial, Expected]
"""Kind, name, trial, and its expected result."""


def definition_cases(op: Op) -> Iterator[DefinitionCase]:
    """Examples with their outputs, and counterexamples that types and shapes alone do not reveal.

    Tensors of a counterexample without a value are zeros. A counterexample of a warning must be computed.
    """
    for case in examples(op.definition):
        if case.net is None and all(t is None or t.value is not None for t in inputs_of(op, case)):
            expected_values = tuple(t.value for t in expected_outputs(op, case))
            yield "example", _name(case), _trial(op, case), Expected(expected_values, None, case.tolerance)
    for case in counterexamples(op.definition):
        if case.net is None and all(t is None or _can_allocate(t) for t in inputs_of(op, case)):
            trial = _trial(op, case)
            try:
                yield "counterexample", _name(case), trial, expected_of(trial)
            except InvalidTrial:
                continue


def _name(case: Case) -> str:
    kind = "example" if case.violates is None else f"counterexample of {case.violates}"
    return f"{kind}{f' {case.name!r}' if case.name else ''}, line {case.line}"


def _trial(op: Op, case: Case) -> Trial:
    tensors = inputs_of(op, case)
    return Trial(op, tuple(None if t is None else TrialInput(_value(t)) for t in tensors), case.attributes)


def _can_allocate(tensor: Tensor) -> bool:
    """Whether a tensor has a value or can be filled with zeros; some counterexamples have huge shapes."""
    return tensor.value is not None or (tensor.shape.static and tensor.shape.size.high <= LARGE)


def _value(tensor: Tensor) -> Array:
    return zeros(tensor.shape.to_tuple(), tensor.element_type) if tensor.value is None else tensor.value
