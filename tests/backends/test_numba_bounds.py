"""No byte outside of the arrays is read or written: they lie between pages that may not be touched."""

import ctypes
import mmap
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

pytestmark = [
    pytest.mark.slow("compiles kernels anew with checks of bounds"),
    pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed"),
]
PAGE = mmap.PAGESIZE


def guarded(size: int, at_end: bool) -> np.ndarray:
    """Bytes at the very beginning or the very end of readable memory."""
    pages = -(-size // PAGE)
    area = mmap.mmap(-1, (pages + 2) * PAGE)
    whole = np.frombuffer(area, np.uint8)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for place in (0, pages + 1):
        assert protect(ctypes.c_void_p(whole.ctypes.data + place * PAGE), ctypes.c_size_t(PAGE), 0) == 0
    inside = whole[PAGE:-PAGE]
    return inside[inside.size - size :] if at_end else inside[:size]


def sweep() -> None:
    """Reverse arrays of many layouts between forbidden pages."""
    from irops.backends.numba import reversing

    rng = np.random.default_rng(0)
    reversing.PARALLEL_BYTES, reversing.TASK_BYTES, reversing.TILE_BYTES = 0, 512, 4096
    for reversing.STREAM_BYTES in (1 << 40, 0):
        reversing.kernel_call.cache_clear()
        for steps, batch, width in [
            (3, 5, 1),
            (16, 4, 4),
            (64, 3, 1),
            (70, 3, 2),
            (64, 70, 1),
            (9, 64, 8),
            (33, 100, 4),
            (300, 2, 4),
            (400, 3, 16),
            (5, 7, 3),
            (5, 7, 20),
            (4, 4, 100),
            (600, 70, 1),
            (9, 70, 16),
        ]:
            for batch_axis in (0, 1):
                shape = (batch, steps, width) if batch_axis == 0 else (steps, batch, width)
                for at_end in (False, True):
                    data, out = (guarded(batch * steps * width, at_end).reshape(shape) for _ in range(2))
                    data[...] = rng.integers(0, 256, shape)
                    for lengths in (
                        rng.integers(0, steps + 1, batch),
                        np.arange(batch) % 2,
                        np.sort(rng.integers(0, steps + 1, batch)),
                    ):
                        reversing.reverse_sequence(
                            data, lengths, batch_axis=batch_axis, seq_axis=1 - batch_axis, out=out
                        )
                    for axes in ([0], [1], [0, 2], [0, 1, 2]):
                        reversing.reverse(data, np.array(axes), mode="index", out=out)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pages are protected as Linux does it")
def test_nothing_outside_of_the_arrays_is_touched() -> None:
    done = subprocess.run([sys.executable, __file__], timeout=600, check=False)
    assert done.returncode == 0


if __name__ == "__main__":
    sweep()
