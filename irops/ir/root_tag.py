"""The tag of the root element of a text, without parsing the text."""

from __future__ import annotations

import re

_BEFORE_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*>)*+<([A-Za-z_][\w:.-]*)", re.DOTALL
)


def root_tag(start: bytes) -> str | None:
    """The tag of the first element of a text that starts with these bytes; None if there is none."""
    root = _BEFORE_ROOT.match(start)
    return None if root is None else root[1].decode("utf-8", "replace")
