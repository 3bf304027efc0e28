"""The bytes that a text of an editor has in its file."""

from __future__ import annotations

import re

_DECLARED = re.compile(r"""(?:\ufeff)?<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9_.:-]+)["']""")


def stored_bytes(text: str) -> bytes:
    """A text as its file stores it: in the encoding that its XML declaration names, otherwise UTF-8."""
    declared = _DECLARED.match(text[:400])
    if declared is not None:
        try:
            return text.encode(declared[1])
        except (LookupError, UnicodeError, ValueError):
            pass  # the reader reports the declaration, or the characters that the encoding lacks
    return text.encode("utf-8", "surrogatepass")
