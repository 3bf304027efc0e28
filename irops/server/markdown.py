"""Ops, attributes and rules as Markdown, for hovers and previews."""

from __future__ import annotations

import re
from collections.abc import Iterator

from irops.diagnostics.printable import paragraphs
from irops.diagnostics.rule import Rule
from irops.spec.definition import Attribute, Definition, PortSpec
from irops.spec.phrases import attribute_phrase, port_phrase

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def plain(text: str) -> str:
    """A text of a file or a definition, without meaning as Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """A text as code: on one line, whatever it contains."""
    shown = " ".join(text.split()).replace("`", "'")
    return f"`{shown}`" if shown else "` `"


def attribute_text(attribute: Attribute) -> str:
    """The line of a list about an attribute."""
    name = attribute.label or attribute.name
    return f"{code(name)} ({plain(attribute_phrase(attribute))}): {plain(attribute.text)}"


def op_page(definition: Definition) -> str:
    """The page of an op."""
    return "\n\n".join(_op_parts(definition)) + "\n"


def _op_parts(definition: Definition) -> Iterator[str]:
    yield f"# {plain(definition.id)}"
    yield f"**{plain(definition.summary)}**"
    yield plain(definition.description)
    if definition.formula:
        yield f"```text\n{definition.formula}\n```"
    yield from _section("Attributes", map(attribute_text, definition.attributes.values()))
    yield from _section("Inputs", map(_port_text, definition.inputs))
    yield from _section("Outputs", map(_port_text, definition.outputs))
    types = definition.types.values()
    yield from _section("Element types", (f"{code(v.name)}: {plain(v.text)}" for v in types))
    constraints = definition.constraints.values()
    yield from _section("Constraints", (f"{code(c.id)}: {plain(c.text)}" for c in constraints))
    gradients = definition.gradients.values()
    yield from _section("Gradients", (f"of {code(g.of)}: {plain(g.text)}" for g in gradients))
    yield from _section(
        "Notes", (f"{code(n.of) + ': ' if n.of else ''}{plain(n.text)}" for n in definition.notes)
    )
    yield f"Source: {plain(definition.source)}"


def _section(title: str, items: Iterator[str]) -> Iterator[str]:
    lines = [f"- {item}" for item in items]
    if lines:
        yield f"## {title}"
        yield "\n".join(lines)


def _port_text(port: PortSpec) -> str:
    return f"{code(port.name)} ({plain(port_phrase(port))}): {plain(port.text)}"


def rule_page(rule: Rule) -> str:
    """The page of a rule."""
    title = f"# {rule.code} {rule.name}"
    texts = (plain(paragraph) for paragraph in paragraphs(rule.explanation))
    return "\n\n".join((title, f"*{rule.severity}*: {plain(rule.summary)}", *texts)) + "\n"
