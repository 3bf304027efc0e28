"""Whether two values of one tensor agree, where each was computed through the whole model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irops.debugging.compare.noise import allowance
from irops.values.element import STRING, Array, element_type_of
from irops.verdicts.arithmetic import Arithmetic
from irops.verdicts.faults import count, fault, greatest_share, outside
from irops.verdicts.metrics import Metrics, differs, metrics_of
from irops.verdicts.question import is_float
from irops.verdicts.verdict import Judgement, Verdict

NOISE_MARGIN = 32.0
"""By how much a difference may exceed what rounding does in another run."""


def agreement(one: Array, other: Array, runs: Sequence[Array], arithmetic: Arithmetic) -> Judgement:
    """The judgement of two tensors of one type and shape. runs: see allowance"""
    unequal = differs(one, other)
    if not unequal.any():
        return Judgement(Verdict.EQUAL, "", Metrics(one.size))
    if element_type_of(one) is STRING:
        verdict, reason = Verdict.WRONG, count(unequal)
    elif is_float(one):
        verdict, reason = _of_numbers(one, other, runs, arithmetic)
    else:
        verdict, reason = _of_integers(unequal, runs)
    return Judgement(verdict, reason, metrics_of(one, other))


def _of_integers(unequal: Array, runs: Sequence[Array]) -> tuple[Verdict, str]:
    moved = sum(int(differs(runs[0], array).sum()) for array in runs[1:] if array.shape == runs[0].shape)
    if moved and int(unequal.sum()) <= NOISE_MARGIN * moved:
        return Verdict.TIE, f"{count(unequal)}; rounding before this layer changes {moved:,}"
    return Verdict.WRONG, count(unequal)


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
