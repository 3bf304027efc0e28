"""Groups of layers that are drawn as one: blocks that repeat in sequence, and blocks of large graphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from irops.analysis.inferred import Inferred
from irops.analysis.structure import GraphNode
from irops.ir.model import LayerKind
from irops.ir.wiring import Source
from irops.values.element import Array
from irops.values.fact import holds_dims

# The layers of a graph in an order that keeps together what belongs together.

ENDS = (LayerKind.RESULT, LayerKind.SINK)


def sequence(graph: GraphNode, left_out: Collection[int] = (), hoist: int | None = None) -> list[int]:
    """The ids of the layers, each after its sources, those on cycles last.

    A layer comes as late as its first use allows, so that the layers of a block follow one another, and a
    Result follows what it gives. hoist: layers whose users are further apart come first, such as those of an
    attention mask, which all blocks use
    """
    inputs = graph.wiring.inputs
    depth = _depths(graph, left_out)
    shown = [number for number in graph.layers if number in depth]
    is_end = {number for number in shown if graph.layers[number].layer.kind in ENDS}
    used = {s[0].id for number in shown for s in inputs[number] if s is not None}
    roots = [number for number in shown if number in is_end or number not in used]
    roots.sort(key=lambda number: -depth[number])
    order = _post_order(graph, roots, depth)
    if hoist is not None:
        apart = _used_apart(graph, order, is_end, hoist)
        hoisted = _post_order(graph, sorted(apart, key=lambda n: depth[n]), depth)
        depth = _depths(
            graph, left_out, frozenset(hoisted)
        )  # so that the first block is no deeper than the others
        order = [*hoisted, *_post_order(graph, roots, depth, hoisted)]
    placed: list[int] = []
    after: dict[int, list[int]] = {}
    positions = {number: place for place, number in enumerate(order)}
    for number in roots:
        if number in is_end:
            sources = [s[0].id for s in inputs[number] if s is not None and s[0].id in positions]
            last = max(sources, key=positions.__getitem__, default=None)
            if last is not None and last not in is_end:
                after.setdefault(last, []).append(number)
    moved = {number for numbers in after.values() for number in numbers}
    for number in order:
        if number not in moved:
            placed.append(number)
            placed.extend(sorted(after.get(number, ())))
    placed.extend(number for number in graph.layers if number not in depth and number not in left_out)
    return placed


def _depths(
    graph: GraphNode, left_out: Collection[int], sources_only: Collection[int] = ()
) -> dict[int, int]:
    """The number of layers in sequence before each; nothing counts before those in sources_only."""
    depth: dict[int, int] = {}
    for node in graph.order:
        if node.layer.id in left_out:
            continue
        sources = [s[0].id for s in graph.wiring.inputs[node.layer.id] if s is not None and s[0].id in depth]
        before = -1 if node.layer.id in sources_only else max((depth[s] for s in sources), default=-1)
        depth[node.layer.id] = 1 + before
    return depth


def _used_apart(graph: GraphNode, order: list[int], ends: set[int], distance: int) -> list[int]:
    """The layers with users further apart than a distance."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for place, number in enumerate(order):
        if number not in ends:
            for source in graph.wiring.inputs[number]:
                if source is not None:
                    first.setdefault(source[0].id, place)
                    last[source[0].id] = place
    return [number for number in order if last.get(number, 0) - first.get(number, 0) > distance]


def _post_order(
    graph: GraphNode,
    roots: list[int],
    depth: dict[int, int],
    before: Collection[int] = (),
) -> list[int]:
    order: list[int] = []
    done: set[int] = set(before)
    for root in roots:
        stack = [(root, False)]
        while stack:
            number, is_ready = stack.pop()
            if is_ready:
                order.append(number)
                continue
            if number in done:
                continue
            done.add(number)
            stack.append((number, True))
            sources = dict.fromkeys(s[0].id for s in graph.wiring.inputs[number] if s is not None)
            ahead = [s for s in sources if s in depth and s not in done]
            stack.extend((s, False) for s in sorted(ahead, key=lambda s: depth[s]))
    return order


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
MAX_ELEMENTS = 64
"""Integer parameters of at most so many elements are compared by value: axes, orders, shapes."""
Value = tuple[int, int]
"""The id of a layer and the index of one of its outputs."""


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


