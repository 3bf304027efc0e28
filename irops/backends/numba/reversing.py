"""Reverse and ReverseSequence on arrays: two kernels, and the loops in which they go through a tensor."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irops.backends.numba.vectors import (
    LINE,
    chosen,
    compiled,
    fence_stores,
    fetch_add,
    inlined,
    load,
    load_i64,
    mirrored,
    store,
)
from irops.backends.numba.workers import FINISHED, STARTED, WORKERS, address_of, notify
from irops.ops.movement.reverse import reverse as reversed_view
from irops.ops.movement.reverse_sequence import check_lengths, reverse_sequence as by_reference
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.violation import require

VECTOR = 64
"""The size of a vector in bytes."""
WIDTHS = {**dict.fromkeys((1, 2, 4, 8, 16, 32), VECTOR), **dict.fromkeys((3, 6, 12, 24), 48)}
"""The longest vector by element size, in bytes, for the element sizes that vectors can mirror."""
PARALLEL_BYTES = 512 << 10
"""The size from which several cores are used: to involve an awake core costs as much as to copy a tenth of a
megabyte.
"""
STREAM_BYTES = 16 << 20
"""The size from which stores bypass the caches, which hold source and result together up to it."""
TASK_BYTES, TILE_BYTES = 128 << 10, 64 << 10
"""The sizes of a task, and of what is turned in a buffer, which the second cache of a core holds."""

# Each byte of the target is computed from the source alone. So vectors, and parts of a loop, may overlap: the
# last one begins earlier rather than being shorter.


def _locate(loops: Any, task: int) -> tuple[int, int, int, int]:
    """The offsets of a task in source, target, lengths and steps. loops: as of KernelCall"""
    source = target = length = step = 0
    for depth in range(loops.shape[0] - 1, -1, -1):
        outer = task // loops[depth, 0] if depth else 0  # a division takes as long as to move some vectors
        place = min((task - outer * loops[depth, 0]) * loops[depth, 1], loops[depth, 2])
        task = outer
        source += place * loops[depth, 3]
        target += place * loops[depth, 4]
        length += place * loops[depth, 5]
        step += place * loops[depth, 6]
    return source, target, length, step


locate = compiled(_locate)


@inlined
def write_row(target: int, source: int, final: int, group: int, span: int, stream: int) -> None:
    """Write a row by vectors of span bytes, the last one at the offset final.

    group: the size of the elements in whose units the row is reversed; span if it is not
    """
    for c in range(0, final, span):
        store(target + (c if group == span else final - c), mirrored(load(source + c, span), group), stream)
    store(target + (final if group == span else 0), mirrored(load(source + final, span), group), stream)


@inlined
def write_vector(
    target: int, source: int, image: int, low: int, left: int, group: int, span: int, stream: int
) -> None:
    """Write a vector whose first `left` bytes are those before the address image, reversed.

    low: where the source begins; a vector that would have to be read from before it is wrong
    """
    left = max(left, 0)
    turned = mirrored(load(max(image + left - span, low), span), group)
    store(target, chosen(turned, load(source, span), min(left, span)), stream)


@cache
def rows(width: int, span: int, heads: int, stream: int) -> Callable[..., Any]:
    """The kernel that writes rows by vectors of span bytes, which is at most the size of a row.

    width: reverse rows in elements of this many bytes; 0: move them as they are
    heads: 1 to reverse of each row only as many elements as its length says; 0: the length and the step of a
        row determine its target, `turn` bytes from that of the step before
    stream: use stores that bypass the caches; rows must be multiples of span, targets of LINE
    """
    group = width or span

    def write_rows(
        target: int, source: int, lengths: int, loops: Any, inner: Any, numbers: Any, counter: int
    ) -> None:
        total, grain, row, turn, low = numbers[0], numbers[1], numbers[2], numbers[3], source + numbers[4]
        count, on, out, next_length, next_step = inner[0], inner[1], inner[2], 8 * inner[3], inner[4]
        final = row - span
        notify(counter)
        while True:
            begin = fetch_add(counter + STARTED) * grain
            if begin >= total:
                break
            for task in range(begin, min(begin + grain, total)):
                s, t, k, step = locate(loops, task)
                s, t, k = source + s, target + t, lengths + 8 * k
                for _ in range(count):
                    length = load_i64(k)
                    if heads > 0:
                        head, origin, c = length * width - step, s - step, 0
                        while c < final:
                            write_vector(t + c, s + c, origin, low, head - c, width, span, stream)
                            c += span
                        write_vector(t + final, s + final, origin, low, head - final, width, span, stream)
                        if origin - span < low:  # where a vector would have to begin before the source
                            fence_stores()
                            for e in range(max(head - span, 0), min(head, row), width):
                                store(t + e, load(origin + head - width - e, width), 0)
                    else:
                        place = length - 1 - step if step < length else step
                        write_row(t + turn * place, s, final, group, span, stream)
                        step += next_step
                    s, t, k = s + on, t + out, k + next_length
            fence_stores()
            fetch_add(counter + FINISHED)

    return compiled(write_rows)


@cache
def columns(width: int, span: int, stream: int) -> Callable[..., Any]:
    """The kernel for elements of width bytes with those of other sequences beside them.

    Parts of rows are copied to a buffer, where each column is reversed for itself, and then to the target.
    span, stream: as of rows
    """

    def reverse_columns(
        target: int, source: int, lengths: int, loops: Any, inner: Any, numbers: Any, counter: int
    ) -> None:
        total, grain, row, turn = numbers[0], numbers[1], numbers[2], numbers[3]
        steps, on = inner[0], inner[1]
        final = row - span
        gap = row + min(row, VECTOR)  # no power of two, or rows would compete for the same cache sets
        space = np.empty(steps * gap + VECTOR, np.uint8)
        buffer = space.ctypes.data
        buffer += -buffer % VECTOR
        notify(counter)
        while True:
            begin = fetch_add(counter + STARTED) * grain
            if begin >= total:
                break
            for task in range(begin, min(begin + grain, total)):
                s, t, k, _ = locate(loops, task)
                s, t, k = source + s, target + t, lengths + 8 * k
                for step in range(steps):
                    write_row(buffer + step * gap, s + step * on, final, span, span, 0)
                for column in range(row // width):
                    first = buffer + column * width
                    last = first + (load_i64(k + 8 * column) - 1) * gap
                    while first < last:
                        lanes = load(first, width)
                        store(first, load(last, width), 0)
                        store(last, lanes, 0)
                        first, last = first + gap, last - gap
                for step in range(steps):
                    write_row(t + step * turn, buffer + step * gap, final, span, span, stream)
            fence_stores()
            fetch_add(counter + FINISHED)
        space[0] = 0  # keeps the array alive until here; otherwise only its address is used

    return compiled(reverse_columns)


# Tensors as nested loops. All sizes and offsets are in bytes.


class Loop(NamedTuple):
    """A loop of `size` iterations. source, target, sequence, step: the increments of each iteration: sequence
    is 1 along the batch axis, step along the sequence axis.
    """

    size: int
    source: int
    target: int
    sequence: int = 0
    step: int = 0


class Moves(NamedTuple):
    """Blocks of bytes, contiguous in source and target, and the loops over them, the outermost first.

    Loops run upwards through the source if possible, and downwards through the target where an axis is
    reversed: caches prefetch upward loads, and stores need no prefetching.
    source, target: offsets of the first block from the first element
    """

    block: int
    loops: tuple[Loop, ...]
    source: int = 0
    target: int = 0


def moves(
    shape: Sequence[int], strides: Sequence[int], itemsize: int, *, batch_axis: int = -1, seq_axis: int = -1
) -> Moves:
    """The moves that fill a C-contiguous tensor; no size may be 0.

    shape, strides: of the source. The loops do not reverse the sequence axis, because that depends on
    lengths.
    """
    loops: list[Loop] = []
    source = target = 0
    out = itemsize
    for axis in reversed(range(len(shape))):
        size, on, to = shape[axis], strides[axis], out
        if on < 0 and axis not in (batch_axis, seq_axis):
            source, on = source + (size - 1) * on, -on
            target, to = target + (size - 1) * to, -to
        if size > 1:
            loops.insert(0, Loop(size, on, to, int(axis == batch_axis), int(axis == seq_axis)))
        out *= size
    block = itemsize
    merged = _merged(loops)
    while merged and merged[-1] == Loop(merged[-1].size, block, block):
        block *= merged.pop().size
    return Moves(block, tuple(merged), source, target)


def _merged(loops: Sequence[Loop]) -> list[Loop]:
    """The loops with neighbours merged if the outer one continues where the inner one ends."""
    merged: list[Loop] = []
    for loop in loops:
        size, on, out = loop[:3]
        if (
            loop == Loop(size, on, out)
            and merged
            and merged[-1] == Loop(merged[-1].size, on * size, out * size)
        ):
            merged[-1] = Loop(merged[-1].size * size, on, out)
        else:
            merged.append(loop)
    return merged


class KernelCall(NamedTuple):
    """A kernel with its arguments.

    target, source: the offsets of the first row
    arrays: the loops over tasks, the loop within a task, and other numbers; a loop over tasks is a line: its
        parts, their size, where the last one begins, and the increments of Loop
    """

    kernel: Callable[..., Any]
    target: int
    source: int
    arrays: tuple[npt.NDArray[np.int64], ...]
    tasks: int


@lru_cache(1024)
def kernel_call(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    itemsize: int,
    address: int,
    batch_axis: int,
    seq_axis: int,
) -> KernelCall:
    """How a tensor is moved. address: of the target, modulo LINE"""
    size = itemsize * prod(shape)
    budget = TASK_BYTES if size >= PARALLEL_BYTES else size
    block, loops, source, target = moves(shape, strides, itemsize, batch_axis=batch_axis, seq_axis=seq_axis)
    steps = next((loop for loop in loops if loop.step), Loop(1, 0, 0))
    last = loops[-1] if loops and loops[-1].source == block == abs(loops[-1].target) else Loop(1, 0, 0)
    outer = [loop._replace(target=0) if loop.step else loop for loop in loops]  # lengths determine the target
    element, inner, width = Loop(block, 1, 1), Loop(1, 0, 0), 0
    is_side_by_side = last.sequence > 0 and block < VECTOR
    if is_side_by_side:
        element, inner = outer.pop(), steps
        outer = [loop for loop in outer if not loop.step]
        most = _part(element.size, TILE_BYTES // steps.size // block, VECTOR)
        count = steps.size
    else:
        if block in WIDTHS and (last.step or last.target < 0):
            outer.pop()
            width, element = block, last._replace(step=last.step * block)
        most = _part(element.size, budget // element.source, VECTOR)
        if outer and most == element.size:
            inner = outer.pop()
        count = _part(inner.size, budget // (most * element.source))
    row = most * element.source
    if last.target < 0 and width:
        target -= (most - 1) * block
    span = WIDTHS.get(width, VECTOR)
    while span > row or span % (width or 1):
        span //= 2
    parts = [*((loop, 1) for loop in outer), (inner, count), (element, most)]
    lines = [
        (-(-loop.size // part), part, loop.size - part, *loop[1:]) for loop, part in parts if part < loop.size
    ]
    total, grain = prod(line[0] for line in lines), max(budget // (row * count), 1)
    offsets = (address, target, *(loop.target for loop in loops if loop is not last))
    is_aligned = not (element.size * element.source % VECTOR or any(offset % LINE for offset in offsets))
    stream = int(size >= STREAM_BYTES and span == VECTOR and is_aligned)
    heads = last.step if width else 0
    kernel = columns(block, span, stream) if is_side_by_side else rows(width, span, heads, stream)
    lowest = sum(min(0, (loop.size - 1) * loop.source) for loop in loops)
    arrays = (
        np.array(lines, np.int64).reshape(-1, 7),  # also where there are none
        np.array(inner._replace(size=count), np.int64),
        np.array([total, grain, row, steps.target, lowest], np.int64),
    )
    return KernelCall(kernel, target, source, arrays, -(-total // grain) if size >= PARALLEL_BYTES else 1)


def _part(size: int, most: int, unit: int = 1) -> int:
    """The size of the parts of a loop: all alike, at most about `most` iterations, and multiples of unit."""
    parts = -(-size // max(most, 1))
    return min(-(-size // (parts * unit)) * unit, size)


def reverse(data: Array, axes: Array, *, mode: str, out: Array | None = None) -> Array:
    return _moved(reversed_view(data, axes, mode=mode), out)


def reverse_sequence(
    data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int, out: Array | None = None
) -> Array:
    if data.dtype.kind == "O":
        return _moved(by_reference(data, seq_lengths, batch_axis=batch_axis, seq_axis=seq_axis), out)
    lengths = checked_lengths(data, seq_lengths, batch_axis, seq_axis)
    if lengths.maximum <= 1:
        return _moved(data, out)
    if lengths.minimum == data.shape[seq_axis]:
        return _moved(np.flip(data, seq_axis), out)
    return _moved(
        data, out, lengths.values, -1 if lengths.minimum == lengths.maximum else batch_axis, seq_axis
    )


ONE = np.ones(1, np.int64)
"""The lengths of moves without lengths."""


def _moved(
    source: Array, out: Array | None, lengths: Array = ONE, batch_axis: int = -1, seq_axis: int = -1
) -> Array:
    """A copy of source in C order, in `out` where that is given, with the first steps of seq_axis reversed.

    lengths: their number, for each position of batch_axis or for all (-1)
    Raises:  ValueError if out has another shape, or is read-only
    """
    kind, shape, room = source.dtype, source.shape, out
    if room is None or not _takes(room, source):
        room = np.empty(shape, kind)
    if kind.kind == "O":  # Python counts references to objects
        np.copyto(room, source)
    elif source.size:
        begin = address_of(room)
        call = kernel_call(shape, source.strides, kind.itemsize, begin % LINE, batch_axis, seq_axis)
        addresses = (begin + call.target, address_of(source) + call.source, address_of(lengths))
        WORKERS.run(call.kernel, (*addresses, *call.arrays), call.tasks, (source, room, lengths))
    if out is None or out is room:
        return room
    np.copyto(out, room)
    return out


def _takes(out: Array, source: Array) -> bool:
    """Whether a kernel can write to an array."""
    alike = out.dtype == source.dtype and out.shape == source.shape
    writable = out.flags.c_contiguous and out.flags.writeable
    return alike and writable and not np.may_share_memory(out, source)


# Check sequence lengths against the definition, in one pass if they are integers.

LENGTHS = np.dtype(np.int64)


class Lengths(NamedTuple):
    """The number of steps to reverse in each sequence, with the minimum and maximum (0 without sequences)."""

    values: npt.NDArray[np.int64]
    minimum: int
    maximum: int


def checked_lengths(data: Array, seq_lengths: Array, batch_axis: int, seq_axis: int) -> Lengths:
    """Validate lengths by the definition of ReverseSequence, like the reference.

    Raises:  Violation
    """
    if (
        seq_lengths.dtype.kind in "iu"
        and seq_lengths.size
        and seq_lengths.shape == (data.shape[batch_axis],)
        and batch_axis != seq_axis
    ):
        values = np.ascontiguousarray(seq_lengths, LENGTHS)
        minimum, maximum = extent(values)
        if minimum >= 1 and maximum <= data.shape[seq_axis]:
            return Lengths(values, minimum, maximum)
    require(batch_axis != seq_axis, "C2", f"{batch_axis} for both")
    if seq_lengths.shape != (data.shape[batch_axis],):
        unify(data.shape[batch_axis], seq_lengths.shape[0], "C1")
    check_lengths(seq_lengths, Dim.of(data.shape[seq_axis]))
    values = np.ascontiguousarray(seq_lengths, LENGTHS)
    return Lengths(values, *(extent(values) if values.size else (0, 0)))


def _extent(numbers: Any) -> tuple[int, int]:
    """The minimum and the maximum."""
    minimum = maximum = numbers[0]
    for index in range(numbers.size):
        number = numbers[np.uint64(index)]  # unsigned, so that LLVM can vectorise the loop
        minimum, maximum = min(minimum, number), max(maximum, number)
    return minimum, maximum


extent = compiled(_extent)
