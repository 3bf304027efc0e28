"""Names that a person may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

MAX_NAMES = 20_000
"""Among how many names a similar one is looked up; the search takes time in proportion to them."""
MAX_LENGTH = 100
"""Longer names are not looked up."""


def similar(name: object, known: Iterable[object]) -> str | None:
    """The known name that is most like a name, apart from upper and lower case; None if none is similar."""
    from difflib import get_close_matches

    text = str(name)
    if len(text) > MAX_LENGTH:
        return None
    names = {text.lower(): text for text in map(str, islice(known, MAX_NAMES)) if len(text) <= 3 * MAX_LENGTH}
    near = get_close_matches(text.lower(), names, 1)
    return names[near[0]] if near else None


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """The end of a message about a name that is not known: "; did you mean softmax?", or nothing."""
    meant = similar(name, known)
    return f"; did you mean {meant!r}?" if meant is not None else ""
