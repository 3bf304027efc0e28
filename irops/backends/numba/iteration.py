"""Iterate over nested loops of any depth in compiled code.

loops: one row per loop, the outermost first: its size, then its increments in source, target, lengths and
steps.
"""

from __future__ import annotations

from typing import Any

from irops.backends.numba.compiled import compiled

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
