"""Reverse contiguous sequences: short ones, long ones, and rows of tensors that exceed the caches."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir

from irops.backends.numba.compiled import carry, compiled, iterations_of, locate
from irops.backends.numba.spinning import FINISHED, STARTED, notify
from irops.backends.numba.vectors import (
    AHEAD,
    broadcast,
    emit_prefetch,
    fence_stores,
    fetch,
    fetch_add,
    i64_constant,
    load,
    load_i64,
    mirror,
    mirrored,
    no_value,
    operation,
    prefetch,
    put,
    store,
    vector,
)

# Reverse the head of a row: vectors select, lane by lane, between the mirrored head and the original row.


def _minimum(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def _maximum(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.icmp_signed(">", a, b), a, b)


def _select(
    builder: Any, target: Any, source: Any, where: tuple[Any, Any, Any], width: int, span: int, stream: int
) -> None:
    """Store one vector of a row.

    where: the number of its bytes that belong to the head, the offset of the load that is mirrored, and the
    offset of the vector
    """
    count, before, place = where
    kind = vector(span, 1)
    image = mirror(builder, fetch(builder, builder.add(source, before), span, 1), width)
    straight = fetch(builder, builder.add(source, place), span, 1)
    of_head = builder.icmp_unsigned(
        "<", ir.Constant(kind, list(range(span))), broadcast(builder, count, kind)
    )
    put(builder, builder.add(target, place), builder.select(of_head, image, straight), stream)
    if stream:
        emit_prefetch(builder, builder.add(builder.add(source, place), i64_constant(AHEAD)))


def _reverse_at(
    builder: Any, target: Any, source: Any, head: Any, place: Any, width: int, span: int, stream: int
) -> None:
    """Store the vector at an offset of a row.

    The mirrored load ends at the mirror image of that offset. It may begin up to span - width bytes before
    the row; none of its lanes are selected if the offset is behind the head.
    """
    left = builder.sub(head, place)
    before = _maximum(builder, builder.sub(left, i64_constant(span)), i64_constant(width - span))
    count = _maximum(builder, _minimum(builder, left, i64_constant(span)), i64_constant(0))
    _select(builder, target, source, (count, before, place), width, span, stream)


def _reverse_row(
    builder: Any,
    target: Any,
    source: Any,
    head: Any,
    row: Any,
    width: int,
    span: int,
    vectors: int,
    stream: int,
) -> None:
    if vectors == 1:
        _select(
            builder,
            target,
            source,
            (head, builder.sub(head, i64_constant(span)), i64_constant(0)),
            width,
            span,
            stream,
        )
        return
    for place in (
        *(i64_constant(k * span) for k in range(vectors - 1)),
        builder.sub(row, i64_constant(span)),
    ):
        _reverse_at(builder, target, source, head, place, width, span, stream)


reverse_at = operation(_reverse_at, no_value, static=3)
"""Write span bytes of a row at an offset: reverse_at(target, source, head, place, width, span, stream).

head: the number of bytes of the row to reverse, in groups of width
"""
reverse_row = operation(_reverse_row, no_value, static=4)
"""Write a row by a number of vectors, the last one at its end. A row with one vector has span bytes.

