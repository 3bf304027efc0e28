"""SearchSorted: the positions at which values would be inserted into sorted sequences."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, unify
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require, warn_unless


@shape("SearchSorted-15")
def search_sorted_shape(sorted_sequence: Fact, values: Fact) -> Shape:
    sequences, searched = sorted_sequence.shape, values.shape
    if sorted_sequence.value is not None:
        check_order(sorted_sequence.value)
    if sequences.dims is None:
        return searched
    if searched.dims is None:
        return UNRANKED if len(sequences) == 1 else Shape.of(*sequences[:-1], ANY)
    if len(sequences) == 1:
        return searched
    require(len(sequences) == len(searched), "C1", sequences, searched)
    return Shape.of(*(unify(a, b, "C2") for a, b in zip(sequences[:-1], searched[:-1])), searched[-1])


@kernel("SearchSorted-15")
def search_sorted(
    sorted_sequence: Array, values: Array, *, right_mode: bool, output_type: ElementType
) -> Array:
    check_order(sorted_sequence)
    first = np.zeros(values.shape, np.int64)
    remaining = np.full(values.shape, sorted_sequence.shape[-1], np.int64)
    while remaining.size and remaining.max() > 0:  # bisection: each step halves the remaining range
        half = remaining // 2
        middle = first + half
        last = max(sorted_sequence.shape[-1] - 1, 0)
        elements = elements_at(sorted_sequence, np.minimum(middle, last))
        beyond = (remaining > 0) & (elements <= values if right_mode else elements < values)
        first = np.where(beyond, middle + 1, first)
        remaining = np.where(beyond, remaining - half - 1, half)
    return first.astype(output_type.dtype)


def elements_at(sequences: Array, positions: Array) -> Array:
    """The elements at positions of the only sequence, or of the sequence of each position."""
    if sequences.ndim == 1:
        return sequences[positions]
    return np.take_along_axis(sequences, positions, axis=-1)


def check_order(sequences: Array) -> None:
    """Warn about the first position at which a sequence is not in ascending order."""
    with np.errstate(invalid="ignore"):
        descents = np.argwhere(~(sequences[..., 1:] >= sequences[..., :-1]))
    if len(descents):
        before = tuple(descents[0])
        after = (*before[:-1], before[-1] + 1)
        warn_unless(
            False, "C3", f"{sequences[after]} after {sequences[before]} at {[int(index) for index in after]}"
        )