class Likeness:
    """Which layers of a graph are equal, whatever they are wired to, and what each is wired to.

    codes: a number for each drawn layer, equal for layers that are equal in op, attributes, types, shapes and
    parameters; sources: the values of drawn layers that each uses.
    """

    def __init__(self, graph: GraphNode, inferred: Inferred | None, folded: set[int]) -> None:
        self.graph, self.inferred, self.folded = graph, inferred, folded
        self.codes: dict[int, int] = {}
        self.sources: dict[int, list[Value]] = {}
        numbers: dict[tuple[object, ...], int] = {}
        for number in graph.layers:
            if number not in folded:
                self.codes[number] = numbers.setdefault(self._key(number), len(numbers))
                sources = graph.wiring.inputs[number]
                self.sources[number] = [
                    (s[0].id, s[1]) for s in sources if s is not None and s[0].id not in folded
                ]

    def _key(self, number: int) -> tuple[object, ...]:
        node = self.graph.layers[number]
        layer = node.layer
        inputs = tuple(map(self._input, self.graph.wiring.inputs[number]))
        data = tuple(item for item in layer.data.items() if item[0] != "variable_id")
        key = (layer.type, layer.version, data, inputs, _spelled(self.inferred, number))
        return (*key, number) if node.bodies else key  # bodies are not compared

    def _input(self, source: Source | None) -> object:
        """What is compared of an input: the parameter that it is, "" for one that is computed."""
        if source is None:
            return None
        layer, output = source
        return _parameter(self.inferred, layer.id, output) if layer.id in self.folded else ""


def _spelled(inferred: Inferred | None, number: int) -> tuple[str, ...]:
    if inferred is None or number not in inferred.layers:
        return ()
    return tuple(fact.spelled for fact in inferred.of(number).outputs)


def _parameter(inferred: Inferred | None, number: int, output: int) -> tuple[object, ...]:
    """What is compared of a parameter: type and shape, and of a few integers the elements."""
    if inferred is None or number not in inferred.layers or output >= len(inferred.of(number).outputs):
        return (output,)
    fact = inferred.of(number).outputs[output]
    is_small = fact.element_type.integral and fact.shape.size.high <= MAX_ELEMENTS
    known = fact.known if is_small else None
    if known is None:
        return (fact.spelled,)
    elements = [e.spelled for e in known.ravel()] if holds_dims(known) else known.ravel().tolist()
    return fact.spelled, tuple(elements)


