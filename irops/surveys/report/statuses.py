"""How the report shows statuses and changes: each has a symbol and a word besides its colour."""

from __future__ import annotations

from dataclasses import dataclass

from irops.surveys.row import STATUSES, rank


@dataclass(frozen=True, slots=True)
class Look:
    """letter: stands for it in the data of the page; symbol: precedes the word; meaning: one line."""

    letter: str
    symbol: str
    meaning: str


STATUS_LOOKS = {
    "pass": Look("p", "✓", "no findings"),
    "warn": Look("w", "▲", "warnings only"),
    "unsupported": Look("u", "–", "a source declines the model"),
    "fail": Look(
        "f", "✕", "findings that are errors, values that differ, or a release that does not read it"
    ),
    "error": Look("e", "?", "not judged: unreadable, denied, or without inputs"),
    "timeout": Look("t", "◔", "exceeded the limit on time"),
    "memory": Look("m", "▦", "exceeded the limit on memory"),
    "crash": Look("c", "■", "the process ended"),
    "lost": Look("l", "↺", "the workers were lost again and again"),
}
"""By status."""
CHANGE_LOOKS = {
    "worse": Look("-", "↓", "a worse status than in the earlier survey"),
    "better": Look("+", "↑", "a better status than in the earlier survey"),
    "new": Look("n", "+", "only in this survey"),
    "gone": Look("g", "−", "only in the earlier survey"),
}
"""By how a cell differs from that of an earlier survey."""
ABSENT, SAME = ".", "="
"""Letters: there is no such cell; the status is the same."""
assert tuple(STATUS_LOOKS) == STATUSES


def change_between(before: str | None, now: str | None) -> str:
    """worse, better, new, gone, or "" where the status is the same."""
    if before is None:
        return "new"
    if now is None:
        return "gone"
    if before == now:
        return ""
    return "better" if rank(now) < rank(before) else "worse"
