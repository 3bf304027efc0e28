"""A version of a text: positions of LSP (lines and UTF-16 units, from 0), and what lies at a position."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from lsprotocol.types import Position, Range

from irops.server.outline import (
    AttributeSpan,
    EdgeSpan,
    GraphSpan,
    LayerSpan,
    Outline,
    OutlineNode,
    attributes,
    number,
)

_LINE_END = re.compile(r"(\r\n|\r|\n)")
BOM = "\ufeff"


def lines_of(text: str) -> list[str]:
    """The lines of a text, each with its end. Only CR LF, CR and LF end lines, as LSP demands. The last line
    has no end, and may be empty.
    """
    parts = _LINE_END.split(text)
    return [*map("".join, zip(parts[:-1:2], parts[1::2])), parts[-1]]


def units(text: str) -> int:
    """The number of UTF-16 units of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def index_of_unit(line: str, unit: int) -> int:
    """The index in a line of a UTF-16 unit; one within a character means the start of the character."""
    if unit <= 0:
        return 0
    if line.isascii():
        return min(unit, len(line))
    encoded = line.encode("utf-16-le", "surrogatepass")[: 2 * unit]
    start = encoded.decode("utf-16-le", "surrogatepass")
    return len(start) if line.startswith(start) else len(start) - 1


class Text:
    """The text of a document at one moment. Immutable."""

    def __init__(self, lines: tuple[str, ...], version: int = 0) -> None:
        self.lines, self.version = lines, version
        self.source = "".join(lines)

    @cached_property
    def starts(self) -> list[int]:
        """The offset of the start of each line."""
        return [0, *accumulate(map(len, self.lines[:-1]))]

    def line_of(self, offset: int) -> int:
        """The line of an offset."""
        return bisect_right(self.starts, max(0, offset)) - 1

    def position(self, offset: int) -> Position:
        """The position of an offset, which is limited to the text."""
        offset = max(0, min(offset, len(self.source)))
        line = bisect_right(self.starts, offset) - 1
        return Position(line, units(self.source[self.starts[line] : offset]))

    def offset(self, position: Position) -> int:
        """The offset of a position; one outside the text means the nearest one in it."""
        if position.line < 0:
            return 0
        if position.line >= len(self.lines):
            return len(self.source)
        line = self.lines[position.line]
        content = line.rstrip("\r\n")
        return self.starts[position.line] + min(index_of_unit(line, position.character), len(content))

    def range(self, start: int, end: int) -> Range:
        """The range between two offsets."""
        return Range(self.position(start), self.position(end))

    def offset_of(self, line: int | None, column: int | None) -> int:
        """The offset of a line and a column in characters, both from 1, as findings give them."""
        if line is None or not 1 <= line <= len(self.lines):
            return 0 if line is None or line < 1 else len(self.source)
        text = self.lines[line - 1]
        characters = (column or 1) - 1
        if line == 1 and text.startswith(BOM):
            characters += 1
        return self.starts[line - 1] + min(characters, len(text.rstrip("\r\n")))


def edited(lines: list[str], where: Range, text: str) -> None:
    """Replace a range in the lines of a text. Positions outside mean the nearest ones in the text."""
    first, first_index = _place(lines, where.start)
    last, last_index = _place(lines, where.end)
    last, last_index = max((last, last_index), (first, first_index))
    replaced = lines[first][:first_index] + text + lines[last][last_index:]
    if first > 0 and lines[first - 1].endswith("\r"):  # a line feed may join the carriage return before it
        first -= 1
        replaced = lines[first] + replaced
    at_end = last + 1 >= len(lines)
    if (not at_end and replaced.endswith("\r")) or (not at_end and not replaced.endswith("\n")):
        last += 1
        replaced += lines[last]
    parts = lines_of(replaced)
    if last + 1 < len(lines) and parts[-1] == "":
        parts.pop()
    lines[first : last + 1] = parts


def _place(lines: list[str], position: Position) -> tuple[int, int]:
    if position.line < 0:
        return 0, 0
    if position.line >= len(lines):
        return len(lines) - 1, len(lines[-1])
    line = lines[position.line]
    return position.line, min(index_of_unit(line, position.character), len(line.rstrip("\r\n")))


@dataclass(frozen=True, slots=True)
class Cursor:
    """The innermost element at an offset; attribute: the one at the offset, in the start tag."""

    outline: Outline
    node: OutlineNode
    layer: LayerSpan | None
    edge: EdgeSpan | None
    attribute: AttributeSpan | None
    in_head: bool


def cursor_at(outline: Outline, offset: int) -> Cursor:
    """The part of a text that an offset lies in."""
    node = outline.root.at(offset)
    in_head = node.start <= offset < max(node.head_end, node.start + 1)
    spans = attributes(outline.text, node) if in_head and node.tag else []
    here = (span for span in spans if span.start <= offset <= max(span.end, span.value_end))
    edge = outline.edges.get(node.start) if node.tag == "edge" else None
    return Cursor(outline, node, outline.layer_of(node), edge, next(here, None), in_head)


def port_at(cursor: Cursor) -> tuple[LayerSpan, str, int] | None:
    """The layer, the side and the id of the port at a cursor; None where there is none."""
    owner = cursor.node.above("port")
    if owner is None or cursor.layer is None or owner.parent is None:
        return None
    side = owner.parent.tag
    for label, node in cursor.layer.ports(cursor.outline.text, side):
        if node is owner and label is not None:
            return cursor.layer, side, label
    return None


def port_node(outline: Outline, graph: GraphSpan, layer: int | None, port: int | None) -> OutlineNode | None:
    """The element of a port; that of its layer where the port does not exist; None without a layer."""
    owner = graph.layers.get(layer) if layer is not None else None
    if owner is None:
        return None
    sides = (pair for side in ("input", "output") for pair in owner.ports(outline.text, side))
    return next((node for label, node in sides if label == port), owner.node)


def body_layer(cursor: Cursor) -> LayerSpan | None:
    """The layer of a body that an entry of a port map or a back edge names at the cursor."""
    span, layer = cursor.attribute, cursor.layer
    if span is None or layer is None or span.name not in ("internal_layer_id", "from-layer", "to-layer"):
        return None
    maps = cursor.node.above("port_map", "then_port_map", "else_port_map", "back_edges")
    if maps is None:
        return None
    body = {"then_port_map": "then_body", "else_port_map": "else_body"}.get(maps.tag, "body")
    wanted = number(span.value)
    inner = next(layer.node.named(body), None)
    layers = cursor.outline.layers.values()
    if inner is None:
        return None
    found = (one for one in layers if one.id == wanted and one.graph.owner is layer)
    return next((one for one in found if inner.start <= one.node.start < inner.end), None)
