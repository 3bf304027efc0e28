"""Parses the text of a file into elements with byte offsets.

No DTD, no entities except the five of XML, no other file. Most of a file is dims, so dims do not become
elements: their texts, each followed by SEPARATOR, are the text of their port.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.parsers import expat

from irops.ir.bounds import Bounds
from irops.ir.faults import Faults
from irops.ir.malformed import malformed
from irops.ir.model import COMMENT, Element
from irops.limits import Clock

MAX_DIM_TEXT = 256
"""The number of characters of a <dim> that are kept: enough for an error message."""
SEPARATOR = "\0"
"""Follows each dim in the text of a port; XML cannot contain this character."""
BLANKS = " \t\r\n"
NEAR = 1000
"""How many bytes before its end a text is looked for, beyond its own length."""
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
Handler = Callable[..., None]


def parse(data: bytes, faults: Faults, take: Take, clock: Clock) -> Element:
    """The document: an element without a tag, with the root element and the comments around it as children.

    take: called with each section of the root and each of its children when the child ends; if it returns
    True, the child is removed from the tree, so that a large file is never in memory as elements.
    Raises:  ReadError if the text is not well-formed XML, or exceeds a limit
    """
    parser = expat.ParserCreate("utf-8")
    outermost = element = Element("")
    stack: list[Element] = []
    push, pop = stack.append, stack.pop
    dim: str | None = None  # the text so far of the open dim
    texts: dict[int, list[str]] = {}  # the pieces of the texts of the open elements, by depth
    bounds = Bounds(faults, parser, clock)
    count_element, max_dims = bounds.element, faults.limits.dims

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal element, dim
        if tag == "dim" and dim is None and element.tag == "port":
            dim = ""
            if attributes:
                _unknown_dim_attributes(attributes, faults, parser.CurrentByteIndex)
            return
        if dim is not None:  # an element in a dim: the dim becomes an element, which its port reports
            push(element)
            element.children.append(inner := Element("dim", {}, [], dim, parser.CurrentByteIndex))
            element, dim = inner, None
        push(element)
        count_element(tag, len(stack), len(attributes))
        element.children.append(inner := Element(tag, attributes, [], "", parser.CurrentByteIndex))
        element = inner

    def end(_: str) -> None:
        nonlocal element, dim
        if dim is not None:
            element.text += dim + SEPARATOR
            dim = None
            if len(element.text) > max_dims:  # only then can there be too many
                bounds.dims(element.at, element.text.count(SEPARATOR))
            return
        closed, element = element, pop()
        if texts:
            _add_text(closed, texts.pop(len(stack) + 1, ()))
        if len(stack) == 2 and take(element, closed):
            element.children.pop()

    def text(characters: str) -> None:
        nonlocal dim
        if dim is not None:
            dim = (dim + characters)[:MAX_DIM_TEXT]
        elif not characters.isspace() and not _is_stray(characters, element, stack, faults, parser):
            texts.setdefault(len(stack), []).append(characters)

    def comment(characters: str) -> None:
        if dim is None:
            count_element(COMMENT, len(stack), 0)
            element.children.append(Element(COMMENT, {}, [], characters, parser.CurrentByteIndex))

    _feed(parser, data, (start, end, text, comment), faults, lambda: [*stack[1:], element])
    return outermost


def _feed(
    parser: expat.XMLParserType,
    data: bytes,
    handlers: tuple[Handler, ...],
    faults: Faults,
    open_elements: Callable[[], list[Element]],
) -> None:
    """Parse data with handlers for the start and the end of an element, for text and for comments."""
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler, comment = handlers
    if b"<!--" in data:
        parser.CommentHandler = comment
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise malformed(error, parser, faults, open_elements()) from None
    finally:  # else the parser and its handlers refer to each other, and to the model by way of take
        parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
        parser.CommentHandler = None


def _add_text(element: Element, pieces: Sequence[str]) -> None:
    """Add to the text of an element that ends."""
    element.text += "".join(pieces)
    if element.children:  # whitespace between text and elements is layout
        element.text = element.text.strip(BLANKS)


def _is_stray(
    characters: str, element: Element, around: list[Element], faults: Faults, parser: expat.XMLParserType
) -> bool:
    """Whether an element must not contain text, which is then reported. around: the elements around it."""
    if element.tag not in SECTIONS or any(e.tag in FREE_FORM for e in around):
        return False
    _stray_text(characters, element, faults, parser.CurrentByteIndex)
    return True


def _stray_text(characters: str, element: Element, faults: Faults, end: int) -> None:
    """Report text in an element that must not contain any. end: a byte offset after the text."""
    words = characters.strip()
    start = max(element.at, end - 12 * len(characters) - NEAR)  # a character takes up to 12 bytes: &#x10ffff;
    place = faults.source.data.rfind(words[:40].split("\n")[0].encode(), start, end)
    shown = words if len(words) <= 40 else words[:40] + "…"
    faults.add(
        "stray-text",
        f"<{element.tag}> contains the text {shown!r}, must contain elements only",
        max(place, element.at),
        notes=("OpenVINO silently ignores it",),
    )


def _unknown_dim_attributes(attributes: dict[str, str], faults: Faults, at: int) -> None:
    for name in attributes:
        message = f"<dim> has an attribute {name!r}, must have none"
        faults.add("stray-attribute", message, at, attribute=name)
