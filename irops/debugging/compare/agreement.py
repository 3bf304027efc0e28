"""Whether two values of one tensor agree, where each was computed through the whole model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irops.debugging.compare.noise import NOISE_MARGIN, allowance
from irops.values.element import STRING, Array, element_type_of
from irops.verdicts.arithmetic import Arithmetic
from irops.verdicts.faults import count, fault, greatest_share, outside
from irops.verdicts.metrics import Metrics, differs, metrics_of
from irops.verdicts.question import Question, is_float
from irops.verdicts.ties import TIES, tie
from irops.verdicts.verdict import Judgement, Verdict

Ask = Callable[[], Question | None]
"""Gives the layer that a tensor is of; None where it cannot be a tie."""


def _of_no_layer() -> None:
    return None


def agreement(
    one: Array,
    other: Array,
    runs: Sequence[Array],
    arithmetic: Arithmetic,
    ask: Ask = _of_no_layer,
    output: int = 0,
) -> Judgement:
    """The judgement of two tensors of one type and shape.

    runs: see allowance; ask: what is asked where they differ by more than rounding does; output: the index of
    the tensor among the outputs of the layer
    """
    unequal = differs(one, other)
    if not unequal.any():
        return Judgement(Verdict.EQUAL, "", Metrics(one.size))
    if element_type_of(one) is STRING:
        verdict, reason = Verdict.WRONG, count(unequal)
    elif is_float(one):
        verdict, reason = _of_numbers(one, other, runs, arithmetic)
    else:
        verdict, reason = Verdict.WRONG, count(unequal)
    if verdict.is_fault:
        tied = _tie(one, other, unequal, runs, ask(), output)
        verdict, reason = (Verdict.TIE, tied) if tied else (verdict, reason)
    return Judgement(verdict, reason, metrics_of(one, other))


def _tie(
    one: Array, other: Array, unequal: Array, runs: Sequence[Array], question: Question | None, output: int
) -> str:
    """Why both tensors are right, or "": by the op of the layer, else by what rounding changes."""
    reason = "" if question is None else tie(question, one, other, output)
    if reason or is_float(one) or (question is not None and question.type in TIES):
        return reason
    moved = sum(int(differs(runs[0], array).sum()) for array in runs[1:] if array.shape == runs[0].shape)
    if moved and int(unequal.sum()) <= NOISE_MARGIN * moved:
        return f"{count(unequal)}; rounding before this layer changes {moved:,}"
    return ""


def _of_numbers(
    one: Array, other: Array, runs: Sequence[Array], arithmetic: Arithmetic
) -> tuple[Verdict, str]:
    with np.errstate(all="ignore"):
        allowed = allowance(one, runs, arithmetic)
        beyond = outside(one, other, NOISE_MARGIN * allowed, arithmetic)
    greatest = greatest_share(one, other, allowed)
    if not beyond.any() and not greatest:
        return Verdict.ROUNDING, "infinity beside the greatest number, within rounding"
    if not beyond.any():
        return Verdict.ROUNDING, f"{greatest:.2g} times what rounding does in another run"
    return fault(one, other, beyond, arithmetic, f"by up to {greatest:.3g} times what rounding does")
