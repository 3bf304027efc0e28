"""What a foreign library is not trusted with: the requirements of a definition, and the attributes that it
takes for granted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irops.backends.declined import Declined
from irops.diagnostics.rule import Severity
from irops.invocation import Invocation, OpFault
from irops.spec.domains import default_of
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.violation import collect_warnings

Inputs = Sequence[Array | None]
MOVING = ("movement", "shape")
"""Categories whose ops carry elements and compute none."""


def output_count(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> int:
    """How many outputs a layer has. The inputs are validated against all requirements of the definition.

    attributes: as kernels get them, by parameter name
    Raises:  Violation
    """
    values = complete(op, inputs, attributes)
    names = {attribute.parameter: name for name, attribute in op.definition.attributes.items()}
    invocation = Invocation.of_values(op, {names[parameter]: value for parameter, value in values.items()})
    facts = [None if item is None else Fact.of(item) for item in inputs]
    with collect_warnings() as warnings:
        try:
            count = len(invocation.infer(facts))
        except OpFault as fault:
            raise fault.violation or fault from None
    for warning in warnings:
        if op.definition.constraints[warning.constraint].severity is Severity.ERROR:
            raise warning  # it leaves the shapes clear, and no single meaning
    return count


def complete(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """All attributes of an op by parameter name; kernels are not given what they have no use for.

    Raises:  Declined where one is required, and not known otherwise
    """
    known: dict[str, Any] = {}
    for attribute in op.definition.attributes.values():
        name = attribute.parameter
        if name in attributes:
            known[name] = attributes[name]
        elif name == "hidden_size" and inputs[1] is not None:
            known[name] = inputs[1].shape[-1]  # of recurrent cells and sequences: the size of their state
        elif attribute.required:
            raise Declined(f"kernels are not given its {attribute.name}")
        else:
            known[name] = default_of(attribute)
    return {name: value for name, value in known.items() if value is not None}


def signature(inputs: Inputs) -> tuple[Any, ...]:
    """Element types and shapes: what a compiled model is made for."""
    return tuple(None if item is None else (element_type_of(item).name, item.shape) for item in inputs)
