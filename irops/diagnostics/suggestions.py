"""Names that a person may have meant. All suggestions of irops come from here."""

from collections.abc import Iterable
from itertools import islice

MAX_NAMES = 20_000
"""Among how many names a similar one is looked up; the search takes time in proportion to them."""
MAX_LENGTH = 100
"""Longer names are not looked up."""


def closest(name: object, known: Iterable[object], count: int = 2) -> list[str]:
    """The known names that are most like a name, apart from upper and lower case, the closest first."""
    from difflib import get_close_matches

    text = str(name)
    if len(text) > MAX_LENGTH:
        return []
    names = {text.lower(): text for text in map(str, islice(known, MAX_NAMES)) if len(text) <= 3 * MAX_LENGTH}
    return [names[match] for match in get_close_matches(text.lower(), names, count)]


def similar(name: object, known: Iterable[object]) -> str | None:
    """The known name that is most like a name, apart from upper and lower case; None if none is similar."""
    return next(iter(closest(name, known, 1)), None)


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """The end of a message about a name that is not known: "; did you mean 'softmax'?", or nothing."""
    meant = similar(name, known)
    return f"; did you mean {meant!r}?" if meant is not None else ""


def did_you_mean_word(word: object, known: Iterable[object]) -> str:
    """The same for words that need no quotes: codes, ops, commands, options, settings."""
    meant = similar(word, known)
    return f"; did you mean {meant}?" if meant is not None else ""


def meant_or_all(word: object, known: Iterable[object]) -> str:
    """The text after a semicolon about a word that is not one of a few: the similar one, or all."""
    words = [str(one) for one in known]
    meant = similar(word, words)
    return f"did you mean {meant}?" if meant is not None else f"expected one of {', '.join(words)}"
