"""Locations in a file: lines and columns of byte offsets, offsets of attributes and child elements."""

import re
from xml.parsers import expat

import numpy as np

from irops.diagnostics.diagnostic import Location

_BEFORE_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*>)*+<([A-Za-z_][\w:.-]*)", re.DOTALL
)


def root_tag(start: bytes) -> str | None:
    """The tag of the first element of a text that starts with these bytes; None if there is none."""
    root = _BEFORE_ROOT.match(start)
    return None if root is None else root[1].decode("utf-8", "replace")


_TAG = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"\s+([^\s=>/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
EXCERPT = (60, 90)
"""The bytes of a line that are shown before and after the column of a finding."""
BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 12
"""How many bytes are counted at most to find the column of an offset."""


class SourceText:
    """The text of a file. data: its bytes as UTF-8; offsets count these bytes, a byte order mark included.

    as_stored: whether data are the bytes of the file itself; not so if the file has another encoding.
    """

    __slots__ = ("_blocks", "_children", "_starts", "_tag", "as_stored", "data", "path")

    def __init__(self, path: str | None, data: bytes, *, as_stored: bool = True) -> None:
        self.path, self.data, self.as_stored = path, data, as_stored
        self._starts: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None
        self._tag: tuple[int, dict[bytes, int]] | None = None  # the last start tag, with its attributes
        self._blocks: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None
        self._children: tuple[int, str, list[int]] | None = None  # of the last element that was asked for

    def line_column(self, offset: int) -> tuple[int, int]:
        """The line and the column, in characters, of a byte offset; both from 1."""
        offset = min(offset, len(self.data))
        if self._starts is None:
            raw = np.frombuffer(self.data, np.uint8)
            ends = raw == ord("\n")
            if b"\r" in self.data:
                returns = raw == ord("\r")
                returns[:-1] &= ~ends[1:]
                ends |= returns
            self._starts = np.concatenate((np.zeros(1, np.int64), np.flatnonzero(ends) + 1))
        line = int(np.searchsorted(self._starts, offset, side="right"))
        start = int(self._starts[line - 1])
        if start == 0 and self.data.startswith(BOM):
            start = min(len(BOM), offset)
        return line, self._characters(offset) - self._characters(start) + 1

    def _characters(self, offset: int) -> int:
        """The number of characters before a byte offset. Counts at most a block: lines may be very long."""
        if self._blocks is None:
            self._blocks = _characters_before_blocks(self.data)
        if not len(self._blocks):
            return offset
        block = offset // BLOCK
        return int(self._blocks[block]) + _characters(self.data[block * BLOCK : offset])

    def attribute_offset(self, at: int, name: str) -> int | None:
        """The byte offset of an attribute's name in the start tag at byte offset at; None if it has none."""
        tag = self._tag  # another thread may replace it
        if tag is None or tag[0] != at:
            tag = self._tag = at, self._attributes(at)
        return tag[1].get(name.encode())

    def _attributes(self, at: int) -> dict[bytes, int]:
        """The byte offsets of the attributes in the start tag at byte offset at; of equal names the first."""
        return {match[1]: match.start(1) for match in reversed(attributes_at(self.data, at))}

    def child_offset(self, at: int, tag: str, index: int = 0) -> int | None:
        """The offset of the index-th child with a tag of the element at byte offset at; None if absent."""
        if not 0 <= at < len(self.data):
            return None
        children = self._children  # another thread may replace it
        if children is None or children[:2] != (at, tag):
            starts = [start for start, _ in Extents(self.data, at, tag).children]
            children = self._children = at, tag, starts
        return children[2][index] if index < len(children[2]) else None

    def line_text(self, line: int) -> str:
        """A line of the file, without its line end."""
        self.line_column(0)
        assert self._starts is not None
        ends = [*self._starts[line : line + 1].tolist(), len(self.data)]
        return self.data[int(self._starts[line - 1]) : ends[0]].decode("utf-8", "replace").strip("\r\n\ufeff")

    def location(
        self,
        at: int,
        layer: tuple[int | None, str | None] = (None, None),
        path: tuple[str, ...] = (),
        attribute: str | None = None,
    ) -> Location:
        """The location of an element, or of one of its attributes.

        at: the byte offset of the element, -1 if it is not known; layer: the id and the name of its layer
        """
        if at < 0 or at > len(self.data):
            return Location(self.path, None, None, *layer, path)
        place = self.attribute_offset(at, attribute) if attribute is not None else None
        offset = at if place is None else place
        line, column = self.line_column(offset)
        return Location(self.path, line, column, *layer, path, self._excerpt(line, offset))

    def _excerpt(self, line: int, offset: int) -> tuple[str, str]:
        """The text of a line before an offset and from it on, as far as a person wants to read."""
        assert self._starts is not None
        start = int(self._starts[line - 1])
        if start == 0 and self.data.startswith(BOM):
            start = min(len(BOM), offset)
        before = self.data[max(start, offset - EXCERPT[0]) : offset]
        after = re.split(rb"[\r\n]", self.data[offset : offset + EXCERPT[1]], maxsplit=1)
        is_cut = len(after) == 1 and offset + EXCERPT[1] < len(self.data)
        head = before.decode("utf-8", "ignore")
        tail = after[0].decode("utf-8", "ignore")
        return (head.lstrip() if offset - start <= EXCERPT[0] else f"…{head}", f"{tail}…" if is_cut else tail)


def attributes_at(data: bytes, at: int) -> list[re.Match[bytes]]:
    """The attributes in the start tag at a byte offset: name, and value in double or in single quotes."""
    tag = _TAG.match(data, at) if at >= 0 else None
    position, matches = tag.end() if tag else len(data), []
    while match := _ATTRIBUTE.match(data, position):
        matches.append(match)
        position = match.end()
    return matches


def end_of_attributes(data: bytes, at: int) -> int | None:
    """The offset after the last attribute in the start tag at a byte offset; None if no tag is there."""
    attributes = attributes_at(data, at)
    last = attributes[-1] if attributes else _TAG.match(data, at)
    return last.end() if last and at >= 0 else None


class _ElementEnd(Exception):
    """Stops the scan of an element."""


class Extents:
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
        step = 1 << 12  # the element may end soon, and the file be large
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
    """The offset after the start tag at an offset, at which a parser saw one."""
    return data.index(b">", end_of_attributes(data, at) or at) + 1


def _characters_before_blocks(data: bytes) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The number of characters before each block of BLOCK bytes; nothing if each byte is a character."""
    if data.isascii():
        return np.zeros(0, np.int64)
    counts = [_characters(data[start : start + BLOCK]) for start in range(0, len(data), BLOCK)]
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))


def _characters(data: bytes) -> int:
    """The number of characters that start in UTF-8 text, even if it is cut off or damaged."""
    return (
        len(data) if data.isascii() else int(np.count_nonzero((np.frombuffer(data, np.uint8) & 0xC0) != 0x80))
    )
