"""What puts a finding right where there is one right answer: a few bytes of the file in place of others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """The bytes of the file from start to end, and the text that takes their place."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """what: what is done, for people ("write precision FP32"); edits: how, none of them overlapping
    another.
    """

    what: str
    edits: tuple[Edit, ...]


def fix(what: str, edits: Iterable[Edit | None]) -> Fix | None:
    """A fix, if all of its edits are known and there are any."""
    known = tuple(edits)
    return Fix(what, tuple(e for e in known if e is not None)) if known and None not in known else None


def applied(data: bytes, fixes: Iterable[Fix]) -> tuple[bytes, list[Fix]]:
    """The bytes with fixes applied, and which were: of fixes that touch the same bytes, the first."""
    done: list[Fix] = []
    taken: list[Edit] = []
    for one in fixes:
        if not any(_meet(edit, other) for edit in one.edits for other in taken):
            done.append(one)
            taken.extend(one.edits)
    for edit in sorted(taken, key=lambda e: (e.start, e.end), reverse=True):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data, done


def _meet(one: Edit, other: Edit) -> bool:
    """Whether two edits touch; two that insert at one place do, since their order would not be clear."""
    return one.start <= other.end and other.start <= one.end
