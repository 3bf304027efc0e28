"""Parses integers in IR files: the whole text, ASCII digits only, within range."""

from __future__ import annotations

import re

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_CANONICAL = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NONCANONICAL = re.compile(r"[ \t\r\n]*([+-]?[0-9]+)[ \t\r\n]*")
_DIGITS = 25  # more than any 64-bit number has, and few enough for int()


def integer(text: str) -> tuple[int | None, bool]:
    """The integer that the whole text is, and whether it is in canonical form.

    Canonical: no whitespace, no plus sign, no leading zeros. None if the text is not an integer, or has far
    too many digits.
    """
    if _CANONICAL.fullmatch(text) and len(text) < _DIGITS and text != "-0":
        return int(text), True
    match = _NONCANONICAL.fullmatch(text)
    return (int(match[1]) if match and len(match[1]) < _DIGITS else None), False


def prefix_note(text: str) -> tuple[str, ...]:
    """A note with the number that OpenVINO reads from a prefix of the text; empty if OpenVINO refuses it."""
    match = re.match(r"[ \t\r\n]*([+-]?[0-9]+)", text)
    if (
        match is None
        or len(match[1]) >= _DIGITS
        or not INT64_MIN <= int(match[1]) <= INT64_MAX
        or not text[match.end() :].strip()
    ):
        return ()
    return (f"OpenVINO silently reads it as {int(match[1])}",)
