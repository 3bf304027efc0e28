"""The cases in a definition that a kernel can be tested with: its examples and counterexamples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irops.conformance.example import expected_outputs, inputs_of
from irops.conformance.trial import Expected, Trial, TrialInput, expected_of
from irops.spec.cases import counterexamples, examples
from irops.spec.definition import Case, Tensor
from irops.spec.op import Op
from irops.values.element import Array, zeros

LARGE = 1 << 20
"""Largest number of elements for which a tensor without a value is allocated."""


@dataclass(frozen=True, slots=True)
class DefinitionCase:
    """An example or a counterexample of a definition that a kernel can be tested with.

    kind: example or counterexample
    """

    op: Op
    kind: str
    case: Case

    @property
    def name(self) -> str:
        """What it is, its name if it has one, and its line in the definition."""
        return _name(self.case)

    @property
    def trial(self) -> Trial:
        """Its inputs and attributes; tensors without a value are zeros."""
        tensors = inputs_of(self.op, self.case)
        inputs = tuple(None if tensor is None else TrialInput(_value(tensor)) for tensor in tensors)
        return Trial(self.op, inputs, self.case.attributes)

    def expected(self, trial: Trial) -> Expected:
        """What a kernel must do with the trial: the outputs in the definition, or what the reference does.

        Raises:  InvalidTrial for a counterexample that types and shapes alone reveal
        """
        if self.kind == "counterexample":
            return expected_of(trial)
        values = tuple(tensor.value for tensor in expected_outputs(self.op, self.case))
        return Expected(values, None, self.case.tolerance)


def definition_cases(op: Op) -> Iterator[DefinitionCase]:
    """Examples with their outputs, and counterexamples.

    A counterexample of a warning must be computed.
    """
    for case in examples(op.definition):
        if case.net is None and all(t is None or t.value is not None for t in inputs_of(op, case)):
            yield DefinitionCase(op, "example", case)
    for case in counterexamples(op.definition):
        if case.net is None and all(t is None or _can_allocate(t) for t in inputs_of(op, case)):
            yield DefinitionCase(op, "counterexample", case)


def _name(case: Case) -> str:
    kind = "example" if case.violates is None else f"counterexample of {case.violates}"
    return f"{kind}{f' {case.name!r}' if case.name else ''}, line {case.line}"


def _can_allocate(tensor: Tensor) -> bool:
    """Whether a tensor has a value or can be filled with zeros; some counterexamples have huge shapes."""
    return tensor.value is not None or (tensor.shape.static and tensor.shape.size.high <= LARGE)


def _value(tensor: Tensor) -> Array:
    return zeros(tensor.shape.to_tuple(), tensor.element_type) if tensor.value is None else tensor.value
