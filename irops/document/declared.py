"""The definitions of ReverseSequence in three dialects side by side: one row per input, attribute or
constraint.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from irops.dialects import dialect_named
from irops.dialects.registry import Registry
from irops.document.case_views import domain_text, port_text
from irops.spec.definition import Attribute, Definition
from irops.values.element import element_types, foreign_types

COMPARED = ("ReverseSequence-1", "onnx:ReverseSequence-10", "graiphic:ReverseSequence")
"""The ops of the page that compares dialects."""


@dataclass(frozen=True, slots=True)
class DeclaredCell:
    """A cell of the table. name: the name in this definition, if any; detail: additional text."""

    text: str
    name: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DeclaredRow:
    """A row. cells: one per definition, None if it has no such item."""

    what: str
    cells: tuple[DeclaredCell | None, ...]


def declared_rows(registry: Registry, definitions: Sequence[Definition]) -> tuple[DeclaredRow, ...]:
    """Rows for inputs, types, attributes, output, gradient and constraints of the definitions. All of them
    share the functions of the first one.
    """
    first_definition = definitions[0]
    inputs = range(len(first_definition.inputs))
    rows = [DeclaredRow(f"input {k}", tuple(_input(d, k) for d in definitions)) for k in inputs]
    kinds = [tuple(_types(registry, d, k) for d in definitions) for k in inputs]
    rows += [DeclaredRow(f"types of input {k}", cells) for k, cells in enumerate(kinds)]
    attributes = ((name, a) for d in definitions for name, a in d.attributes.items())
    attribute_names = list(dict.fromkeys(attribute.stands_for or name for name, attribute in attributes))
    rows += [
        DeclaredRow("attribute", tuple(_attribute(d, name) for d in definitions)) for name in attribute_names
    ]
    rows.append(
        DeclaredRow("output", tuple(DeclaredCell(d.outputs[0].text, d.outputs[0].name) for d in definitions))
    )
    rows.append(DeclaredRow("gradient", tuple(_gradient(d) for d in definitions)))
    numbers = list(dict.fromkeys(number for d in definitions for number in d.constraints))
    rows += [DeclaredRow(number, tuple(_constraint(d, number) for d in definitions)) for number in numbers]
    return tuple(rows)


def _input(definition: Definition, index: int) -> DeclaredCell:
    port = definition.inputs[index]
    return DeclaredCell(port_text(port) or "any rank", port.name)


def _types(registry: Registry, definition: Definition, index: int) -> DeclaredCell:
    """The element types of an input; as detail, those that later versions add."""
    allowed = definition.inputs[index].allowed
    later: dict[str, str] = {}
    for version in dialect_named(definition.dialect).versions(definition.file_id):
        for name in registry.op(version).definition.inputs[index].allowed - allowed:
            later.setdefault(name, version.rpartition("-")[2])
    kinds = (*element_types(), *foreign_types())
    detail = ", ".join(f"{name} from opset {opset} on" for name, opset in sorted(later.items()))
    return DeclaredCell(" ".join(kind.name for kind in kinds if kind.name in allowed), detail=detail)


def _attribute(definition: Definition, name: str) -> DeclaredCell | None:
    meant = {a.stands_for or own: a for own, a in reversed(definition.attributes.items())}
    attribute = meant.get(name)
    if attribute is None:
        return None
    text = f"{_default(attribute)}; {domain_text(attribute) or attribute.type}"
    return DeclaredCell(text, attribute.label or attribute.name, _detail(attribute))


def _default(attribute: Attribute) -> str:
    if attribute.default is not None:
        return f"default {attribute.default}"
    return "required" if attribute.required else "no default"


def _detail(attribute: Attribute) -> str:
    parts = []
    if attribute.switch:
        parts.append(f"enabled by {attribute.switch}")
    if attribute.builder:
        parts.append("of the builder, not an attribute of the node")
    if attribute.reader_default not in (None, attribute.default):
        parts.append(f"OpenVINO reads {attribute.reader_default} if it is missing")
    if attribute.reader_requires == "yes":
        parts.append("OpenVINO refuses a layer without it")
    elif attribute.reader_requires:
        parts.append(f"OpenVINO refuses a layer without it where {attribute.reader_requires}")
    return "; ".join(parts)


def _constraint(definition: Definition, number: str) -> DeclaredCell | None:
    constraint = definition.constraints.get(number)
    if constraint is None:
        return None
    details = ["a warning"] if constraint.severity == "warning" else []
    details += ["on values"] if constraint.when == "run" else []
    return DeclaredCell(constraint.text, detail="; ".join(details))


def _gradient(definition: Definition) -> DeclaredCell | None:
    texts = [
        f"of {g.of}, saves {' '.join(g.saves) or 'nothing'}{f', with {g.when}' if g.when else ''}: {g.text}"
        for g in definition.gradients.values()
    ]
    return DeclaredCell(" ".join(texts)) if texts else None
