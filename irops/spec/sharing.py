"""Ops of other dialects that share the functions of an OpenVINO op, and its gradients.

A definition with same-as="Transpose-1" maps each input of that op to its own input at the same position, or
to the input or attribute marked as="input_order"; an attribute is converted to an i64 tensor. Attributes are
mapped by name, or by as; <given> sets the values of others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any

import numpy as np

from irops.spec.attributes import parse
from irops.spec.binding import CONTEXT, Function, Functions
from irops.spec.definition import Attribute, Definition, Gradient, PortSpec
from irops.values.fact import Fact


def with_gradients(
    definition: Definition, base: Definition, functions: Functions, adapted: Functions
) -> Definition:
    """The definition with the gradients of the shared op; adds their functions to adapted.

    Raises:  NotSharedError
    """
    own = own_attributes(definition)
    names = {
        port.name: source_of(definition, base, own, place, port) for place, port in enumerate(base.inputs)
    }
    gradients = {}
    for of, declared in base.gradients.items():
        target = names[of][0]
        if target is not None:
            shared = _Shared(definition, base, own, names, declared)
            text = f"As of {of} of {base.id}: {declared.text}"
            gradients[target] = Gradient(target, text, tuple(shared.saves.values()), declared.when)
            function, role = functions.gradients[of], f"gradient of {of}"
            adapted.gradients[target] = shared.function(function, functions.keyword_params[role])
            adapted.keyword_params[f"gradient of {target}"] = shared.keyword_params(
                functions.keyword_params[role]
            )
    return replace(definition, gradients=gradients)


class _Shared:
    """One gradient of the shared op, under the names of this op. saves: this op's name of each saved input or
    output, by its name in the shared op.
    """

    def __init__(
        self,
        definition: Definition,
        base: Definition,
        own: Mapping[str, Attribute],
        names: Mapping[str, tuple[str | None, str | None]],
        declared: Gradient,
    ) -> None:
        self.definition, self.base, self.own, self.names = definition, base, own, names
        self.declared = declared
        outputs = {theirs.name: ours.name for theirs, ours in zip(base.outputs, definition.outputs)}
        inputs = {name: source[0] for name, source in names.items() if source[0] is not None}
        pairs = [(theirs, ours, what) for theirs, ours in inputs.items() for what in ("shape", "type")]
        self.about = {f"{theirs}_{what}": f"{ours}_{what}" for theirs, ours, what in pairs}
        self.saves = {
            name: ours for name in declared.saves if (ours := (inputs | outputs).get(name)) is not None
        }

    def keyword_params(self, theirs: frozenset[str]) -> frozenset[str]:
        """The keyword parameters of the adapted function; theirs: those of the shared function."""
        attributes = {attribute.parameter for attribute in self.definition.attributes.values()}
        return frozenset(attributes | {self.about[name] for name in theirs if name in self.about})

    def function(self, function: Function, theirs: frozenset[str]) -> Function:
        """The gradient function of the shared op, adapted to the names of this op."""
        keywords = dict(keyword_picks(self.base, self.own, fixed_values(self.definition, self.base), theirs))
        count = len(self.definition.outputs)
        ports = {port.name: port for port in self.base.inputs}
        picks: list[Pick] = [
            (
                partial(_saved, self.saves[name])
                if name in self.saves
                else partial(input_of, ports[name], None, self.names[name][1], np.asarray)
            )
            for name in self.declared.saves
        ]

        @wraps(function)
        def call(*tensors: Any, **keyword_values: Any) -> Any:
            saved = dict(zip(self.saves.values(), tensors[count:]))
            given = {name: ours for name, ours in self.about.items() if ours in keyword_values}
            about = {name: keyword_values[ours] for name, ours in given.items() if name in theirs}
            return function(
                *tensors[:count],
                *(pick(saved, keyword_values) for pick in picks),
                **{name: pick(saved, keyword_values) for name, pick in keywords.items()},
                **about,
            )

        return call


def _saved(name: str, saved: Mapping[str, Any], _: Mapping[str, Any]) -> Any:
    return saved[name]


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
        sources = (source_of(definition, base, own, place, port) for place, port in enumerate(base.inputs))
        inputs = [partial(input_of, port, *source, tensor) for port, source in zip(base.inputs, sources)]
        setattr(adapted, role, _adapted(definition, function, inputs, keywords, wanted & CONTEXT))
        adapted.keyword_params[role] = frozenset(a.parameter for a in definition.attributes.values()) | (
            wanted & CONTEXT
        )
    return adapted


def fixed_values(definition: Definition, base: Definition) -> dict[str, Any]:
    """The values of attributes that only the shared op has.

    Raises:  NotSharedError
    """
    for name, _ in definition.given:
        if name not in base.attributes:
            raise NotSharedError(f"sets {name}, which is not an attribute of {base.id}")
    return {name: parse(base.attributes[name], text) for name, text in definition.given}


def own_attributes(definition: Definition) -> dict[str, Attribute]:
    """This op's attributes, by the name of the corresponding input or attribute of the shared op."""
    return {attribute.stands_for or name: attribute for name, attribute in definition.attributes.items()}


def keyword_picks(
    base: Definition, own: Mapping[str, Attribute], fixed: Mapping[str, Any], wanted: frozenset[str]
) -> Iterator[tuple[str, Pick]]:
    """How to compute each keyword of the shared function: a fixed value, or an attribute of this op."""
    for name, attribute in base.attributes.items():
        if attribute.parameter not in wanted:
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
