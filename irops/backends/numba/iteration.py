"""Going through loops at any depth, within compiled code.

loops: a row per loop, the outermost first: its size, then how far each turn goes on in source, target,
    lengths and steps.
"""

from __future__ import annotations

from typing import Any

from irops.backends.numba.compiled import compiled

SIZE, SOURCE, TARGET, LENGTH, STEP = range(5)


def _iterations(loops: Any) -> int:
    """How often the innermost of the loops turns in all."""
    count = 1
    for depth in range(loops.shape[0]):
        count *= loops[depth, 0]
    return count


def _locate(loops: Any, index: Any, turn: int) -> tuple[int, int, int, int]:
    """Where a turn is in source, target, lengths and steps; index becomes how often each loop has gone
    round.
    """
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
    """How much further all is once the innermost loop has gone round wholly and those around it go on."""
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
