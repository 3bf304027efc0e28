"""The trials that a definition brings with it: its examples, and the counterexamples that only a running
kernel can tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from irops.conformance.example import inputs_of, wanted_outputs
from irops.conformance.trial import Given, NoTrial, Trial, Truth, truth_of
from irops.spec.cases import counterexamples, examples
from irops.spec.definition import Case, Tensor
from irops.spec.op import Op
from irops.values.element import Array, zeros

LARGE = 1 << 20
"""Elements up to which a tensor without a value is made."""
Known = tuple[str, str, Trial, Truth]
"""Kind, name, trial, and what is true of it."""


def known_cases(op: Op) -> Iterator[Known]:
    """Examples, with the outputs that they state; counterexamples that types and shapes do not give away.

    Tensors of a counterexample that have no value are zeros. One that breaks a mere warning must be computed.
    """
    for case in examples(op.definition):
        if case.net is None and all(t is None or t.value is not None for t in inputs_of(op, case)):
            stated = tuple(t.value for t in wanted_outputs(op, case))
            yield "example", _name(case), _trial(op, case), Truth(stated, None, case.tolerance)
    for case in counterexamples(op.definition):
        if case.net is None and all(t is None or _can_be_made(t) for t in inputs_of(op, case)):
            trial = _trial(op, case)
            try:
                yield "counterexample", _name(case), trial, truth_of(trial)
            except NoTrial:
                continue


def _name(case: Case) -> str:
    kind = "example" if case.violates is None else f"counterexample of {case.violates}"
    return f"{kind}{f' {case.name!r}' if case.name else ''}, line {case.line}"


def _trial(op: Op, case: Case) -> Trial:
    tensors = inputs_of(op, case)
    return Trial(op, tuple(None if t is None else Given(_value(t)) for t in tensors), case.attributes)


def _can_be_made(tensor: Tensor) -> bool:
    """Whether a tensor has a value, or zeros will do: some are there for their sizes alone, which no memory
    holds.
    """
    return tensor.value is not None or (tensor.shape.static and tensor.shape.size.high <= LARGE)


def _value(tensor: Tensor) -> Array:
    return zeros(tensor.shape.to_tuple(), tensor.element_type) if tensor.value is None else tensor.value
