"""A formula of a definition as HTML: a paragraph for each statement, its expressions in MathML."""

from __future__ import annotations

import re
from html import escape

from irops.document.formulas.breaking import segments
from irops.document.formulas.mathml import has_simple_indices, math
from irops.document.formulas.parser import Parser
from irops.document.formulas.tokens import FormulaError, statements
from irops.document.formulas.tree import Node
from irops.spec.definition import Definition

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
        parsed = [(text, list(Parser(text, names).pieces())) for text in statements(formula)]
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
