"""The text of a document: its elements with their offsets, also where it is not well-formed, and positions.

Positions are those of LSP: lines and UTF-16 units, from 0.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from itertools import accumulate
from xml.parsers import expat

from lsprotocol.types import Position, Range

from irops.ir.parse import BLANKS
from irops.ir.write import escaped
from irops.server.records import GraphPath

_ATTRIBUTE = re.compile(r"""([^\s=<>"'/]++)(?:\s*+=\s*+("[^"<]*+"?|'[^'<]*+'?)?)?""")


@dataclass(frozen=True, slots=True)
class AttributeSpan:
    """An attribute in a start tag. start, end: of the name; value_start, value_end: of the value without
    quotes, both -1 where there is none.
    """

    name: str
    value: str
    start: int
    end: int
    value_start: int
    value_end: int


@dataclass(slots=True, eq=False)
class OutlineNode:
    """An element. start: of its start tag; head_end: after its start tag; end: after its end tag, or where
    the text has none, before what follows.
    """

    tag: str
    start: int
    head_end: int
    parent: "OutlineNode | None"
    end: int = -1
    children: "list[OutlineNode]" = field(default_factory=list)

    def named(self, tag: str) -> "Iterator[OutlineNode]":
        """The children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def at(self, offset: int) -> "OutlineNode":
        """The innermost element around an offset, this one if no child is around it."""
        node = self
        while True:
            place = bisect_right(node.children, offset, key=lambda child: child.start) - 1
            if place < 0 or node.children[place].end <= offset:
                return node
            node = node.children[place]

    def above(self, *tags: str) -> "OutlineNode | None":
        """The innermost element with one of some tags, this one or one around it."""
        node: OutlineNode | None = self
        while node is not None and node.tag not in tags:
            node = node.parent
        return node


@dataclass(slots=True, eq=False)
class LayerSpan:
    """A layer of the text. id: None where it is absent or malformed."""

    node: OutlineNode
    graph: "GraphSpan"
    id: int | None
    name: str
    type: str
    version: str

    def ports(self, text: str, side: str) -> list[tuple[int | None, OutlineNode]]:
        """The ids and elements of its inputs ("input") or outputs ("output"). text: that of the outline"""
        sides = self.node.named(side)
        return [(number(values(text, port).get("id")), port) for s in sides for port in s.named("port")]


@dataclass(frozen=True, slots=True)
class EdgeSpan:
    """An edge of the text; None for what is absent or malformed."""

    node: OutlineNode
    graph: "GraphSpan" = field(repr=False)
    from_layer: int | None
    from_port: int | None
    to_layer: int | None
    to_port: int | None


@dataclass(slots=True, eq=False)
class GraphSpan:
    """A graph: the model's, or a body. layers: by id, of equal ids the first."""

    path: GraphPath
    owner: LayerSpan | None
    layers: dict[int, LayerSpan] = field(default_factory=dict)
    edges: list[EdgeSpan] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Outline:
    """The elements of a text. layers: in the order of the text, by the start of their elements."""

    text: str
    root: OutlineNode
    layers: dict[int, LayerSpan] = field(default_factory=dict)
    edges: dict[int, EdgeSpan] = field(default_factory=dict)

    def layer_of(self, node: OutlineNode) -> LayerSpan | None:
        """The layer that an element belongs to."""
        owner = node.above("layer")
        return None if owner is None else self.layers.get(owner.start)


def attributes(text: str, node: OutlineNode) -> list[AttributeSpan]:
    """The attributes of an element, in the order of the text."""
    start = node.start + 1 + len(node.tag)
    spans: list[AttributeSpan] = []
    for match in _ATTRIBUTE.finditer(text, start, node.head_end):
        quoted = match[2] or ""
        closed = len(quoted) > 1 and quoted[-1] == quoted[0]
        value = quoted[1:-1] if closed else quoted[1:]
        value_start = match.start(2) + 1 if quoted else -1
        value_end = value_start + len(value) if quoted else -1
        spans.append(
            AttributeSpan(match[1], unescape(value), match.start(1), match.end(1), value_start, value_end)
        )
    return spans


def values(text: str, node: OutlineNode) -> dict[str, str]:
    """The attributes of an element by name, of equal names the first."""
    by_name: dict[str, str] = {}
    for name, quoted in _ATTRIBUTE.findall(text, node.start + 1 + len(node.tag), node.head_end):
        value = quoted.strip(quoted[:1]) if quoted else ""
        by_name.setdefault(name, unescape(value) if "&" in value else value)
    return by_name


def names_in(text: str, node: OutlineNode, offset: int) -> set[str]:
    """The names of the attributes of an element, but for the one that ends at an offset or is around it."""
    return {span.name for span in attributes(text, node) if not span.start <= offset <= span.end}


def number(text: str | None) -> int | None:
    """The number that a text is; None for any other text."""
    # int() refuses texts of thousands of digits
    if text is None or len(text) > 19 or not (text.isascii() and text.isdigit()):
        return None
    return int(text)


MAX_TEXT = 64 << 20
"""Texts with more characters have no elements."""
MAX_NODES = 2_000_000
MAX_DEPTH = 400
BODIES = ("body", "then_body", "else_body")
MAPS = ("port_map", "then_port_map", "else_port_map", "back_edges")
PARENTS: dict[str, tuple[str, ...]] = {
    "layers": ("net", *BODIES),
    "edges": ("net", *BODIES),
    "layer": ("layers",),
    "edge": ("edges", "back_edges"),
    "data": ("layer",),
    "input": ("layer", *MAPS),
    "output": ("layer", *MAPS),
    "port": ("input", "output"),
    **dict.fromkeys((*BODIES, *MAPS), ("layer",)),
}
"""Where elements may be: one that starts elsewhere ends those that are still open, as in a text that is being
typed.
"""
_TAG = re.compile(
    r"<(?:(?P<other>!--.*?(?:-->|\Z)|!\[CDATA\[.*?(?:\]\]>|\Z)|\?.*?(?:\?>|\Z))"
    rf"|(?P<close>/?)(?P<tag>{'|'.join(('net', *PARENTS))})(?=[\s/>\"'<]|\Z)"
    r"""(?P<rest>(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)(?P<end>>?))""",
    re.DOTALL,
)


def outline_of(text: str) -> Outline:
    """The outline of a text; without elements for one that is too large."""
    outline = Outline(text, _nodes_of(text))
    # find the layers and edges of all graphs
    ahead: list[tuple[OutlineNode, GraphSpan]] = [(outline.root, GraphSpan((), None))]
    for node in outline.root.named("net"):
        ahead.append((node, ahead[0][1]))
    while ahead:
        owner, graph = ahead.pop()
        for section in owner.children:
            for element in section.children:
                if element.tag == "layer" and section.tag == "layers":
                    layer = _layer(outline, element, graph)
                    for body in element.children:
                        if body.tag in BODIES:
                            path: GraphPath = (*graph.path, -1 if layer.id is None else layer.id, body.tag)
                            ahead.append((body, GraphSpan(path, layer)))
                elif element.tag == "edge" and section.tag == "edges":
                    _edge(outline, element, graph)
    outline.layers = dict(sorted(outline.layers.items()))
    return outline


def _nodes_of(text: str) -> OutlineNode:
    """The elements of a text, in a node that stands for the text; none of one that is too large."""
    root = OutlineNode("", 0, 0, None, len(text))
    if len(text) > MAX_TEXT:
        return root
    stack, count = [root], 0
    for match in _TAG.finditer(text):
        tag = match["tag"]
        if tag is None:
            continue
        if match["close"]:
            _close(stack, tag, match.start(), match.end())
            continue
        count += 1
        if count > MAX_NODES:
            break
        _end_at(stack, PARENTS.get(tag, ()), match.start())
        node = OutlineNode(tag, match.start(), match.end(), stack[-1], match.end())
        stack[-1].children.append(node)
        if not (match["end"] and match["rest"].endswith("/")) and len(stack) < MAX_DEPTH:
            stack.append(node)
    for node in stack[1:]:
        node.end = len(text)
    return root


def _close(stack: list[OutlineNode], tag: str, start: int, end: int) -> None:
    """End the innermost open element with a tag, and those in it; without one, nothing."""
    place = next((k for k in range(len(stack) - 1, 0, -1) if stack[k].tag == tag), 0)
    if place == 0:
        return
    for node in stack[place + 1 :]:
        node.end = start
    stack[place].end = end
    del stack[place:]


def _end_at(stack: list[OutlineNode], parents: tuple[str, ...], start: int) -> None:
    """End the open elements in which one of some parents cannot be, if one around them is its place."""
    place = next((k for k in range(len(stack) - 1, 0, -1) if stack[k].tag in parents), 0)
    if place:
        for node in stack[place + 1 :]:
            node.end = start
        del stack[place + 1 :]


def _layer(outline: Outline, node: OutlineNode, graph: GraphSpan) -> LayerSpan:
    texts = values(outline.text, node)
    name, named_type, version = (texts.get(key, "") for key in ("name", "type", "version"))
    layer = LayerSpan(node, graph, number(texts.get("id")), name, named_type, version)
    outline.layers[node.start] = layer
    if layer.id is not None:
        graph.layers.setdefault(layer.id, layer)
    return layer


def _edge(outline: Outline, node: OutlineNode, graph: GraphSpan) -> None:
    texts = values(outline.text, node)
    ends = (number(texts.get(name)) for name in ("from-layer", "from-port", "to-layer", "to-port"))
    edge = EdgeSpan(node, graph, *ends)
    outline.edges[node.start] = edge
    graph.edges.append(edge)


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
    if not at_end and not replaced.endswith("\n"):
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
    layers = cursor.outline.layers.values()
    found = (one for one in layers if one.id == wanted and one.graph.owner is layer)
    return next((one for one in found if one.graph.path[-1] == body), None)


# The layout in which OpenVINO writes a text.

ATTRIBUTES = {
    "layer": ("id", "name", "type", "version"),
    "edge": ("from-layer", "from-port", "to-layer", "to-port"),
    "port": ("id", "precision", "names"),
    "net": ("name", "version"),
}
"""The attributes of elements, in the order in which they are written."""
DECLARATION = '<?xml version="1.0"?>'
_USUAL = re.compile(r"""<\?xml\s+version\s*=\s*["']1.0["'](\s+encoding\s*=\s*["']utf-8["'])?\s*\?>""", re.I)
_REMARK = re.compile(r"([ \t\n]*)(<!--.*?-->|<\?.*?\?>)", re.DOTALL)


def formatted(text: str) -> str | None:
    """A text in OpenVINO's layout: only blanks between elements, quotes and the order of attributes differ.
    The content of an element that has text of its own stays as it is, but for blanks in a dim.

    None if the text is not well-formed, has a DTD or is too large
    """
    if len(text) > MAX_TEXT or "<!DOCTYPE" in text:
        return None
    try:
        parts, ends = _parts(_LINE_END.sub("\n", text.removeprefix(BOM)))
    except (expat.ExpatError, ValueError):
        return None
    parts[0] = _USUAL.sub(DECLARATION, parts[0])
    lines = [] if parts[0].startswith("<?xml") else [DECLARATION]
    depth = at = 0
    while at < len(parts):
        part, end = parts[at], ends.get(at, at)
        depth -= part.startswith("</")
        if at % 2:
            lines.append("\t" * depth + "".join(parts[at : end + 1]))
            depth += end == at and not part.startswith("</") and not part.endswith("/>")
        for blanks, remark in () if at % 2 else _REMARK.findall(part):
            if lines and "\n" not in blanks:
                lines[-1] += blanks + remark  # it stays behind what it is about
            else:
                lines.append("\t" * depth + remark)
        at = end + 1
    return "\n".join(lines) + "\n"


def _parts(text: str) -> tuple[list[str], dict[int, int]]:
    """The tags of a text as OpenVINO writes them, and what is before, between and behind them; and where
    elements that have text of their own start, with their ends.

    Raises:  ExpatError, ValueError if the text is not well-formed XML
    """
    parts: list[str] = []
    between: list[str] = []
    opened, with_text, ends = [0], set(), {}

    def add(tag: str) -> None:
        parts.extend(("".join(between), tag))
        between.clear()
        if _REMARK.sub("", parts[-2]).strip(BLANKS):
            with_text.add(opened[-1])

    def start(tag: str, values: dict[str, str]) -> None:
        order = [name for name in ATTRIBUTES.get(tag, ()) if name in values]
        ordered = {**dict.fromkeys(order, ""), **values}
        written = (f' {name}="{escaped(value)}"' for name, value in ordered.items())
        add(f"<{tag}{''.join(written)}>")
        opened.append(len(parts) - 1)

    def end(tag: str) -> None:
        add(f"</{tag}>")
        first, last = opened[-1], len(parts) - 1
        if first == last - 2 and tag == "dim":
            parts[-2] = parts[-2].strip(BLANKS)
        if first in with_text:
            ends[first] = last
        elif first == last - 2 and not parts[-2].strip(BLANKS):
            parts[first:] = [f"{parts[first][:-1]} />"]
        opened.pop()

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler, parser.DefaultHandler = start, end, between.append
    parser.Parse(text.encode(), True)
    return [*parts, "".join(between)], ends
