"""Which strategy makes the trials of an op."""
from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from irops.conformance.cases import known_cases
from irops.conformance.strategies.reversing import reverse_sequence_trials, reverse_trials
from irops.conformance.strategies.variations import variations
from irops.conformance.trial import Trial
from irops.registry import Op

SPECIAL: dict[str, Callable[[Op], st.SearchStrategy[Trial]]] = {
    "Reverse-1": reverse_trials, "ReverseSequence-1": reverse_sequence_trials,
}
"""Ops whose second input would seldom be valid by chance."""


def trials_of(op: Op) -> st.SearchStrategy[Trial] | None:
    """Where generated trials of an op come from; None where it has no example to start from."""
    if op.id in SPECIAL:
        return SPECIAL[op.id](op)
    starts = [trial for kind, _, trial, _ in known_cases(op) if kind == "example"]
    return variations(op, starts) if starts else None
