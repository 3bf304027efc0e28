"""Places from left to right: in the order of each row, near to what a box is connected with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf

SWEEPS = 36


@dataclass(eq=False, slots=True)
class Item:
    """A box, or a pass of a line. above, below: number of the other item, the distance at which it wants to
    be from it, and how much.
    """

    width: float
    x: float = 0.0
    above: list[tuple[int, float, float]] = field(default_factory=list)
    below: list[tuple[int, float, float]] = field(default_factory=list)


def place(items: Sequence[Item], order: Sequence[Sequence[int]], gap: float) -> None:
    """Set the centre of each item. order: the items of each row, from left to right"""
    for row in order:
        x = 0.0
        for number in row:
            items[number].x = x + items[number].width / 2
            x += items[number].width + gap
        for number in row:
            items[number].x -= x / 2
    for sweep in range(SWEEPS):
        if sweep % 2 == 0:
            for row in order[1:]:
                _place_row(items, row, gap, up=True, down=sweep >= SWEEPS - 2)
        else:
            for row in reversed(order[:-1]):
                _place_row(items, row, gap, up=sweep >= SWEEPS - 2, down=True)

    _straighten(items, order, gap)
    _close_gaps(items, order, gap)


def _straighten(items: Sequence[Item], order: Sequence[Sequence[int]], gap: float) -> None:
    """Put items that are connected with one another alone in line, where their rows have room."""
    beside: dict[int, tuple[int | None, int | None]] = {}
    for row in order:
        for place_in_row, number in enumerate(row):
            left = row[place_in_row - 1] if place_in_row else None
            beside[number] = left, row[place_in_row + 1] if place_in_row + 1 < len(row) else None
    for chain in _chains(items):
        low, high = -inf, inf
        for number, shift in chain:
            left, right = beside[number]
            half = items[number].width / 2 + gap
            if left is not None:
                low = max(low, items[left].x + items[left].width / 2 + half - shift)
            if right is not None:
                high = min(high, items[right].x - items[right].width / 2 - half - shift)
        if low <= high:
            middle = sum(items[number].x - shift for number, shift in chain) / len(chain)
            for number, shift in chain:
                items[number].x = min(max(middle, low), high) + shift


def _chains(items: Sequence[Item]) -> Iterator[list[tuple[int, float]]]:
    """Items in sequence, each with how far right of the first it is when the line is straight."""
    follows = {}
    for number, item in enumerate(items):
        if len(item.below) == 1 and len(items[item.below[0][0]].above) == 1:
            follows[number] = item.below[0][0], -item.below[0][1]
    for start in sorted(follows.keys() - {other for other, _ in follows.values()}):
        chain, number, shift = [(start, 0.0)], start, 0.0
        while number in follows:
            number, step = follows[number]
            shift += step
            chain.append((number, shift))
        yield chain


def _close_gaps(items: Sequence[Item], order: Sequence[Sequence[int]], gap: float) -> None:
    """Move parts that nothing connects next to one another."""
    parts = _parts(items)
    rows: dict[int, list[tuple[int, int]]] = {}
    for number_of_row, row in enumerate(order):
        for number in row:
            rows.setdefault(parts[number], []).append((number_of_row, number))
    edge: dict[int, float] = {}
    for part in sorted(rows, key=lambda part: min(items[n].x for _, n in rows[part])):
        left = {at: items[n].x - items[n].width / 2 for at, n in reversed(rows[part])}
        start = -min(left.values())
        shift = max((edge[at] - x for at, x in left.items() if at in edge), default=start)
        for at, number in rows[part]:
            items[number].x += shift
            edge[at] = max(edge.get(at, 0.0), items[number].x + items[number].width / 2 + 2 * gap)


def _parts(items: Sequence[Item]) -> list[int]:
    """The connected part of each item, as the number of its first item."""
    part = [-1] * len(items)
    for start in range(len(items)):
        ahead = [start] if part[start] < 0 else []
        while ahead:
            number = ahead.pop()
            if part[number] < 0:
                part[number] = start
                ahead.extend(other for other, _, _ in items[number].above + items[number].below)
    return part


def _place_row(items: Sequence[Item], row: Sequence[int], gap: float, *, up: bool, down: bool) -> None:
    wanted, weights = [], []
    for number in row:
        item = items[number]
        pulls = (item.above if up else []) + (item.below if down else [])
        weight = sum(w for _, _, w in pulls)
        if weight:
            wanted.append(sum((items[other].x + distance) * w for other, distance, w in pulls) / weight)
        else:
            wanted.append(item.x)
            weight = 0.05
        weights.append(weight)
    for number, x in zip(row, _apart([items[n].width for n in row], wanted, weights, gap)):
        items[number].x = x


def _apart(
    widths: Sequence[float], wanted: Sequence[float], weights: Sequence[float], gap: float
) -> list[float]:
    """The centres nearest to those wanted, by weighted squares, at which nothing overlaps.

    Isotonic regression by pooling adjacent violators.
    """
    offsets = []
    offset = 0.0
    for index, size in enumerate(widths):
        if index:
            offset += (widths[index - 1] + size) / 2 + gap
        offsets.append(offset)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for target, weight, shift in zip(wanted, weights, offsets):
        mean, total, count = target - shift, weight, 1
        while pools and pools[-1][0] > mean:
            other_mean, other_total, other_count = pools.pop()
            mean = (mean * total + other_mean * other_total) / (total + other_total)
            total += other_total
            count += other_count
        pools.append((mean, total, count))
    centres = [mean for mean, _, count in pools for _ in range(count)]
    return [centre + shift for centre, shift in zip(centres, offsets)]
