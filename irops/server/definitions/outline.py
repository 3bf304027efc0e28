"""The parts of the text of a definition, and what a position in it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from lsprotocol.types import DocumentSymbol, SymbolKind

from irops.server.definitions.grammar import NET, ROOT, ElementRule, rule_at, vocabulary
from irops.server.outline import AttributeSpan, OutlineNode, attributes, nodes_of, values
from irops.server.symbols import symbol
from irops.server.text import Text

NAMES = {"attribute": "name", "type": "name", "body": "name", "constraint": "id", "port": "name"}
"""The attribute that names what an element defines."""
MAX_CONTENT = 4000
"""How many characters of the content of an element are shown."""
_WORD = re.compile(r"\S+")


@dataclass(slots=True, eq=False)
class DefinitionOutline:
    """The elements of a definition. parts: what it defines, by kind (attribute, type, body, constraint,
    input, output) and name; of equal names the first.
    """

    text: str
    root: OutlineNode
    parts: dict[str, dict[str, OutlineNode]] = field(default_factory=dict)

    @property
    def layer(self) -> OutlineNode | None:
        """The outermost element."""
        return next(self.root.named(ROOT), None)

    def value(self, node: OutlineNode | None, name: str) -> str:
        """The value of an attribute; empty if there is none."""
        return "" if node is None else values(self.text, node).get(name, "")

    def content(self, node: OutlineNode) -> str:
        """The text in an element, up to its first child."""
        end = node.children[0].start if node.children else node.end
        return unescape(self.text[node.head_end : end][:MAX_CONTENT].partition("</")[0]).strip()


def definition_outline(text: str) -> DefinitionOutline:
    """The outline of a text; without elements for one that is too large."""
    outline = DefinitionOutline(text, nodes_of(text, vocabulary()))
    for kind, node in _defining(outline):
        name = outline.value(node, NAMES[node.tag])
        outline.parts.setdefault(kind, {}).setdefault(name, node)
    return outline


def _defining(outline: DefinitionOutline) -> Iterator[tuple[str, OutlineNode]]:
    """The elements that define something, with its kind."""
    layer = outline.layer
    for section in () if layer is None else layer.children:
        if section.tag in NAMES:
            yield section.tag, section
        elif section.tag == "data":
            yield from (("attribute", node) for node in section.named("attribute"))
        elif section.tag in ("input", "output"):
            yield from ((section.tag, node) for node in section.named("port"))


def path_of(node: OutlineNode) -> tuple[str, ...]:
    """The tags from the outermost element down to one."""
    tags: list[str] = []
    at: OutlineNode | None = node
    while at is not None and at.tag:
        tags.append(at.tag)
        at = at.parent
    return tuple(reversed(tags))


@dataclass(frozen=True, slots=True)
class DefinitionPlace:
    """What an offset is about. rule: of the innermost element; attribute: the one at the offset, in the start
    tag; word: the word of its value, or of the text of the element, at the offset, with its range.
    """

    outline: DefinitionOutline
    node: OutlineNode
    rule: ElementRule | None
    attribute: AttributeSpan | None
    in_head: bool
    word: str
    start: int
    end: int


def place_at(outline: DefinitionOutline, offset: int) -> DefinitionPlace:
    """What an offset is about; nothing within the model of a case, which is not part of the definition."""
    node = outline.root.at(offset)
    net = node.above(NET)
    rule = rule_at(path_of(node)) if net in (None, node) else None
    in_head = node.start <= offset < max(node.head_end, node.start + 1)
    spans = attributes(outline.text, node) if in_head and node.tag else []
    span = next((s for s in spans if s.start <= offset <= max(s.end, s.value_end)), None)
    low, high = (node.head_end, node.end) if span is None else (span.value_start, span.value_end)
    word, start, end = "", offset, offset
    if 0 <= low <= offset <= high and not (in_head and span is None):
        word, start, end = _word(outline.text, offset, low, high)
    return DefinitionPlace(outline, node, rule, span, in_head, word, start, end)


def _word(text: str, offset: int, low: int, high: int) -> tuple[str, int, int]:
    """The word around an offset, between two others."""
    start = max(low, offset - 200)
    for match in _WORD.finditer(text, start, min(high, offset + 200)):
        if match.start() <= offset <= match.end():
            word = match[0].partition("<")[0]
            return word, match.start(), match.start() + len(word)
    return "", offset, offset


# The symbols of a definition.

FOLDED = ("layer", "data", "input", "output", "example", "counterexample", "net")
KINDS = {
    "attribute": SymbolKind.Property,
    "port": SymbolKind.Field,
    "type": SymbolKind.TypeParameter,
    "body": SymbolKind.Namespace,
    "constraint": SymbolKind.Boolean,
    "example": SymbolKind.Event,
    "counterexample": SymbolKind.Event,
    "gradient": SymbolKind.Function,
}
SECTIONS = ("data", "input", "output")


def symbols(outline: DefinitionOutline, text: Text) -> list[DocumentSymbol]:
    """A symbol for each part of the definition: attributes and ports within their section."""
    result: list[DocumentSymbol] = []
    for section in () if outline.layer is None else outline.layer.children:
        if section.tag in SECTIONS:
            inner = [_symbol(outline, text, node) for node in section.children if node.tag in KINDS]
            result.append(symbol(text, section, section.tag, "", SymbolKind.Namespace, inner))
        elif section.tag in KINDS:
            result.append(_symbol(outline, text, section))
    return result


def _symbol(outline: DefinitionOutline, text: Text, node: OutlineNode) -> DocumentSymbol:
    label = NAMES.get(node.tag, {"gradient": "of", "counterexample": "violates"}.get(node.tag, "name"))
    name = outline.value(node, label)
    shown = f"{node.tag} {name}".strip() if node.tag not in NAMES else name
    detail = outline.value(node, "type") or outline.content(node)
    return symbol(text, node, shown, " ".join(detail.split()), KINDS[node.tag], [])
