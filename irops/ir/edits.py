"""Small edits of the text of a file at exact offsets; all other bytes stay unchanged."""

import re
from collections.abc import Sequence
from xml.parsers import expat

from irops.diagnostics.diagnostic import Edit
from irops.ir.locate import SourceText
from irops.ir.model import Layer
from irops.ir.write import escaped

_TAG = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"\s+([^\s=>/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ENDS = re.compile(rb"\s*(/?)>")
_BLANKS = b" \t\r\n"
_LAYOUT = re.compile(rb"[ \t\r\n]{0,100}")


def with_attribute(source: SourceText, at: int, name: str, text: str) -> Edit | None:
    """Replace the value of an existing attribute of the element at a byte offset."""
    for match in _attributes(source, at):
        if match[1] == name.encode():
            group = 2 if match[2] is not None else 3
            return Edit(match.start(group), match.end(group), escaped(text).replace("'", "&apos;"))
    return None


def with_new_attribute(source: SourceText, layer: Layer, name: str, text: str) -> Edit | None:
    """Append an attribute to the <data> of a layer, or add a <data> with it."""
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
    blanks = _LAYOUT.match(source.data, ends.end())[0].decode("ascii")  # type: ignore[index]
    return Edit(ends.end(), ends.end(), f"{blanks}<data{written}/>")


def without_element(source: SourceText, at: int) -> Edit | None:
    """Delete the element at a byte offset, and the whitespace before it."""
    end = _Extents(source.data, at, "").end
    start = at
    while start > 0 and source.data[start - 1 : start] in (b" ", b"\t", b"\r", b"\n"):
        start -= 1
    return None if end < 0 else Edit(start, end, "")


def with_dims(source: SourceText, at: int, dims: Sequence[int]) -> list[Edit | None]:
    """Replace the dims of the port at a byte offset, which has some, where they differ.

    A None among the edits means that the text of the port cannot be edited.
    """
    port = _Extents(source.data, at, "dim")
    if (
        port.end < 0
        or not port.children
        or any(b"<" in source.data[start:end] for start, end in port.contents)
        or any(inner[1] == child[1] for inner, child in zip(port.contents, port.children))  # <dim/>
    ):
        return [None]
    edits: list[Edit | None] = [
        Edit(start, end, str(dim))
        for (start, end), dim in zip(port.contents, dims)
        if source.data[start:end].strip() != b"%d" % dim
    ]
    last = port.children[-1]
    if len(dims) > len(port.children):
        before = port.children[-2][1] if len(port.children) > 1 else port.content_start
        blanks = source.data[before : last[0]]
        gap = blanks.decode("ascii") if not blanks.strip(_BLANKS) else ""
        edits.append(
            Edit(last[1], last[1], "".join(f"{gap}<dim>{dim}</dim>" for dim in dims[len(port.children) :]))
        )
    else:
        edits.extend(without_element(source, start) for start, _ in port.children[len(dims) :])
    return edits


def _attributes(source: SourceText, at: int) -> list[re.Match[bytes]]:
    tag = _TAG.match(source.data, at) if at >= 0 else None
    position, matches = tag.end() if tag else len(source.data), []
    while one := _ATTRIBUTE.match(source.data, position):
        matches.append(one)
        position = one.end()
    return matches


def _end_of_attributes(source: SourceText, at: int) -> int | None:
    attributes = _attributes(source, at)
    if attributes:
        return attributes[-1].end()
    tag = _TAG.match(source.data, at) if at >= 0 else None
    return tag.end() if tag else None


class _ElementEnd(Exception):
    """Stops the scan of an element."""


class _Extents:
    """The extents of the element at an offset and of its children with a tag.

    end: the offset after the element, -1 if it is not closed; content_start: the offset after its start tag;
    children, contents: start and end of each child, and of the content of each child.
    """

    def __init__(self, data: bytes, at: int, tag: str) -> None:
        self._data, self._at, self._tag, self._depth = data, at, tag, 0
        self.end = self.content_start = -1
        self.children: list[tuple[int, int]] = []
        self.contents: list[tuple[int, int]] = []
        self._child: tuple[int, int] = (-1, -1)
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler, parser.EndElementHandler = self._on_start, self._on_end
        step = 1 << 12
        try:
            for begin in range(at, len(data), step):
                parser.Parse(data[begin : begin + step], False)
        except (_ElementEnd, expat.ExpatError):
            pass  # malformed XML was reported when the file was read

    def _on_start(self, tag: str, _: object) -> None:
        self._depth += 1
        here = self._at + self._parser.CurrentByteIndex
        if self._depth == 1:
            self.content_start = _end_of_tag(self._data, here)
        elif self._depth == 2 and tag == self._tag:
            self._child = here, _end_of_tag(self._data, here)

    def _on_end(self, tag: str) -> None:
        here = self._at + self._parser.CurrentByteIndex
        if self._depth == 2 and tag == self._tag:
            start, content = self._child
            empty = self._data[content - 2 : content] == b"/>"
            self.contents.append((content, content if empty else here))
            self.children.append((start, content if empty else self._data.index(b">", here) + 1))
        elif self._depth == 1:
            empty = self._data[self.content_start - 2 : self.content_start] == b"/>"
            self.end = self.content_start if empty else self._data.index(b">", here) + 1
            raise _ElementEnd
        self._depth -= 1


def _end_of_tag(data: bytes, at: int) -> int:
    """The offset after the start tag at an offset."""
    tag = _TAG.match(data, at)
    position = tag.end() if tag else at
    while match := _ATTRIBUTE.match(data, position):
        position = match.end()
    return data.index(b">", position) + 1
