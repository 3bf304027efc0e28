"""Where OpenVINO's specification, reader, inference and kernels differ, from the notes of definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from irops.document.case_views import CaseView, case_view
from irops.spec.cases import counterexamples
from irops.spec.definition import Definition, Note
from irops.spec.op import Op

PARTS = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (r"specif", r"\bread", r"\binfer", r"\bkernel|plug-in|\bruns?\b|\bcomput")
)
"""The words by which notes name parts of OpenVINO: specification, reader, inference, and what computes."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A note. subject: the constraint, attribute or port that it is about; proof: a counterexample of the
    constraint, and what irops reports.
    """

    definition: Definition
    subject: str
    text: str
    proof: CaseView | None


def differences(ops: Iterable[Op]) -> Iterator[Difference]:
    """The notes that say that parts of OpenVINO differ, in the order of the ops."""
    for op in ops:
        for note in op.definition.notes:
            if "OpenVINO" in note.text and sum(words.search(note.text) is not None for words in PARTS) >= 2:
                yield Difference(op.definition, _subject(op.definition, note), note.text, _proof(op, note))


def _subject(definition: Definition, note: Note) -> str:
    constraint = definition.constraints.get(note.of or "")
    return note.of or "the op" if constraint is None else f"{constraint.id}: {constraint.text}"


def _proof(op: Op, note: Note) -> CaseView | None:
    cases = (case for case in counterexamples(op.definition) if case.violates == note.of and case.net is None)
    first = next(cases, None) if note.of else None
    return None if first is None else case_view(op, first)
