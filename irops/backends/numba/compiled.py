"""Compile functions to machine code that releases the GIL and is cached on disk if a folder is writable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numba


def _source_checksum() -> int:
    """A checksum over all sources of this package, because compiled code depends on all of them."""
    checksum = 0
    for file in sorted(Path(__file__).parent.glob("*.py")):
        checksum = crc32(file.read_bytes(), checksum)
    return checksum


SOURCE_CHECKSUM = _source_checksum()


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled at its first call; later processes read the code from the cache.

    A function may close over numbers only: they become constants in its code, and part of the key under
    which it is cached.
    """
    function.__qualname__ += f".{SOURCE_CHECKSUM:08x}"
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        compiled_function: Callable[..., Any] = numba.njit(function, cache=True, **options)
    except RuntimeError:  # no writable cache folder, neither next to the source nor NUMBA_CACHE_DIR
        compiled_function = numba.njit(function, **options)
    return compiled_function


# Iterate over nested loops of any depth in compiled code.
#
# loops: one row per loop, the outermost first: its size, then its increments in source, target, lengths
# and steps.

SIZE, SOURCE, TARGET, LENGTH, STEP = range(5)


def _iterations(loops: Any) -> int:
    """The number of iterations of the innermost loop in all."""
    count = 1
    for depth in range(loops.shape[0]):
        count *= loops[depth, 0]
    return count


def _locate(loops: Any, index: Any, turn: int) -> tuple[int, int, int, int]:
    """The offsets of an iteration in source, target, lengths and steps; sets index to the loop counters."""
    source = target = length = step = 0
    for depth in range(loops.shape[0] - 1, -1, -1):
        turn, place = turn // loops[depth, 0], turn % loops[depth, 0]
        index[depth] = place
        source += place * loops[depth, 1]
        target += place * loops[depth, 2]
        length += place * loops[depth, 3]
        step += place * loops[depth, 4]
    return source, target, length, step


def _carry(loops: Any, index: Any) -> tuple[int, int, int, int]:
    """The changes of the offsets when the innermost loop has ended and the loops around it advance."""
    depth = loops.shape[0] - 1
    size = loops[depth, 0]
    source, target, length, step = (
        -size * loops[depth, 1],
        -size * loops[depth, 2],
        -size * loops[depth, 3],
        -size * loops[depth, 4],
    )
    index[depth] = 0
    depth -= 1
    while depth >= 0:
        source += loops[depth, 1]
        target += loops[depth, 2]
        length += loops[depth, 3]
        step += loops[depth, 4]
        index[depth] += 1
        size = loops[depth, 0]
        if index[depth] < size:
            break
        source -= size * loops[depth, 1]
        target -= size * loops[depth, 2]
        length -= size * loops[depth, 3]
        step -= size * loops[depth, 4]
        index[depth] = 0
        depth -= 1
    return source, target, length, step


iterations_of, locate, carry = compiled(_iterations), compiled(_locate), compiled(_carry)
