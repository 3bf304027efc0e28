"""What definitions say of the same thing, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from irops.conformance.odd_inputs.elements import TYPES
from irops.dialects import dialect_named
from irops.document.views import domain_text, port_text
from irops.registry import Registry
from irops.spec.definition import Attribute, Definition


@dataclass(frozen=True, slots=True)
class Said:
    """What one definition says: name, where it has one of its own; text; aside: in a smaller voice."""

    text: str
    name: str = ""
    aside: str = ""


@dataclass(frozen=True, slots=True)
class Declared:
    """A row. said: of each definition, None where it says nothing of the kind; worded: sentences, which
    differ in names alone.
    """

    what: str
    said: tuple[Said | None, ...]
    worded: bool = False

    @property
    def differs(self) -> bool:
        """Whether the definitions do not say the same."""
        return (
            len(
                {
                    None if said is None else ("" if self.worded else said.text, said.aside)
                    for said in self.said
                }
            )
            > 1
        )


def declared(registry: Registry, definitions: Sequence[Definition]) -> tuple[Declared, ...]:
    """Inputs, attributes, types, output, requirements and gradients of definitions, the first of which the
    others share functions with.
    """
    base = definitions[0]
    rows = [
        Declared(f"input {place}", tuple(_input(d, place) for d in definitions))
        for place in range(len(base.inputs))
    ]
    rows += [
        Declared(f"types of input {place}", tuple(_types(registry, d, place) for d in definitions))
        for place in range(len(base.inputs))
    ]
    names = list(
        dict.fromkeys(
            attribute.stands_for or name for d in definitions for name, attribute in d.attributes.items()
        )
    )
    rows += [Declared("attribute", tuple(_attribute(d, name) for d in definitions)) for name in names]
    rows.append(Declared("output", tuple(Said(d.outputs[0].text, d.outputs[0].name) for d in definitions)))
    rows.append(Declared("gradient", tuple(_gradient(d) for d in definitions), worded=True))
    numbers = list(dict.fromkeys(number for d in definitions for number in d.constraints))
    rows += [
        Declared(number, tuple(_constraint(d, number) for d in definitions), worded=True)
        for number in numbers
    ]
    return tuple(rows)


def _input(definition: Definition, place: int) -> Said:
    port = definition.inputs[place]
    return Said(port_text(port) or "any rank", port.name)


def _types(registry: Registry, definition: Definition, place: int) -> Said:
    """The element types of an input; aside, those that later versions take too."""
    allowed = definition.inputs[place].allowed
    later: dict[str, str] = {}
    for version in dialect_named(definition.dialect).versions(definition.file_id):
        for name in registry.op(version).definition.inputs[place].allowed - allowed:
            later.setdefault(name, version.rpartition("-")[2])
    aside = ", ".join(f"{name} from opset {opset} on" for name, opset in sorted(later.items()))
    return Said(" ".join(kind.name for kind in TYPES if kind.name in allowed), aside=aside)


def _attribute(definition: Definition, name: str) -> Said | None:
    attribute = next((a for own, a in definition.attributes.items() if (a.stands_for or own) == name), None)
    if attribute is None:
        return None
    text = (
        f"default {attribute.default}"
        if attribute.default is not None
        else "required"
        if attribute.required
        else "no default"
    )
    return Said(
        f"{text}; {domain_text(attribute) or attribute.type}",
        attribute.label or attribute.name,
        _aside(attribute),
    )


def _aside(attribute: Attribute) -> str:
    parts = []
    if attribute.switch:
        parts.append(f"with a switch, {attribute.switch}")
    if attribute.builder:
        parts.append("of the builder, no attribute of the node")
    if attribute.reader_default not in (None, attribute.default):
        parts.append(f"OpenVINO reads {attribute.reader_default} where it is missing")
    return "; ".join(parts)


def _constraint(definition: Definition, number: str) -> Said | None:
    constraint = definition.constraints.get(number)
    if constraint is None:
        return None
    asides = [
        word
        for word, holds in (
            ("a warning", constraint.severity == "warning"),
            ("of values", constraint.when == "run"),
        )
        if holds
    ]
    return Said(constraint.text, aside="; ".join(asides))


def _gradient(definition: Definition) -> Said | None:
    texts = [
        f"of {g.of}, saves {' '.join(g.saves) or 'nothing'}{f', with {g.when}' if g.when else ''}: {g.text}"
        for g in definition.gradients.values()
    ]
    return Said(" ".join(texts)) if texts else None
