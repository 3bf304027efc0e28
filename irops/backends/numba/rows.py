"""Reverse the head of a row in vectors, and long rows with stores that bypass the caches, each byte once.

A cache line that is written by both kinds of stores costs more than bypassing saves. Therefore all stores
that bypass have units of 16 bytes, the alignment that they require; the unit that contains the end of the
head and the beginning of the tail is written as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir

from irops.backends.numba.vectors import (
    AHEAD,
    broadcast,
    compiled,
    emit_prefetch,
    fence_stores,
    fetch,
    fetch_add,
    i64_constant,
    iterations_of,
    load,
    load_i64,
    locate,
    mirror,
    mirrored,
    no_value,
    operation,
    prefetch,
    put,
    store,
    vector,
)
from irops.backends.numba.workers import FINISHED, STARTED, notify


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
