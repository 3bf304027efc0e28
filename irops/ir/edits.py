"""Small changes to the text of a file, at exact places: all else stays as it was written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.parsers import expat

from irops.diagnostics.fix import Edit
from irops.ir.locate import Source
from irops.ir.model import Layer
from irops.ir.serialize import escaped

_TAG = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"\s+([^\s=>/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ENDS = re.compile(rb"\s*(/?)>")
_BLANKS = b" \t\r\n"


def with_attribute(source: Source, at: int, name: str, text: str) -> Edit | None:
    """Another value for an attribute of the element at a byte offset, which has it."""
    for found in _attributes(source, at):
        if found[1] == name.encode():
            group = 2 if found[2] is not None else 3
            return Edit(found.start(group), found.end(group), escaped(text).replace("'", "&apos;"))
    return None


def with_new_attribute(source: Source, layer: Layer, name: str, text: str) -> Edit | None:
    """One more attribute in the <data> of a layer, behind those that it has; a new <data> where there is
    none.
    """
    written = f' {name}="{escaped(text)}"'
    if layer.data_at >= 0:
        place = _end_of_attributes(source, layer.data_at)
        return None if place is None else Edit(place, place, written)
    place = _end_of_attributes(source, layer.at)
    ends = None if place is None else _ENDS.match(source.data, place)
    if ends is None:
        return None
    if ends[1]:
        return Edit(ends.start(), ends.end(), f"><data{written}/></layer>")
    inside = source.data[ends.end() :]
    blanks = inside[: len(inside) - len(inside.lstrip(_BLANKS))].decode("ascii")
    return Edit(ends.end(), ends.end(), f"{blanks}<data{written}/>")


def without_element(source: Source, at: int) -> Edit | None:
    """Nothing in place of the element at a byte offset, and of the blanks before it."""
    end = _Extents(source.data, at, "").whole
    start = at
    while start > 0 and source.data[start - 1 : start] in (b" ", b"\t", b"\r", b"\n"):
        start -= 1
    return None if end < 0 else Edit(start, end, "")


def with_dims(source: Source, at: int, dims: Sequence[int]) -> list[Edit | None]:
    """Other dims of the port at a byte offset, which has some: only what differs is changed. None where it is
    not clear how.
    """
    found = _Extents(source.data, at, "dim")
    if (
        found.whole < 0
        or not found.children
        or any(b"<" in source.data[start:end] for start, end in found.inner)
        or any(inner[1] == child[1] for inner, child in zip(found.inner, found.children))  # <dim/>
    ):
        return [None]
    edits: list[Edit | None] = [
        Edit(start, end, str(dim))
        for (start, end), dim in zip(found.inner, dims)
        if source.data[start:end].strip() != b"%d" % dim
    ]
    last = found.children[-1]
    if len(dims) > len(found.children):
        before = found.children[-2][1] if len(found.children) > 1 else found.inside
        blanks = source.data[before : last[0]]
        gap = blanks.decode("ascii") if not blanks.strip(_BLANKS) else ""
        edits.append(
            Edit(last[1], last[1], "".join(f"{gap}<dim>{dim}</dim>" for dim in dims[len(found.children) :]))
        )
    else:
        edits.extend(without_element(source, start) for start, _ in found.children[len(dims) :])
    return edits


def _attributes(source: Source, at: int) -> list[re.Match[bytes]]:
    tag = _TAG.match(source.data, at) if at >= 0 else None
    position, found = tag.end() if tag else len(source.data), []
    while one := _ATTRIBUTE.match(source.data, position):
        found.append(one)
        position = one.end()
    return found


def _end_of_attributes(source: Source, at: int) -> int | None:
    attributes = _attributes(source, at)
    if attributes:
        return attributes[-1].end()
    tag = _TAG.match(source.data, at) if at >= 0 else None
    return tag.end() if tag else None


class _Ended(Exception):
    """Ends the look at an element."""


class _Extents:
    """Where the element at an offset ends (whole), where its content starts, and its children of a tag: from
    where to where.

    inner: the content of each of these children. whole is -1 where the element does not end.
    """

    def __init__(self, data: bytes, at: int, tag: str) -> None:
        self._data, self._at, self._tag, self._depth = data, at, tag, 0
        self.whole = self.inside = -1
        self.children: list[tuple[int, int]] = []
        self.inner: list[tuple[int, int]] = []
        self._child: tuple[int, int] = (-1, -1)
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        step = 1 << 12
        try:
            for begin in range(at, len(data), step):
                parser.Parse(data[begin : begin + step], False)
        except (_Ended, expat.ExpatError):
            pass  # what is not well-formed was told when the file was read

    def _start(self, tag: str, _: object) -> None:
        self._depth += 1
        here = self._at + self._parser.CurrentByteIndex
        if self._depth == 1:
            self.inside = _behind_tag(self._data, here)
        elif self._depth == 2 and tag == self._tag:
            self._child = here, _behind_tag(self._data, here)

    def _end(self, tag: str) -> None:
        here = self._at + self._parser.CurrentByteIndex
        if self._depth == 2 and tag == self._tag:
            start, inside = self._child
            empty = self._data[inside - 2 : inside] == b"/>"
            self.inner.append((inside, inside if empty else here))
            self.children.append((start, inside if empty else self._data.index(b">", here) + 1))
        elif self._depth == 1:
            empty = self._data[self.inside - 2 : self.inside] == b"/>"
            self.whole = self.inside if empty else self._data.index(b">", here) + 1
            raise _Ended
        self._depth -= 1


def _behind_tag(data: bytes, at: int) -> int:
    """Where the start tag at an offset has ended."""
    tag = _TAG.match(data, at)
    position = tag.end() if tag else at
    while found := _ATTRIBUTE.match(data, position):
        position = found.end()
    return data.index(b">", position) + 1
