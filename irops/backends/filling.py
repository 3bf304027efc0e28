"""What backends that move elements have in common: lengths that are settled, and the array that is filled."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from irops.ops.movement.reverse_sequence import check_lengths
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.violation import require


class Lengths(NamedTuple):
    """How many steps of each sequence are reversed, and the least and the greatest of these numbers (0 where there are none)."""

    each: npt.NDArray[np.int64]
    least: int
    most: int


def settled(data: Array, seq_lengths: Array, batch_axis: int, seq_axis: int) -> Lengths:
    """Lengths that are held to the definition of ReverseSequence, as the reference holds them.

    Raises:  Violation
    """
    require(batch_axis != seq_axis, "C2", f"{batch_axis} for both")
    unify(data.shape[batch_axis], seq_lengths.shape[0], "C1")
    steps = data.shape[seq_axis]
    whole = seq_lengths.dtype.kind in "iu" and seq_lengths.size > 0
    if not whole or not (int(seq_lengths.min()) >= 1 and int(seq_lengths.max()) <= steps):
        check_lengths(seq_lengths, Dim.of(steps))
    each = np.ascontiguousarray(seq_lengths, np.int64)
    return Lengths(each, int(each.min()), int(each.max())) if each.size else Lengths(each, 0, 0)


def room(like: Array, out: Array | None) -> Array:
    """The array to fill, of the type and shape of like, in C's order: out, if it can be; what like holds is not written over.

    Raises:  ValueError where out has another type or shape, or cannot be written
    """
    if out is None:
        return np.empty(like.shape, like.dtype)
    if out.dtype != like.dtype or out.shape != like.shape or not out.flags.writeable:
        kind = "" if out.flags.writeable else "read-only "
        raise ValueError(f"out is {kind}{out.dtype}{list(out.shape)}, must be {like.dtype}{list(like.shape)}, and writeable")
    free = out.flags.c_contiguous and not np.may_share_memory(out, like)
    return out if free else np.empty(like.shape, like.dtype)


def delivered(filled: Array, out: Array | None) -> Array:
    """What was filled, where the caller wants it."""
    if out is None or out is filled:
        return filled
    np.copyto(out, filled)
    return out
