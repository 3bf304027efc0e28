"""Reads whole files in canonical form: as OpenVINO writes them, with its tabs and line ends."""

from __future__ import annotations

import re

from irops.ir.attributes import Attributes
from irops.ir.model import Element, Graph
from irops.ir.scanning.elements import elements
from irops.ir.scanning.graphs import GraphScanner
from irops.ir.scanning.texts import ATTRIBUTES, NotCanonical, attributes
from irops.limits import Clock, Limits

_DECLARATION = r'<\?xml version="1\.0"(?: encoding="(?:utf|UTF)-8")?(?: standalone="yes")? ?\?>\n'
_HEADER = re.compile(f"(?:{_DECLARATION})?<net({ATTRIBUTES})>\n".encode("latin-1"))
_FOOTER = b"</net>\n"
_ELEMENT_BYTES, _LAYER_BYTES = 6, 40
"""How many bytes an element and a layer take at least."""
_ATTRIBUTES = 5
"""How many attributes elements have whose attributes are not counted."""


def scan(data: bytes, read: Attributes, graph: Graph, clock: Clock) -> Element | None:
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


def _document(data: bytes, read: Attributes, clock: Clock) -> tuple[Element, Graph]:
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
