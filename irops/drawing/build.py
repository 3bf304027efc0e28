"""Make the scene of a graph: which boxes there are, what is inside them, and what connects them."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from irops.analysis.inferred import Inferred
from irops.analysis.structure import BodyNode, GraphNode
from irops.diagnostics.printable import plural
from irops.drawing import boxes
from irops.ir.model import LayerKind
from irops.values.element import Array

MAX_BOXES = 1500
"""A graph with more layers to draw is drawn as blocks of layers."""
HOISTS = (12, 20, 32, 50, 80, 120, 200)
"""Distances of users that are tried to find more repeats; see sequence."""
Value = tuple[int, int]
"""The id of a layer and the index of one of its outputs."""
MAX_REORDERED = 2500
"""Longer sequences are searched for repeats only once."""


@dataclass
class Notes:
    """The parts that a picture leaves out, counted while it is made. budget: how many boxes bodies may still
    have
    """

    constants: int = 0
    repeats: int = 0
    blocks: int = 0
    layers: int = 0
    budget: int = 2 * MAX_BOXES
    texts: list[str] = field(default_factory=list)


class SceneBuilder:
    """The scenes of a model. unfold: draw repeated blocks and shape computations layer by layer.

    cut: the ids from which on Parameters and Results stand for what lies around the part that is drawn.
    """

    def __init__(self, notes: Notes, *, unfold: bool, cut: int | None = None) -> None:
        self.notes, self.unfold, self.cut = notes, unfold, cut

    def scene(self, graph: GraphNode, inferred: Inferred | None) -> boxes.Scene:
        folded = boxes.folded_layers(graph, inferred, with_shapes=not self.unfold)
        order, found = self._order(graph, inferred, folded)
        drawn = len(order) - sum(repeat.saved for repeat in found)
        groups: list[Repeat | Block] = [*found]
        if drawn > min(MAX_BOXES, self.notes.budget):
            groups = [*blocks(graph, order)]
            self.notes.blocks += len(groups)
            self.notes.layers += len(order)
            drawn = len(groups)
        self.notes.budget = max(self.notes.budget - drawn, 50)
        self.notes.constants += len(folded)
        self.notes.repeats += len(found) if groups == found else 0
        return _GraphScene(self, graph, inferred, folded, order).made(groups)

    def _order(
        self, graph: GraphNode, inferred: Inferred | None, folded: set[int]
    ) -> "tuple[list[int], list[Repeat]]":
        """The sequence in which the most repeats are found, with these."""
        order = sequence(graph, folded)
        if self.unfold:
            return order, []
        found = repeats(graph, inferred, order, folded)
        for hoist in HOISTS:
            if len(order) <= MAX_REORDERED:
                other = sequence(graph, folded, hoist)
                there = repeats(graph, inferred, other, folded)
                if sum(r.saved for r in there) > sum(r.saved for r in found):
                    order, found = other, there
        return order, found


class _GraphScene:
    """One scene in the making.

    places: the box and the port that stand for an output of a layer; entries: of a block that is drawn for
    several, the boxes of values from outside, by layer and input
    """

    def __init__(
        self,
        builder: SceneBuilder,
        graph: GraphNode,
        inferred: Inferred | None,
        folded: set[int],
        order: list[int],
    ) -> None:
        self.builder, self.graph, self.inferred = builder, graph, inferred
        self.folded, self.order = folded, order
        self.scene = boxes.Scene(graph.path)
        self.places: dict[Value, tuple[int, int]] = {}
        self.entries: dict[tuple[int, int], int] = {}

    def made(self, groups: "Iterable[Repeat | Block]") -> boxes.Scene:
        place = 0
        for group in groups:
            for number in self.order[place : group.start]:
                self.add_layer(number)
            if isinstance(group, Repeat):
                self.add_repeat(group)
            else:
                self.add_block(group)
            place = group.end
        for number in self.order[place:]:
            self.add_layer(number)
        return self.scene

    def add_layer(self, number: int) -> None:
        node = self.graph.layers[number]
        box = boxes.layer_box(self.graph, self.inferred, node, self.folded)
        cut = self.builder.cut
        if cut is not None and not self.graph.path and number >= cut:
            box.kind = boxes.BoxKind.CUT
            box.title = "from" if node.layer.outputs else "to others"
        for name, body in node.bodies.items():
            known = None if self.inferred is None else self.inferred.layers.get(body.layer.id)
            scene = self.builder.scene(body.graph, None if known is None else known.bodies.get(name))
            _annotate(scene, body)
            box.parts.append((name, scene))
        to = self.scene.add(box)
        seen = set()
        for index, source in enumerate(self.graph.wiring.inputs[node.layer.id]):
            entry = self.entries.get((node.layer.id, index))
            place = None if source is None else self.places.get((source[0].id, source[1]))
            place = place if entry is None else (entry, 0)
            if place is not None and place[0] != to and place not in seen:
                seen.add(place)
                self.scene.links.append(boxes.Link(*place, to))
        for index in range(len(node.layer.outputs)):
            self.places[number, index] = len(self.scene.boxes) - 1, index

    def add_repeat(self, repeat: "Repeat") -> None:
        """The first of the blocks, in a frame; what uses the last one is connected with the first."""
        inner = _GraphScene(self.builder, self.graph, self.inferred, self.folded, self.order)
        first = self.order[repeat.start : repeat.start + repeat.period]
        last = self.order[repeat.end - repeat.period : repeat.end]
        entries = self._add_entries(repeat, inner)
        for number in first:
            inner.add_layer(number)
        frame = boxes.Box(boxes.BoxKind.REPEAT, f"{repeat.count} × {plural(repeat.period, 'layer')}")
        names = [self.graph.layers[numbers[0]].layer.name for numbers in (first, last)]
        frame.subtitle = f"{boxes.tail(names[0], 30)} … {boxes.tail(names[1], 30)}"
        others = self.order[repeat.start + repeat.period : repeat.end]
        frame.folded = [self.graph.layers[number] for number in boxes.behind(self.graph, others, self.folded)]
        number_of_frame = len(self.scene.boxes)
        self._add_exits(repeat, inner, frame, number_of_frame)
        frame.parts.append(("", inner.scene))
        self.scene.add(frame)
        self.scene.links.extend(
            boxes.Link(*place, number_of_frame, entry) for (place, _), entry in entries.items()
        )

    def _add_entries(
        self, repeat: "Repeat", inner: "_GraphScene"
    ) -> dict[tuple[tuple[int, int], Value | None], int]:
        """Boxes for the values that come into the first block: by the place of each around the frame, and the
        value that the second block uses instead, if it is one of the first block.
        """
        inputs, first = self.graph.wiring.inputs, self.order[repeat.start : repeat.start + repeat.period]
        members = frozenset(first)
        entries: dict[tuple[tuple[int, int], Value | None], int] = {}
        for number, copy in zip(first, self.order[repeat.start + repeat.period :]):
            for index, (source, next_source) in enumerate(zip(inputs[number], inputs[copy], strict=True)):
                value = None if source is None else (source[0].id, source[1])
                place = None if value is None else self.places.get(value)
                if value is None or place is None or next_source is None or value[0] in members:
                    continue
                carried = (next_source[0].id, next_source[1]) if next_source[0].id in members else None
                if (place, carried) not in entries:
                    entry = boxes.Box(
                        boxes.BoxKind.ENTRY, boxes.tail(self.graph.layers[value[0]].layer.name, 26)
                    )
                    entry.ports.append(boxes.DrawnPort(boxes.fact_text(self.inferred, *value)))
                    entries[place, carried] = inner.scene.add(entry)
                inner.entries[number, index] = entries[place, carried]
        for (_, carried), number_of_entry in entries.items():
            if carried is not None:
                entry = inner.scene.boxes[number_of_entry]
                entry.carried = len(entries) + first.index(carried[0]), carried[1]
                entry.lines.append(f"then from {boxes.tail(self.graph.layers[carried[0]].layer.name, 24)}")
        return entries

    def _add_exits(
        self, repeat: "Repeat", inner: "_GraphScene", frame: boxes.Box, number_of_frame: int
    ) -> None:
        """An exit for each output of the last block that is used behind it."""
        position = {number: place for place, number in enumerate(self.order)}
        consumers = self.graph.wiring.consumers
        for offset in range(repeat.period):
            number, last = (
                self.order[place + offset] for place in (repeat.start, repeat.end - repeat.period)
            )
            for index in range(len(self.graph.layers[number].layer.outputs)):
                users = (position.get(user.id, -1) for user, _ in consumers.get((last, index), ()))
                if any(user >= repeat.end for user in users):
                    exit_box = boxes.Box(boxes.BoxKind.EXIT, "")
                    inner.scene.links.append(
                        boxes.Link(*inner.places[number, index], inner.scene.add(exit_box))
                    )
                    frame.ports.append(boxes.DrawnPort(boxes.fact_text(self.inferred, last, index)))
                    self.places[last, index] = number_of_frame, len(frame.ports) - 1

    def add_block(self, block: "Block") -> None:
        numbers = self.order[block.start : block.end]
        box = boxes.Box(
            boxes.BoxKind.BLOCK, boxes.head(block.name or "layers", 40), plural(len(numbers), "layer")
        )
        box.lines = [boxes.head(f"{count} {name}", 40) for name, count in block.ops]
        box.folded = [self.graph.layers[number] for number in boxes.behind(self.graph, numbers, self.folded)]
        place = self.scene.add(box)
        seen = set()
        for number in numbers:
            for source in self.graph.wiring.inputs[number]:
                value = None if source is None else (source[0].id, source[1])
                if value in self.places and self.places[value] not in seen and self.places[value][0] != place:
                    seen.add(self.places[value])
                    self.scene.links.append(boxes.Link(*self.places[value], place))
            for index in range(len(self.graph.layers[number].layer.outputs)):
                self.places[number, index] = place, 0
        box.ports.append(boxes.DrawnPort(""))


def _annotate(scene: boxes.Scene, body: BodyNode) -> None:
    """Write what flows into the Parameters and out of the Results of a body."""
    if body.maps is None:
        return
    parameters, results = body.graph.parameters, body.graph.results
    texts: dict[int, list[str]] = {}
    outer = body.outer.layers[body.layer.id]
    for entry in body.maps.inputs:
        what = entry.purpose or f"from input {boxes.input_name(outer, entry.port or 0)}"
        cut = f", sliced along axis {entry.cut.axis}" if entry.cut is not None else ""
        texts.setdefault(parameters[entry.parameter].id, []).append(what.replace("_", " ") + cut)
    for leaving in body.maps.outputs:
        what = leaving.purpose or f"to output {leaving.port}"
        cut = f", joined along axis {leaving.cut.axis}" if leaving.cut is not None else ""
        texts.setdefault(results[leaving.result].id, []).append(what.replace("_", " ") + cut)
    for edge in body.maps.back_edges:
        source, target = results[edge.result], parameters[edge.parameter]
        texts.setdefault(target.id, []).append(f"then from {boxes.tail(source.name, 24)}")
        texts.setdefault(source.id, []).append(f"next {boxes.tail(target.name, 28)}")
    for box in scene.boxes:
        if box.node is not None:
            box.lines[:0] = [boxes.head(text, 40) for text in texts.get(box.node.layer.id, ())]


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
    starts = list(range(0, len(order), -(-len(order) // (MAX_BLOCKS // 2))))  # equal shares
    for depth in range(1, 12):
        at_depth = [k for k in range(len(names)) if k == 0 or names[k][:depth] != names[k - 1][:depth]]
        if len(at_depth) > MAX_BLOCKS:  # and deeper ones are still more
            break
        if len(at_depth) > len(order) // 200:
            starts = at_depth
    return [_block(graph, order, names, start, end) for start, end in zip(starts, [*starts[1:], len(order)])]


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


# Blocks of layers that occur several times in sequence.

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
        starts = _other_starts(repeat, codes, live, bound)[:MAX_ROTATIONS]
        others = (Repeat(start, repeat.period, repeat.count) for start in starts)
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
    known = None if inferred is None else inferred.layers.get(number)
    return () if known is None else tuple(fact.spelled for fact in known.outputs)


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
        # so that the first block is no deeper than the others
        depth = _depths(graph, left_out, frozenset(hoisted))
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
    graph: GraphNode, roots: list[int], depth: dict[int, int], before: Collection[int] = ()
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
