"""The source of generated trials for each op."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import NamedTuple

from hypothesis import strategies as st

from irops.conformance.cases import definition_cases
from irops.conformance.strategies.large import large_reverse_sequence_trials, large_reverse_trials
from irops.conformance.strategies.odd import odd_trials
from irops.conformance.strategies.reversing import (
    reverse_sequence_sweep,
    reverse_sequence_trials,
    reverse_sweep,
    reverse_trials,
)
from irops.conformance.strategies.variations import retyped, variations
from irops.conformance.trial import Trial
from irops.spec.op import Op


class Source(NamedTuple):
    """sweep: trials that are always run; strategy: random trials; large: trials larger than any cache."""

    sweep: Iterable[Trial]
    strategy: st.SearchStrategy[Trial]
    large: Iterable[Trial] = ()


SPECIAL: dict[str, Callable[[Op], Source]] = {
    "Reverse-1": lambda op: Source(reverse_sweep(op), reverse_trials(op), large_reverse_trials(op)),
    "ReverseSequence-1": lambda op: Source(
        reverse_sequence_sweep(op), reverse_sequence_trials(op), large_reverse_sequence_trials(op)
    ),
}
"""Ops whose second input is rarely valid by chance."""


def source_of(op: Op) -> Source | None:
    """The source of an op's generated trials; None if the definition has no usable example."""
    source = SPECIAL[op.id](op) if op.id in SPECIAL else _varied_examples(op)
    return None if source is None else source._replace(sweep=chain(odd_trials(op), source.sweep))


def _varied_examples(op: Op) -> Source | None:
    starts = [case.trial for case in definition_cases(op) if case.kind == "example"]
    return Source(retyped(op, starts), variations(op, starts)) if starts else None
