"""Arguments of callers for the inputs and attributes of an op, as Values and texts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import frexp, ldexp
from typing import Any

import ml_dtypes
import numpy as np

from irops.analysis.invocation import input_spec
from irops.editing.graph.node import Value, refuse
from irops.spec.attributes import format_value, text_of
from irops.spec.definition import Attribute, Definition
from irops.spec.op import Op
from irops.values.arrays import as_tensor
from irops.values.element import DYNAMIC, Array, ElementType, element_type, element_type_of, tagged


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
        kind = _usual_type(operand, spec.allowed)
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
    _require_same_kind(array, kind, what, node)
    with np.errstate(all="ignore"):
        converted = tagged(array.astype(kind.dtype), kind)
    lost = _lost(array, converted, kind)
    if lost.size:
        message = f"{what} has elements that {kind} cannot represent, such as {lost.flat[0]}"
        raise refuse("invalid-constant", message, node)
    return converted


def _require_same_kind(array: Array, kind: ElementType, what: str, node: str | None) -> None:
    """Refuse strings for numbers, complex numbers for real ones, and numbers for codes."""
    found = element_type_of(array)
    if kind.kind == "lookup":
        message = f"{what} is an array of {found}; {kind} takes its codes, 0 to 15, as an array of uint8"
    else:
        message = f"{what} is an array of {found}, must be of {kind}"
    if array.dtype.kind == "O" or kind.kind in ("string", "lookup"):
        raise refuse("invalid-constant", message, node)
    if found.kind == "complex" and kind.kind != "complex":
        raise refuse("invalid-constant", message, node)


def _lost(array: Array, converted: Array, kind: ElementType) -> Array:
    """The elements that a type cannot represent: those of integers that are not whole or out of range, those
    of floats that would become another kind of number (finite, infinite, NaN) or exceed the greatest one.
    """
    if kind.kind == "complex":
        return array[:0].ravel()
    numbers = array if array.dtype.kind in "biu" else array.astype(np.float64)
    if kind.floating:
        found = converted.astype(np.float64)
        wrong = np.isnan(numbers) ^ np.isnan(found) | np.isinf(numbers) ^ np.isinf(found)
        # the least number that rounds beyond the greatest one; types without infinity take the greatest one
        # for it
        limits = ml_dtypes.finfo(kind.dtype)  # type: ignore[no-untyped-call]
        greatest = float(limits.max)
        spacing = ldexp(float(limits.eps), frexp(greatest)[1] - 1)
        wrong |= np.isfinite(numbers) & (np.abs(numbers) >= greatest + spacing / 2)
        return np.asarray(array[wrong])
    low, high = kind.extent
    wrong = ~((numbers >= low) & (numbers <= high))
    if numbers.dtype.kind == "f":
        wrong |= numbers != np.floor(numbers)
    return np.asarray(numbers[wrong])


def _usual_type(operand: Any, allowed: Iterable[str]) -> ElementType | None:
    """The type of Python numbers where nothing else decides: i64, f32, as far as the input takes it."""
    if isinstance(operand, (np.ndarray, np.generic)):
        return None
    kind = np.asarray(operand).dtype.kind
    order = {"b": ("boolean",), "i": ("i64", "i32"), "u": ("u64",), "f": ("f32", "f16", "f64")}.get(kind, ())
    if kind == "f" and np.asarray(operand).size == 0:
        order = ("i64", "i32", "f32")  # an empty list
    known = set(allowed)
    return next((element_type(name) for name in order if name in known), None) or (
        element_type(order[0]) if order else None
    )


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
