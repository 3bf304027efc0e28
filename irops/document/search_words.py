"""What a search finds the page of an op by, beside its text."""

from __future__ import annotations

import re

from irops.spec.definition import Definition

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
