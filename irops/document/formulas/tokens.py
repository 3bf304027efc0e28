"""The words, numbers and signs of a formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_LENGTH = 4000
"""Longer formulas are not parsed."""
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<word>[A-Za-z][A-Za-z_]+(?:-[A-Za-z_]{2,})+ | \d+[A-Za-z][\w-]* | [A-Za-z]\w*'s\b)
    | (?P<name>[A-Za-z_]\w*'?)
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<sign>\.\.\.|\*\*|[=!<>]=|[-+*/^=<>()\[\]{}|&~@:,;.])""",
    re.VERBOSE | re.ASCII,
)


class FormulaError(ValueError):
    """A text is not a formula of this notation."""


@dataclass(frozen=True, slots=True)
class Token:
    """kind: word (never a name), name, number or sign; attached: no space before it; at: where it begins."""

    kind: str
    text: str
    attached: bool
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a statement. Raises FormulaError for other characters."""
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"the formula has {len(text)} characters; at most {MAX_LENGTH} are parsed")
    place, attached = 0, False
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise FormulaError(f"unexpected character {text[place]!r}")
        kind = match.lastgroup or ""
        if kind == "space":
            attached = False
        else:
            yield Token(kind, match[0], attached, place)
            attached = True
        place = match.end()


def statements(formula: str) -> Iterator[str]:
    """The statements of a formula: lines, with the deeper indented lines that follow them, and what
    semicolons separate.
    """
    joined: list[str] = []
    for line in formula.splitlines():
        if line[:1].isspace() and joined:
            joined[-1] = f"{joined[-1]} {line.strip()}"
        elif line.strip():
            joined.append(line.strip())
    for statement in joined:
        yield from (part.strip() for part in re.split(r";(?:\s|$)", statement) if part.strip())
