"""Parses the text of a file into elements with byte offsets, and collects the findings of the reader.

No DTD, no entities except the five of XML, no other file. Most of a file is dims, so dims do not become
elements: their texts, each followed by SEPARATOR, are the text of their port.
"""

import re
from collections.abc import Callable, Sequence
from xml.parsers import expat

from irops.diagnostics.diagnostic import Diagnostic, Fix, ReadError, Severity, in_document_order
from irops.diagnostics.rules import rule
from irops.files.limits import LIMIT_OF_RULE, Clock, Limits, notes as limit_notes
from irops.ir.locate import BOM, SourceText
from irops.ir.model import COMMENT, Element, Layer


class Faults:
    """The findings so far. layer and path are the current position, so that each finding names its layer.

    At most limits.findings are kept: more are not useful, and computing their locations takes time. omitted
    counts the others.
    """

    __slots__ = ("findings", "layer", "limits", "omitted", "path", "source")

    def __init__(self, source: SourceText, limits: Limits | None = None) -> None:
        self.source, self.limits = source, limits or Limits()
        self.findings: list[Diagnostic] = []
        self.omitted = 0
        self.layer: Layer | None = None
        self.path: tuple[str, ...] = ()

    def add(
        self,
        name: str,
        message: str,
        at: int,
        *,
        attribute: str | None = None,
        child: tuple[str, int] | None = None,
        notes: tuple[str, ...] = (),
        level: Severity | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Add a finding at the element at a byte offset, at one of its attributes, or at its n-th child.

        child: the tag and the index of the child, counted from 0 among the children of that tag.
        """
        if len(self.findings) >= self.limits.findings:
            self.omitted += 1
            return
        if child is not None:
            offset = self.source.child_offset(at, *child)
            at = at if offset is None else offset
        place = self.source.location(at, self._owner, self.path, attribute)
        usable = fix if self.source.as_stored else None
        self.findings.append(Diagnostic(rule(name), message, place, notes=notes, level=level, fix=usable))

    @property
    def _owner(self) -> tuple[int | None, str | None]:
        return (None, None) if self.layer is None else (self.layer.id, self.layer.name)

    def stop(
        self, name: str, message: str, at: int = -1, *, notes: tuple[str, ...] = (), alone: bool = False
    ) -> ReadError:
        """The error to raise to stop reading, followed by the findings so far. alone: they follow from it"""
        last = Diagnostic(rule(name), message, self.source.location(at, self._owner, self.path), notes=notes)
        return ReadError((last,) if alone else (last, *self.in_order()))

    def refuse(self, name: str, what: str, at: int = -1) -> ReadError:
        """The error to raise to stop reading because a limit is exceeded. name: of the rule of that limit."""
        message = f"{what}; {self.limits.message(LIMIT_OF_RULE[name])}"
        return self.stop(name, message, at, notes=limit_notes(name))

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All findings in the order of the file, and one with the number of those that were omitted."""
        if self.omitted:
            self.omitted, more = 0, self.omitted
            end = self.source.location(len(self.source.data))
            name = "too-many-findings"
            message = f"{more} more findings are not reported; {self.limits.message('findings')}"
            self.findings.append(Diagnostic(rule(name), message, end, notes=limit_notes(name)))
        return in_document_order(self.findings)


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
    *("net", "layers", "edges", "layer", "data", "input", "output", "port", "edge"),
    *("port_map", "back_edges", "body"),
    *("then_body", "else_body", "then_port_map", "else_port_map"),
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


def _unknown_dim_attributes(attributes: dict[str, str], faults: Faults, at: int) -> None:
    for name in attributes:
        message = f"<dim> has an attribute {name!r}, must have none"
        faults.add("stray-attribute", message, at, attribute=name)


def _is_stray(
    characters: str, element: Element, around: list[Element], faults: Faults, parser: expat.XMLParserType
) -> bool:
    """Whether an element must not contain text, which is then reported. around: the elements around it."""
    if element.tag not in SECTIONS or any(e.tag in FREE_FORM for e in around):
        return False
    words, end = characters.strip(), parser.CurrentByteIndex
    start = max(element.at, end - 12 * len(characters) - NEAR)  # a character takes up to 12 bytes: &#x10ffff;
    place = faults.source.data.rfind(words[:40].split("\n")[0].encode(), start, end)
    shown = words if len(words) <= 40 else words[:40] + "…"
    message, ignored = f"<{element.tag}> contains the text {shown!r}", ("OpenVINO silently ignores it",)
    at = max(place, element.at)
    faults.add("stray-text", f"{message}, must contain elements only", at, notes=ignored)
    return True


# Checks the size of a file against the limits while it is parsed.

CLOCK_MASK = 4095
"""The clock is checked once per 4096 elements: where the element count has none of these bits."""


class Bounds:
    """Counts the elements of one file."""

    __slots__ = ("_clock", "_elements", "_faults", "_layers", "_limits", "_parser")

    def __init__(self, faults: Faults, parser: expat.XMLParserType, clock: Clock) -> None:
        self._faults, self._parser, self._limits = faults, parser, faults.limits
        self._elements = self._layers = 0
        self._clock = clock

    def element(self, tag: str, depth: int, attributes: int) -> None:
        """Count an element at its start tag.

        Raises:  ReadError if it exceeds a limit on number, depth or attributes
        """
        limits = self._limits
        self._elements += 1
        if tag == "layer":
            self._layers += 1
        if depth > limits.depth:
            raise self._refusal("nesting-too-deep", f"<{tag}> is nested {depth} elements deep")
        if attributes > limits.attributes:
            raise self._refusal("too-many-attributes", f"<{tag}> has {attributes:,} attributes")
        if self._layers > limits.layers:
            raise self._refusal("too-many-layers", f"there are more than {limits.layers:,} layers")
        if self._elements > limits.elements:
            raise self._refusal("too-many-elements", f"there are more than {limits.elements:,} elements")
        if not self._elements & CLOCK_MASK and self._clock.expired:
            raise self._refusal(
                "checking-time-limit", f"the time limit was reached after reading {self._elements:,} elements"
            )

    def dims(self, at: int, count: int) -> None:
        """Check the number of dims that a port has so far. Raises: ReadError if there are too many"""
        if count > self._limits.dims:
            raise self._faults.refuse(
                "too-many-dimensions", f"a port has more than {self._limits.dims:,} dimensions", at
            )

    def _refusal(self, rule: str, what: str) -> Exception:
        return self._faults.refuse(rule, what, self._parser.CurrentByteIndex)


# Explains why text is not well-formed XML, with the location of the cause.

_CODES = expat.errors.codes
_UNKNOWN_ENTITY = re.compile(rb"&(?!#|(?:lt|gt|amp|quot|apos);)[^;\s]{1,60};?")
_OPENERS = {b"<!--": "a comment", b"<![CDATA[": "a CDATA section", b"<?": "a processing instruction"}
_ENDS = ("NO_ELEMENTS", "UNCLOSED_TOKEN", "UNCLOSED_CDATA_SECTION", "PARTIAL_CHAR")
_OPEN_ENDED = {_CODES[getattr(expat.errors, f"XML_ERROR_{name}")] for name in _ENDS}


def malformed(
    error: expat.ExpatError, parser: expat.XMLParserType, faults: Faults, still_open: Sequence[Element]
) -> ReadError:
    """The error to raise for a parser error; still_open are the elements that are not closed."""
    at = max(parser.ErrorByteIndex, 0)
    data = faults.source.data
    if error.code in _OPEN_ENDED:
        return _cut_off(error, at, faults, [e for e in still_open if e.tag])
    if error.code == _CODES[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
        entity = _UNKNOWN_ENTITY.search(data, at)  # the parser reports the start of the tag
        at = entity.start() if entity else at
    line, _ = faults.source.line_column(at)
    notes = (f"line {line} is: {_excerpt(faults.source.line_text(line))}",)
    try:
        data[max(at - 8, 0) : at + 8].decode("utf-8", "strict")
    except UnicodeDecodeError:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as wrong:
            if abs(wrong.start - at) < 8:
                shown = " ".join(f"{byte:02X}" for byte in data[wrong.start : wrong.start + 2])
                return faults.stop(
                    "invalid-encoding", f"bytes {shown} are not valid UTF-8", wrong.start, notes=notes
                )
    return faults.stop("malformed-xml", _why(error, data, at, still_open), at, notes=notes)


def _cut_off(error: expat.ExpatError, at: int, faults: Faults, still_open: Sequence[Element]) -> ReadError:
    data = faults.source.data
    if error.code == _CODES[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION]:
        at = data.rfind(b"<![CDATA[", 0, at)  # the parser gives the end of the file
    opened = next((what for word, what in _OPENERS.items() if data.startswith(word, at)), None)
    if opened is not None and error.code != _CODES[expat.errors.XML_ERROR_NO_ELEMENTS]:
        return faults.stop("malformed-xml", f"{opened} starts here and is never closed", at)
    if not still_open:
        return faults.stop("malformed-xml", "the file has no element, must have a <net>", at)
    names = " > ".join(_name(e) for e in still_open)
    line, _ = faults.source.line_column(still_open[-1].at)
    return faults.stop(
        "truncated-file",
        f"the file ends inside <{still_open[-1].tag}>, which starts on line {line}",
        at,
        notes=(f"open elements: {names}", "the file seems to be cut off: fetch or export it again"),
    )


def _name(element: Element) -> str:
    return f'{element.tag} "{element.attributes["name"]}"' if "name" in element.attributes else element.tag


def _why(error: expat.ExpatError, data: bytes, at: int, still_open: Sequence[Element]) -> str:
    text = expat.errors.messages[error.code]
    if text == expat.errors.XML_ERROR_TAG_MISMATCH:
        match = re.match(rb"(?:</)?([^\s<>]+)", data[at : at + 200])
        line = data.count(b"\n", 0, still_open[-1].at) + 1
        end_tag = f"</{match[1].decode('utf-8', 'replace')}>" if match else "an end tag"
        return f"{end_tag} does not match the open element, <{still_open[-1].tag}> on line {line}"
    if text == expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT or (
        not [e for e in still_open if e.tag] and b"</" in data[:at]
    ):
        return "there is content after the end of the root element"
    if text == expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE:
        match = re.match(rb"[^\s=]+", data[at : at + 200])
        return f"attribute {match[0].decode('utf-8', 'replace') if match else ''!r} is repeated"
    if text == expat.errors.XML_ERROR_UNDEFINED_ENTITY:
        match = _UNKNOWN_ENTITY.match(data, at)
        name = match[0].decode("utf-8", "replace") if match else "this reference"
        return f"{name} is not an XML entity, must be one of &lt; &gt; &amp; &quot; &apos;"
    if text == expat.errors.XML_ERROR_BAD_CHAR_REF:
        match = re.match(rb"&#[0-9a-fA-Fx]*;?", data[at : at + 40])
        return f"{match[0].decode() if match else 'this'} is a character that XML does not allow"
    if text == expat.errors.XML_ERROR_MISPLACED_XML_PI:
        return "an XML declaration (<?xml …?>) is only allowed at the very start of the file"
    if text == expat.errors.XML_ERROR_SYNTAX:
        return "there is text before the root element"
    return _wrong_character(data, at)


def _wrong_character(data: bytes, at: int) -> str:
    if data.startswith(BOM, at):
        return "a byte order mark is only allowed at the very start of the file"
    start = data.rfind(b"<", 0, at)
    within_tag = start > data.rfind(b">", 0, at)
    here = data[at : at + 1]
    if data.startswith(b"<!--", start) and within_tag:
        return "a comment must not contain '--'"
    if here == b"<" and within_tag:
        return "a '<' in a tag must be written &lt;, or the tag before it is not closed"
    last = data.rfind(b"&", 0, at)
    if last >= 0 and at - last < 30 and b";" not in data[last:at]:
        return "an '&' must be written &amp;"
    if within_tag and data[at - 1 : at] == b"=":
        return "the value of an attribute must be in quotes"
    shown = data[at : at + 4].decode("utf-8", "replace")[:1]
    return f"not well-formed XML: {shown!r} is not allowed here" if shown else "not well-formed XML"


def _excerpt(line: str) -> str:
    stripped = line.strip()
    return stripped if len(stripped) <= 160 else stripped[:160] + "…"