reverse_row(target, source, head, row, width, span, vectors, stream)
"""


UNROLLED = 4
"""The maximum number of vectors of a row whose code is unrolled."""


@cache
def rows(width: int, span: int, vectors: int, stream: int) -> Callable[..., Any]:
    """The kernel for elements of width bytes and vectors of span bytes; span is at most the size of a row.

    vectors: the number of vectors of a row, or 0 for any number; 1 requires rows of span bytes
    stream: use stores that bypass the caches; rows must be multiples of span, targets of 16 bytes
    """
    margin = span  # the most bytes before a row at which a vector may begin

    def reverse_rows(
        target: int, source: int, low: int, lengths: int, loops: Any, row: int, grain: int, counter: int
    ) -> None:
        index = np.zeros(loops.shape[0], np.int64)
        inner = loops.shape[0] - 1
        size, on, out, next_length = loops[inner, 0], loops[inner, 1], loops[inner, 2], 8 * loops[inner, 3]
        total = iterations_of(loops)
        notify(counter)
        while True:
            begin = fetch_add(counter + STARTED) * grain
            if begin >= total:
                break
            left = min(grain, total - begin)
            s, t, k, _ = locate(loops, index, begin)
            s, t, k = source + s, target + t, lengths + 8 * k
            while left:
                turns = min(size - index[inner], left)
                careful = False
                # a vector may begin before its row, but not before the first row
                if min(s, s + (turns - 1) * on) - margin < low:
                    turns, careful = 1, s - margin < low
                for _ in range(turns):
                    head = load_i64(k) * width
                    if careful:
                        for c in range(0, row, width):
                            store(t + c, load(s + (head - width - c if c < head else c), width, 1), 0)
                    elif vectors:
                        reverse_row(t, s, head, row, width, span, vectors, stream)
                    else:
                        for c in range(0, row - span, span):
                            reverse_at(t, s, head, c, width, span, stream)
                        reverse_at(t, s, head, row - span, width, span, stream)
                    s, t, k = s + on, t + out, k + next_length
                left -= turns
                index[inner] += turns
                if left and index[inner] == size:
                    more = carry(loops, index)
                    s, t, k = s + more[0], t + more[1], k + 8 * more[2]
            fence_stores()
            fetch_add(counter + FINISHED)

    return compiled(reverse_rows)


# Reverse long contiguous sequences: first the head, which is reversed, then the tail, which is copied.
# Several cores share the pieces of a row.


def _copy_few(target: int, source: int, size: int) -> None:
    while size >= 8:
        store(target, load(source, 8, 1), 0)
        target, source, size = target + 8, source + 8, size - 8
    while size:
        store(target, load(source, 1, 1), 0)
        target, source, size = target + 1, source + 1, size - 1


copy_few = compiled(_copy_few)


@cache
def long_rows(width: int, span: int) -> Callable[..., Any]:
    """The kernel for elements of width bytes and vectors of span bytes. Pieces have at least span bytes; the
    last piece of a row includes the rest.
    """
    margin = span - width

    def reverse_long_rows(
        target: int, source: int, low: int, lengths: int, loops: Any, row: int, piece: int, counter: int
    ) -> None:
        index = np.zeros(loops.shape[0], np.int64)
        pieces = max(row // piece, 1)
        total = pieces * iterations_of(loops)
        notify(counter)
        while True:
            task = fetch_add(counter + STARTED)
            if task >= total:
                break
            s, t, k, _ = locate(loops, index, task // pieces)
            s, t = source + s, target + t
            head = load_i64(lengths + 8 * k) * width
            c = task % pieces * piece
            end = row if task % pieces == pieces - 1 else c + piece
            middle = min(max(head, c), end)
            while c + span <= middle:
                store(t + head - c - span, mirrored(load(s + c, span, 1), width), 0)
                c += span
            if c < middle:
                if head >= span:  # some bytes are written twice
                    store(t + head - middle, mirrored(load(s + middle - span, span, 1), width), 0)
                elif s - margin >= low:
                    reverse_at(t, s, head, 0, width, span, 0)
                else:
                    for e in range(c, middle, width):
                        store(t + head - width - e, load(s + e, width, 1), 0)
                c = middle
            while c + span <= end:
                store(t + c, load(s + c, span, 1), 0)
                c += span
            if c < end:
                if end - middle >= span:
                    store(t + end - span, load(s + end - span, span, 1), 0)
                else:
                    copy_few(t + c, s + c, end - c)
            fetch_add(counter + FINISHED)

    return compiled(reverse_long_rows)


# Reverse long rows of tensors that exceed the caches, with stores that bypass the caches, each byte once.
#
# A cache line that is written by both kinds of stores costs more than bypassing saves. Therefore all
# stores here have units of 16 bytes, the alignment that they require; the unit that contains the end of
# the head and the beginning of the tail is written as a whole.

UNIT, VECTOR = 16, 64


@cache
def streamed_rows(width: int) -> Callable[..., Any]:
    """The kernel for elements of 1, 2, 4, 8 or 16 bytes; rows, pieces and targets are multiples of UNIT."""
    margin = UNIT - width

    def reverse_streamed_rows(
        target: int, source: int, low: int, lengths: int, loops: Any, row: int, piece: int, counter: int
    ) -> None:
        index = np.zeros(loops.shape[0], np.int64)
        pieces = max(row // piece, 1)
        total = pieces * iterations_of(loops)
        notify(counter)
        while True:
            task = fetch_add(counter + STARTED)
            if task >= total:
                break
            s, t, k, _ = locate(loops, index, task // pieces)
            s, t = source + s, target + t
            head = load_i64(lengths + 8 * k) * width
            begin = task % pieces * piece
            end = row if task % pieces == pieces - 1 else begin + piece
            over = head % UNIT  # the bytes of the head in the unit that head and tail share
            if over and begin == 0:
                if s - margin >= low:
                    reverse_at(t, s, head, head - over, width, UNIT, 1)
                else:
                    for e in range(0, over, width):
                        store(t + head - width - e, load(s + e, width, 1), 0)
                    for e in range(head, head - over + UNIT, width):
                        store(t + e, load(s + e, width, 1), 0)
            c, stop = begin + over, min(head, end + over)
            while c + VECTOR <= stop:
                store(t + head - c - VECTOR, mirrored(load(s + c, VECTOR, 1), width), 1)
                prefetch(s + c + AHEAD)
                c += VECTOR
            while c < stop:
                store(t + head - c - UNIT, mirrored(load(s + c, UNIT, 1), width), 1)
                c += UNIT
            c = max(begin, head - over + (UNIT if over else 0))
            while c + VECTOR <= end:
                store(t + c, load(s + c, VECTOR, 1), 1)
                prefetch(s + c + AHEAD)
                c += VECTOR
            while c < end:
                store(t + c, load(s + c, UNIT, 1), 1)
                c += UNIT
            fence_stores()
            fetch_add(counter + FINISHED)

    return compiled(reverse_streamed_rows)
