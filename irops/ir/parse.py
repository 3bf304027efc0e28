"""From the text of a file to elements that know where they stand. No DTD, no entities but XML's five, no
other file.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

from irops.ir.bounds import Bounds
from irops.ir.faults import Faults
from irops.ir.malformed import malformed
from irops.ir.model import COMMENT, Element

LONGEST_DIM = 256
"""So many characters of a <dim> are kept: enough to say what is wrong with it."""
SEPARATOR = "\0"
"""Stands behind each dim in the text of a port; no XML holds this character."""
BLANKS = " \t\r\n"
FREE_FORM = ("rt_info", "meta_data", "quantization_parameters", "pre-process")
"""Elements whose content has no fixed structure."""
SECTIONS = (
    "net",
    "layers",
    "edges",
    "layer",
    "data",
    "input",
    "output",
    "port",
    "edge",
    "port_map",
    "back_edges",
    "body",
    "then_body",
    "else_body",
    "then_port_map",
    "else_port_map",
)

Take = Callable[[Element, Element], bool]


def parse(data: bytes, faults: Faults, take: Take) -> Element:  # noqa: PLR0915
    """The document: an element without a tag that holds the root element, and comments before and after it.

    Most of a file is dims, so they become no elements: their texts, each followed by SEPARATOR, are the text
        of their port.
    take is given each finished child of each section of the root, with its section; what it takes is not kept
    in the tree, so that a large file never stands in memory as elements.
    Raises:  ReadError where the text is not well-formed XML, or meets a limit
    """
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    outermost = element = Element("")
    stack: list[Element] = []
    push, pop = stack.append, stack.pop
    dim: str | None = None  # the text so far of the dim that is open
    texts: dict[int, list[str]] = {}  # the pieces of the texts of the elements that are open, by depth
    bounds = Bounds(faults, parser)
    pass_through, dims_at_most = bounds.element, faults.limits.dims

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal element, dim
        if tag == "dim" and dim is None and element.tag == "port":
            dim = ""
            if attributes:
                _unknown_dim_attributes(attributes, faults, parser.CurrentByteIndex)
            return
        if (
            dim is not None
        ):  # an element within a dim: the dim becomes an element, for its port to complain about
            push(element)
            element.children.append(inner := Element("dim", {}, [], dim, parser.CurrentByteIndex))
            element, dim = inner, None
        push(element)
        pass_through(tag, len(stack), len(attributes))
        inner = Element(tag, attributes, [], "", parser.CurrentByteIndex)
        element.children.append(inner)
        element = inner

    def end(_: str) -> None:
        nonlocal element, dim
        if dim is not None:
            element.text += dim + SEPARATOR
            dim = None
            if len(element.text) > dims_at_most:  # only then can there be too many
                bounds.dims(element.at, element.text.count(SEPARATOR))
            return
        closed = element
        if texts:
            closed.text += "".join(texts.pop(len(stack), ()))
            if closed.children:  # blanks between text and elements are layout, as those between elements
                closed.text = closed.text.strip(BLANKS)
        element = pop()
        if len(stack) == 2 and take(element, closed):
            element.children.pop()

    def text(characters: str) -> None:
        nonlocal dim
        if dim is not None:
            dim = (dim + characters)[:LONGEST_DIM]
        elif not characters.isspace():
            if element.tag not in SECTIONS or any(e.tag in FREE_FORM for e in stack):
                texts.setdefault(len(stack), []).append(characters)
            else:
                _stray_text(characters, element, faults, parser.CurrentByteIndex)

    def comment(characters: str) -> None:
        if dim is None:
            pass_through(COMMENT, len(stack), 0)
            element.children.append(Element(COMMENT, {}, [], characters, parser.CurrentByteIndex))

    if b"<!--" in data:
        parser.CommentHandler = comment
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise malformed(error, parser, faults, [*stack[1:], element]) from None
    return outermost


def _stray_text(characters: str, element: Element, faults: Faults, behind: int) -> None:
    """Tell of text in an element that may hold none, where it stands: before the byte offset behind."""
    words = characters.strip()
    place = faults.source.data.rfind(words[:40].split("\n")[0].encode(), element.at, behind)
    shown = words if len(words) <= 40 else words[:40] + "…"
    faults.add(
        "stray-text",
        f"text in <{element.tag}>: {shown!r}; it may hold elements only",
        max(place, element.at),
        notes=("OpenVINO silently ignores it",),
    )


def _unknown_dim_attributes(attributes: dict[str, str], faults: Faults, at: int) -> None:
    for name in attributes:
        faults.add("stray-attribute", f"<dim> has an attribute {name!r}; it has none", at, attribute=name)
