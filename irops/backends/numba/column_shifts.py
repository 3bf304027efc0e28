"""Rows of vectors shifted towards the beginning, by as much as each lane's own count says.

A count is taken bit by bit, up to three bits at a time: where a lane's bit holds, the element comes from as
    many rows further on.
Eight rows that lie a step apart need the seven behind them and no more, so all of it happens in registers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from irops.backends.numba.vectors import (
    I64,
    Lanes,
    broadcast,
    fetch,
    i64_constant,
    no_value,
    operation,
    put,
    vector,
)


def _column_lasts(builder: Any, address: Any, count: int, width: int) -> Any:
    lengths = fetch(builder, address, count, 8)
    one = ir.Constant(ir.VectorType(I64, count), [1] * count)
    some = builder.select(builder.icmp_signed(">", lengths, one), lengths, one)
    last = builder.sub(some, one)
    return last if width == 8 else builder.trunc(last, vector(count, width))


def _shift_rows(
    builder: Any,
    target: Any,
    source: Any,
    straight: Any,
    on: Any,
    out: Any,
    lasts: Any,
    steps: Any,
    step: Any,
    first: Any,
    many: int,
    more: int,
    final: int,
) -> None:
    kind = lasts.type
    numbers = [
        builder.add(first, builder.mul(step, i64_constant(place)))
        for place in range(2 * many - 1 if more else many)
    ]

    def row(base: Any, gap: Any, place: int) -> Any:
        return builder.add(base, builder.mul(gap, numbers[place]))

    def rows_of(base: Any, gap: Any, places: int) -> list[Any]:
        return [
            fetch(builder, row(base, gap, place), kind.count, kind.element.width // 8)
            for place in range(places)
        ]

    short = builder.sub(broadcast(builder, builder.sub(steps, i64_constant(1)), kind), lasts)
    rows = rows_of(source, on, len(numbers))
    for distance in (1, 2, 4)[: many.bit_length() - 1]:
        bit = broadcast(builder, builder.mul(step, i64_constant(distance)), kind)
        moves = builder.icmp_unsigned("!=", builder.and_(short, bit), ir.Constant(kind, [0] * kind.count))
        compiled_function = max(len(rows) - distance, many)
        rows = [
            builder.select(moves, rows[k + distance], rows[k]) if k + distance < len(rows) else rows[k]
            for k in range(compiled_function)
        ]
    if final:
        behind = [
            builder.icmp_unsigned(">", broadcast(builder, numbers[place], kind), lasts)
            for place in range(many)
        ]
        rows = [builder.select(*choice) for choice in zip(behind, rows_of(straight, out, many), rows)]
    for place, shifted in enumerate(rows):
        put(builder, row(target, out, place), shifted, 0)


column_lasts = operation(_column_lasts, lambda _, count, width: Lanes(count, width), static=2)
"""The last steps of as many columns' heads, from their lengths: column_lasts(address, count, width).

A length of 0 reverses what a length of 1 does: nothing.
"""
shift_rows = operation(_shift_rows, no_value, static=3)
"""Two, four or eight rows, step apart from the first on, from source to target.

shift_rows(target, source, straight, on, out, lasts, steps, step, first, many, more, final)
on, out: bytes from a row to the next there. lasts: the last step of each column's head; columns are shifted
    by what they lack of
steps - 1. more: whether there are rows behind the many. final: where a row lies behind a column's head, its
element is that of the same row of straight instead.
"""
