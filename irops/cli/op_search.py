"""Search of ops by their names, by the names that other libraries give them, and by attribute."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from irops.spec.definition import Definition

_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def rank(definition: Definition, words: Sequence[str]) -> int | None:
    """How well a definition matches: 0 if its names have all words, 1 with attributes and inputs, 2 with the
    summary, 3 with the description; None if a word is in none of these.
    """
    ports = (port.name for port in (*definition.inputs, *definition.outputs))
    texts = (
        [definition.id, *definition.keywords],
        [*definition.attributes, *ports],
        [definition.summary],
        [definition.description],
    )
    read = ""
    for place, more in enumerate(texts):
        read += normal(more)
        if all(word in read for word in words):
            return place
    return None


def words_of(text: str) -> tuple[str, ...]:
    """The words to look for: in lower case, without hyphens and underscores."""
    return tuple(normal([text]).split())


def normal(names: Iterable[str]) -> str:
    """Names as one text to search in: each as it is, and split into its parts (reverse sequence)."""
    lower = [spelled for name in names for spelled in (name.lower(), _PARTS.sub(" ", name).lower())]
    return " ".join(re.sub("[-_ ]+", " ", name) for name in dict.fromkeys(lower)) + " "


def with_attribute(definition: Definition, attribute: str) -> bool:
    """Whether an op has an attribute, by any spelling (keep-dims, KEEP_DIMS)."""
    wanted = attribute.lower().replace("-", "_")
    return any(wanted == spelled.lower().replace("-", "_") for spelled in definition.attributes)


def called(definitions: Iterable[Definition], name: str) -> list[str]:
    """The ids of ops that have a name as a keyword: those that LeakyRelu or conv2d may mean."""
    wanted = normal([name]).split()
    return [
        definition.id
        for definition in definitions
        if any(wanted == normal([word.rpartition(".")[2]]).split() for word in definition.keywords)
    ]
