"""Reverse the head of a row: vectors select, lane by lane, between the mirrored head and the original row."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from irops.backends.numba.vectors import (
    AHEAD,
    broadcast,
    emit_prefetch,
    fetch,
    i64_constant,
    mirror,
    no_value,
    operation,
    put,
    vector,
)


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
