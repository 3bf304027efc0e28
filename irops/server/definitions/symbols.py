"""The symbols of a definition."""

from __future__ import annotations

from lsprotocol.types import DocumentSymbol, SymbolKind

from irops.server.definitions.outline import NAMES, DefinitionOutline
from irops.server.outline.elements import Node
from irops.server.symbols import symbol
from irops.server.text import Text

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


def _symbol(outline: DefinitionOutline, text: Text, node: Node) -> DocumentSymbol:
    label = NAMES.get(node.tag, {"gradient": "of", "counterexample": "violates"}.get(node.tag, "name"))
    name = outline.value(node, label)
    shown = f"{node.tag} {name}".strip() if node.tag not in NAMES else name
    detail = outline.value(node, "type") or outline.content(node)
    return symbol(text, node, shown, " ".join(detail.split()), KINDS[node.tag], [])
