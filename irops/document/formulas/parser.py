"""Reads the statements of a formula: prose, with expressions in between."""

from __future__ import annotations

from collections.abc import Iterator

from irops.document.formulas.expressions import CLOSING, Expressions, is_short, row_of
from irops.document.formulas.tokens import FormulaError, Token
from irops.document.formulas.tree import Atom, Cases, Node

MAX_CONDITION = 44
"""Characters of a condition: a longer one does not fit beside its value on a phone."""


class Parser(Expressions):
    """Reads one statement."""

    def pieces(self) -> Iterator[tuple[int, int, Node | None]]:
        """The pieces of the statement: where they begin and end in the text, and their expressions, or None
        if they are prose.

        Raises FormulaError.
        """
        while self.at < len(self.tokens):
            begin = self.at
            node = self._equation() if self._starts() else None
            if node is None:
                if self._text() in CLOSING:
                    raise FormulaError(f"{self._text()!r} closes no bracket")
                self.at += 1
            yield self.tokens[begin].at, self.tokens[self.at - 1].end, node

    def _equation(self) -> Node:
        """An expression; what follows its = may be cases."""
        left = self._sum()
        if self._text() == "=" and (cases := self._cases(self.at + 1)) is not None:
            self.at = len(self.tokens)
            return row_of([left, Atom("mo", "="), cases])
        return self._relations(left)

    def _cases(self, begin: int) -> Cases | None:
        """Values and their conditions, from begin to the end: A if c, B if d, else E."""
        end = len(self.tokens)
        parts = _split(self.tokens, begin, end)
        if len(parts) < 2 or self.tokens[parts[-1][0]].text != "else":
            return None
        rows = [row for part in parts if (row := self._case(*part)) is not None]
        return Cases(tuple(rows)) if len(rows) == len(parts) else None

    def _case(self, begin: int, end: int) -> tuple[Node, Node] | None:
        if self.tokens[begin].text == "else":
            value = self._inner(begin + 1, end)
            return (value, Atom("mtext", "otherwise")) if is_short(value) else None
        words = [k for k in range(begin, end) if self.tokens[k].text in ("if", "where")]
        if len(words) != 1 or words[0] == begin:
            return None
        condition = self._source(words[0], end)
        if len(condition) > MAX_CONDITION:
            return None
        value = self._inner(begin, words[0])
        return (value, self._inner(words[0], end)) if is_short(value) else None

    def _inner(self, begin: int, end: int) -> Node:
        """The tokens from begin to end as one expression with words in it."""
        inner = Parser(self._source(begin, end), self.names)
        inner.depth = 1
        parts: list[Node] = []
        while inner.at < len(inner.tokens):
            parts.append(inner._part())
        return row_of(parts)


def _split(tokens: list[Token], begin: int, end: int) -> list[tuple[int, int]]:
    """What the commas outside of brackets separate."""
    parts, start, depth = [], begin, 0
    for k in range(begin, end):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(tokens[k].text, 0)
        if tokens[k].text == "," and not depth:
            parts.append((start, k))
            start = k + 1
    return [part for part in (*parts, (start, end)) if part[0] < part[1]]
