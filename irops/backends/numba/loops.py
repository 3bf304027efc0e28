"""Moves of tensors, reduced to few nested loops. All sizes and offsets are in bytes. No heavy imports here.

Loops run upwards through the source if possible, and downwards through the target where an axis is reversed:
caches prefetch upward loads, and stores need no prefetching.
"""

from collections.abc import Sequence
from ctypes import addressof, c_char
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from irops.values.element import Array


def address_of(array: Array) -> int:
    """The address of the first element of an array, which must not be empty."""
    flags = array.flags
    if flags.writeable and flags.c_contiguous and array.dtype.isbuiltin == 1:  # these support buffers
        return addressof(c_char.from_buffer(array))  # type: ignore[arg-type]  # twice as fast as ctypes.data
    address: int = array.ctypes.data
    return address


PLAIN, BATCH, STEPS = 0, 1, 2
"""The role of a loop's axis: any other axis, the batch axis, the sequence axis."""


class Loop(NamedTuple):
    """A loop of `size` iterations. source, target, sequences: the increments of each iteration."""

    size: int
    source: int
    target: int
    role: int = PLAIN
    sequences: int = 0


@dataclass(frozen=True, slots=True)
class Moves:
    """Blocks of bytes, contiguous in source and target, and the loops over them, the outermost first.

    source, target: offsets of the first block from the first element; sequence: its sequence
    """

    block: int
    loops: tuple[Loop, ...]
    source: int = 0
    target: int = 0
    sequence: int = 0

    @property
    def count(self) -> int:
        """The number of blocks."""
        return prod(loop.size for loop in self.loops)

    @property
    def lowest(self) -> int:
        """The offset of the lowest block of the source from the first element."""
        return self.source + sum(min(0, (loop.size - 1) * loop.source) for loop in self.loops)

    def inner(self, role: int, target: int = 1) -> bool:
        """Whether the innermost loop has a role and its blocks are adjacent. target: -1 if they are in
        reverse order in the target.
        """
        last = self.loops[-1] if self.loops else None
        wanted = (role, self.block, target * self.block)
        return last is not None and (last.role, last.source, last.target) == wanted

    def at(
        self, source: int, target: int, loops: Sequence[Loop], *, block: int = 0, sequence: int = 0
    ) -> "Moves":
        """Moves with other loops that begin at other offsets."""
        places = (self.source + source, self.target + target, self.sequence + sequence)
        return Moves(block or self.block, tuple(loops), *places)


def moves(
    shape: Sequence[int], strides: Sequence[int], itemsize: int, *, batch_axis: int = -1, seq_axis: int = -1
) -> Moves:
    """The moves that fill a C-contiguous tensor; no size may be 0.

    shape, strides: of the source. The loops do not reverse the sequence axis, because that depends on
    lengths.
    """
    roles = {seq_axis: STEPS, batch_axis: BATCH}
    loops: list[Loop] = []
    source = target = 0
    out = itemsize
    for axis in reversed(range(len(shape))):
        size, on, to = shape[axis], strides[axis], out
        role = roles.get(axis, PLAIN)
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
    """The loops with neighbours merged if the outer one continues where the inner one ends."""
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
    """Split the loop at a depth into parts of `size` iterations, with a loop over the parts at the depth
    `outermost`. A remainder gives a second nest.
    """
    loop, loops = nest.loops[depth], list(nest.loops)
    parts, rest = divmod(loop.size, size)
    nests = []
    if parts:
        over = Loop(parts, loop.source * size, loop.target * size, loop.role, loop.sequences * size)
        inner = [*loops[:depth], loop._replace(size=size), *loops[depth + 1 :]]
        nests.append(nest.at(0, 0, [*inner[:outermost], over, *inner[outermost:]]))
    if rest:
        begin = size * parts
        inner = [*loops[:depth], loop._replace(size=rest), *loops[depth + 1 :]]
        nests.append(
            nest.at(loop.source * begin, loop.target * begin, inner, sequence=loop.sequences * begin)
        )
    return nests
