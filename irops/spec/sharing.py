"""Ops of other dialects that share the functions of an OpenVINO op.

A definition with same-as="Transpose-1" maps each input of that op to its own input at the same position, or
to the input or attribute marked as="input_order"; an attribute is converted to a tensor. Attributes are
mapped by name, or by as, with values that means= respells; <given> sets the values of others, which otherwise
have the defaults of that op. An older version in a file shares the functions of the newest in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from inspect import signature
from typing import Any

import numpy as np

from irops.diagnostics.rule import Severity
from irops.spec import domains
from irops.spec.binding import CONTEXT, Function, Functions
from irops.spec.definition import Attribute, Constraint, Definition, Gradient, PortSpec
from irops.spec.types import OPENVINO
from irops.values.fact import Fact
from irops.values.violation import dropping_warnings

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
    unsaid = {
        c.id
        for c in base.constraints.values()
        if c.severity is not Severity.ERROR and c.id not in definition.constraints
    }
    for role in ROLES:
        function = getattr(functions, role)
        if function is None or (already is not None and getattr(already, role) is not None):
            continue
        wanted = functions.keyword_params[role]
        keywords = dict(keyword_picks(base, own, fixed, wanted))
        for name in _later_parameters(definition, base, function) - set(fixed):
            keywords.pop(name, None)
        tensor: Callable[[Any], Any] = Fact.of if role == "shape" else np.asarray
        inputs = [
            partial(input_of, port, *source_of(definition, base, own, place, port), tensor)
            for place, port in enumerate(base.inputs)
        ]
        context = (wanted or frozenset()) & CONTEXT
        setattr(adapted, role, _adapted(definition, function, inputs, keywords, context, unsaid))
        adapted.keyword_params[role] = context | {a.parameter for a in definition.attributes.values()}
    return adapted


def _later_parameters(definition: Definition, base: Definition, function: Function) -> set[str]:
    """Parameters for attributes that an older version of the op lacks, where the function has a default: what
    that version does, which the default of the attribute need not say.
    """
    if definition.file_id != base.file_id:
        return set()
    later = {a.parameter for name, a in base.attributes.items() if name not in definition.attributes}
    stated = {p.name for p in signature(function).parameters.values() if p.default is not p.empty}
    return later & stated


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
            meanings = {own_: domains.parse(attribute, theirs) for own_, theirs in own[name].means}
            default = domains.default_of(attribute)
            yield attribute.parameter, partial(_keyword, own[name].parameter, meanings, default)
        elif has_one_default(attribute):
            yield attribute.parameter, partial(_fixed, domains.default_of(attribute))
        else:
            raise NotSharedError(f"does not map the attribute {name} of {base.id}")


def has_one_default(attribute: Attribute) -> bool:
    """Whether an op may leave an attribute of the shared op at its default without saying so: how operands
    are broadcast, and what an older version in the same file does not have.
    """
    if attribute.dialect != OPENVINO:
        return not attribute.required
    return attribute.name.startswith("auto_broadcast")


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


def respelled(attribute: Attribute, text: str) -> str:
    """The text of a value of this op's attribute in the op whose functions it shares."""
    return dict(attribute.means).get(text, text)


def own_spelling(attribute: Attribute, text: str) -> str:
    """The text of a value of the op whose functions are shared in this op's attribute."""
    return {theirs: ours for ours, theirs in attribute.means}.get(text, text)


def _fixed(value: Any, _: Mapping[str, Any], __: Mapping[str, Any]) -> Any:
    return value


def _keyword(
    name: str, meanings: Mapping[str, Any], default: Any, _: Mapping[str, Any], keywords: Mapping[str, Any]
) -> Any:
    value = keywords[name]
    if value is None:
        return default
    return meanings.get(domains.format_value(value), value) if meanings else value


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
        return tensor(np.array(() if value is None else value, _kind(value)))
    return None if name is None else inputs[name]


def _kind(value: Any) -> type[np.generic]:
    """The type of the tensor that an attribute becomes: floating-point attributes have 32 bits."""
    first = value[0] if isinstance(value, tuple) and value else value
    return np.float32 if isinstance(first, float) else np.int64


