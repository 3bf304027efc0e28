"""Texts as Markdown, for hovers."""

from __future__ import annotations

from irops.diagnostics.printable import Markdown, code_in_markdown, in_markdown
from irops.spec.definition import Attribute, attribute_phrase


def plain(text: str) -> Markdown:
    """A text of a file or a definition, without meaning as Markdown."""
    return in_markdown(" ".join(text.split()))


def code(text: str) -> Markdown:
    """A text as code: on one line, whatever it contains."""
    return code_in_markdown(" ".join(text.split()))


def attribute_text(attribute: Attribute) -> Markdown:
    """The line of a list about an attribute."""
    name = attribute.label or attribute.name
    return f"{code(name)} ({plain(attribute_phrase(attribute))}): {plain(attribute.text)}"
