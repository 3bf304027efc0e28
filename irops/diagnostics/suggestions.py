"""Names that a person may have meant. All suggestions of irops come from here."""

from collections.abc import Iterable
from itertools import islice

MAX_NAMES = 20_000
"""Among how many names a similar one is looked up; the search takes time in proportion to them."""
MAX_LENGTH = 100
"""Longer names are not looked up."""


def closest(name: object, known: Iterable[object], count: int = 2) -> list[str]:
    """The known names that are most like a name, apart from upper and lower case, the closest first: a few
    letters differ, or one of the two names begins or ends with the other.
    """
    from difflib import get_close_matches

    text = str(name).lower()
    if len(text) > MAX_LENGTH:
        return []
    names = {text.lower(): text for text in map(str, islice(known, MAX_NAMES)) if len(text) <= 3 * MAX_LENGTH}
    # more than are wanted, as _is_near drops some
    near = (match for match in get_close_matches(text, names, 4 * count) if _is_near(text, match))
    return [names[match] for match in islice(near, count)]


def _is_near(name: str, other: str) -> bool:
    """Whether a third of the letters, or fewer, are mistyped: others, missing, added or exchanged."""
    short, long = sorted((name, other), key=len)
    if len(short) > 2 and (long.startswith(short) or long.endswith(short)):
        return True
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(name):
        before, above, row = row, before, [i + 1]
        for j, opposite in enumerate(other):
            row.append(min(before[j] + (letter != opposite), before[j + 1] + 1, row[j] + 1))
            if i and j and (letter, name[i - 1]) == (other[j - 1], opposite):
                row[-1] = min(row[-1], above[j - 1] + 1)
    return row[-1] <= max(1, len(long) // 3)


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
    words = [str(item) for item in known]
    meant = similar(word, words)
    return f"did you mean {meant}?" if meant is not None else f"expected one of {', '.join(words)}"
