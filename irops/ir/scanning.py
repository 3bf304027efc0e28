"""Reads files in canonical form, which is the form that OpenVINO writes, without an XML parser.

All text is decoded as Latin-1, so that a character is a byte and its index is a byte offset. A value with
bytes above 127 is decoded as UTF-8 when it is used.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from sys import intern
from typing import NamedTuple

from irops.files.limits import Clock, Limits
from irops.ir.attributes import PARTS, Attributes, has_unique_ids, names_of, sub_graphs
from irops.ir.model import Body, Edge, Element, Layer, LayerGraph, Port
from irops.values.element import element_type_of_precision

VALUE = r'[^"<\x00-\x1f]*+'
"""The text of a value between its quotes."""
NAME = r"[A-Za-z_][A-Za-z0-9_.-]*+"
"""The name of an attribute or element. XML allows more, which the parser reads."""
NUMBER = r"(?:0|[1-9][0-9]{0,17})"
"""A canonical number. A longer one may exceed 64 bits, which the parser reports."""
ATTRIBUTES = f'(?: {NAME}="{VALUE}")*+'
plain = re.compile(r'[^"<&\x00-\x1f\x7f-\xff]*+').fullmatch
"""Matches a value that is its own text, without references and bytes above 127."""
_ATTRIBUTE = re.compile(f' ({NAME})="({VALUE})"')
_VALUE = re.compile(VALUE)
_is_number = re.compile(NUMBER).fullmatch
_REFERENCE = re.compile("&(?:([a-z]{2,4})|#([0-9]{1,3}));|&")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_CONTROLS = (9, 10, 13)  # the control characters that XML 1.0 allows
_NO_CHARACTERS = ("\ufffe", "\uffff")  # XML 1.0 does not allow them


class NotCanonical(Exception):
    """The text is not canonical, or has a fault or a size that the XML parser reports."""


class NumberCache(dict[str, int]):
    """Numbers by their texts, so that each text is converted once."""

    def __missing__(self, text: str) -> int:
        if _is_number(text) is None:
            raise NotCanonical
        number = self[text] = int(text)
        return number


def value(text: str) -> str:
    """The value of an attribute from the text between its quotes. Raises: NotCanonical"""
    if plain(text):
        return text
    if not _VALUE.fullmatch(text):
        raise NotCanonical
    if "&" in text:
        text = _REFERENCE.sub(_character, text)
    return text if text.isascii() else _from_utf8(text)


def attributes(text: str, limit: float) -> dict[str, str]:
    """The attributes in a text that matches ATTRIBUTES.

    Raises:  NotCanonical if they are more than limit, or a name is repeated
    """
    pairs = _ATTRIBUTE.findall(text)
    values = {name: value(content) for name, content in pairs}
    if not len(pairs) == len(values) <= limit:
        raise NotCanonical
    return values


def _character(reference: re.Match[str]) -> str:
    """The character that a reference stands for, if it is one that OpenVINO writes as a reference."""
    name, number = reference.groups()
    if name in _ENTITIES:
        return _ENTITIES[name]
    code = int(number or 0)
    if code not in _CONTROLS and not 32 <= code < 127:
        raise NotCanonical
    return chr(code)


def _from_utf8(text: str) -> str:
    try:
        decoded = text.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        raise NotCanonical from None
    if any(character in decoded for character in _NO_CHARACTERS):
        raise NotCanonical
    return decoded


_ELEMENT = re.compile(f"(\t*+)<(?:/({NAME})|({NAME})({ATTRIBUTES})( /)?)>\n")
_WITH_DIMS = ("port", "dim")
"""Elements that the XML parser does not read as a tree."""


def elements(text: str, at: int, indent: int, limits: Limits) -> list[Element]:
    """The elements in a text, with their children.

    at: the byte offset of the text; indent: the number of tabs before the outermost elements
    Raises:  NotCanonical
    """
    top: list[Element] = []
    open_elements = [Element("", children=top)]
    position = 0
    while position < len(text):
        line = _ELEMENT.match(text, position)
        if line is None:
            raise NotCanonical
        tabs, closed, tag, written, is_empty = line.groups()
        depth = indent + len(open_elements) - 1 - (closed is not None)
        if len(tabs) != depth or depth >= limits.depth or tag in _WITH_DIMS:
            raise NotCanonical
        if closed is not None:
            if open_elements.pop().tag != closed:
                raise NotCanonical
        else:
            values = attributes(written, limits.attributes) if written else {}
            element = Element(tag, values, [], "", at + position + depth)
            open_elements[-1].children.append(element)
            if not is_empty:
                open_elements.append(element)
        position = line.end()
    if len(open_elements) > 1:
        raise NotCanonical
    return top


NAMES = ' names="'
_DIM = re.compile(f"<dim>(-1|{NUMBER})</dim>")
_MOST, _LONGEST = 10_000, 4000
"""How many sections are kept, and how many characters they have at most."""


class PortForm(NamedTuple):
    """The content that equal ports have in common.

    at: the offset in the text that contains the port, in which names are left out; rt_info: its text, and the
    offset of that from the port
    """

    at: int
    id: int
    precision: str | None
    dims: tuple[int, ...]
    is_named: bool
    rt_info: tuple[int, str] | None


class PortForms:
    """Reads the sections <input> and <output> of layers at one depth."""

    def __init__(self, indent: int, numbers: NumberCache, read: Attributes) -> None:
        self._numbers, self._read, self._limits = numbers, read, read.faults.limits
        self._port, self._indent = _port(), indent
        self._sections: dict[str, tuple[PortForm, ...]] = {}
        self._dims: dict[str, tuple[int, ...]] = {}
        self._precisions: set[str] = set()

    def of(self, section: str, at: int, *, is_output: bool) -> tuple[PortForm, ...]:
        """The ports in the content of a section without their names. at: the offset of the content.

        Raises:  NotCanonical
        """
        forms = self._sections.get(section)
        if forms is None:
            forms = self._new(section)
            if len(self._sections) < _MOST and len(section) < _LONGEST:
                self._sections[section] = forms
        if is_output and any(form.precision is None for form in forms):
            raise NotCanonical
        return tuple([PortForm(at + form[0], *form[1:]) for form in forms])

    def _new(self, section: str) -> tuple[PortForm, ...]:
        forms, position = [], 0
        while position < len(section):
            port = self._port.match(section, position)
            if port is None:
                raise NotCanonical
            tabs, number, precision, names, before, dims, after = port.groups()
            if len(tabs) != self._indent:
                raise NotCanonical
            at = position + self._indent
            forms.append(
                PortForm(
                    at,
                    self._numbers[number],
                    self._precision(precision),
                    self._dims_of(dims or ""),
                    names is not None,
                    _rt_info(before, port.start(5) - at, after, port.start(7) - at),
                )
            )
            position = port.end()
        if len({form.id for form in forms}) < len(forms):
            raise NotCanonical
        return tuple(forms)

    def _precision(self, text: str | None) -> str | None:
        if text is not None and text not in self._precisions:
            try:
                element_type_of_precision(text)
            except ValueError:
                raise NotCanonical from None
            self._precisions.add(text)
        return text

    def _dims_of(self, text: str) -> tuple[int, ...]:
        dims = self._dims.get(text)
        if dims is None:
            dims = tuple(map(int, _DIM.findall(text)))
            if len(dims) > self._limits.dims:
                raise NotCanonical
            if len(self._dims) < _MOST and len(text) < _LONGEST:
                self._dims[text] = dims
        return dims

    def ports(self, forms: tuple[PortForm, ...], place: int, names: list[str]) -> tuple[list[Port], int]:
        """Ports of some forms, and the place from which the forms after them count.

        place: the byte offset from which these forms count; names: the texts of names in reverse order, from
        which those of these ports are removed
        """
        ports = []
        for at, number, precision, dims, is_named, rt_info in forms:
            port = Port(number, precision, dims, (), None, {}, (), place + at)
            if is_named:
                text = names.pop()
                port.names = names_of(value(text))
                place += len(text)
            if rt_info is not None:
                behind, text = rt_info
                self._read.has_rt_info = True
                port.rt_info = elements(text, place + at + behind, self._indent + 1, self._limits)[0]
            ports.append(port)
        return ports, place


def _rt_info(before: str | None, at: int, after: str | None, behind: int) -> tuple[int, str] | None:
    """The runtime attributes of a port and their offset. Releases write them before or after the dims."""
    if before and after:
        raise NotCanonical
    if before:
        return at, before
    return (behind, after) if after else None


def count_named(forms: tuple[PortForm, ...]) -> int:
    return sum(form.is_named for form in forms)


def without_names(text: str) -> tuple[str, list[str]]:
    """A text in which the names of ports are empty, and the texts of the names."""
    names: list[str] = []
    if NAMES not in text:
        return text, names
    pieces = text.split(NAMES)
    for index in range(1, len(pieces)):
        name, quote, rest = pieces[index].partition('"')
        pieces[index] = f"{quote}{rest}"
        names.append(name)
    return NAMES.join(pieces), names


@cache
def _port() -> re.Pattern[str]:
    """Matches a port with its indent, without its names. Compiled when first used: it takes milliseconds."""
    rt_info = r"\1\t<rt_info(?: />\n|>\n(?:\1\t\t[^\n]*+\n)*+\1\t</rt_info>\n)"
    return re.compile(
        f'(\t++)<port id="({NUMBER})"(?: precision="({VALUE})")?({NAMES}")?'
        rf"(?: />\n|>\n({rt_info})?((?:\1\t<dim>(?:-1|{NUMBER})</dim>\n)*+)({rt_info})?\1</port>\n)"
    )


_DECLARATION = r'<\?xml version="1\.0"(?: encoding="(?:utf|UTF)-8")?(?: standalone="yes")? ?\?>\n'
_HEADER = re.compile(f"(?:{_DECLARATION})?<net({ATTRIBUTES})>\n".encode("latin-1"))
_FOOTER = b"</net>\n"
_ELEMENT_BYTES, _LAYER_BYTES = 6, 40
"""How many bytes an element and a layer take at least."""
_ATTRIBUTES = 5
"""How many attributes elements have whose attributes are not counted."""


def scan(data: bytes, read: Attributes, graph: LayerGraph, clock: Clock) -> Element | None:
    """The document in canonical text, as parse returns it, with the layers and edges in graph; None if the
    text is not canonical, has a fault or exceeds a limit.

    The parser then reads it from the start, so that every finding has one origin.
    """
    faults = read.faults
    if faults.findings or _may_exceed(faults.limits, data):
        return None
    try:
        document, scanned = _document(data, read, clock)
    except NotCanonical:
        document = None
    faults.layer, faults.path = None, ()
    if document is None or faults.findings:
        faults.findings.clear()
        faults.omitted = 0
        return None
    graph.layers, graph.edges = scanned.layers, scanned.edges
    return document


def _may_exceed(limits: Limits, data: bytes) -> bool:
    """Whether canonical text may have more attributes, elements or layers than permitted."""
    if limits.attributes < _ATTRIBUTES:
        return True
    if len(data) > _LAYER_BYTES * limits.layers and data.count(b"<layer ") > limits.layers:
        return True
    if len(data) <= _ELEMENT_BYTES * limits.elements:
        return False
    others = data.count(b"</") + data.count(b"<dim>") + data.count(b"<?")
    return data.count(b"<") - others > limits.elements


def _document(data: bytes, read: Attributes, clock: Clock) -> tuple[Element, LayerGraph]:
    limits = read.faults.limits
    header = _HEADER.match(data)
    end = len(data) - len(_FOOTER)
    if header is None or not data.endswith(_FOOTER):
        raise NotCanonical
    graph, place = GraphScanner(data, read, clock).graph(header.end(), end, 1)
    sections = [Element("layers"), Element("edges")]
    others = elements(data[place:end].decode("latin-1"), place, 1, limits)
    values = attributes(header[1].decode("latin-1"), limits.attributes)
    root = Element("net", values, sections + others, at=header.start(1) - len("<net"))
    return Element("", children=[root]), graph


# Reads the layers and edges of graphs in canonical text.

_BLOCK = 1 << 16
"""How many bytes are decoded at a time, and the size of a layer that is read part by part."""
_LEVELS = 6
"""How many levels of elements <layers> and what it contains have, but for bodies and rt_info."""


class GraphScanner:
    """Reads the graphs of one file."""

    def __init__(self, data: bytes, read: Attributes, clock: Clock) -> None:
        self._data, self._read, self._clock = data, read, clock
        self._numbers = NumberCache()
        self._parts = LayerParts(data, read, self._numbers, self.graph)
        self._forms: dict[int, LayerForms] = {}

    def graph(self, start: int, stop: int, indent: int) -> tuple[LayerGraph, int]:
        """The graph whose <layers> is at a byte offset, and the offset behind its <edges>.

        stop: the offset at which the element that contains both ends; indent: the number of tabs before them
        Raises:  NotCanonical
        """
        if indent + _LEVELS > self._read.faults.limits.depth:
            raise NotCanonical
        forms = self._forms.get(indent)
        if forms is None:
            forms = self._forms[indent] = LayerForms(indent + 1, self._numbers, self._read)
        layers: list[Layer] = []
        start, end, behind = self._section(b"layers", start, stop, indent)
        for at, to in self._blocks(start, end, b"\n%b</layer>\n" % (b"\t" * (indent + 1))):
            if to - at > _BLOCK:
                layers.append(self._parts.layer(at, to, indent + 1, forms.ports))
            else:
                self._add_layers(layers, at, to, indent + 1, forms)
        if not has_unique_ids(layers):
            raise NotCanonical
        start, end, behind = self._section(b"edges", behind, stop, indent)
        graph = LayerGraph(layers)
        for at, to in self._blocks(start, end, b"\n"):
            graph.edges += edges_of(self._data[at:to].decode("latin-1"), at, indent + 1, self._numbers)
        return graph, behind

    def _section(self, tag: bytes, start: int, stop: int, indent: int) -> tuple[int, int, int]:
        """The extent of the content of the section at a byte offset, and the offset behind the section."""
        data, tabs = self._data, b"\t" * indent
        opened, closed = b"%b<%b>\n" % (tabs, tag), b"\n%b</%b>\n" % (tabs, tag)
        empty = b"%b<%b />\n" % (tabs, tag)
        if data.startswith(empty, start):
            return start, start, start + len(empty)
        end = data.find(closed, start, stop)
        if end < 0 or not data.startswith(opened, start):
            raise NotCanonical
        return start + len(opened), end + 1, end + len(closed)

    def _blocks(self, start: int, stop: int, end: bytes) -> Iterator[tuple[int, int]]:
        """The extents of parts that end with a text, each of at most _BLOCK bytes if possible."""
        while start < stop:
            cut = self._data.rfind(end, start, min(start + _BLOCK, stop))
            if cut < 0:
                cut = self._data.find(end, start, stop)
            if cut < 0 or self._clock.expired:
                raise NotCanonical
            yield start, cut + len(end)
            start = cut + len(end)

    def _add_layers(self, layers: list[Layer], at: int, stop: int, indent: int, forms: "LayerForms") -> None:
        """Append the layers whose lines are between two byte offsets."""
        tabs = "\t" * indent
        opened, end = f"{tabs}<layer id=", f"\n{tabs}</layer>\n"
        complete, numbers = forms.complete, self._numbers
        for text in self._data[at:stop].decode("latin-1").split(end)[:-1]:
            pieces = text.split('"', 4)
            if len(pieces) < 5 or pieces[0] != opened or pieces[2] != " name=":
                raise NotCanonical
            _, number, _, name, rest = pieces
            if plain(name) is None:
                name = value(name)
            behind = at + len(text) + len(end)
            place = behind - len(end) - len(rest)
            form = complete.get(rest)
            if form is not None:
                layers.append(form.layer(numbers[number], name, at + indent, place))
            else:
                layer = forms.layer(numbers[number], name, at + indent, place, rest)
                layers.append(layer or self._parts.layer(at, behind, indent, forms.ports))
            at = behind


# Reads canonical edges.

_EDGE = '<edge from-layer="{0}" from-port="{0}" to-layer="{0}" to-port="{0}" />\n'


def edges_of(text: str, at: int, indent: int, numbers: NumberCache) -> list[Edge]:
    """The edges that make up a text. at: its byte offset; indent: the tabs before each edge.

    Raises:  NotCanonical
    """
    tabs = "\t" * indent
    fixed = len(tabs) + len(_EDGE.format(""))
    at += len(tabs)
    end = at + len(text)
    edges = []
    for a, b, c, d in _edge().findall(text):
        edges.append(Edge(numbers[a], numbers[b], numbers[c], numbers[d], {}, at))
        at += fixed + len(a) + len(b) + len(c) + len(d)
    starts = f"\n{text}".count(f"\n{tabs}<edge ")
    if at != end or starts != len(edges):  # there is something between the edges
        raise NotCanonical
    return edges


@cache
def _edge() -> re.Pattern[str]:
    return re.compile(_EDGE.format(f"({NUMBER})"))


# What layers have in common whose texts differ only in ids, names and offsets of weights.

OFFSET = ' offset="'
_GRAPH, _RT_INFO = "<layers>", "<rt_info>"


class LayerForm(NamedTuple):
    """A layer without its id, its name, the names of its ports and the offset in its data.

    Byte offsets count from the attribute type.
    """

    type: str
    version: str
    output_names: tuple[str, ...] | None
    data: dict[str, str]
    data_at: int | None
    inputs: tuple[PortForm, ...]
    outputs: tuple[PortForm, ...]

    def layer(self, number: int, name: str, at: int, place: int) -> Layer:
        """A layer of which nothing else is left out. at: its offset; place: that of its attribute type"""
        ports = [
            [Port(label, kind, dims, (), None, {}, (), place + far) for far, label, kind, dims, _, _ in forms]
            for forms in (self.inputs, self.outputs)
        ]
        return self.with_ports(number, name, at, place, *ports)

    def with_ports(
        self, number: int, name: str, at: int, place: int, inputs: list[Port], outputs: list[Port]
    ) -> Layer:
        """A layer with some ports."""
        return Layer(
            number,
            name,
            self.type,
            self.version,
            self.data.copy(),
            inputs,
            outputs,
            {},
            self.output_names,
            None,
            {},
            (),
            at,
            -1 if self.data_at is None else place + self.data_at,
        )


class LayerForms:
    """The forms of layers at one depth.

    complete: those of layers of which nothing is left out, by their texts from the attribute type on
    """

    def __init__(self, indent: int, numbers: NumberCache, read: Attributes) -> None:
        self.complete: dict[str, LayerForm] = {}
        self.ports = PortForms(indent + 2, numbers, read)
        self._others: dict[str, LayerForm] = {}
        self._layer, self._tabs = _layer(), "\t" * (indent + 1)
        self._read, self._limits = read, read.faults.limits

    def layer(self, number: int, name: str, at: int, place: int, text: str) -> Layer | None:
        """A layer; None if it has bodies, or other content than forms have, or is not canonical.

        at: its byte offset; text: from the attribute type on, without the last line end; place: the byte
        offset of text
        """
        if _GRAPH in text:
            return None
        start, end = self._rt_info(text) if _RT_INFO in text else (0, 0)
        left, names = without_names(text[:start] + text[end:] if end else text)
        before, mark, offset = left.partition(OFFSET)
        if mark:
            offset, quote, behind = offset.partition('"')
            left = f"{before}{OFFSET}{quote}{behind}"
        form = self._others.get(left) or self._new(left, len(names), mark, is_complete=left == text)
        if form is None:
            return None
        names.reverse()
        inputs, shifted = self.ports.ports(form.inputs, place + len(offset) + end - start, names)
        outputs, _ = self.ports.ports(form.outputs, shifted, names)
        layer = form.with_ports(number, name, at, place, inputs, outputs)
        if mark:
            layer.data["offset"] = value(offset)
        if end:
            self._read.has_rt_info = True
            tree = elements(text[start:end], place + start, len(self._tabs), self._limits)
            layer.rt_info = tree[0]
        return layer

    def _rt_info(self, text: str) -> tuple[int, int]:
        """The extent of the runtime attributes, if they are between data and ports; otherwise (0, 0)."""
        tabs = self._tabs
        start = text.find(f"\n{tabs}<rt_info>\n") + 1
        closed = f"{tabs}</rt_info>\n"
        last = text.find(f"\n{closed}", start) + 1 if start else 0
        end = last + len(closed)
        # two lines may precede: the first one of the layer, and <data>
        if not last or text.count("\n", 0, start) > 2 or text.startswith(f"{tabs}<data", end):
            return 0, 0
        return start, end

    def _new(self, text: str, names: int, offset: str, *, is_complete: bool) -> LayerForm | None:
        """The form of a text, from which names are left out, and an offset if there was one."""
        before = len(self._tabs) - 1
        match = self._layer.fullmatch(f"{self._tabs[1:]}{text}\n")
        if match is None:
            return None
        _, kind, version, output_names, data, inputs, outputs = match.groups()
        form = LayerForm(
            intern(value(kind)),
            intern(value(version)),
            None if output_names is None else names_of(value(output_names)),
            attributes(data, self._limits.attributes) if data else {},
            None if data is None else match.start("data") - before - len("<data"),
            self.ports.of(inputs or "", match.start("inputs") - before, is_output=False),
            self.ports.of(outputs or "", match.start("outputs") - before, is_output=True),
        )
        if count_named(form.inputs) + count_named(form.outputs) != names:
            return None  # other elements have an attribute of that name too
        if offset and "offset" not in form.data:
            return None
        forms = self.complete if is_complete and not names and not offset else self._others
        if len(forms) < _MOST and len(text) < _LONGEST:
            forms[text] = form
        return form


@cache
def _layer() -> re.Pattern[str]:
    """Matches the indent of a layer, and the layer from its attribute type up to its end tag."""
    lines = r"(?:(?P=tabs)\t\t[^\n]*+\n)*+"
    return re.compile(
        f'(?P<tabs>\t++) type="(?!")({VALUE})" version="(?!")({VALUE})"(?: output_names="({VALUE})")?>\n'
        rf"(?:(?P=tabs)\t<data(?P<data>{ATTRIBUTES}) />\n)?"
        rf"(?:(?P=tabs)\t<input>\n(?P<inputs>{lines})(?P=tabs)\t</input>\n)?"
        rf"(?:(?P=tabs)\t<output>\n(?P<outputs>{lines})(?P=tabs)\t</output>\n)?"
    )


# Reads canonical layers part by part: those that have bodies or runtime attributes, or are large.

_HEAD = re.compile(f"\t*+<layer({ATTRIBUTES})>\n")
_LINE = re.compile(rb"(\t*+)<([a-z_]++)[^\n]*+\n")

BuildGraph = Callable[[int, int, int], tuple[LayerGraph, int]]
"""The graph at a byte offset and the offset behind it. Takes also the end of the body, and the indent."""


class ScannedElement(NamedTuple):
    """An element of a layer: the byte offsets of its line, of its content, and behind it."""

    tag: str
    at: int
    content: int
    content_end: int
    stop: int
    is_bare: bool
    """Whether it has content and no attributes."""


class LayerParts:
    """Reads single layers of one file. graph: reads the graphs of their bodies."""

    def __init__(self, data: bytes, read: Attributes, numbers: NumberCache, graph: BuildGraph) -> None:
        self._data, self._read, self._numbers, self._graph = data, read, numbers, graph
        self._limits = read.faults.limits

    def layer(self, at: int, stop: int, indent: int, ports: PortForms) -> Layer:
        """The layer whose lines are between two byte offsets. Raises: NotCanonical"""
        place = self._data.index(b"\n", at) + 1
        layer = self._head(at, place, indent)
        end = stop - indent - len("</layer>\n")
        tags = set[str]()
        bodies: dict[str, Body] = {}
        parts: dict[str, Element] = {}
        while place < end:
            part = self._part(place, end, indent + 1)
            if part.tag in tags:
                raise NotCanonical
            tags.add(part.tag)
            if part.tag in ("input", "output"):
                self._add_ports(layer, part, ports)
            elif part.tag.endswith("body"):
                bodies[part.tag] = self._body(part, indent + 1)
                parts[part.tag] = Element(part.tag)
            else:
                text = self._text(part.at, part.stop)
                self._add(layer, parts, elements(text, part.at, indent + 1, self._limits)[0])
            place = part.stop
        if parts:
            layer.bodies = sub_graphs(layer, parts, self._read, lambda name, _: bodies[name])
            self._read.faults.layer = None
        return layer

    def _head(self, at: int, stop: int, indent: int) -> Layer:
        head = _HEAD.fullmatch(self._text(at, stop))
        values = {} if head is None else attributes(head[1], self._limits.attributes)
        number, name = values.pop("id", ""), values.pop("name", "")
        kind, version = values.pop("type", ""), values.pop("version", "")
        names = values.pop("output_names", None)
        if not kind or not version or values:
            raise NotCanonical
        layer = Layer(self._numbers[number], name, intern(kind), intern(version), at=at + indent)
        layer.output_names = None if names is None else names_of(names)
        return layer

    def _part(self, at: int, end: int, indent: int) -> ScannedElement:
        line = _LINE.match(self._data, at, end)
        if line is None or line.end(1) != at + indent:
            raise NotCanonical
        tag = line[2].decode()
        if line[0].endswith(b" />\n"):
            return ScannedElement(tag, at, line.end(), line.end(), line.end(), is_bare=False)
        closed = b"\n%b</%b>\n" % (line[1], line[2])
        last = self._data.find(closed, line.end() - 1, end)
        if last < 0:
            raise NotCanonical
        is_bare = line.end() == at + indent + len(f"<{tag}>\n")
        return ScannedElement(tag, at, line.end(), last + 1, last + len(closed), is_bare)

    def _add_ports(self, layer: Layer, part: ScannedElement, forms: PortForms) -> None:
        if not part.is_bare:
            raise NotCanonical
        text, names = without_names(self._text(part.content, part.content_end))
        names.reverse()
        is_output = part.tag == "output"
        section = forms.of(text, 0, is_output=is_output)
        if count_named(section) != len(names):  # runtime attributes have names too
            raise NotCanonical
        ports, _ = forms.ports(section, part.content, names)
        if is_output:
            layer.outputs = ports
        else:
            layer.inputs = ports

    def _add(self, layer: Layer, parts: dict[str, Element], element: Element) -> None:
        if element.tag == "data" and not element.children:
            layer.data, layer.data_at = element.attributes, element.at
        elif element.tag == "rt_info":
            layer.rt_info, self._read.has_rt_info = element, True
        elif element.tag in PARTS:
            parts[element.tag] = element
        else:
            raise NotCanonical

    def _body(self, part: ScannedElement, indent: int) -> Body:
        if not part.is_bare or part.tag not in PARTS:
            raise NotCanonical
        graph, behind = self._graph(part.content, part.content_end, indent + 1)
        others = elements(self._text(behind, part.content_end), behind, indent + 1, self._limits)
        if [other.tag for other in others] not in ([], ["rt_info"]):
            raise NotCanonical
        return Body(part.tag, graph, rt_info=others[0] if others else None, at=part.at + indent)

    def _text(self, start: int, stop: int) -> str:
        return self._data[start:stop].decode("latin-1")
