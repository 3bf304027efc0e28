"""One layer on its way into another dialect: what is known of it, and what its counterpart is made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irops.analysis.inferred import LayerFacts
from irops.editing.translation.refusal import unknown
from irops.editing.translation.target import Target, Wire
from irops.invocation import Invocation
from irops.values.element import Array, as_i64
from irops.values.fact import Fact


class Node:
    """A layer and its inputs in the target. made: the layers that were added for it; parts: the names of
    those beside the last.
    """

    def __init__(
        self, known: LayerFacts, invocation: Invocation, wires: Sequence[Wire | None], target: Target
    ) -> None:
        op = invocation.op
        self.layer, self.op, self.target = known.layer, op, target
        self.attributes: Mapping[str, Any] = invocation.normal_attributes(known.inputs)
        self._places = {port.name: place for place, port in enumerate(op.definition.inputs)}
        self._wires, self._facts = wires, known.inputs
        self.made: list[Wire] = []

    def wire(self, name: str) -> Wire | None:
        """The input of a name; None where it is left out."""
        place = self._places[name]
        return self._wires[place] if place < len(self._wires) else None

    def given(self, name: str) -> Wire:
        """The input of a name that is never left out."""
        wire = self.wire(name)
        assert wire is not None
        return wire

    def spread(self, name: str) -> list[Wire | None]:
        """The inputs that a variadic one stands for."""
        return list(self._wires[self._places[name] :])

    def fact(self, name: str) -> Fact:
        place = self._places[name]
        return (self._facts[place] if place < len(self._facts) else None) or Fact()

    def rank(self, name: str, purpose: str) -> int:
        """The rank of an input.

        Raises:  RefusedError where it is not known; purpose: what it is needed for
        """
        rank = self.fact(name).shape.rank
        if rank is None:
            raise unknown(f"the rank of {name} is not known, and {purpose}")
        return rank

    def numbers(self, name: str, purpose: str) -> list[int]:
        """The elements of an input of integers, from first to last.

        Raises:  RefusedError where they are not constant
        """
        value = self.fact(name).value
        if value is None:
            raise unknown(f"{name} is not constant, and {purpose}")
        return [int(number) for number in as_i64(value).ravel()]

    def add(self, op: str, *inputs: Wire | None, part: str = "", **data: str) -> Wire:
        """A layer of the counterpart; part: what it does there, unless it is the last."""
        return self.keep(Wire(self.target.add(self._name(part), op, inputs, data)))

    def constant(self, part: str, value: Array | Sequence[int]) -> Wire:
        """An input of the counterpart that is always the same; numbers are i64."""
        array = value if isinstance(value, np.ndarray) else np.array(value, np.int64)
        return self.keep(self.target.constant(self._name(part), array))

    def keep(self, wire: Wire) -> Wire:
        self.made.append(wire)
        return wire

    def _name(self, part: str) -> str:
        return self.target.unique(f"{self.layer.name}/{part}") if part else self.layer.name
