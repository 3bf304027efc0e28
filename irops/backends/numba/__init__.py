"""Reversal at the speed of memory, compiled by numba. Bytes are moved, never converted, whatever they mean."""
from __future__ import annotations

from functools import partial
from typing import Any

from irops.backends.backend import Kernel
from irops.backends.extras import installed, lacks
from irops.registry import Op
from irops.values.element import Array


class Numba:
    """Kernels for Reverse and ReverseSequence. numba itself is imported, and code compiled, when the first of them computes."""

    name = "numba"

    def missing(self) -> str | None:
        """What must be installed before it can compute, or None."""
        return lacks("numba", "numba")

    def kernel(self, op: Op) -> Kernel | None:
        installed(self)
        if op.id == "Reverse-1":
            return partial(_reverse, op.functions.kernel)
        return _reverse_sequence if op.id == "ReverseSequence-1" else None


def _reverse(view: Any, data: Array, axes: Array, *, mode: str, out: Array | None = None) -> Array:
    from irops.backends.numba.reversing import reverse
    return reverse(view, data, axes, mode=mode, out=out)


def _reverse_sequence(data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int, out: Array | None = None) -> Array:
    from irops.backends.numba.reversing import reverse_sequence
    return reverse_sequence(data, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis, out=out)