def repeats(likeness: Likeness, order: Sequence[int]) -> list[Repeat]:
    """Repeats that do not overlap, those that save most first taken, in the order of the sequence.

    The layers of two blocks have equal codes and are wired alike: to the layer at the same place of their
    block, or of the block before, or all to one layer before the first block. Each block uses what the block
    before gives; blocks that only use the same values lie side by side and are no repeat.
    """
    wires = _Wires(likeness, order)
    codes = np.array([likeness.codes[number] for number in order], np.int64)
    found: list[Repeat] = []
    cost = 0
    longest = min(len(order) // 2, MAX_PERIOD, MAX_CODES // max(len(order), 1))
    for period in range(1, longest + 1):
        for start, length in _runs(codes[:-period] == codes[period:], period):
            cost += length
            if cost < MAX_COST:
                found.extend(wires.repeats_within(start, length, period))
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
        starts = _other_starts(repeat, codes, live, bound)
        wired = (
            start
            for start in starts[:MAX_ROTATIONS]
            if wires.copies(start, repeat.period, repeat.count) == repeat.count
            and wires.is_chain(start + repeat.period, repeat.period)
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


def _runs(equal: Array, period: int) -> list[tuple[int, int]]:
    """Start and length of each run of True that is at least one period long."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], equal, [False])).astype(np.int8)))
    return [(int(a), int(b - a)) for a, b in zip(edges[::2], edges[1::2]) if b - a >= period]


class _Wires:
    """The sources of the layers of a sequence, as places in it with the index of the output."""

    def __init__(self, likeness: Likeness, order: Sequence[int]) -> None:
        position = {number: place for place, number in enumerate(order)}
        self.sources = [
            [(position[source], output) for source, output in likeness.sources[number]] for number in order
        ]

    def live(self) -> list[int]:
        """How many layers before each place of the sequence are used from there on."""
        steps = [0] * (len(self.sources) + 1)
        last: dict[int, int] = {}
        for place, sources in enumerate(self.sources):
            for source in sources:
                last[source[0]] = place
        for before, user in last.items():
            steps[before + 1] += 1
            steps[user + 1] -= 1
        return list(accumulate(steps))

    def repeats_within(self, start: int, length: int, period: int) -> list[Repeat]:
        """The repeats within a run of equal layers."""
        found = []
        first = start
        while first + 2 * period <= start + length + period:
            count = self.copies(first, period, (start + length + period - first) // period)
            if count > 1 and self.is_chain(first + period, period):
                found.append(Repeat(first, period, count))
            first += period * (count - 1) if count > 1 else 1
        return found

    def copies(self, first: int, period: int, most: int) -> int:
        """How many blocks from a place on are wired alike."""
        count = 1
        while count < most:
            block = first + count * period
            if not all(self._same_wiring(first, place, period) for place in range(block, block + period)):
                break
            count += 1
        return count

    def is_chain(self, block: int, period: int) -> bool:
        """Whether a value that a block takes from the block before leads, within the block, to the value that
        the next one takes. Blocks side by side may be cut so that each ends with the start of the next.
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
            if block <= now[0] < place:  # in the same block
                corresponds = before == (now[0] - period, now[1])
            elif block - period <= now[0] < block:  # of the block before, of the first one from outside
                is_second = block == first + period
                corresponds = before[0] < first if is_second else before == (now[0] - period, now[1])
            else:  # one value for all blocks
                corresponds = before == now and now[0] < first
            if not corresponds:
                return False
        return True


# Blocks of layers, for graphs of too many layers to draw each.

MAX_BLOCKS = 300
"""A graph is divided into at most about so many blocks."""
_PARTS = re.compile(r"[^/.]+")


@dataclass(frozen=True, slots=True)
class Block:
    """Layers that follow one another in a sequence. ops: the most frequent types with their counts"""

    start: int
    end: int
    name: str
    ops: tuple[tuple[str, int], ...]


def blocks(graph: GraphNode, order: Sequence[int]) -> list[Block]:
    """Blocks of all layers: each is a run of layers whose names begin alike, as far as that gives few enough;
    else equal shares.

    Runs of a topological order have no cycles among them.
    """
    names = [_PARTS.findall(graph.layers[number].layer.name) for number in order]
    starts = _equal_shares(len(order))
    for depth in range(1, 12):
        at_depth = [k for k in range(len(names)) if k == 0 or names[k][:depth] != names[k - 1][:depth]]
        if len(at_depth) > MAX_BLOCKS:
            break
        if len(at_depth) > len(order) // 200:
            starts = at_depth
    return [_block(graph, order, names, start, end) for start, end in zip(starts, [*starts[1:], len(order)])]


def _equal_shares(count: int) -> list[int]:
    size = -(-count // (MAX_BLOCKS // 2))
    return list(range(0, count, size))


def _block(graph: GraphNode, order: Sequence[int], names: list[list[str]], start: int, end: int) -> Block:
    common = names[start]
    for other in names[start + 1 : end]:
        same = 0
        while same < min(len(common), len(other)) and common[same] == other[same]:
            same += 1
        common = common[:same]
    types = Counter(graph.layers[number].layer.type for number in order[start:end])
    top = sorted(types.items(), key=lambda item: (-item[1], item[0]))[:3]
    return Block(start, end, "/".join(common), tuple(top))
