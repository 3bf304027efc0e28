"""A layer during conversion: its inferred facts, and methods that create the layers of its counterpart."""

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
    """A layer with its inputs in the target. added: the wires of the layers that were added for it."""

    def __init__(
        self, layer_facts: LayerFacts, invocation: Invocation, wires: Sequence[Wire | None], target: Target
    ) -> None:
        op = invocation.op
        self.layer, self.op, self.target = layer_facts.layer, op, target
        self.attributes: Mapping[str, Any] = invocation.normal_attributes(layer_facts.inputs)
        self._places = {port.name: place for place, port in enumerate(op.definition.inputs)}
        self._wires, self._facts = wires, layer_facts.inputs
        self.added: list[Wire] = []

    def wire(self, name: str) -> Wire | None:
        """The input with a name; None if it is omitted."""
        place = self._places[name]
        return self._wires[place] if place < len(self._wires) else None

    def required(self, name: str) -> Wire:
        """The input with a name that cannot be omitted."""
        wire = self.wire(name)
        assert wire is not None
        return wire

    def variadic_wires(self, name: str) -> list[Wire | None]:
        """The inputs of a variadic port."""
        return list(self._wires[self._places[name] :])

    def fact(self, name: str) -> Fact:
        place = self._places[name]
        return (self._facts[place] if place < len(self._facts) else None) or Fact()

    def rank(self, name: str, purpose: str) -> int:
        """The rank of an input.

        Raises:  RefusedError if it is unknown; purpose: what it is needed for
        """
        rank = self.fact(name).shape.rank
        if rank is None:
            raise unknown(f"the rank of {name} is unknown, but {purpose}")
        return rank

    def numbers(self, name: str, purpose: str) -> list[int]:
        """The elements of an integer input.

        Raises:  RefusedError if they are not constant
        """
        value = self.fact(name).value
        if value is None:
            raise unknown(f"{name} is not constant, but {purpose}")
        return [int(number) for number in as_i64(value).ravel()]

    def add(self, op: str, *inputs: Wire | None, part: str = "", **data: str) -> Wire:
        """Add a layer of the counterpart; part: the suffix of its name, unless it is the last layer."""
        return self.keep(Wire(self.target.add(self._name(part), op, inputs, data)))

    def constant(self, part: str, value: Array | Sequence[int]) -> Wire:
        """Add a constant of the counterpart; sequences of numbers are i64."""
        array = value if isinstance(value, np.ndarray) else np.array(value, np.int64)
        return self.keep(self.target.constant(self._name(part), array))

    def keep(self, wire: Wire) -> Wire:
        self.added.append(wire)
        return wire

    def _name(self, part: str) -> str:
        return self.target.unique(f"{self.layer.name}/{part}") if part else self.layer.name
