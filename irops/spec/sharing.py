"""Ops of other dialects that are an op of OpenVINO under other names: their functions are that op's.

A definition with same-as="Transpose-1" says what each input of that op is: an input of its own at the same
place, or what is marked as="input_order", an attribute too, which then becomes a tensor of i64. Attributes go
by their names, or by
as; <given> fixes others.
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
"""What a parameter of the shared op is, of this op's inputs by name and its keywords."""


class NotSharedError(ValueError):
    """A definition does not say what some input or attribute of the op is that it shares."""


def shared(
    definition: Definition, base: Definition, functions: Functions, already: Functions | None = None
) -> Functions:
    """The functions of an op, as another definition's; already: those that it has itself.

    Raises:  NotSharedError
    """
    found = Functions()
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
            found, role, _adapted(definition, function, inputs, keywords, (wanted or frozenset()) & CONTEXT)
        )
        found.keyword_params[role] = frozenset(a.parameter for a in definition.attributes.values()) | (
            (wanted or frozenset()) & CONTEXT
        )
    return found


def fixed_values(definition: Definition, base: Definition) -> dict[str, Any]:
    """The attributes that only the shared op has, and what they are.

    Raises:  NotSharedError
    """
    for name, _ in definition.given:
        if name not in base.attributes:
            raise NotSharedError(f"gives {name}, which is no attribute of {base.id}")
    return {name: domains.parse(base.attributes[name], text) for name, text in definition.given}


def own_attributes(definition: Definition) -> dict[str, Attribute]:
    """This op's attributes, by the name of the input or attribute of the shared op that each is."""
    return {attribute.stands_for or name: attribute for name, attribute in definition.attributes.items()}


def keyword_picks(
    base: Definition, own: Mapping[str, Attribute], fixed: Mapping[str, Any], wanted: frozenset[str] | None
) -> Iterator[tuple[str, Pick]]:
    """What each keyword of the shared function is: a fixed value, or an attribute of this op."""
    for name, attribute in base.attributes.items():
        if wanted is not None and attribute.parameter not in wanted:
            continue
        if name in fixed:
            yield attribute.parameter, partial(_fixed, fixed[name])
        elif name in own:
            yield attribute.parameter, partial(_keyword, own[name].parameter)
        else:
            raise NotSharedError(f"does not say what {base.id}'s attribute {name} is")


def source_of(
    definition: Definition, base: Definition, own: Mapping[str, Attribute], place: int, port: PortSpec
) -> tuple[str | None, str | None]:
    """The name of this op's input, or the parameter of its attribute, that an input of the shared op is;
    neither: it is left out.
    """
    if port.name in own:
        return None, own[port.name].parameter
    named = next((p.name for p in definition.inputs if p.stands_for == port.name), None)
    at_place = definition.inputs[place] if place < len(definition.inputs) else None
    if named is None and at_place is not None and at_place.stands_for is None:
        named = at_place.name
    if named is None and not port.optional:
        raise NotSharedError(f"does not say what {base.id}'s input {port.name} is")
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
    """What an input of the shared op is: a tensor of one's own, or made of an attribute."""
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
    spread = bool(ports) and ports[-1].variadic

    @wraps(function)
    def call(*given: Any, **said: Any) -> Any:
        named: dict[str, Any] = {port.name: item for port, item in zip(ports, given)}
        if spread:
            named[ports[-1].name] = given[len(ports) - 1 :]
        arguments = [pick(named, said) for pick in inputs]
        if spread:
            arguments = [*arguments[:-1], *arguments[-1]]
        return function(
            *arguments,
            **{name: pick(named, said) for name, pick in keywords.items()},
            **{name: said[name] for name in context if name in said},
        )

    return call
