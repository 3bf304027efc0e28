"""Ops whose results jump as their inputs change: sorting, suppression, nearest neighbours."""

from __future__ import annotations

from irops.spec.op import Op
from irops.verdicts.question import Question

DISCRETE_CATEGORIES = ("detection", "sort")
DISCRETE = ("Mod", "FloorMod", "Interpolate", "GridSample", "CTCGreedyDecoder", "CTCGreedyDecoderSeqLen")


def has_jumps(op: Op) -> bool:
    """Whether the result of an op may jump."""
    return op.definition.category in DISCRETE_CATEGORIES or op.definition.type in DISCRETE


def is_discrete(question: Question) -> bool:
    """Whether the result of the op of a question may jump."""
    return has_jumps(question.op)
