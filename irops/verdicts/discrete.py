"""Ops whose results jump as their inputs change: sorting, suppression, nearest neighbours."""

from __future__ import annotations

from irops.verdicts.question import Question

DISCRETE_CATEGORIES = ("detection", "sort")
DISCRETE = ("Mod", "FloorMod", "Interpolate", "GridSample", "CTCGreedyDecoder", "CTCGreedyDecoderSeqLen")


def is_discrete(question: Question) -> bool:
    """Whether the result of an op may jump."""
    return question.op.definition.category in DISCRETE_CATEGORIES or question.type in DISCRETE