def inherited_constraints(definition: Definition, base: Definition) -> tuple[Constraint, ...]:
    """The constraints of the shared op that the definition leaves out, under the names of this op."""
    own = own_attributes(definition)
    names = {name: attribute.name for name, attribute in own.items()}
    for place, port in enumerate(base.inputs):
        try:
            name = source_of(definition, base, own, place, port)[0]
        except NotSharedError:
            name = None
        if name is not None:
            names[port.name] = name
    spelled = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b") if names else None
    return tuple(
        replace(c, text=spelled.sub(lambda match: names[match[0]], c.text) if spelled else c.text)
        for c in base.constraints.values()
        if c.id not in definition.constraints and c.severity is Severity.ERROR
    )


def _adapted(
    definition: Definition,
    function: Function,
    inputs: Sequence[Pick],
    keywords: Mapping[str, Pick],
    context: frozenset[str],
    unsaid: Collection[str],
) -> Function:
    ports, outputs = definition.inputs, definition.outputs
    is_variadic = bool(ports) and ports[-1].variadic
    count = None if outputs and outputs[-1].variadic else len(outputs)

    @wraps(function)
    def call(*tensors: Any, **keyword_values: Any) -> Any:
        named: dict[str, Any] = {port.name: item for port, item in zip(ports, tensors)}
        if is_variadic:
            named[ports[-1].name] = tensors[len(ports) - 1 :]
        arguments = [pick(named, keyword_values) for pick in inputs]
        if is_variadic:
            arguments = [*arguments[:-1], *arguments[-1]]
        picked = {name: pick(named, keyword_values) for name, pick in keywords.items()}
        more = {name: keyword_values[name] for name in context if name in keyword_values}
        if not unsaid:
            return _first(function(*arguments, **picked, **more), count)
        with dropping_warnings(unsaid):
            return _first(function(*arguments, **picked, **more), count)

    return call


def _first(results: Any, count: int | None) -> Any:
    """As many of the results of a function as the op has outputs."""
    if not isinstance(results, tuple) or count is None or len(results) <= count:
        return results
    return results[0] if count == 1 else results[:count]


def as_version_of(definition: Definition, newest: Definition) -> Definition:
    """An older version of an op, mapped to the newest: by names, or by as where that names a part of it."""
    names = {*newest.attributes, *(port.name for port in newest.inputs)}

    def plain(part: Any) -> Any:
        return part if part.stands_for in names else replace(part, stands_for=None)

    attributes = {name: plain(attribute) for name, attribute in definition.attributes.items()}
    inputs = tuple(map(plain, definition.inputs))
    return replace(definition, attributes=attributes, inputs=inputs, given=(), gradients={})


# Gradients of ops of other dialects that share the functions of an OpenVINO op.


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
        if target is not None and of in functions.gradients:
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
        self.about = {
            f"{theirs}_{what}": f"{ours}_{what}"
            for theirs, ours in inputs.items()
            for what in ("shape", "type")
        }
        self.saves = {
            name: ours for name in declared.saves if (ours := (inputs | outputs).get(name)) is not None
        }

    def keyword_params(self, theirs: frozenset[str] | None) -> frozenset[str]:
        """The keyword parameters of the adapted function; theirs: those of the shared function."""
        attributes = {attribute.parameter for attribute in self.definition.attributes.values()}
        return frozenset(attributes | {self.about[name] for name in theirs or () if name in self.about})

    def function(self, function: Function, theirs: frozenset[str] | None) -> Function:
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
            about = {
                name: keyword_values[ours]
                for name, ours in self.about.items()
                if name in (theirs or ()) and ours in keyword_values
            }
            return function(
                *tensors[:count],
                *(pick(saved, keyword_values) for pick in picks),
                **{name: pick(saved, keyword_values) for name, pick in keywords.items()},
                **about,
            )

        return call


def _saved(name: str, saved: Mapping[str, Any], _: Mapping[str, Any]) -> Any:
    return saved[name]
