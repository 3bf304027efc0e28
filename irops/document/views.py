"""The contents of pages, computed from definitions: plain values without markup."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import ndiff
from math import isfinite
from types import SimpleNamespace
from typing import Any

from irops.dialects.registry import Registry
from irops.document.case_views import CaseView, availability, case_view, domain_text, places, port_text
from irops.document.coverage import fast_backends
from irops.editing.translation.counterparts import counterpart_of
from irops.spec.attributes import format_value, parse
from irops.spec.definition import OPENVINO, Attribute, Constraint, Definition, ExampleCase, Note, TypeVariable
from irops.spec.load import counterexamples, examples
from irops.spec.op import Op, parted
from irops.spec.releases import OpVersion, opsets
from irops.values.element import ElementType
from irops.values.shape import Shape

DIFFERENCES = "OpenVINO differs"
"""The heading of notes about what OpenVINO does."""


@dataclass(frozen=True, slots=True)
class ConstraintView:
    constraint: Constraint
    notes: tuple[Note, ...]
    cases: tuple[CaseView, ...]


@dataclass(frozen=True, slots=True)
class Sibling:
    """A version of an op. opsets: those that contain it; page: '' if irops does not define it; before: the
    version before it, if any; delta: what differs from that one, as lines of a diff.
    """

    id: str
    page: str
    opsets: str
    changes: str
    here: bool
    before: str = ""
    delta: str = ""


def op_view(registry: Registry, op: Op) -> SimpleNamespace:
    """The contents of the page of an op. types: the variables, and the expressions of ports that stand for
    several types.
    """
    definition = op.definition
    version = next((v for v in opsets().all() if v.id == op.id), None)
    counterexample_cases = counterexamples(definition)
    return SimpleNamespace(
        op=op,
        definition=definition,
        version=version,
        attributes=tuple((a, domain_text(a)) for a in definition.attributes.values()),
        inputs=tuple((p, port_text(p)) for p in definition.inputs),
        outputs=tuple((p, port_text(p)) for p in definition.outputs),
        inputs_without_gradient=tuple(
            p.name for p in definition.inputs if p.name not in definition.gradients
        ),
        constraints=tuple(
            ConstraintView(
                c,
                tuple(note for note in definition.notes if note.of == c.id),
                tuple(case_view(op, case) for case in counterexample_cases if case.violates == c.id),
            )
            for c in definition.constraints.values()
        ),
        notes=_grouped_notes(definition),
        examples=tuple(case_view(op, case) for case in examples(definition)),
        siblings=_siblings(registry, definition),
        call="" if definition.library else call_text(definition),
        places=places(op),
        availability=availability(definition),
        words=search_words(definition),
        entries=index_entries(definition),
        backends=fast_backends(op),
        counterpart=counterpart_of(op.id),
        types=_types(definition),
    )


def _types(definition: Definition) -> tuple[TypeVariable, ...]:
    expressions = {
        port.type: TypeVariable(port.type, port.allowed, "")
        for port in (*definition.inputs, *definition.outputs)
        if port.type not in definition.types
        and not port.type.startswith("@")
        and frozenset(port.type.split()) != port.allowed
    }
    return (*definition.types.values(), *expressions.values())


def _grouped_notes(definition: Definition) -> tuple[tuple[str, tuple[Note, ...]], ...]:
    """The notes under their headings, but for those of constraints, which are shown with them."""
    notes = [note for note in definition.notes if note.of not in definition.constraints]
    about_openvino = tuple(note for note in notes if "OpenVINO" in note.text)
    other = tuple(note for note in notes if "OpenVINO" not in note.text)
    return tuple(
        (title, group) for title, group in ((DIFFERENCES, about_openvino), ("Notes", other)) if group
    )


def _siblings(registry: Registry, definition: Definition) -> tuple[Sibling, ...]:
    """The versions of an op."""
    if definition.dialect != OPENVINO:
        return _siblings_elsewhere(registry, definition)
    defined_ids = registry.ids()
    rows: list[Sibling] = []
    older: Definition | None = None
    for version in opsets().versions.get(definition.type.lower(), ()):
        defined = version.id in defined_ids
        newer = registry.op(version.id).definition if defined else None
        rows.append(
            Sibling(
                version.id,
                version.id if defined else "",
                opsets_text(version),
                newer.changes if newer is not None else "",
                version.id == definition.id,
                older.id if older is not None else "",
                delta(older, newer) if older is not None and newer is not None else "",
            )
        )
        older = newer
    return tuple(rows)


def _siblings_elsewhere(registry: Registry, definition: Definition) -> tuple[Sibling, ...]:
    """The versions of an op of another dialect. A definition covers several versions, shown on one page."""
    of_type = [op for op in registry.versions(definition.dialect) if parted(op)[1] == definition.type]
    if len(of_type) < 2:
        return ()
    rows = []
    for op in of_type:
        other = registry.op(op).definition
        changes = other.changes if op == other.file_id else ""
        rows.append(
            Sibling(op, other.page, f"from {parted(op)[2]} on", changes, other.file_id == definition.file_id)
        )
    return tuple(rows)


def opsets_text(version: OpVersion) -> str:
    """1 to 16; 1, 3 to 16."""
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in version.runs)


# The call of an op from Python, as its page shows it: a line that runs as it is.


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
    shown = ((attribute.parameter, _value(attribute, stated)) for attribute in definition.attributes.values())
    attributes = [f"{name}={literal(value)}" for name, value in shown if value is not None]
    return f'irops.call("{definition.id}", {", ".join((*inputs, *attributes))})'


def called_case(definition: Definition) -> ExampleCase | None:
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


# What a search finds the page of an op by, beside its text.

_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_./\s]+")


def search_words(definition: Definition) -> tuple[str, ...]:
    """Single words: of the name, of other names that people use, of attributes and inputs."""
    ports = (port.name for port in (*definition.inputs, *definition.outputs))
    names = (definition.type, *definition.keywords, *definition.attributes, *ports)
    words = [definition.type, definition.file_id]
    for name in names:
        words += [name, *_PARTS.split(name)]
    plain = (word.replace(",", " ").strip() for word in words)
    return tuple(dict.fromkeys(word for word in plain if len(word) > 1 and " " not in word))


def index_entries(definition: Definition) -> tuple[str, ...]:
    """Entries of the index: other names of the op, and its attributes."""
    attributes = (f"{attribute} (attribute)" for attribute in definition.attributes)
    names = (definition.file_id, *definition.keywords, *attributes)
    return tuple(" ".join(re.sub(r"[;!,`\"]", " ", name).split()) for name in names)


# What differs between two versions of an op: lines of a diff of what their definitions declare.


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
