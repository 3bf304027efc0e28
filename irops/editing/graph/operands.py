"""What callers give for the inputs and attributes of an op, as Values and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irops.editing.graph.faults import refuse
from irops.editing.graph.node import Value
from irops.expansion.arrays import usual_type
from irops.ops.invocation import input_spec
from irops.spec.definition import Attribute, Definition
from irops.spec.domains import format_value, text_of
from irops.spec.op import Op
from irops.values.element import DYNAMIC, Array, ElementType, element_type_of, tagged
from irops.values.tensors import as_tensor


def separated(definition: Definition, keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keyword arguments of a call as attributes and inputs. An unknown name is left among the attributes."""
    attributes = {a.parameter for a in definition.attributes.values()} | set(definition.attributes)
    ports = {port.name for port in definition.inputs} - attributes
    inputs = {name: value for name, value in keywords.items() if name in ports}
    return {name: value for name, value in keywords.items() if name not in ports}, inputs


def in_order(op: Op, positional: Sequence[Any], named: Mapping[str, Any], node: str) -> list[Any]:
    """Inputs given by position and by name, in the order of the definition. Raises: DiagnosticError"""
    result = list(positional)
    for index, port in enumerate(op.definition.inputs):
        if port.name not in named:
            continue
        if index < len(positional):
            message = f"{op.id} is given the input {port.name} twice, by position and by name"
            raise refuse("wrong-number-of-inputs", message, node)
        value = named[port.name]
        items = list(value) if port.variadic and isinstance(value, (list, tuple)) else [value]
        result.extend([None] * (index - len(result)))
        result.extend(items)
    while result and result[-1] is None:
        result.pop()
    return result


Constants = Callable[[Array, str], Value]
"""Makes a constant of a graph, from its value and its name."""


def values_of(
    graph: object, op: Op, operands: Sequence[Any], node: str, make: Constants
) -> list[Value | None]:
    """Operands as Values of a graph; make: what is none becomes a constant.

    Python numbers take the element type of the Values whose type the definition requires to be the same.
    Raises:  DiagnosticError
    """
    bound: dict[str, ElementType] = {}
    for index, operand in enumerate(operands):
        kind = _type_of(operand)
        if kind is not None and kind is not DYNAMIC and op.definition.inputs:
            bound.setdefault(input_spec(op, index).type, kind)
    return [
        _value_of(graph, op, index, operand, bound, node, make) if operand is not None else None
        for index, operand in enumerate(operands)
    ]


def _type_of(operand: Any) -> ElementType | None:
    if isinstance(operand, Value):
        return operand.element_type
    return element_type_of(operand) if isinstance(operand, np.ndarray) and operand.dtype.kind != "O" else None


def _value_of(
    graph: object,
    op: Op,
    index: int,
    operand: Any,
    bound: Mapping[str, ElementType],
    node: str,
    make: Constants,
) -> Value:
    if isinstance(operand, Value):
        return own(graph, operand, f"an input of {op.id}", node)
    if not op.definition.inputs:
        raise refuse("wrong-number-of-inputs", f"{op.id} has an input, takes 0", node)
    spec = input_spec(op, index)
    kind = None
    if not isinstance(operand, (np.ndarray, np.generic)):
        kind = bound.get(spec.type) if spec.type in op.definition.types else None
    if kind is None:
        kind = usual_type(operand, spec.allowed)
    array = array_of(operand, kind, f"input {spec.name} of {op.id}", node)
    return make(array, f"{node}/{spec.name}")


def own(graph: object, value: Value, what: str, node: str | None = None) -> Value:
    """A Value of the graph.

    Raises:  DiagnosticError for one of another graph, or of a removed node; TypeError for what is no Value
    """
    if not isinstance(value, Value):
        raise TypeError(f"{what} is {type(value).__name__}, must be a Value of the graph")
    if value.node.graph is not graph:
        message = f"{what} is an output of {value.node} of another graph; a graph connects its own nodes only"
        raise refuse("cross-graph-connection", message, node)
    if value.node.removed:
        message = f"{what} is an output of {value.node}, which was removed from the graph"
        raise refuse("removed-node", message, node)
    return value


def array_of(given: Any, kind: ElementType | None, what: str, node: str | None) -> Array:
    """An array of an element type, that of the array by default.

    Raises:  DiagnosticError where it has no element type, or an element that the type cannot represent
    """
    try:
        array = as_tensor(given, kind or DYNAMIC)
    except ValueError as error:
        raise refuse("invalid-constant", f"{what} cannot be a constant: {error}", node) from None
    if kind is None or element_type_of(array) is kind:
        return array
    if array.dtype.kind == "O" or kind.kind in ("string", "lookup"):
        message = f"{what} is an array of {element_type_of(array)}, must be of {kind}"
        raise refuse("invalid-constant", message, node)
    with np.errstate(all="ignore"):
        converted = tagged(array.astype(kind.dtype), kind)
    low, high = kind.extent
    exact = kind.integral or kind.kind == "boolean"
    if exact and array.size and not _all_representable(array, low, high):
        message = f"{what} has elements that {kind} cannot represent, such as {_outside(array, low, high)}"
        raise refuse("invalid-constant", message, node)
    return converted


def _all_representable(array: Array, low: float, high: float) -> bool:
    return _misfits(array, low, high).size == 0


def _misfits(array: Array, low: float, high: float) -> Array:
    """The elements that are not whole, or out of range."""
    numbers = array if array.dtype.kind in "biu" else array.astype(np.float64)
    wrong = ~((numbers >= low) & (numbers <= high))
    if numbers.dtype.kind == "f":
        wrong |= numbers != np.floor(numbers)
    found: Array = numbers[wrong]
    return found


def _outside(array: Array, low: float, high: float) -> Any:
    return _misfits(array, low, high).ravel()[0]


def texts_of(definition: Definition, attributes: Mapping[str, Any]) -> dict[str, str]:
    """Attribute values as texts, in the order of the definition, defaults written out.

    A default that the specification has is written, because readers may take another.
    """
    given = {}
    for name, value in attributes.items():
        attribute = _attribute(definition, name)
        given[name if attribute is None else attribute.name] = (attribute, value)
    texts: dict[str, str] = {}
    for name, attribute in definition.attributes.items():
        if name in given:
            if given[name][1] is not None:
                texts[name] = text_of(attribute, given[name][1])
        elif attribute.default is not None:
            texts[name] = attribute.default
    unknown = {name: format_value(value) for name, (known, value) in given.items() if known is None}
    return texts | unknown


def _attribute(definition: Definition, name: str) -> Attribute | None:
    found = definition.attributes.get(name)
    return found or next((a for a in definition.attributes.values() if a.parameter == name), None)
