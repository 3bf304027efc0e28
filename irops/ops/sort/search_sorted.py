"""SearchSorted: where values would be inserted into sorted sequences."""

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
    sequences, sought = sorted_sequence.shape, values.shape
    if sorted_sequence.value is not None:
        check_order(sorted_sequence.value)
    if sequences.dims is None:
        return sought
    if sought.dims is None:
        return UNRANKED if len(sequences) == 1 else Shape.of(*sequences[:-1], ANY)
    if len(sequences) == 1:
        return sought
    require(len(sequences) == len(sought), "C1", sequences, sought)
    return Shape.of(*(unify(a, b, "C2") for a, b in zip(sequences[:-1], sought[:-1])), sought[-1])


@kernel("SearchSorted-15")
def search_sorted(
    sorted_sequence: Array, values: Array, *, right_mode: bool, output_type: ElementType
) -> Array:
    check_order(sorted_sequence)
    first = np.zeros(values.shape, np.int64)
    left = np.full(values.shape, sorted_sequence.shape[-1], np.int64)
    while left.size and left.max() > 0:  # every search halves what is left to it
        half = left // 2
        middle = first + half
        last = max(sorted_sequence.shape[-1] - 1, 0)
        met = elements_at(sorted_sequence, np.minimum(middle, last))
        beyond = (left > 0) & (met <= values if right_mode else met < values)
        first, left = np.where(beyond, middle + 1, first), np.where(beyond, left - half - 1, half)
    return first.astype(output_type.dtype)


def elements_at(sequences: Array, places: Array) -> Array:
    """What stands at places, of one sequence for all, or of the sequence that each has."""
    return sequences[places] if sequences.ndim == 1 else np.take_along_axis(sequences, places, axis=-1)


def check_order(sequences: Array) -> None:
    """Remark on the first place at which a sequence falls."""
    with np.errstate(invalid="ignore"):
        falls = np.argwhere(~(sequences[..., 1:] >= sequences[..., :-1]))
    if len(falls):
        place = tuple(falls[0])
        after = (*place[:-1], place[-1] + 1)
        warn_unless(
            False, "C3", f"{sequences[after]} after {sequences[place]} at {[int(index) for index in after]}"
        )
