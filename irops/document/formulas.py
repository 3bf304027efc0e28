"""Formulas of definitions: read from their text, and written as HTML, a paragraph for each statement, with
expressions in MathML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from irops.spec.definition import Definition

# Reading: tokens, names, expressions, and the prose between them.

# The parts of a formula.


@dataclass(frozen=True, slots=True)
class Leaf:
    """tag: mi (a name), mn (a number), mo (a sign) or mtext (words)."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class RowNode:
    """Parts beside each other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Fenced:
    """Parts between two signs."""

    opening: str
    inner: Node
    closing: str


@dataclass(frozen=True, slots=True)
class Fraction:
    top: Node
    bottom: Node


@dataclass(frozen=True, slots=True)
class Power:
    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Root:
    inner: Node


@dataclass(frozen=True, slots=True)
class Indexed:
    """base[index]"""

    base: Node
    index: Node


@dataclass(frozen=True, slots=True)
class Large:
    """An operator over a range, such as a sum. sign: a Leaf; over: the range below the sign."""

    sign: Leaf
    over: Node
    term: Node


@dataclass(frozen=True, slots=True)
class Cases:
    """Values and their conditions."""

    rows: tuple[tuple[Node, Node], ...]


Node = Leaf | RowNode | Fenced | Fraction | Power | Root | Indexed | Large | Cases


def children(node: Node) -> tuple[Node, ...]:
    """The parts that a part consists of."""
    match node:
        case RowNode(parts):
            return parts
        case Fenced(_, inner, _) | Root(inner):
            return (inner,)
        case Fraction(one, two) | Power(one, two) | Indexed(one, two) | Large(_, one, two):
            return (one, two)
        case Cases(rows):
            return tuple(part for row in rows for part in row)
    return ()


def walk(node: Node) -> Iterator[Node]:
    """The part and all parts within it."""
    yield node
    for child in children(node):
        yield from walk(child)


# The words, numbers and signs of a formula.

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


# Which words of a formula are names, and which are prose.
#
# A formula is prose between expressions: "output[i] = data[i] if i < size, else data[0]". A word is a name if
# it is written as one, or if it is an operand of a sign beside it.

LARGE = {"sum": "∑", "product": "∏", "max": "max", "min": "min", "mean": "mean", "average": "average"} | {
    "argmax": "argmax",
    "mode": "mode",
    "integral": "∫",
}
"""Words that are operators if a range follows: "sum over j of data[j]", "sum of data[j] over all j"."""
_JOINING = (
    "if",
    "else",
    "where",
    "for",
    "with",
    "or",
    "and",
    "xor",
    "mod",
    "is",
    "as",
    "that",
    "when",
    "then",
    "than",
)
_PLACING = (
    "over",
    "along",
    "to",
    "in",
    "by",
    "from",
    "such",
    "without",
    "less",
    "likewise",
    "element",
    "each",
)
CONNECTIVES = frozenset((*_JOINING, *_PLACING))
"""Words of prose that end an operand."""
_WRITTEN_AS_NAME = re.compile(r"\w*[_\d]\w*'?|\w+'|[b-zB-HJ-Z]|[a-zA-Z][kK]", re.ASCII)
_BEFORE = frozenset(["=", "+", "-", "*", "/", "^", "**", "==", "!=", "<=", ">=", "<", ">", "&", "~", "@"])
_AFTER = _BEFORE - {"~"}


def is_name(tokens: Sequence[Token], k: int, names: frozenset[str], depth: int) -> bool:
    """Whether the word at k is a name. names: of the op's inputs, outputs and attributes; depth: how many
    brackets are open.
    """
    token = tokens[k]
    if token.kind != "name":
        return False
    if token.text in ("a", "A") and not (k + 1 < len(tokens) and _is_noun(tokens[k + 1])):
        return True
    before = tokens[k - 1].text if k else ""
    after = tokens[k + 1].text if k + 1 < len(tokens) else ""
    if token.text in CONNECTIVES:
        return before in (*_BEFORE, "(") and after in (*_AFTER, ")")
    if _WRITTEN_AS_NAME.fullmatch(token.text) or _opens(tokens, k + 1) or after in _AFTER:
        return True
    if before in _BEFORE:
        return token.text in names or not after or after in CONNECTIVES or not after[0].isalpha()
    return depth > 0 and before in ("(", "[", ",") and after in (")", "]", ",")


def is_large(tokens: Sequence[Token], k: int) -> bool:
    """Whether a large operator begins at k: a word, a range and a term, or the term before the range."""
    if tokens[k].text not in LARGE or k + 2 >= len(tokens):
        return False
    if tokens[k + 1].text == "over":
        return any(token.text == "of" for token in tokens[k + 2 :])
    of_term = tokens[k].text in ("sum", "product") and tokens[k + 1].text == "of"
    return of_term and k + 3 < len(tokens) and tokens[k + 3].text in ("(", "[", "^")


def _is_noun(token: Token) -> bool:
    return token.kind in ("name", "word") and token.text not in CONNECTIVES


def _opens(tokens: Sequence[Token], k: int) -> bool:
    return k < len(tokens) and tokens[k].text in ("(", "[") and tokens[k].attached


# A place among the tokens of a statement.


class FormulaCursor:
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
        return Leaf("mtext", self._source(begin, self.at))


# Reads expressions: relations of sums of products, and what is within brackets.

MAX_LEVELS = 30
"""Expressions with more levels within each other are not parsed."""
MAX_WORDS = 20
"""Characters of the words of a value that has a condition."""
CLOSING = (")", "]", "}")
_ROUNDED = {"floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉")}
_RELATIONS = {"=": "=", "==": "==", "!=": "≠", "<=": "≤", ">=": "≥", "<": "<", ">": ">"}
_SUMS = {"+": "+", "-": "−", "&": "&", "|": "|", "@": "@", "~": "~"}
_RANGE_ENDS = frozenset(["where", "with", "that", ",", ";", ".", ")", "]", "if", "else"])


class Expressions(FormulaCursor):
    """Reads expressions. Its methods raise FormulaError."""

    def _relations(self, first: Node | None = None) -> Node:
        """Operands and the relations between them. Prose after the last relation is left to the caller."""
        parts = [self._sum() if first is None else first]
        while self._text() in _RELATIONS:
            parts.append(Leaf("mo", _RELATIONS[self._next().text]))
            if not self.depth and not self._starts():
                self._expect_words()
                break
            parts.append(self._sum() if self._starts() else self._words())
        return row_of(parts)

    def _sum(self) -> Node:
        parts = [self._product()]
        while self._text() in _SUMS and self._text() != "~":
            parts.append(Leaf("mo", _SUMS[self._next().text]))
            parts.append(self._product())
        if self._text() == "..." and isinstance(parts[-1], Leaf | Indexed | RowNode | Fenced):
            self.at += 1
            parts.append(Leaf("mo", "…"))
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
                factors += [Leaf("mo", "⋅"), self._signed()]
            elif self._multiplies():
                factors += [Leaf("mo", "⁢"), self._signed()]
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
            return RowNode((Leaf("mo", self._next().text), self._signed()))
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
            elif isinstance(node, Leaf) and node.text in (*_ROUNDED, "sqrt", "abs"):
                node = _function(node.text, self._fence().inner)
            else:
                node = RowNode((node, Leaf("mo", "⁡"), self._fence()))
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
            return Leaf("mo", "…" if token.text == "..." else ":")
        if token.kind == "sign":
            raise FormulaError(f"unexpected {token.text!r}")
        self.at += 1
        if token.kind == "number":
            return Leaf("mn", token.text)
        name = Leaf("mi", token.text)
        if self._text() == "..." and self.tokens[self.at].attached:
            self.at += 1
            return RowNode((name, Leaf("mo", "…")))
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
            return Leaf("mo", self._next().text)
        if self._starts():
            return self._relations()
        return self._words()

    def _large(self) -> Node:
        sign = self._next().text
        atom = Leaf("mi" if LARGE[sign].isalpha() else "mo", LARGE[sign])
        if self._next().text == "over":
            return Large(atom, self._range(frozenset()), self._after_of())
        term = self._product()
        if self._text() not in ("over", "along"):
            return RowNode((atom, term))
        begin = self.at
        self.at += 2 if self._text(1) in ("all", "the") else 1
        over = self._range(_RANGE_ENDS)
        if not is_short(over):
            return RowNode((atom, term, Leaf("mtext", self._source(begin, self.at))))
        return Large(atom, over, term)

    def _after_of(self) -> Node:
        self._next()
        return self._product() if self._starts() else self._words()

    def _range(self, ends: frozenset[str]) -> Node:
        """The range of a large operator: up to "of", or to one of the ends."""
        parts: list[Node] = []
        while self._text() and self._text() != "of":
            if self._text() == "," and parts and self._next_is_name():
                parts.append(Leaf("mo", self._next().text))
            elif self._text() in ends:
                break
            else:
                parts.append(self._relations() if self._starts() else Leaf("mtext", self._next().text))
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
    words = [part.text for part in walk(value) if isinstance(part, Leaf) and part.tag == "mtext"]
    return sum(map(len, words)) <= MAX_WORDS


def _bare(node: Node) -> Node:
    """An operand without the parentheses that the layout makes superfluous."""
    return node.inner if isinstance(node, Fenced) and (node.opening, node.closing) == ("(", ")") else node


def row_of(parts: list[Node]) -> Node:
    return parts[0] if len(parts) == 1 else RowNode(tuple(parts))


MAX_CONDITION = 44
"""Characters of a condition: a longer one does not fit beside its value on a phone."""


class FormulaParser(Expressions):
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
            return row_of([left, Leaf("mo", "="), cases])
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
            return (value, Leaf("mtext", "otherwise")) if is_short(value) else None
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
        inner = FormulaParser(self._source(begin, end), self.names)
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


# Writing.

# Where the lines of a long expression may break: before relations, in long ones before sums and products.

MAX_UNBROKEN = 24
"""Characters of an expression that is not broken."""
_LEVELS = (frozenset(["=", "≠", "≤", "≥", "<", ">", "=="]), frozenset(["+", "−", "@"]), frozenset("⋅"))
_BREAKING_SIGNS = frozenset().union(*_LEVELS)


def segments(node: Node) -> list[Node]:
    """The parts of an expression between which a line may break."""
    return [row[0] if len(row) == 1 else RowNode(row) for row in _broken(tuple(_flat(node)), 0)]


def _broken(row: tuple[Node, ...], level: int) -> Iterator[tuple[Node, ...]]:
    if level == len(_LEVELS) or sum(map(_width, row)) <= MAX_UNBROKEN:
        yield row
        return
    begin = 0
    for k in range(1, len(row)):
        if _sign(row[k]) in _LEVELS[level] and not _sign(row[k - 1]):
            yield from _broken(row[begin:k], level + 1)
            begin = k
    yield from _broken(row[begin:], level + 1)


def _sign(node: Node) -> str:
    return node.text if isinstance(node, Leaf) and node.tag == "mo" and node.text in _BREAKING_SIGNS else ""


def _width(node: Node) -> int:
    return sum(len(part.text) for part in walk(node) if isinstance(part, Leaf))


def _flat(node: Node) -> Iterator[Node]:
    match node:
        case RowNode(parts):
            yield from _flat_all(parts)
        case Large(sign, over, RowNode((first, *more))):
            yield Large(sign, over, first)
            yield from _flat_all(more)
        case _:
            yield node


def _flat_all(parts: Sequence[Node]) -> Iterator[Node]:
    for part in parts:
        yield from _flat(part)


# Parts of formulas as MathML.

SPACE = '<mspace width="0.3em"></mspace>'
MAX_SUBSCRIPT = 14
"""Characters of an index that is set below the line."""
_NUMBERED = re.compile(r"([A-Za-z])_?(\d+|[kK]|(?<=_)\w)|([WRB])([zrhb]{1,2})|(log)(2|10)")
_SIGNS = {"-": "−", "pi": "π", "inf": "∞"}


def math(node: Node, source: str, *, subscripts: bool) -> str:
    """An expression. source: its text, for readers without MathML, or ''; subscripts: set indices below the
    line.
    """
    inner = _MathWriter(subscripts).text(node)
    label = f' alttext="{escape(source)}"' if source else ""
    return f'<math display="inline" displaystyle="true"{label}>{inner}</math>'


def has_simple_indices(node: Node) -> bool:
    """Whether all indices are names, numbers and ellipses, so that they are legible below the line."""
    indices = [part.index for part in walk(node) if isinstance(part, Indexed)]
    return all(
        all(isinstance(part, Leaf | RowNode) for part in walk(index))
        and not any(
            isinstance(part, Leaf) and part.tag == "mo" and part.text in "⋅−+" for part in walk(index)
        )
        and sum(len(part.text) for part in walk(index) if isinstance(part, Leaf)) <= MAX_SUBSCRIPT
        for index in indices
    )


class _MathWriter:
    def __init__(self, subscripts: bool) -> None:
        self.subscripts = subscripts

    def text(self, node: Node) -> str:
        match node:
            case Leaf():
                return _atom(node)
            case RowNode(parts):
                return f"<mrow>{self._row(parts)}</mrow>"
            case Fenced(opening, inner, closing):
                return (
                    f"<mrow>{_fence(opening, 'prefix')}{self.text(inner)}{_fence(closing, 'postfix')}</mrow>"
                )
            case Fraction(top, bottom):
                return f"<mfrac>{self.text(top)}{self.text(bottom)}</mfrac>"
            case Power(base, exponent):
                return f"<msup>{self.text(base)}{self.text(exponent)}</msup>"
            case Root(inner):
                return f"<msqrt>{self.text(inner)}</msqrt>"
            case Indexed(base, index):
                return self._indexed(base, index)
            case Large(sign, over, term):
                below = f"<munder>{_large(sign)}<mrow>{self.text(over)}</mrow></munder>"
                return f"<mrow>{below}<mspace width='0.2em'></mspace>{self.text(term)}</mrow>"
            case Cases(rows):
                return self._cases(rows)

    def _row(self, parts: tuple[Node, ...]) -> str:
        """Parts beside each other: words have a space before and after, but not at the ends."""
        texts = []
        for k, part in enumerate(parts):
            is_words = isinstance(part, Leaf) and part.tag == "mtext"
            texts.append(f"{SPACE if is_words and k else ''}{self.text(part)}")
            if is_words and k + 1 < len(parts):
                texts.append(SPACE)
        return "".join(texts)

    def _indexed(self, base: Node, index: Node) -> str:
        if self.subscripts:
            return f"<msub>{self.text(base)}{self.text(index)}</msub>"
        return f"<mrow>{self.text(base)}{self.text(Fenced('[', index, ']'))}</mrow>"

    def _cases(self, rows: tuple[tuple[Node, Node], ...]) -> str:
        cells = "".join(
            f"<mtr><mtd>{self.text(value)}</mtd><mtd>{self.text(condition)}</mtd></mtr>"
            for value, condition in rows
        )
        return f'<mrow><mo fence="true" form="prefix">{{</mo><mtable class="cases">{cells}</mtable></mrow>'


def _atom(atom: Leaf) -> str:
    text = escape(_SIGNS.get(atom.text, atom.text))
    if atom.tag == "mo" and atom.text in (",", ":", "…"):
        return f'<mo separator="{"true" if atom.text == "," else "false"}">{text}</mo>'
    if atom.tag == "mo" and atom.text in "+−=≠≤≥<>⋅":
        return f'<mo form="infix">{text}</mo>'
    if atom.tag != "mi":
        return f"<{atom.tag}>{text}</{atom.tag}>"
    if atom.text.endswith("'"):
        return f'<mrow>{_atom(Leaf("mi", atom.text[:-1]))}<mo lspace="0" rspace="0">′</mo></mrow>'
    numbered = _NUMBERED.fullmatch(atom.text)
    if numbered:
        letter, mark = (part for part in numbered.groups() if part is not None)
        return f"<msub><mi>{letter}</mi>{_mark(mark)}</msub>"
    return f"<mi>{text}</mi>"


def _mark(text: str) -> str:
    return f"<mn>{text}</mn>" if text.isdigit() else f"<mi>{text}</mi>"


def _large(sign: Leaf) -> str:
    if sign.tag == "mo":
        return f'<mo largeop="true" movablelimits="false">{sign.text}</mo>'
    return f'<mo movablelimits="false">{sign.text}</mo>'


def _fence(sign: str, form: str) -> str:
    return f'<mo fence="true" form="{form}">{sign}</mo>'


_PSEUDO_CODE = re.compile(r"(for|while|repeat)\b[^;]*;|.*:\s*run the")
_CONTINUING = frozenset(["where", "with", "while", "and", "else", "if", "over", "each", "for"])
"""The first words of statements that belong to the one before."""
_PUNCTUATION = (",", ":", ".")
Pieces = list[tuple[int, int, Node | None]]


def formula_html(definition: Definition) -> str:
    """The formula of an op, or '' if it has none or if it is code."""
    ports = {port.name for port in (*definition.inputs, *definition.outputs)}
    return html_of(definition.formula, frozenset(ports | definition.attributes.keys()))


def html_of(formula: str, names: frozenset[str] = frozenset()) -> str:
    """A formula as HTML, '' if it is code. names: of what prose may mention."""
    if _PSEUDO_CODE.match(formula):
        return ""
    try:
        parsed = [(text, list(FormulaParser(text, names).pieces())) for text in statements(formula)]
    except FormulaError:
        return ""
    nodes = [node for _, pieces in parsed for *_, node in pieces if node is not None]
    if not nodes:
        return ""
    subscripts = all(map(has_simple_indices, nodes))
    return "\n".join(_paragraph(text, pieces, subscripts) for text, pieces in parsed)


def _paragraph(text: str, pieces: Pieces, subscripts: bool) -> str:
    begin = '<p class="more">' if text.split(" ", 1)[0] in _CONTINUING else "<p>"
    return f"{begin}{_statement(text, pieces, subscripts)}</p>"


def _statement(text: str, pieces: Pieces, subscripts: bool) -> str:
    parts, at = [], 0
    for begin, end, node in pieces:
        if node is not None:
            mark = text[end : end + 1] if text[end : end + 1] in _PUNCTUATION else ""
            parts.append(escape(text[at:begin]))
            parts.append(_expression(node, text[begin:end], mark, subscripts))
            at = end + len(mark)
    return "".join(parts) + escape(text[at:])


def _expression(node: Node, source: str, mark: str, subscripts: bool) -> str:
    """An expression, or the parts of a long one, between which the line may break. mark: what follows it."""
    parts = segments(node)
    if len(parts) == 1:
        return f'<span class="math">{math(node, source, subscripts=subscripts)}{mark}</span>'
    texts = [math(part, "", subscripts=subscripts) for part in parts]
    inner = "<wbr>".join(f'<span class="math">{text}</span>' for text in texts[:-1])
    last = f'<wbr><span class="math">{texts[-1]}{mark}</span>'
    return f'<span role="math" aria-label="{escape(source)}">{inner}{last}</span>'
