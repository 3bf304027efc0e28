"""The start tag that is being typed, from the text before the cursor alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

REACH = 1 << 14
"""How many characters before the cursor are read."""
_TAG_NAME = re.compile(r"<([A-Za-z_][\w:.-]*)?")
_WHOLE = re.compile(r"""\s+([^\s=<>"'/]+)(?:\s*=\s*("[^"]*"|'[^']*'))?""")
_VALUE = re.compile(r"""\s+([^\s=<>"'/]+)\s*=\s*(["'])([^"'<]*)\Z""")
_NAME = re.compile(r"""\s+([^\s=<>"'/]*)\Z""")


@dataclass(frozen=True, slots=True)
class TagStart:
    """A start tag up to the cursor. start, offset: of the tag and of the cursor; what: "tag", "attribute" or
    "value", of which word is what is typed so far; attribute: the one whose value is typed; written: the
    attributes before the cursor.
    """

    tag: str
    start: int
    offset: int
    what: str
    word: str
    attribute: str
    written: dict[str, str]


def tag_start(text: str, offset: int) -> TagStart | None:
    """The start tag around an offset, or None if there is none."""
    start = text.rfind("<", max(0, offset - REACH), offset)
    match = None if start < 0 else _TAG_NAME.match(text, start, offset)
    if match is None:
        return None
    tag = match[1] or ""
    position = match.end()
    if position == offset:
        return TagStart(tag, start, offset, "tag", tag, "", {})
    written: dict[str, str] = {}
    while position < offset:
        value = _VALUE.match(text, position, offset)
        if value is not None:
            return TagStart(tag, start, offset, "value", value[3], value[1], written)
        name = _NAME.match(text, position, offset)
        if name is not None:
            return TagStart(tag, start, offset, "attribute", name[1], "", written)
        whole = _WHOLE.match(text, position, offset)
        if whole is None:
            return None
        if whole[2]:
            written.setdefault(whole[1], whole[2][1:-1])
        position = whole.end()
    return None
