"""Reads the layers and edges of graphs in canonical text."""

from __future__ import annotations

from collections.abc import Iterator

from irops.ir.attributes import Attributes
from irops.ir.model import Graph, Layer
from irops.ir.numbering import has_unique_ids
from irops.ir.scanning.edges import edges_of
from irops.ir.scanning.forms import LayerForms
from irops.ir.scanning.parts import LayerParts
from irops.ir.scanning.texts import NotCanonical, Numbers, plain, value
from irops.limits import Clock

_BLOCK = 1 << 16
"""How many bytes are decoded at a time, and the size of a layer that is read part by part."""
_LEVELS = 6
"""How many levels of elements <layers> and what it contains have, but for bodies and rt_info."""


class GraphScanner:
    """Reads the graphs of one file."""

    def __init__(self, data: bytes, read: Attributes, clock: Clock) -> None:
        self._data, self._read, self._clock = data, read, clock
        self._numbers = Numbers()
        self._parts = LayerParts(data, read, self._numbers, self.graph)
        self._forms: dict[int, LayerForms] = {}

    def graph(self, start: int, stop: int, indent: int) -> tuple[Graph, int]:
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
        graph = Graph(layers)
        for at, to in self._blocks(start, end, b"\n"):
            graph.edges += edges_of(self._data[at:to].decode("latin-1"), at, indent + 1, self._numbers)
        return graph, behind

    def _section(self, tag: bytes, start: int, stop: int, indent: int) -> tuple[int, int, int]:
        """The extent of the content of the section at a byte offset, and the offset behind the section."""
        data, tabs = self._data, b"\t" * indent
        opened, closed, empty = (
            b"%b<%b>\n" % (tabs, tag),
            b"\n%b</%b>\n" % (tabs, tag),
            b"%b<%b />\n" % (tabs, tag),
        )
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

    def _add_layers(self, layers: list[Layer], at: int, stop: int, indent: int, forms: LayerForms) -> None:
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
