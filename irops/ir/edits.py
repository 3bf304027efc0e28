"""Small edits of the text of a file at exact offsets; all other bytes stay unchanged."""

import re
from collections.abc import Sequence

from irops.diagnostics.diagnostic import Edit
from irops.ir.locate import Extents, SourceText, attributes_at, end_of_attributes
from irops.ir.model import Layer
from irops.ir.write import escaped

_ENDS = re.compile(rb"\s*(/?)>")
_BLANKS = b" \t\r\n"
_LAYOUT = re.compile(rb"[ \t\r\n]{0,100}")


def with_attribute(source: SourceText, at: int, name: str, text: str) -> Edit | None:
    """Replace the value of an existing attribute of the element at a byte offset."""
    for match in attributes_at(source.data, at):
        if match[1] == name.encode():
            group = 2 if match[2] is not None else 3
            return Edit(match.start(group), match.end(group), escaped(text).replace("'", "&apos;"))
    return None


def with_new_attribute(source: SourceText, layer: Layer, name: str, text: str) -> Edit | None:
    """Append an attribute to the <data> of a layer, or add a <data> with it."""
    written = f' {name}="{escaped(text)}"'
    if layer.data_at >= 0:
        place = end_of_attributes(source.data, layer.data_at)
        return None if place is None else Edit(place, place, written)
    place = end_of_attributes(source.data, layer.at)
    ends = None if place is None else _ENDS.match(source.data, place)
    if ends is None:
        return None
    if ends[1]:
        return Edit(ends.start(), ends.end(), f"><data{written}/></layer>")
    blanks = _LAYOUT.match(source.data, ends.end())[0].decode("ascii")  # type: ignore[index]
    return Edit(ends.end(), ends.end(), f"{blanks}<data{written}/>")


def without_element(source: SourceText, at: int) -> Edit | None:
    """Delete the element at a byte offset, and the whitespace before it."""
    end = Extents(source.data, at, "").end
    start = at
    while start > 0 and source.data[start - 1 : start] in (b" ", b"\t", b"\r", b"\n"):
        start -= 1
    return None if end < 0 else Edit(start, end, "")


def with_dims(source: SourceText, at: int, dims: Sequence[int]) -> list[Edit | None]:
    """Replace the dims of the port at a byte offset, which has some, where they differ.

    A None among the edits means that the text of the port cannot be edited.
    """
    port = Extents(source.data, at, "dim")
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
