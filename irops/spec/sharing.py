"""Ops of other dialects that share the functions of an OpenVINO op.

A definition with same-as="Transpose-1" maps each input of that op to its own input at the same position, or
to the input or attribute marked as="input_order"; an attribute is converted to an i64 tensor. Attributes are
mapped by name, or by as; <given> sets the values of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

from irops.spec import domains
from irops.spec.binding import CONTEXT, Function, Functions
from irops.spec.definition import Attribute, Definition, PortSpec
from irops.values.fact import Fact

ROLES = ("shape", "kernel", "values")
Pick = Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
"""Computes an argument of the shared function from this op's inputs by name and its keywords."""


class NotSharedError(ValueError):
    """A definition does not map an input or attribute of the op whose functions it shares."""


def shared(
    definition: Definition, base: Definition, functions: Functions, already: Functions | None = None
) -> Functions:
    """The functions of base, adapted to another definition; already: roles that the definition binds itself.

    Raises:  NotSharedError
    """
    adapted = Functions()
    fixed, own = fixed_values(definition, base), own_attributes(definition)
    for role in ROLES:
        function = getattr(functions, role)
        if function is None or (already is not None and getattr(already, role) is not None):
            continue
        wanted = functions.keyword_params[role]
        keywords = dict(keyword_picks(base, own, fixed, wanted))
        tensor: Callable[[Any], Any] = Fact.of if role == "shape" else np.asarray
        inputs = [
            partial(input_of, port, *source_of(definition, base, own, place, port), tensor)
            for place, port in enumerate(base.inputs)
        ]
        setattr(
            adapted, role, _adapted(definition, function, inputs, keywords, (wanted or frozenset()) & CONTEXT)
        )
        adapted.keyword_params[role] = frozenset(a.parameter for a in definition.attributes.values()) | (
            (wanted or frozenset()) & CONTEXT
        )
    return adapted


def fixed_values(definition: Definition, base: Definition) -> dict[str, Any]:
    """The values of attributes that only the shared op has.

    Raises:  NotSharedError
    """
    for name, _ in definition.given:
        if name not in base.attributes:
            raise NotSharedError(f"sets {name}, which is not an attribute of {base.id}")
    return {name: domains.parse(base.attributes[name], text) for name, text in definition.given}


def own_attributes(definition: Definition) -> dict[str, Attribute]:
    """This op's attributes, by the name of the corresponding input or attribute of the shared op."""
    return {attribute.stands_for or name: attribute for name, attribute in definition.attributes.items()}


def keyword_picks(
    base: Definition, own: Mapping[str, Attribute], fixed: Mapping[str, Any], wanted: frozenset[str] | None
) -> Iterator[tuple[str, Pick]]:
    """How to compute each keyword of the shared function: a fixed value, or an attribute of this op."""
    for name, attribute in base.attributes.items():
        if wanted is not None and attribute.parameter not in wanted:
            continue
        if name in fixed:
            yield attribute.parameter, partial(_fixed, fixed[name])
        elif name in own:
            yield attribute.parameter, partial(_keyword, own[name].parameter)
        else:
            raise NotSharedError(f"does not map the attribute {name} of {base.id}")


def source_of(
    definition: Definition, base: Definition, own: Mapping[str, Attribute], place: int, port: PortSpec
) -> tuple[str | None, str | None]:
    """The name of this op's input, or the parameter of its attribute, for an input of the shared op; neither
    if the input is omitted.
    """
    if port.name in own:
        return None, own[port.name].parameter
    named = next((p.name for p in definition.inputs if p.stands_for == port.name), None)
    at_place = definition.inputs[place] if place < len(definition.inputs) else None
    if named is None and at_place is not None and at_place.stands_for is None:
        named = at_place.name
    if named is None and not port.optional:
        raise NotSharedError(f"does not map the input {port.name} of {base.id}")
    return named, None


def _fixed(value: Any, _: Mapping[str, Any], __: Mapping[str, Any]) -> Any:
    return value


def _keyword(name: str, _: Mapping[str, Any], keywords: Mapping[str, Any]) -> Any:
    return keywords[name]


def input_of(
    port: PortSpec,
    name: str | None,
    parameter: str | None,
    tensor: Callable[[Any], Any],
    inputs: Mapping[str, Any],
    keywords: Mapping[str, Any],
) -> Any:
    """The value of an input of the shared op: an input of this op, or a tensor made from an attribute."""
    if parameter is not None:
        value = keywords.get(parameter)
        if value is None and port.optional:
            return None
        return tensor(np.array(() if value is None else value, np.int64))
    return None if name is None else inputs[name]


def _adapted(
    definition: Definition,
    function: Function,
    inputs: Sequence[Pick],
    keywords: Mapping[str, Pick],
    context: frozenset[str],
) -> Function:
    ports = definition.inputs
    is_variadic = bool(ports) and ports[-1].variadic

    @wraps(function)
    def call(*tensors: Any, **keyword_values: Any) -> Any:
        named: dict[str, Any] = {port.name: item for port, item in zip(ports, tensors)}
        if is_variadic:
            named[ports[-1].name] = tensors[len(ports) - 1 :]
        arguments = [pick(named, keyword_values) for pick in inputs]
        if is_variadic:
            arguments = [*arguments[:-1], *arguments[-1]]
        return function(
            *arguments,
            **{name: pick(named, keyword_values) for name, pick in keywords.items()},
            **{name: keyword_values[name] for name in context if name in keyword_values},
        )

    return call
