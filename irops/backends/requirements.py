"""What a foreign library is not trusted with: the requirements of a definition, and the attributes that it
takes for granted.
"""

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
"""Categories whose ops carry elements and compute none."""


def output_count(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> int:
    """How many outputs a layer has; on the way its inputs are held to all that the op's shape rules require
    of them.

    Raises:  Violation
    """
    facts = [None if item is None else Fact.of(item) for item in inputs]
    values = complete(op, inputs, attributes)
    with collect_warnings() as warnings:
        count = _shapes(op, facts, values)
    for warning in warnings:
        if op.definition.constraints[warning.constraint].severity is Severity.ERROR:
            raise warning  # it leaves the shapes clear, and no single meaning
    return count


def _shapes(op: Op, facts: Sequence[Fact | None], values: Mapping[str, Any]) -> int:
    """Work out the shapes of the outputs; how many there are."""
    function, takes = op.functions.shape, op.functions.keyword_params.get("shape")
    if function is not None:
        result = function(
            *facts, **{name: value for name, value in values.items() if takes is None or name in takes}
        )
        return len(result) if isinstance(result, tuple) else 1
    ports = op.definition.inputs
    named: dict[str, Any] = {port.name: facts[k] if k < len(facts) else None for k, port in enumerate(ports)}
    if ports[-1].variadic:
        named[ports[-1].name] = tuple(facts[len(ports) - 1 :])
    spelled = {name: values.get(attribute.parameter) for name, attribute in op.definition.attributes.items()}
    for port in op.definition.outputs:
        rule, *words = port.shape
        stock.RULES[rule](*(stock.argument(word, named, spelled) for word in words))
    return len(op.definition.outputs)


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


def text_of(value: Any) -> str:
    """The value of an attribute as a file has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    if isinstance(value, Shape):
        return ",".join(map(str, value))
    return repr(value) if isinstance(value, float) else str(value)


def signature(inputs: Inputs) -> tuple[Any, ...]:
    """Element types and shapes: what a compiled model is made for."""
    return tuple(None if item is None else (element_type_of(item).name, item.shape) for item in inputs)
