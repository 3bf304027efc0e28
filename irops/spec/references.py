"""Checks that the names to which a definition refers are defined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from irops.spec.definition import Definition

Fault: TypeAlias = tuple[Any, str]
"""An XML element, and the error in it."""


def reference_faults(root: Any, definition: Definition) -> Iterator[Fault]:
    """The references of a definition to names that do not exist. root: its XML element"""
    yield from _axes(root, definition)
    yield from _reader_requirements(root, definition)
    yield from _constraints(root, definition)
    yield from _notes(root, definition)
    for gradient in root.findall("gradient"):
        yield from _gradient(gradient, definition)
    yield from _counterexamples(root, definition)


def _axes(root: Any, definition: Definition) -> Iterator[Fault]:
    inputs = {p.name for p in definition.inputs}
    for attribute in definition.attributes.values():
        if attribute.type in ("axis", "axes") and attribute.of not in inputs:
            yield root, f"attribute {attribute.name} is an axis of {attribute.of!r}, must be of an input"


def _reader_requirements(root: Any, definition: Definition) -> Iterator[Fault]:
    for attribute in definition.attributes.values():
        if attribute.reader_requires in (None, "yes"):
            continue
        name, _, value = attribute.reader_requires.partition("=")
        other = definition.attributes.get(name)
        if other is None or value not in other.values:
            yield (
                root,
                f"attribute {attribute.name} is required where {attribute.reader_requires!r}, must be yes or"
                " an attribute with one of its values: name=value",
            )


def _constraints(root: Any, definition: Definition) -> Iterator[Fault]:
    for constraint in root.findall("constraint"):
        for name in (constraint.get("of") or "").split():
            if name not in definition.attributes:
                yield constraint, f"a constraint is about the attribute {name!r}, which is not defined"


def _notes(root: Any, definition: Definition) -> Iterator[Fault]:
    subjects = {
        None,
        *definition.constraints,
        *definition.attributes,
        *definition.types,
        *definition.bodies,
        *_ports(definition),
    }
    for note in root.findall("note"):
        if note.get("of") not in subjects:
            yield note, f"a note is about {note.get('of')!r}, which is not defined"


def _gradient(element: Any, definition: Definition) -> Iterator[Fault]:
    of, when = element.get("of"), element.get("when")
    if of not in {p.name for p in definition.inputs}:
        yield element, f"a gradient is of {of!r}, must be of an input"
    for name in (element.get("saves") or "").split():
        if name not in _ports(definition):
            yield element, f"the gradient of {of} saves {name!r}, must save inputs and outputs"
    attribute = definition.attributes.get(when)
    if when is not None and (attribute is None or attribute.type != "bool"):
        yield element, f"the gradient of {of} depends on {when!r}, must depend on an attribute of type bool"


def _counterexamples(root: Any, definition: Definition) -> Iterator[Fault]:
    for case in root.findall("counterexample"):
        violated = case.get("violates")
        if violated not in definition.constraints and not violated.startswith("IR"):
            yield case, f"a counterexample violates {violated!r}, which is not defined"


def _ports(definition: Definition) -> set[str]:
    return {p.name for p in (*definition.inputs, *definition.outputs)}
