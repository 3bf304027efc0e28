"""Places from left to right: in the order of each row, near to what a box is connected with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

SWEEPS = 24


@dataclass(eq=False, slots=True)
class Item:
    """A box, or a pass of a line. above, below: number of the other item, the distance at which it wants to be
    from it, and how much.
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
    """The centres nearest to those wanted, by weighted squares, at which nothing overlaps: isotonic regression
    by pooling adjacent violators.
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
