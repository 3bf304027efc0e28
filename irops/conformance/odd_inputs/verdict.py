"""What a reply means beside that of irops, in a word."""

from __future__ import annotations

from dataclasses import dataclass

from irops.conformance.compare import codes
from irops.conformance.odd_inputs.odd import Reply
from irops.values.element import Array, element_type_of


@dataclass(frozen=True, slots=True)
class Verdict:
    """tone: same, takes (what irops refuses), refuses (what irops computes), differs, or apart where there is
    nothing to compare.
    """

    tone: str
    word: str


WORDS = {
    "same": "as irops: the same elements bit by bit, or refused, or accepted, too",
    "takes": "takes what the definition refuses",
    "refuses": "refuses what the definition computes",
    "differs": "gives something else, or ends the process",
    "apart": "nothing to compare: it cannot be said there, or takes values to see",
}
"""The tones, for a legend."""


def own_verdict(own: Reply) -> Verdict:
    """Of what irops itself does."""
    if own.kind == "refuses":
        return Verdict("forbids", f"refuses: {_number(own.text)}")
    if own.warnings:
        return Verdict("warns", f"warns: {', '.join(map(_number, own.warnings))}")
    return Verdict("computes", "computes")


def _number(said: str) -> str:
    """The number of the requirement, or the code of the rule, that a text of irops' begins with."""
    return said.partition(":")[0]


def verdict(own: Reply, other: Reply) -> Verdict:
    """Of what a runtime does, beside what irops does with the same op."""
    if other.kind == "lacks":
        return Verdict("apart", "cannot be said")
    if other.kind in ("crashes", "hangs"):
        return Verdict("differs", other.kind)
    if own.kind == "refuses":
        return _of_refused(own, other)
    if other.kind == "refuses":
        return Verdict("refuses", "refuses")
    if other.kind == "takes":
        return Verdict("same", "accepts")
    assert own.array is not None
    assert other.array is not None
    return Verdict("same", "the same") if _equal(own.array, other.array) else Verdict("differs", "differs")


def _of_refused(own: Reply, other: Reply) -> Verdict:
    if other.kind == "refuses":
        return Verdict("same", "refuses")
    if other.kind == "takes" and own.loaded:
        return Verdict("apart", "sees no values")
    return Verdict("takes", "takes it")


def _equal(one: Array, other: Array) -> bool:
    kind = element_type_of(one)
    if one.shape != other.shape or kind is not element_type_of(other):
        return False
    return bool((codes(one) == codes(other)).all())
