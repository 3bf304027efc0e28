"""Reads expressions: relations of sums of products, and what is within brackets."""

from __future__ import annotations

from irops.document.formulas.cursor import Cursor
from irops.document.formulas.tokens import FormulaError
from irops.document.formulas.tree import Atom, Fenced, Fraction, Indexed, Large, Node, Power, Root, Row, walk
from irops.document.formulas.words import LARGE, is_large

MAX_LEVELS = 30
"""Expressions with more levels within each other are not parsed."""
MAX_WORDS = 20
"""Characters of the words of a value that has a condition."""
CLOSING = (")", "]", "}")
_ROUNDED = {"floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉")}
_RELATIONS = {"=": "=", "==": "==", "!=": "≠", "<=": "≤", ">=": "≥", "<": "<", ">": ">"}
_SUMS = {"+": "+", "-": "−", "&": "&", "|": "|", "@": "@", "~": "~"}
_RANGE_ENDS = frozenset(["where", "with", "that", ",", ";", ".", ")", "]", "if", "else"])


class Expressions(Cursor):
    """Reads expressions. Its methods raise FormulaError."""

    def _relations(self, first: Node | None = None) -> Node:
        """Operands and the relations between them. Prose after the last relation is left to the caller."""
        parts = [self._sum() if first is None else first]
        while self._text() in _RELATIONS:
            parts.append(Atom("mo", _RELATIONS[self._next().text]))
            if not self.depth and not self._starts():
                self._expect_words()
                break
            parts.append(self._sum() if self._starts() else self._words())
        return row_of(parts)

    def _sum(self) -> Node:
        parts = [self._product()]
        while self._text() in _SUMS and self._text() != "~":
            parts.append(Atom("mo", _SUMS[self._next().text]))
            parts.append(self._product())
        if self._text() == "..." and isinstance(parts[-1], Atom | Indexed | Row | Fenced):
            self.at += 1
            parts.append(Atom("mo", "…"))
        return row_of(parts)

    def _product(self) -> Node:
        factors = [self._signed()]
        quotients = 0
        while True:
            if self._text() == "/":
                self.at += 1
                quotients += 1
                self._limit(quotients)
                factors = [Fraction(_bare(row_of(factors)), _bare(self._signed()))]
            elif self._text() == "*":
                self.at += 1
                factors += [Atom("mo", "⋅"), self._signed()]
            elif self._multiplies():
                factors += [Atom("mo", "⁢"), self._signed()]
            else:
                return row_of(factors)

    def _limit(self, levels: int) -> None:
        if levels > MAX_LEVELS:
            raise FormulaError(f"more than {MAX_LEVELS} levels within each other")

    def _multiplies(self) -> bool:
        """Whether a matrix follows directly: X W^T."""
        if self.at >= len(self.tokens) or self._text(1) != "^" or self._text(2) != "T":
            return False
        return self._text()[0].isupper()

    def _signed(self) -> Node:
        self.level += 1
        self._limit(self.level)
        node = self._powers()
        self.level -= 1
        return node

    def _powers(self) -> Node:
        if self._text() in ("-", "~"):
            return Row((Atom("mo", self._next().text), self._signed()))
        base = self._postfix()
        if self._text() in ("^", "**"):
            self.at += 1
            return Power(base, _bare(self._signed()))
        return base

    def _postfix(self) -> Node:
        node = self._primary()
        suffixes = 0
        while self._text() in ("[", "(") and self.tokens[self.at].attached:
            suffixes += 1
            self._limit(suffixes)
            if self._text() == "[":
                node = Indexed(node, self._fence().inner)
            elif isinstance(node, Atom) and node.text in (*_ROUNDED, "sqrt", "abs"):
                node = _function(node.text, self._fence().inner)
            else:
                node = Row((node, Atom("mo", "⁡"), self._fence()))
        return node

    def _primary(self) -> Node:
        if not self._text():
            raise FormulaError("the formula ends within an expression")
        if is_large(self.tokens, self.at):
            return self._large()
        token = self.tokens[self.at]
        if token.text in ("(", "["):
            return self._fence()
        if token.text == "|":
            self.at += 1
            inner = self._sum_within_bars()
            return Fenced("|", inner, "|")
        if token.text in ("...", ":"):
            self.at += 1
            return Atom("mo", "…" if token.text == "..." else ":")
        if token.kind == "sign":
            raise FormulaError(f"unexpected {token.text!r}")
        self.at += 1
        if token.kind == "number":
            return Atom("mn", token.text)
        name = Atom("mi", token.text)
        if self._text() == "..." and self.tokens[self.at].attached:
            self.at += 1
            return Row((name, Atom("mo", "…")))
        return name

    def _sum_within_bars(self) -> Node:
        node = self._product()
        if self._text() != "|":
            raise FormulaError("a | is not closed")
        self.at += 1
        return node

    def _fence(self) -> Fenced:
        opening = self._next().text
        self.depth += 1
        parts: list[Node] = []
        while self._text() not in CLOSING:
            parts.append(self._part())
        self.depth -= 1
        return Fenced(opening, row_of(parts), self._next().text)

    def _part(self) -> Node:
        """What is between brackets: expressions, commas and words."""
        if self._text() in (",", ":", ".", ";"):
            return Atom("mo", self._next().text)
        if self._starts():
            return self._relations()
        return self._words()

    def _large(self) -> Node:
        sign = self._next().text
        atom = Atom("mi" if LARGE[sign].isalpha() else "mo", LARGE[sign])
        if self._next().text == "over":
            return Large(atom, self._range(frozenset()), self._after_of())
        term = self._product()
        if self._text() not in ("over", "along"):
            return Row((atom, term))
        begin = self.at
        self.at += 2 if self._text(1) in ("all", "the") else 1
        over = self._range(_RANGE_ENDS)
        if not is_short(over):
            return Row((atom, term, Atom("mtext", self._source(begin, self.at))))
        return Large(atom, over, term)

    def _after_of(self) -> Node:
        self._next()
        return self._product() if self._starts() else self._words()

    def _range(self, ends: frozenset[str]) -> Node:
        """The range of a large operator: up to "of", or to one of the ends."""
        parts: list[Node] = []
        while self._text() and self._text() != "of":
            if self._text() == "," and parts and self._next_is_name():
                parts.append(Atom("mo", self._next().text))
            elif self._text() in ends:
                break
            else:
                parts.append(self._relations() if self._starts() else Atom("mtext", self._next().text))
        if not parts:
            raise FormulaError("an operator has no range")
        return row_of(parts)


def _function(name: str, inner: Node) -> Node:
    if name == "sqrt":
        return Root(inner)
    return (
        Fenced(*(_ROUNDED[name][0], inner, _ROUNDED[name][1]))
        if name in _ROUNDED
        else Fenced("|", inner, "|")
    )


def is_short(value: Node) -> bool:
    """Whether a value has few words in it: prose would not wrap in a table."""
    words = [part.text for part in walk(value) if isinstance(part, Atom) and part.tag == "mtext"]
    return sum(map(len, words)) <= MAX_WORDS


def _bare(node: Node) -> Node:
    """An operand without the parentheses that the layout makes superfluous."""
    return node.inner if isinstance(node, Fenced) and (node.opening, node.closing) == ("(", ")") else node


def row_of(parts: list[Node]) -> Node:
    return parts[0] if len(parts) == 1 else Row(tuple(parts))
