"""Compare the reply of a runtime with that of irops."""

from __future__ import annotations

from dataclasses import dataclass

from irops.conformance.odd_inputs.odd_input import Reply
from irops.values.codes import codes
from irops.values.element import Array, element_type_of


@dataclass(frozen=True, slots=True)
class Verdict:
    """tone: same, accepts (what irops refuses), refuses (what irops computes), differs, or incomparable; for
    irops itself computes, warns or rejects.
    """

    tone: str
    word: str


WORDS = {
    "same": "same as irops: bit-identical elements, or also refused, or accepted",
    "accepts": "accepts an input that is invalid by the definition",
    "refuses": "refuses an input that is valid by the definition",
    "differs": "computes another result, crashes or hangs",
    "incomparable": "not comparable: not representable there, or a check that ignores values",
}
"""The tones with their meaning, for the legend."""


def irops_verdict(ours_reply: Reply) -> Verdict:
    """The verdict on the reply of irops itself."""
    if ours_reply.kind == "refuses":
        return Verdict("rejects", f"refuses: {_constraint_or_rule(ours_reply.text)}")
    if ours_reply.warnings:
        return Verdict("warns", f"warns: {', '.join(map(_constraint_or_rule, ours_reply.warnings))}")
    return Verdict("computes", "computes")


def _constraint_or_rule(text: str) -> str:
    """The number of the constraint, or the code of the rule, at the start of a message of irops."""
    return text.partition(":")[0]


def verdict(ours_reply: Reply, other: Reply) -> Verdict:
    """The verdict on the reply of a runtime, compared with that of irops for the same op."""
    if other.kind == "unsupported":
        return Verdict("incomparable", "not representable")
    if other.kind in ("crashes", "hangs"):
        return Verdict("differs", other.kind)
    if ours_reply.kind == "refuses":
        return _of_refused(ours_reply, other)
    if other.kind == "refuses":
        return Verdict("refuses", "refuses")
    if other.kind == "accepts":
        return Verdict("same", "accepts")
    assert ours_reply.array is not None
    assert other.array is not None
    return (
        Verdict("same", "the same")
        if _identical(ours_reply.array, other.array)
        else Verdict("differs", "differs")
    )


def _of_refused(ours_reply: Reply, other: Reply) -> Verdict:
    if other.kind == "refuses":
        return Verdict("same", "refuses")
    if other.kind == "accepts" and ours_reply.loaded:
        return Verdict("incomparable", "ignores values")
    return Verdict("accepts", "accepts it")


def _identical(ours: Array, other: Array) -> bool:
    kind = element_type_of(ours)
    if ours.shape != other.shape or kind is not element_type_of(other):
        return False
    return bool((codes(ours) == codes(other)).all())
