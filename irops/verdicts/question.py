"""One layer of which two results are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from irops.invocation import Invocation
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.verdicts.arithmetic import DECLARED, Arithmetic
from irops.verdicts.metrics import as_numbers

Compute = Callable[[Sequence[Array | None]], Sequence[Any]]
MOVING = ("movement", "shape")
"""Categories of ops that move elements without computing any."""


@dataclass(frozen=True, slots=True)
class Question:
    """A layer and the inputs that both results were computed from.

    again: what the definition gives for other inputs of the same types and shapes; arithmetic: of the second
    result; input_errors: by index, how far elements of inputs may be from those that the second result was
    computed from, where that was computed through a whole model; rounding_within: of an op with bodies, how
    far rounding in these may change an output, which is given with its index.
    """

    op: Op
    attributes: Mapping[str, Any]
    inputs: Sequence[Array | None]
    again: Compute
    arithmetic: Arithmetic = DECLARED
    input_errors: Mapping[int, Array] = field(default_factory=dict)
    rounding_within: Callable[[Array, int], Array] | None = None

    @classmethod
    def of(
        cls, invocation: Invocation, inputs: Sequence[Array | None], arithmetic: Arithmetic = DECLARED
    ) -> Question:
        """The question for an op without bodies and state."""
        again = partial(_computed, invocation)
        return cls(invocation.op, invocation.attributes, inputs, again, arithmetic)

    @property
    def type(self) -> str:
        return self.op.definition.type

    @property
    def floats(self) -> tuple[int, ...]:
        """The indices of floating inputs."""
        return tuple(k for k, array in enumerate(self.inputs) if array is not None and is_float(array))

    def input_error(self, index: int) -> Array:
        """How far elements of a floating input may be from those that the second result was computed from:
        errors of those before it, and the rounding to the type that is computed in.
        """
        array = self.inputs[index]
        if array is None or index not in self.floats:
            return np.zeros(())
        error: Array = self.arithmetic.input_roundoff(element_type_of(array)) * np.abs(as_numbers(array))
        return np.nan_to_num(error, posinf=0.0) + self.input_errors.get(index, 0.0)


def is_float(array: Array) -> bool:
    """Whether the elements are floating-point or complex numbers, narrow ones included."""
    kind = element_type_of(array)
    return kind.floating or kind.kind == "complex"


def _computed(invocation: Invocation, inputs: Sequence[Array | None]) -> Sequence[Any]:
    with np.errstate(all="ignore"):
        return invocation.compute(inputs)
