"""One row turned: vectors that choose, lane by lane, between the mirror image of the row's head and the row
as it is.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from irops.backends.numba.vectors import (
    AHEAD,
    ask,
    fetch,
    mirror,
    nothing,
    number,
    operation,
    put,
    spread,
    vector,
)


def _least(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def _most(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.icmp_signed(">", a, b), a, b)


def _turn(
    builder: Any, target: Any, source: Any, where: tuple[Any, Any, Any], width: int, span: int, stream: int
) -> None:
    """where: how many bytes of the vector are the head's; where in the row its mirrored load begins; where it
    is itself.
    """
    count, before, place = where
    kind = vector(span, 1)
    image = mirror(builder, fetch(builder, builder.add(source, before), span, 1), width)
    straight = fetch(builder, builder.add(source, place), span, 1)
    of_head = builder.icmp_unsigned("<", ir.Constant(kind, list(range(span))), spread(builder, count, kind))
    put(builder, builder.add(target, place), builder.select(of_head, image, straight), stream)
    if stream:
        ask(builder, builder.add(builder.add(source, place), number(AHEAD)))


def _turn_at(
    builder: Any, target: Any, source: Any, head: Any, place: Any, width: int, span: int, stream: int
) -> None:
    """The mirrored load ends where the image of the place begins.

    It may begin span - width bytes before the row, not more: where the place is behind the head, none of it
    is chosen.
    """
    left = builder.sub(head, place)
    before = _most(builder, builder.sub(left, number(span)), number(width - span))
    count = _most(builder, _least(builder, left, number(span)), number(0))
    _turn(builder, target, source, (count, before, place), width, span, stream)


def _turn_row(
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
        _turn(
            builder, target, source, (head, builder.sub(head, number(span)), number(0)), width, span, stream
        )
        return
    for place in (*(number(k * span) for k in range(vectors - 1)), builder.sub(row, number(span))):
        _turn_at(builder, target, source, head, place, width, span, stream)


turn_at = operation(_turn_at, nothing, static=3)
"""Write span bytes of a row at a place: turn_at(target, source, head, place, width, span, stream).

head: how many bytes of the row are to be reversed, in groups of width.
"""
turn_row = operation(_turn_row, nothing, static=4)
"""Write a row of so many bytes by so many vectors, the last one at its end; if there is one, the row is as
long.

turn_row(target, source, head, row, width, span, vectors, stream)
"""
