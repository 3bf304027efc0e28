"""The call of an op from Python, as its page shows it: a line that runs as it is."""

from __future__ import annotations

from math import isfinite
from typing import Any

from irops.spec.cases import examples
from irops.spec.definition import Attribute, Case, Definition
from irops.spec.domains import format_value, parse
from irops.values.element import ElementType
from irops.values.shape import Shape


def call_text(definition: Definition) -> str:
    """The call of the op with inputs of the definition's names, or '' if it cannot be called directly.

    Attributes have the values of the first example, or else their defaults.
    """
    if not definition.inputs or definition.bodies or definition.stateful:
        return ""
    case = called_case(definition)
    if case is None and any(attribute.required for attribute in definition.attributes.values()):
        return ""
    stated = {} if case is None else case.attributes
    inputs = [f"*{port.name}" if port.variadic else port.name for port in definition.inputs]
    attributes = [
        f"{attribute.parameter}={literal(value)}"
        for attribute in definition.attributes.values()
        if (value := _value(attribute, stated)) is not None
    ]
    return f'irops.call("{definition.id}", {", ".join((*inputs, *attributes))})'


def called_case(definition: Definition) -> Case | None:
    """The first example that is a call and not a model; None where the definition has none."""
    return next((case for case in examples(definition) if case.net is None), None)


def literal(value: Any) -> str:
    """A value of an attribute in Python: literal(()) is "()", that of an element type its name in quotes."""
    match value:
        case ElementType() | Shape():
            return repr(format_value(value))
        case tuple():
            return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
        case float() if not isfinite(value):
            return f'float("{value}")'
        case float():
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return repr(value)


def _value(attribute: Attribute, stated: dict[str, str]) -> Any:
    """The value to show: of the example, or the default; None where the attribute is left out."""
    text = stated.get(attribute.name, attribute.default)
    return None if text is None else parse(attribute, text)
