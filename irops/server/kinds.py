"""Which documents the server is about: IR files and definitions of ops, no other XML."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

from irops.ir.root_tag import root_tag

START = 1 << 16
"""How many characters are read to detect the kind of a text."""
_DOCTYPE = re.compile(r"<!DOCTYPE\s+([\w:.-]+)[^<>]*\[")
_DEFINITION = re.compile(r"<layer\s[^<>]*?\b(?:category|dialect)\s*=")


class Kind(StrEnum):
    IR = "ir"
    DEFINITION = "definition"
    OTHER = "other"


def kind_of(path: str | None, text: str, before: Kind) -> Kind:
    """What a text is by its root element. before: the kind that it had, kept while it has no root element.

    A file with weights of the same name beside it is IR, whatever its text is.
    """
    start = text[:START]
    tag = root_tag(start.encode("utf-8", "replace"))
    declared = _DOCTYPE.search(start) if tag is None else None
    if declared is not None:  # entities are declared before the root element
        tag = declared[1]
    if tag is None:
        return Kind.IR if before is Kind.OTHER and _has_weights(path) else before
    if tag == "net":
        return Kind.IR
    if tag == "layer" and _DEFINITION.search(start):
        return Kind.DEFINITION
    if tag == "layer" and before is Kind.DEFINITION:  # an attribute is being typed
        return before
    return Kind.IR if _has_weights(path) else Kind.OTHER


def _has_weights(path: str | None) -> bool:
    try:
        return path is not None and path.endswith(".xml") and Path(path).with_suffix(".bin").is_file()
    except (OSError, ValueError):  # a path that no system accepts
        return False
