"""irops.expansions: how an op is said in other ops, as an example of its definition shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irops.conformance.cases import inputs_of
from irops.expansion.arrays import ArrayBuilder, operands_of
from irops.expansion.expanding import Expanding, Expansion, RefusedError, expansions_of
from irops.ir.unique import UniqueNames
from irops.ops.invocation import Invocation, OpFault, input_spec
from irops.registry import Registry, default_registry
from irops.spec.cases import examples
from irops.spec.domains import default_of, format_value, parse
from irops.spec.op import Op
from irops.values.element import Array
from irops.values.tensors import fact_of

SHOWN_ELEMENTS = 8
"""Constants with more elements are shown by their type and shape."""


@dataclass(frozen=True, slots=True)
class ExpandedStep:
    """An op of an expansion. name: of its output; inputs: names and constants, as text"""

    name: str
    op: str
    inputs: tuple[str, ...]
    attributes: Mapping[str, str]

    def __str__(self) -> str:
        stated = [f"{name}={value}" for name, value in self.attributes.items()]
        return f"{self.name} = {self.op}({', '.join([*self.inputs, *stated])})"


@dataclass(frozen=True, slots=True)
class ExpandedOp:
    """An op said in other ops, as in an example.

    rounds: what the results may differ by, "" where they are equal bit for bit; example: its name or
    number; outputs: the names of what the op gives
    """

    op: str
    rounds: str
    example: str
    steps: tuple[ExpandedStep, ...]
    outputs: tuple[str, ...]

    @property
    def is_exact(self) -> bool:
        """Whether the results are those of the op, bit for bit."""
        return not self.rounds

    def __str__(self) -> str:
        return "\n".join((*map(str, self.steps), f"outputs: {', '.join(self.outputs)}"))


def expansions(op: str, *, registry: Registry | None = None) -> tuple[ExpandedOp, ...]:
    """How an op is said in other ops: each form that an example of its definition takes.

    op: an id such as LogSoftmax-5, or a type for its newest version
    Raises:  KeyError, with a suggestion, for an op that is not defined
    """
    registry = registry or default_registry()
    return forms_of(registry.named(op), registry)


def forms_of(op: Op, registry: Registry) -> tuple[ExpandedOp, ...]:
    """As expansions, of an op that was looked up."""
    shown = (_shown(expansion, op, registry) for expansion in expansions_of(op.id))
    return tuple(each for each in shown if each is not None)


def _shown(expansion: Expansion, op: Op, registry: Registry) -> ExpandedOp | None:
    """An expansion of an op in the first example that it applies to."""
    for number, case in enumerate(examples(op.definition), start=1):
        if case.net is not None:
            continue
        tensors = inputs_of(op, case)
        if any(tensor is not None and tensor.value is None for tensor in tensors):
            continue
        arrays = [None if tensor is None else tensor.value for tensor in tensors]
        names = {id(a): input_spec(op, index).name for index, a in enumerate(arrays) if a is not None}
        builder = _Recording(registry, names)
        invocation = Invocation(op, case.attributes)
        subject = Expanding(builder, invocation, arrays, texts=case.attributes)
        try:
            values = expansion.values(subject)
        except (RefusedError, OpFault):
            continue
        outputs = tuple(builder.text(value) for value in values)
        return ExpandedOp(
            op.id, expansion.rounds, case.name or f"example {number}", tuple(builder.steps), outputs
        )
    return None


class _Recording(ArrayBuilder):
    """Computes an expansion, and records its ops. names: of the inputs, by the identity of their arrays"""

    def __init__(self, registry: Registry, names: dict[int, str]) -> None:
        super().__init__(registry)
        self.steps: list[ExpandedStep] = []
        self._names, self._unique = names, UniqueNames(names.values())
        self._kept: list[Array] = []  # so that no two arrays have one identity

    def apply(
        self, op: Op, operands: Sequence[Any], attributes: Mapping[str, Any], part: str
    ) -> tuple[Array, ...]:
        arrays = operands_of(op, operands)
        outputs = tuple(np.asarray(one)[...] for one in super().apply(op, arrays, attributes, part))
        name = self._unique.unique(part or "output")
        for index, output in enumerate(outputs):
            self._names[id(output)] = name if len(outputs) == 1 else f"{name}[{index}]"
        self._kept += outputs
        inputs = tuple("-" if array is None else self.text(array) for array in arrays)
        self.steps.append(ExpandedStep(name, op.id, inputs, _stated(op, attributes)))
        return outputs

    def text(self, array: Array) -> str:
        """The name of an array, or its elements if it is a small constant."""
        name = self._names.get(id(array))
        if name is not None:
            return name
        fact = fact_of(array)
        if array.size > SHOWN_ELEMENTS:
            return f"constant {fact}"
        elements = format_value(tuple(array.ravel().tolist()))
        return elements if array.ndim == 0 else f"[{elements}]"


def _stated(op: Op, attributes: Mapping[str, Any]) -> dict[str, str]:
    """The attributes that have another value than their default, as texts."""
    known = {attribute.parameter: attribute for attribute in op.definition.attributes.values()}
    texts = {name: format_value(value) for name, value in attributes.items()}
    return {
        name: text
        for name, text in texts.items()
        if name in known and parse(known[name], text) != default_of(known[name])
    }
