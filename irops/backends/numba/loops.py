"""Problems of moving, reduced to few loops. Everything is counted in bytes; no heavy import here.

Sources are gone through upwards wherever it can be done, and what is reversed is the way through the target:
    caches foresee loads
that go upwards, and stores have no need of foresight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

PLAIN, BATCH, STEPS = 0, 1, 2
"""What a loop goes along: an axis that is carried along, the batch axis, the sequence axis."""


class Loop(NamedTuple):
    """A loop of size turns. source and target: how many bytes each turn goes on; sequences: how many
    sequences.
    """

    size: int
    source: int
    target: int
    role: int = PLAIN
    sequences: int = 0


@dataclass(frozen=True, slots=True)
class Moves:
    """Blocks of bytes, each in one piece in source and target, and the loops over them, the outermost first.

    source, target: where the first block is, from the first element on; sequence: which it is of.
    """

    block: int
    loops: tuple[Loop, ...]
    source: int = 0
    target: int = 0
    sequence: int = 0

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return prod(loop.size for loop in self.loops)

    @property
    def lowest(self) -> int:
        """Where the lowest block of the source is, from the first element on."""
        return self.source + sum(min(0, (loop.size - 1) * loop.source) for loop in self.loops)

    def inner(self, role: int, target: int = 1) -> bool:
        """Whether blocks follow one another along a role; target: or the other way round in the target
        (-1).
        """
        last = self.loops[-1] if self.loops else None
        return last is not None and (last.role, last.source, last.target) == (
            role,
            self.block,
            target * self.block,
        )

    def at(
        self, source: int, target: int, loops: Sequence[Loop], *, block: int = 0, sequence: int = 0
    ) -> Moves:
        """Other loops, that begin elsewhere."""
        return Moves(
            block or self.block,
            tuple(loops),
            self.source + source,
            self.target + target,
            self.sequence + sequence,
        )


def moves(
    shape: Sequence[int],
    strides: Sequence[int],
    itemsize: int,
    *,
    reversed_axes: Sequence[int] = (),
    batch_axis: int = -1,
    seq_axis: int = -1,
) -> Moves:
    """The moves that fill a tensor whose elements lie one behind the other, in C's order; no size may be 0.

    shape, strides: of the source. What the sequence axis reverses is not in the loops: it depends on lengths.
    """
    roles = {seq_axis: STEPS, batch_axis: BATCH}
    loops: list[Loop] = []
    source = target = 0
    out = itemsize
    for axis in reversed(range(len(shape))):
        size, on, to = shape[axis], strides[axis], out
        role = roles.get(axis, PLAIN)
        if axis in reversed_axes:
            target, to = target + (size - 1) * to, -to
        if role == PLAIN and on < 0:
            source, on = source + (size - 1) * on, -on
            target, to = target + (size - 1) * to, -to
        if size > 1:
            loops.insert(0, Loop(size, on, to, role, int(role == BATCH)))
        out *= size
    block = itemsize
    merged = _merged(loops)
    while merged and merged[-1].role == PLAIN and merged[-1].source == merged[-1].target == block:
        block *= merged.pop().size
    return Moves(block, tuple(merged), source, target)


def _merged(loops: Sequence[Loop]) -> list[Loop]:
    """Loops, neighbours made one where the outer goes on where the inner ends."""
    merged: list[Loop] = []
    for loop in loops:
        last = merged[-1] if merged else None
        if (
            last is not None
            and last.role == loop.role == PLAIN
            and (last.source, last.target) == (loop.source * loop.size, loop.target * loop.size)
        ):
            merged[-1] = Loop(last.size * loop.size, loop.source, loop.target)
        else:
            merged.append(loop)
    return merged


def split_loop(nest: Moves, depth: int, size: int, outermost: int) -> list[Moves]:
    """The loop at a place gone through in parts of size turns, the loop over the parts further out; twice
    where some turns are left.
    """
    loop, loops = nest.loops[depth], list(nest.loops)
    parts, rest = divmod(loop.size, size)
    parts_ = []
    if parts:
        over = Loop(parts, loop.source * size, loop.target * size, loop.role, loop.sequences * size)
        inner = [*loops[:depth], loop._replace(size=size), *loops[depth + 1 :]]
        parts_.append(nest.at(0, 0, [*inner[:outermost], over, *inner[outermost:]]))
    if rest:
        begin = size * parts
        inner = [*loops[:depth], loop._replace(size=rest), *loops[depth + 1 :]]
        parts_.append(
            nest.at(loop.source * begin, loop.target * begin, inner, sequence=loop.sequences * begin)
        )
    return parts_
