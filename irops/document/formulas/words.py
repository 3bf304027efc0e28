"""Which words of a formula are names, and which are prose.

A formula is prose between expressions: "output[i] = data[i] if i < size, else data[0]". A word is a name if
it is written as one, or if it is an operand of a sign beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from irops.document.formulas.tokens import Token

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
