"""Checks before a foreign library computes: the constraints of the definition, and all attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irops.backends.declined import Declined
from irops.diagnostics.diagnostic import Severity
from irops.invocation import Invocation, OpFault
from irops.spec.domains import default_of
from irops.spec.op import Op
from irops.values.element import Array, element_type_of, foreign_types
from irops.values.fact import Fact
from irops.values.violation import collect_warnings

Inputs = Sequence[Array | None]
MOVING = ("movement", "shape")
"""Categories whose ops move elements without computing any."""


def output_count(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> int:
    """The number of outputs of a layer. The inputs are validated against all constraints of the definition.

    attributes: as kernels get them, by parameter name
    Raises:  Violation; Declined for an element type that OpenVINO does not have
    """
    for item in inputs:
        if item is not None and element_type_of(item) in foreign_types():
            raise Declined("OpenVINO does not have this element type", f"got {element_type_of(item)}")
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
            raise warning  # an error that does not affect the shapes
    return count


def complete(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """All attributes of an op by parameter name, including those that its kernel does not take.

    Raises:  Declined if a required attribute is unknown
    """
    values_by_name: dict[str, Any] = {}
    for attribute in op.definition.attributes.values():
        name = attribute.parameter
        if name in attributes:
            values_by_name[name] = attributes[name]
        elif name == "hidden_size" and inputs[1] is not None:
            values_by_name[name] = inputs[1].shape[-1]  # of recurrent ops: the size of the state
        elif (
            name == "linear_before_reset"
            and len(inputs) > 5
            and inputs[1] is not None
            and inputs[5] is not None
        ):
            values_by_name[name] = inputs[5].shape[-1] == 4 * inputs[1].shape[-1]  # a fourth bias of GRUs
        elif attribute.required:
            raise Declined(f"kernels do not receive the attribute {attribute.name}")
        else:
            values_by_name[name] = default_of(attribute)
    return {name: value for name, value in values_by_name.items() if value is not None}


def signature(inputs: Inputs) -> tuple[Any, ...]:
    """Element types and shapes, the key of a compiled model."""
    return tuple(None if item is None else (element_type_of(item).name, item.shape) for item in inputs)
