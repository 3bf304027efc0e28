"""Texts as Markdown, for hovers."""

from __future__ import annotations

import re

from irops.spec.definition import Attribute
from irops.spec.phrases import attribute_phrase

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
