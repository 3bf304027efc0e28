"""What differs between two versions of an op: lines of a diff of what their definitions declare."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import ndiff

from irops.document.domains import domain_text, port_text
from irops.spec.definition import Attribute, Definition


def delta(older: Definition, newer: Definition) -> str:
    """The lines that are removed (-) and added (+); '' if both declare the same."""
    lines = ndiff(list(declared_lines(older)), list(declared_lines(newer)))
    return "\n".join(line for line in lines if line[0] in "+-")


def declared_lines(definition: Definition) -> Iterator[str]:
    """One line for each input, attribute, output, type and constraint."""
    for what, ports in (("input", definition.inputs), ("output", definition.outputs)):
        for port in ports:
            yield ", ".join(filter(None, (f"{what} {port.name}: {port.type}", port_text(port))))
    for attribute in definition.attributes.values():
        yield f"attribute {attribute.name}: {_attribute(attribute)}"
    for variable in definition.types.values():
        yield f"type {variable.name}: {' '.join(sorted(variable.allowed))}"
    for constraint in definition.constraints.values():
        yield f"{constraint.severity}: {constraint.text}"


def _attribute(attribute: Attribute) -> str:
    default = "required" if attribute.required else f"default {attribute.default or 'none'}"
    return "; ".join(filter(None, (attribute.type, domain_text(attribute), default)))
