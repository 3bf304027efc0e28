"""Search of ops by their names, by the names that other libraries give them, and by attribute."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def rank(texts: Sequence[str], words: Sequence[str]) -> int | None:
    """The first of some texts with which all words have occurred; None if a word is in none of them."""
    read = ""
    for place, text in enumerate(texts):
        read += text
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


def with_attribute(attributes: Iterable[str], attribute: str) -> bool:
    """Whether an op has an attribute, by any spelling (keep-dims, KEEP_DIMS)."""
    wanted = attribute.lower().replace("-", "_")
    return any(wanted == spelled.lower().replace("-", "_") for spelled in attributes)


def called(keywords: Mapping[str, Iterable[str]], name: str) -> list[str]:
    """The ids of ops that have a name as a keyword: those that LeakyRelu or conv2d may mean.

    keywords: by id
    """
    wanted = normal([name]).split()
    return [
        op
        for op, words in keywords.items()
        if any(wanted == normal([word.rpartition(".")[2]]).split() for word in words)
    ]
