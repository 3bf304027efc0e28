"""Reverse and ReverseSequence, compiled by numba and limited by memory bandwidth only. The kernels move
bytes and ignore element types.
"""

import os
import sys
from typing import Any

from irops.backends.backend import Declined, Kernel, filling, kernel_of_base, require_installed
from irops.environment import missing_libraries
from irops.spec.op import Op
from irops.values.element import Array

WORTH_LOADING = 1 << 20
"""The size of data in bytes that justifies the third of a second that importing numba takes."""


class Numba:
    """Kernels for Reverse and ReverseSequence. numba is imported, and the code compiled, at the first call.

    min_bytes: smaller data is declined as long as numba is not imported
    """

    name = "numba"

    def __init__(self, min_bytes: int = 0) -> None:
        self.min_bytes = min_bytes
        self._reversing: Any = None

    def missing(self) -> str | None:
        """The libraries that must be installed first; None if all are."""
        return missing_libraries("numba", "numba")

    def kernel(self, op: Op) -> Kernel | None:
        require_installed(self)
        if op.id == "Reverse-1":
            return self._reverse
        return self._reverse_sequence if op.id == "ReverseSequence-1" else kernel_of_base(op, self.kernel)

    @filling
    def _reverse(self, data: Array, axes: Array, *, mode: str, out: Array | None = None) -> Array:
        filled: Array = self._kernels(data).reverse(data, axes, mode=mode, out=out)
        return filled

    @filling
    def _reverse_sequence(
        self, data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int, out: Array | None = None
    ) -> Array:
        filled: Array = self._kernels(data).reverse_sequence(
            data, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis, out=out
        )
        return filled

    def _kernels(self, data: Array) -> Any:
        if self._reversing is None:
            if data.nbytes < self.min_bytes and "numba" not in sys.modules:
                raise Declined(f"numba is not loaded for less than {self.min_bytes} bytes of data")
            # otherwise a .numba_config.yaml in the current folder could name a folder of code that numba runs
            os.environ.setdefault("NUMBA_CACHE_DIR", "")
            from irops.backends.numba import reversing

            self._reversing = reversing
        return self._reversing
