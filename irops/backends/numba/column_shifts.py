"""Shift rows of vectors towards the beginning, each lane by a count of its own.

A count is processed bit by bit, up to three bits at a time: in lanes whose bit is set, the element comes from
the row that is 1, 2 or 4 steps further on. Eight rows that are a step apart need only the seven rows behind
them, so everything happens in registers.
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
        remaining = max(len(rows) - distance, many)
        rows = [
            builder.select(moves, rows[k + distance], rows[k]) if k + distance < len(rows) else rows[k]
            for k in range(remaining)
        ]
    if final:
        behind = [
            builder.icmp_unsigned(">", broadcast(builder, numbers[place], kind), lasts)
            for place in range(many)
        ]
        rows = [builder.select(*choice) for choice in zip(behind, rows_of(straight, out, many), rows)]
    for place, shifted in enumerate(rows):
        put(builder, row(target, out, place), shifted, 0)


column_lasts = operation(
    _column_lasts,
    lambda address, count, width: Lanes(count, width),  # noqa: ARG005
    static=2,
)
"""The last steps of the heads of count columns, from their lengths: column_lasts(address, count, width).

A head is the part of a sequence that is reversed. A length of 0 is treated as 1: nothing is reversed.
"""
shift_rows = operation(_shift_rows, no_value, static=3)
"""Shift two, four or eight rows from source to target, beginning with row `first`, `step` rows apart.

shift_rows(target, source, straight, on, out, lasts, steps, step, first, many, more, final)
on, out: bytes from one row to the next in source and in target
lasts: the last step of each column's head; a column is shifted by steps - 1 - last
more: whether rows follow the `many` ones
final: take elements of rows behind a column's head from the same row of `straight`
"""
