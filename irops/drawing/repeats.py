"""Blocks of layers that occur several times in sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from irops.analysis.inferred import Inferred
from irops.analysis.structure import GraphNode
from irops.values.element import Array

MAX_PERIOD = 4096
"""Longer blocks are not searched for."""
MAX_CODES = 20_000_000
"""How many codes of layers are compared at most; in long sequences, only shorter blocks are searched for."""
MAX_COST = 200_000
"""How many pairs of layers are compared at most; short blocks come first."""
MAX_ROTATIONS = 8
"""How many other starts of a repeat are tried."""
MIN_SAVED = 4
"""A repeat is folded if at least so many boxes are saved."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """count blocks of period layers each, from start on, in a sequence of layers."""

    start: int
    period: int
    count: int

    @property
    def end(self) -> int:
        return self.start + self.period * self.count

    @property
    def saved(self) -> int:
        return self.period * (self.count - 1)


def repeats(
    graph: GraphNode, inferred: Inferred | None, order: Sequence[int], folded: set[int]
) -> list[Repeat]:
    """Repeats that do not overlap, those that save most first taken, in the order of the sequence.

    The layers of two blocks are equal in op, attributes, types, shapes and parameters, and are wired alike:
    to the layer at the same place of their block, of the block before, or to one layer outside.
    """
    codes = _codes(graph, inferred, order, folded)
    position = {number: place for place, number in enumerate(order)}
    found: list[Repeat] = []
    cost = 0
    longest = min(len(order) // 2, MAX_PERIOD, MAX_CODES // max(len(order), 1))
    for period in range(1, longest + 1):
        for start, length in _runs(codes[:-period] == codes[period:], period):
            cost += length
            if cost < MAX_COST:
                found.extend(_wired_alike(graph, order, position, folded, start, length, period))
    found.sort(key=lambda r: (-r.saved, r.period, r.start))
    chosen: list[Repeat] = []
    for repeat in found:
        if repeat.saved >= MIN_SAVED and all(repeat.end <= o.start or o.end <= repeat.start for o in chosen):
            chosen.append(repeat)
    live = _live(graph, order, position)
    chosen.sort(key=lambda r: r.start)
    bounds = [*(r.start for r in chosen[1:]), len(order)]
    rotated = []
    for repeat, bound in zip(chosen, bounds):
        starts = _other_starts(repeat, codes, live, bound)
        wired = (
            start
            for start in starts[:MAX_ROTATIONS]
            if all(
                _same_wiring(graph, order, position, folded, start, place, repeat.period)
                for place in range(start + repeat.period, start + repeat.period * repeat.count)
            )
        )
        rotated.append(Repeat(next(wired, repeat.start), repeat.period, repeat.count))
    return rotated


def _other_starts(repeat: Repeat, codes: Array, live: list[int], bound: int) -> list[int]:
    """Where blocks of the period may start instead; first those that the fewest values connect."""
    end = repeat.end
    while end < min(bound, repeat.end + repeat.period - 1) and codes[end] == codes[end - repeat.period]:
        end += 1
    starts = range(repeat.start, repeat.start + end - repeat.end + 1)
    return sorted(starts, key=lambda start: (live[start + repeat.period], start))


def _live(graph: GraphNode, order: Sequence[int], position: dict[int, int]) -> list[int]:
    """How many layers before each place of the sequence are used from there on."""
    steps = [0] * (len(order) + 1)
    last: dict[int, int] = {}
    for place, number in enumerate(order):
        for source in graph.wiring.inputs[number]:
            if source is not None and source[0].id in position:
                last[position[source[0].id]] = place
    for place, user in last.items():
        steps[place + 1] += 1
        steps[user + 1] -= 1
    return list(accumulate(steps))


def _codes(graph: GraphNode, inferred: Inferred | None, order: Sequence[int], folded: set[int]) -> Array:
    """A number for each layer; layers of equal numbers are equal, whatever they are wired to."""
    numbers: dict[tuple[object, ...], int] = {}
    codes = []
    for number in order:
        node = graph.layers[number]
        layer = node.layer
        parameters = tuple(
            None if s is None or s[0].id not in folded else _facts(inferred, s[0].id)
            for s in graph.wiring.inputs[number]
        )
        data = tuple(item for item in layer.data.items() if item[0] != "variable_id")
        key: tuple[object, ...] = (layer.type, layer.version, data, parameters, _facts(inferred, number))
        if node.bodies:
            key = (*key, number)  # bodies are not compared
        codes.append(numbers.setdefault(key, len(numbers)))
    return np.array(codes, np.int64)


def _facts(inferred: Inferred | None, number: int) -> tuple[str, ...]:
    if inferred is None or number not in inferred.layers:
        return ()
    return tuple(fact.spelled for fact in inferred.of(number).outputs)


def _runs(equal: Array, period: int) -> list[tuple[int, int]]:
    """Start and length of each run of True that is at least one period long."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], equal, [False])).astype(np.int8)))
    return [(int(a), int(b - a)) for a, b in zip(edges[::2], edges[1::2]) if b - a >= period]


def _wired_alike(
    graph: GraphNode,
    order: Sequence[int],
    position: dict[int, int],
    folded: set[int],
    start: int,
    length: int,
    period: int,
) -> list[Repeat]:
    """The repeats within a run of equal layers."""
    found = []
    first = start
    while first + 2 * period <= start + length + period:
        count = 1
        while first + (count + 1) * period <= start + length + period and all(
            _same_wiring(graph, order, position, folded, first, first + count * period + k, period)
            for k in range(period)
        ):
            count += 1
        if count > 1:
            found.append(Repeat(first, period, count))
        first += period * (count - 1) if count > 1 else 1
    return found


def _same_wiring(
    graph: GraphNode,
    order: Sequence[int],
    position: dict[int, int],
    folded: set[int],
    first: int,
    place: int,
    period: int,
) -> bool:
    """Whether the layer at a place and the one a period before have corresponding sources."""
    block = place - (place - first) % period
    now, before = graph.wiring.inputs[order[place]], graph.wiring.inputs[order[place - period]]
    for a, b in zip(now, before, strict=True):
        if a is None or b is None:
            if a is not b:
                return False
            continue
        if (a[0].id in folded) != (b[0].id in folded):
            return False
        if a[0].id in folded:
            continue
        at, at_before = position[a[0].id], position[b[0].id]
        if a[1] != b[1]:
            return False
        inside, inside_before = at >= block, at_before >= block - period
        if inside != inside_before:
            return False
        if inside and at - at_before != period:
            return False
        # from outside: one layer for all blocks, or one of the block before
        is_carried = not inside and at >= block - period
        if not inside and not is_carried and at != at_before:
            return False
        if is_carried and block - period > first and at - at_before != period:
            return False
    return True
