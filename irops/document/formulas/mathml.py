"""Parts of formulas as MathML."""

from __future__ import annotations

import re
from html import escape

from irops.document.formulas.tree import (
    Atom,
    Cases,
    Fenced,
    Fraction,
    Indexed,
    Large,
    Node,
    Power,
    Root,
    Row,
    walk,
)

SPACE = '<mspace width="0.3em"></mspace>'
MAX_SUBSCRIPT = 14
"""Characters of an index that is set below the line."""
_NUMBERED = re.compile(r"([A-Za-z])_?(\d+|[kK]|(?<=_)\w)|([WRB])([zrhb]{1,2})|(log)(2|10)")
_SIGNS = {"-": "−", "pi": "π", "inf": "∞"}


def math(node: Node, source: str, *, subscripts: bool) -> str:
    """An expression. source: its text, for readers without MathML, or ''; subscripts: set indices below the
    line.
    """
    inner = _Writer(subscripts).text(node)
    label = f' alttext="{escape(source)}"' if source else ""
    return f'<math display="inline" displaystyle="true"{label}>{inner}</math>'


def has_simple_indices(node: Node) -> bool:
    """Whether all indices are names, numbers and ellipses, so that they are legible below the line."""
    indices = [part.index for part in walk(node) if isinstance(part, Indexed)]
    return all(
        all(isinstance(part, Atom | Row) for part in walk(index))
        and not any(
            isinstance(part, Atom) and part.tag == "mo" and part.text in "⋅−+" for part in walk(index)
        )
        and sum(len(part.text) for part in walk(index) if isinstance(part, Atom)) <= MAX_SUBSCRIPT
        for index in indices
    )


class _Writer:
    def __init__(self, subscripts: bool) -> None:
        self.subscripts = subscripts

    def text(self, node: Node) -> str:
        match node:
            case Atom():
                return _atom(node)
            case Row(parts):
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
            is_words = isinstance(part, Atom) and part.tag == "mtext"
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


def _atom(atom: Atom) -> str:
    text = escape(_SIGNS.get(atom.text, atom.text))
    if atom.tag == "mo" and atom.text in (",", ":", "…"):
        return f'<mo separator="{"true" if atom.text == "," else "false"}">{text}</mo>'
    if atom.tag == "mo" and atom.text in "+−=≠≤≥<>⋅":
        return f'<mo form="infix">{text}</mo>'
    if atom.tag != "mi":
        return f"<{atom.tag}>{text}</{atom.tag}>"
    if atom.text.endswith("'"):
        return f'<mrow>{_atom(Atom("mi", atom.text[:-1]))}<mo lspace="0" rspace="0">′</mo></mrow>'
    numbered = _NUMBERED.fullmatch(atom.text)
    if numbered:
        letter, mark = (part for part in numbered.groups() if part is not None)
        return f"<msub><mi>{letter}</mi>{_mark(mark)}</msub>"
    return f"<mi>{text}</mi>"


def _mark(text: str) -> str:
    return f"<mn>{text}</mn>" if text.isdigit() else f"<mi>{text}</mi>"


def _large(sign: Atom) -> str:
    if sign.tag == "mo":
        return f'<mo largeop="true" movablelimits="false">{sign.text}</mo>'
    return f'<mo movablelimits="false">{sign.text}</mo>'


def _fence(sign: str, form: str) -> str:
    return f'<mo fence="true" form="{form}">{sign}</mo>'
