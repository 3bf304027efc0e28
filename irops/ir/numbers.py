"""Integers as IR files write them: read whole, in ASCII, within range, or not at all."""

from __future__ import annotations

import re

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)")
_LOOSE = re.compile(r"[ \t\r\n]*([+-]?[0-9]+)[ \t\r\n]*")
_DIGITS = 25  # more than any 64-bit number has, and few enough for int()


def integer(text: str) -> tuple[int | None, bool]:
    """The integer that a text is as a whole, and whether it is written plainly: no blanks around it, no plus,
    no zero before it.

    None where the text is no integer, or one far out of any range.
    """
    if _PLAIN.fullmatch(text) and len(text) < _DIGITS and text != "-0":
        return int(text), True
    found = _LOOSE.fullmatch(text)
    return (int(found[1]) if found and len(found[1]) < _DIGITS else None), False


def prefix_note(text: str) -> tuple[str, ...]:
    """What OpenVINO makes, where it reads numbers by prefix, of a text that is more than a number; nothing if
    it refuses the text.
    """
    found = re.match(r"[ \t\r\n]*([+-]?[0-9]+)", text)
    if (
        found is None
        or len(found[1]) >= _DIGITS
        or not INT64_MIN <= int(found[1]) <= INT64_MAX
        or not text[found.end() :].strip()
    ):
        return ()
    return (f"OpenVINO silently reads it as {int(found[1])}",)
