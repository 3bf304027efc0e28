"""The source of generated trials for each op: variations of its examples, or a strategy of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from irops.backends.one_op import MOVING
from irops.conformance.cases import definition_cases
from irops.conformance.strategies.reversing import (
    large_reverse_sequence_trials,
    large_reverse_trials,
    odd_trials,
    reverse_sequence_sweep,
    reverse_sequence_trials,
    reverse_sweep,
    reverse_trials,
)
from irops.conformance.strategies.tensors import kinds, layouts, tensors
from irops.conformance.trial import Trial, TrialInput
from irops.spec.definition import PortSpec
from irops.spec.op import Op
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of, tagged


@dataclass(frozen=True, slots=True)
class Changes:
    """New element types by type variable, and new sizes by old size, applied everywhere in a trial."""

    types: dict[str, ElementType]
    sizes: dict[int, int]

    def shape(self, before: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([self.sizes.get(size, size) for size in before])


@st.composite
def variations(draw: st.DrawFn, op: Op, starts: list[Trial]) -> Trial:
    """An example with other element types, sizes, elements and layouts."""
    start = draw(st.sampled_from(starts))
    types = {
        name: draw(kinds(variable.allowed))
        for name, variable in op.definition.types.items()
        if draw(st.booleans())
    }
    sizes = sorted(
        {size for trial_input in start.inputs if trial_input is not None for size in trial_input.array.shape}
    )
    changes = Changes(
        types, {size: draw(st.integers(0, 9)) for size in sizes if draw(st.integers(0, 3)) == 3}
    )
    return Trial(
        op,
        tuple(
            draw(_varied(op, index, trial_input, changes)) for index, trial_input in enumerate(start.inputs)
        ),
        start.attributes,
    )


def retyped(op: Op, starts: list[Trial]) -> Iterator[Trial]:
    """Every example in every element type of each type variable."""
    for start in starts:
        for variable in op.definition.types.values():
            for name in sorted(variable.allowed):
                kind = element_type(name, foreign=True)
                yield Trial(
                    op,
                    tuple(
                        TrialInput(_retyped(trial_input.array, kind))
                        if trial_input is not None and port.type == variable.name
                        else trial_input
                        for trial_input, port in zip(start.inputs, _ports(op, len(start.inputs)))
                    ),
                    start.attributes,
                )


def _ports(op: Op, count: int) -> list[PortSpec]:
    ports = op.definition.inputs
    return [ports[min(k, len(ports) - 1)] for k in range(count)]


@st.composite
def _varied(
    draw: st.DrawFn, op: Op, index: int, trial_input: TrialInput | None, changes: Changes
) -> TrialInput | None:
    if trial_input is None:
        return None
    port = _ports(op, index + 1)[index]
    kind = changes.types.get(port.type, element_type_of(trial_input.array))
    shares_output_type = any(port.type == output.type for output in op.definition.outputs)
    if not shares_output_type and not kind.floating:
        return TrialInput(
            _retyped(trial_input.array, kind), draw(layouts())
        )  # axes, sizes and indices keep their values
    shape = changes.shape(trial_input.array.shape)
    if op.definition.category in MOVING:
        return draw(tensors(kind, shape))
    if draw(st.booleans()) and kind is not STRING:
        quarters = np.random.default_rng(draw(st.integers(0, 2**16))).integers(-32, 33, shape)
        return TrialInput(_retyped(quarters / 4 if kind.floating else quarters, kind), draw(layouts()))
    return TrialInput(_retyped(np.resize(trial_input.array, shape), kind), draw(layouts()))


def _retyped(numbers: Array, kind: ElementType) -> Array:
    """The same numbers in another type, as far as it can represent them."""
    array = np.asarray(numbers)  # NumPy turns arrays without axes into scalars
    if element_type_of(array) is kind or kind is STRING or array.dtype == object:
        return array
    with np.errstate(all="ignore"):
        parts = array.real if array.dtype.kind == "c" and kind.kind != "complex" else array
        wide: Array = parts.astype({"float": np.float64, "complex": np.complex128}.get(kind.kind, np.int64))
        if kind.bits < 8 and not kind.floating:
            wide = np.asarray(wide % 2**kind.bits if kind.kind == "lookup" else np.clip(wide, *kind.extent))
        return tagged(wide.astype(kind.dtype), kind)


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
