"""Reads canonical layers part by part: those that have bodies or runtime attributes, or are large."""

from __future__ import annotations

import re
from collections.abc import Callable
from sys import intern
from typing import NamedTuple

from irops.ir.attributes import Attributes
from irops.ir.model import Body, Element, Graph, Layer
from irops.ir.ports import names_of
from irops.ir.scanning.elements import elements
from irops.ir.scanning.ports import PortForms, count_named, without_names
from irops.ir.scanning.texts import ATTRIBUTES, NotCanonical, Numbers, attributes
from irops.ir.subgraphs import PARTS, sub_graphs

_HEAD = re.compile(f"\t*+<layer({ATTRIBUTES})>\n")
_LINE = re.compile(rb"(\t*+)<([a-z_]++)[^\n]*+\n")

BuildGraph = Callable[[int, int, int], tuple[Graph, int]]
"""The graph at a byte offset and the offset behind it. Takes also the end of the body, and the indent."""


class Part(NamedTuple):
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

    def __init__(self, data: bytes, read: Attributes, numbers: Numbers, graph: BuildGraph) -> None:
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
                self._add(layer, parts, self._element(part, indent + 1))
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

    def _part(self, at: int, end: int, indent: int) -> Part:
        line = _LINE.match(self._data, at, end)
        if line is None or line.end(1) != at + indent:
            raise NotCanonical
        tag = line[2].decode()
        if line[0].endswith(b" />\n"):
            return Part(tag, at, line.end(), line.end(), line.end(), is_bare=False)
        closed = b"\n%b</%b>\n" % (line[1], line[2])
        last = self._data.find(closed, line.end() - 1, end)
        if last < 0:
            raise NotCanonical
        is_bare = line.end() == at + indent + len(f"<{tag}>\n")
        return Part(tag, at, line.end(), last + 1, last + len(closed), is_bare)

    def _add_ports(self, layer: Layer, part: Part, forms: PortForms) -> None:
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

    def _element(self, part: Part, indent: int) -> Element:
        return elements(self._text(part.at, part.stop), part.at, indent, self._limits)[0]

    def _body(self, part: Part, indent: int) -> Body:
        if not part.is_bare or part.tag not in PARTS:
            raise NotCanonical
        graph, behind = self._graph(part.content, part.content_end, indent + 1)
        others = elements(self._text(behind, part.content_end), behind, indent + 1, self._limits)
        if [other.tag for other in others] not in ([], ["rt_info"]):
            raise NotCanonical
        return Body(part.tag, graph, rt_info=others[0] if others else None, at=part.at + indent)

    def _text(self, start: int, stop: int) -> str:
        return self._data[start:stop].decode("latin-1")
