"""Which documents the server is about: IR files, no other XML."""

from __future__ import annotations

import re
from pathlib import Path

from irops.ir.root_tag import root_tag

START = 1 << 16
"""How many characters are read to detect whether a text is IR."""
_DOCTYPE = re.compile(r"<!DOCTYPE\s+([\w:.-]+)[^<>]*\[")


def is_ir(path: str | None, text: str, *, was_ir: bool) -> bool:
    """Whether a text is IR by its root element. was_ir: what it was, kept while it has no root element.

    A file with weights of the same name beside it is IR, whatever its text is.
    """
    start = text[:START]
    tag = root_tag(start.encode("utf-8", "replace"))
    declared = _DOCTYPE.search(start) if tag is None else None
    if declared is not None:  # entities are declared before the root element
        tag = declared[1]
    if tag is None:
        return was_ir or _has_weights(path)
    return tag == "net" or _has_weights(path)


def _has_weights(path: str | None) -> bool:
    try:
        return path is not None and path.endswith(".xml") and Path(path).with_suffix(".bin").is_file()
    except (OSError, ValueError):  # a path that no system accepts
        return False
