"""Blocks of layers that occur several times in sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    to the layer at the same place of their block, or of the block before, or all to one layer before the
    first block. Each block uses what the one before gives, and only the last is used behind the repeat:
    branches side by side, which use the same values, are no repeat.
    """
    codes, wires = _codes(graph, inferred, order, folded), _Wires(graph, order, folded)
    found: list[Repeat] = []
    cost = 0
    longest = min(len(order) // 2, MAX_PERIOD, MAX_CODES // max(len(order), 1))
    for period in range(1, longest + 1):
        for start, length in _runs(codes[:-period] == codes[period:], period):
            cost += length
            if cost < MAX_COST:
                found.extend(wires.repeats_within(start, start + length + period, period))
    found.sort(key=lambda r: (-r.saved, r.period, r.start))
    chosen: list[Repeat] = []
    for repeat in found:
        if repeat.saved >= MIN_SAVED and all(repeat.end <= o.start or o.end <= repeat.start for o in chosen):
            chosen.append(repeat)
    live = wires.live()
    chosen.sort(key=lambda r: r.start)
    bounds = [*(r.start for r in chosen[1:]), len(order)]
    rotated = []
    for repeat, bound in zip(chosen, bounds):
        others = (
            Repeat(start, repeat.period, repeat.count)
            for start in _other_starts(repeat, codes, live, bound)[:MAX_ROTATIONS]
        )
        rotated.append(next((other for other in others if wires.are_repeat(other)), repeat))
    return rotated


def _other_starts(repeat: Repeat, codes: Array, live: list[int], bound: int) -> list[int]:
    """Where blocks of the period may start instead; first those that the fewest values connect."""
    end = repeat.end
    while end < min(bound, repeat.end + repeat.period - 1) and codes[end] == codes[end - repeat.period]:
        end += 1
    starts = range(repeat.start, repeat.start + end - repeat.end + 1)
    return sorted(starts, key=lambda start: (live[start + repeat.period], start))


def _codes(graph: GraphNode, inferred: Inferred | None, order: Sequence[int], folded: set[int]) -> Array:
    """A number for each layer; layers of equal numbers are equal, whatever they are wired to."""
    numbers: dict[tuple[object, ...], int] = {}
    codes = []
    for number in order:
        node = graph.layers[number]
        layer = node.layer
        inputs = [s and s[0].id for s in graph.wiring.inputs[number]]
        parameters = tuple(_facts(inferred, n) if n in folded else n is None for n in inputs)
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


class _Wires:
    """The sources of the layers of a sequence: places in it, each with the index of an output.

    last: the last place that uses each place; -1 for one that is not used
    """

    def __init__(self, graph: GraphNode, order: Sequence[int], folded: set[int]) -> None:
        position = {number: place for place, number in enumerate(order)}
        self.sources = [
            [(position[s[0].id], s[1]) for s in graph.wiring.inputs[number] if s and s[0].id not in folded]
            for number in order
        ]
        self.last = [-1] * len(order)
        for place, sources in enumerate(self.sources):
            for source, _ in sources:
                self.last[source] = place

    def live(self) -> list[int]:
        """How many layers before each place of the sequence are used from there on."""
        steps = [0] * (len(self.sources) + 1)
        for place, user in enumerate(self.last):
            if user >= 0:
                steps[place + 1] += 1
                steps[user + 1] -= 1
        return list(accumulate(steps))

    def repeats_within(self, start: int, end: int, period: int) -> list[Repeat]:
        """The repeats within a part of the sequence in which layers a period apart are equal."""
        found: list[Repeat] = []
        first = start
        while first + 2 * period <= end:
            count = self._copies(first, period, (end - first) // period)
            if count > 1 and self._is_chain(first + period, period):
                found.extend(self._closed(Repeat(first, period, count)))
            first += period * (count - 1) if count > 1 else 1
        return found

    def are_repeat(self, repeat: Repeat) -> bool:
        return (
            self._copies(repeat.start, repeat.period, repeat.count) == repeat.count
            and self._is_chain(repeat.start + repeat.period, repeat.period)
            and next(self._closed(repeat), None) == repeat
        )

    def _copies(self, first: int, period: int, most: int) -> int:
        """How many blocks from a place on are wired alike."""
        for count in range(1, most):
            block = first + count * period
            if not all(self._same_wiring(first, place, period) for place in range(block, block + period)):
                return count
        return most

    def _closed(self, blocks: Repeat) -> Iterator[Repeat]:
        """The parts of blocks wired alike of which only the last block is used behind the part."""
        begin, period = blocks.start, blocks.period
        for end in range(blocks.start + period, blocks.end + 1, period):
            if end == blocks.end or max(self.last[end - period : end]) >= end + period:
                if end - begin > period:
                    yield Repeat(begin, period, (end - begin) // period)
                begin = end

    def _is_chain(self, block: int, period: int) -> bool:
        """Whether a value that a block takes from the block before leads, within the block, to the value that
        the next one takes. Branches side by side may be cut so that each ends with the start of the next.
        """
        reached: set[int] = set()
        carried: set[int] = set()
        for place in range(block, block + period):
            before = {source for source, _ in self.sources[place] if block - period <= source < block}
            carried |= {source + period for source in before}
            if before or any(source in reached for source, _ in self.sources[place]):
                reached.add(place)
        return bool(reached & carried)

    def _same_wiring(self, first: int, place: int, period: int) -> bool:
        """Whether the sources of the layer at a place correspond to those of the layer one period before."""
        block = place - (place - first) % period
        for now, before in zip(self.sources[place], self.sources[place - period], strict=True):
            if now[0] >= block:
                corresponds = before == (now[0] - period, now[1])
            elif now[0] >= block - period:  # in the block before; the first block has a value from outside
                is_second = block == first + period
                corresponds = before[0] < first if is_second else before == (now[0] - period, now[1])
            else:  # one value for all blocks
                corresponds = before == now and now[0] < first
            if not corresponds:
                return False
        return True
