"""Checks before a foreign library computes: the constraints of the definition, and all attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irops.backends.declined import Declined
from irops.diagnostics.rule import Severity
from irops.ops import stock
from irops.spec.domains import default_of
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import collect_warnings

Inputs = Sequence[Array | None]
MOVING = ("movement", "shape")
"""Categories whose ops move elements without computing any."""


def output_count(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> int:
    """The number of outputs of a layer. Its inputs are checked by the shape function of the op.

    Raises:  Violation
    """
    facts = [None if item is None else Fact.of(item) for item in inputs]
    values = complete(op, inputs, attributes)
    with collect_warnings() as warnings:
        count = _shapes(op, facts, values)
    for warning in warnings:
        if op.definition.constraints[warning.constraint].severity is Severity.ERROR:
            raise warning  # an error that does not affect the shapes
    return count


def _shapes(op: Op, facts: Sequence[Fact | None], values: Mapping[str, Any]) -> int:
    """Run shape inference; return the number of outputs."""
    function, accepted_params = op.functions.shape, op.functions.keyword_params.get("shape")
    if function is not None:
        result = function(
            *facts,
            **{
                name: value
                for name, value in values.items()
                if accepted_params is None or name in accepted_params
            },
        )
        return len(result) if isinstance(result, tuple) else 1
    ports = op.definition.inputs
    by_name: dict[str, Any] = {
        port.name: facts[k] if k < len(facts) else None for k, port in enumerate(ports)
    }
    if ports[-1].variadic:
        by_name[ports[-1].name] = tuple(facts[len(ports) - 1 :])
    attribute_values = {
        name: values.get(attribute.parameter) for name, attribute in op.definition.attributes.items()
    }
    for port in op.definition.outputs:
        rule, *arguments = port.shape
        stock.RULES[rule](*(stock.argument(word, by_name, attribute_values) for word in arguments))
    return len(op.definition.outputs)


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
            values_by_name[name] = inputs[1].shape[
                -1
            ]  # of recurrent cells and sequences: the size of the state
        elif attribute.required:
            raise Declined(f"kernels do not receive the attribute {attribute.name}")
        else:
            values_by_name[name] = default_of(attribute)
    return {name: value for name, value in values_by_name.items() if value is not None}


def text_of(value: Any) -> str:
    """The text of an attribute value in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    if isinstance(value, Shape):
        return ",".join(map(str, value))
    return repr(value) if isinstance(value, float) else str(value)


def signature(inputs: Inputs) -> tuple[Any, ...]:
    """Element types and shapes, the key of a compiled model."""
    return tuple(None if item is None else (element_type_of(item).name, item.shape) for item in inputs)
