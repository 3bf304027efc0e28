"""Fixes of findings that have exactly one solution: replacements of some bytes of the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from irops.diagnostics.printable import abridged

MAX_DESCRIPTION = 300
"""The greatest number of characters of a description."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the bytes of the file from start to end with text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """what: a description for people ("write precision FP32"); edits: non-overlapping replacements."""

    what: str
    edits: tuple[Edit, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", abridged(self.what, MAX_DESCRIPTION))


def fix(what: str, edits: Iterable[Edit | None]) -> Fix | None:
    """A fix made of edits; None if one of them could not be located or there are none."""
    all_edits = tuple(edits)
    located = tuple(edit for edit in all_edits if edit is not None)
    return Fix(what, located) if located and len(located) == len(all_edits) else None


def applied(data: bytes, fixes: Iterable[Fix]) -> tuple[bytes, list[Fix]]:
    """The bytes with fixes applied, and the fixes that were applied: the first of those that overlap."""
    done: list[Fix] = []
    edits: list[Edit] = []
    for one in fixes:
        if not any(_overlap(edit, other) for edit in one.edits for other in edits):
            done.append(one)
            edits.extend(one.edits)
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data, done


def _overlap(one: Edit, other: Edit) -> bool:
    """Whether two edits overlap or touch; the order of two insertions at one offset would be ambiguous."""
    return one.start <= other.end and other.start <= one.end
