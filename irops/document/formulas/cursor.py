"""A place among the tokens of a statement."""

from __future__ import annotations

from irops.document.formulas.tokens import FormulaError, Token, tokens
from irops.document.formulas.tree import Atom, Node
from irops.document.formulas.words import is_large, is_name


class Cursor:
    """A place among the tokens of a statement. names: of the op's inputs, outputs and attributes, which prose
    may mention; depth: how many brackets are open; level: how many expressions contain this one.
    """

    def __init__(self, text: str, names: frozenset[str]) -> None:
        self.text, self.names = text, names
        self.tokens = list(tokens(text))
        self.at = self.depth = self.level = 0

    def _source(self, begin: int, end: int) -> str:
        return self.text[self.tokens[begin].at : self.tokens[end - 1].end]

    def _text(self, ahead: int = 0) -> str:
        k = self.at + ahead
        return self.tokens[k].text if k < len(self.tokens) else ""

    def _next(self) -> Token:
        if self.at >= len(self.tokens):
            raise FormulaError("the formula ends within an expression")
        self.at += 1
        return self.tokens[self.at - 1]

    def _starts(self) -> bool:
        """Whether an expression begins here."""
        if self.at >= len(self.tokens):
            return False
        token = self.tokens[self.at]
        if token.kind == "sign":
            return token.text in ("(", "[", "|", "-", "~", "...", "@")
        if token.kind == "number" or is_large(self.tokens, self.at):
            return True
        return is_name(self.tokens, self.at, self.names, self.depth)

    def _next_is_name(self) -> bool:
        return self.at + 1 < len(self.tokens) and is_name(self.tokens, self.at + 1, self.names, self.depth)

    def _expect_words(self) -> None:
        if not self._text() or self.tokens[self.at].kind == "sign":
            raise FormulaError(f"{self._text() or 'the end'!r} is no operand")

    def _words(self) -> Node:
        """Prose that is an operand: up to the next sign."""
        self._expect_words()
        begin = self.at
        while self.at < len(self.tokens) and self.tokens[self.at].kind != "sign" and not self._starts():
            self.at += 1
        return Atom("mtext", self._source(begin, self.at))
