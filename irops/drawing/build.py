"""Make the scene of a graph: which boxes there are, what is inside them, and what connects them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from irops.analysis.inferred import Inferred
from irops.analysis.structure import BodyNode, GraphNode, LayerNode
from irops.diagnostics.printable import plural
from irops.drawing.folding import folded_layers
from irops.drawing.layer_box import fact_text, input_name, layer_box
from irops.drawing.repeats import Repeat, repeats
from irops.drawing.scene import Box, BoxKind, Link, Port, Scene
from irops.drawing.sequence import sequence
from irops.drawing.text import head, tail

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
    """What a picture leaves out, counted while it is made. budget: how many boxes bodies may still have"""

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

    def scene(self, graph: GraphNode, inferred: Inferred | None) -> Scene:
        folded = folded_layers(graph, inferred, with_shapes=not self.unfold)
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
    ) -> tuple[list[int], list[Repeat]]:
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
        self.scene = Scene(graph.path)
        self.places: dict[Value, tuple[int, int]] = {}
        self.entries: dict[tuple[int, int], int] = {}

    def made(self, groups: Iterable[Repeat | Block]) -> Scene:
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
        box = layer_box(self.graph, self.inferred, node, self.folded)
        cut = self.builder.cut
        if cut is not None and not self.graph.path and number >= cut:
            box.kind = BoxKind.CUT
            box.title = "from" if node.layer.outputs else "to others"
        for name, body in node.bodies.items():
            self._add_body(box, name, body)
        self._add_links(self.scene.add(box), node)
        for index in range(len(node.layer.outputs)):
            self.places[number, index] = len(self.scene.boxes) - 1, index

    def _add_links(self, to: int, node: LayerNode) -> None:
        seen = set()
        for index, source in enumerate(self.graph.wiring.inputs[node.layer.id]):
            entry = self.entries.get((node.layer.id, index))
            place = None if source is None else self.places.get((source[0].id, source[1]))
            place = place if entry is None else (entry, 0)
            if place is not None and place[0] != to and place not in seen:
                seen.add(place)
                self.scene.links.append(Link(*place, to))

    def _add_body(self, box: Box, name: str, body: BodyNode) -> None:
        facts = None
        if self.inferred is not None and body.layer.id in self.inferred.layers:
            facts = self.inferred.of(body.layer.id).bodies.get(name)
        scene = self.builder.scene(body.graph, facts)
        _annotate(scene, body)
        box.parts.append((name, scene))

    def add_repeat(self, repeat: Repeat) -> None:
        """The first of the blocks, in a frame; what uses the last one is connected with the first."""
        inner = _GraphScene(self.builder, self.graph, self.inferred, self.folded, self.order)
        first = self.order[repeat.start : repeat.start + repeat.period]
        last = self.order[repeat.end - repeat.period : repeat.end]
        entries = self._add_entries(repeat, inner)
        for number in first:
            inner.add_layer(number)
        frame = Box(BoxKind.REPEAT, f"{repeat.count} × {plural(repeat.period, 'layer')}")
        names = [self.graph.layers[numbers[0]].layer.name for numbers in (first, last)]
        frame.subtitle = f"{tail(names[0], 30)} … {tail(names[1], 30)}"
        frame.folded = self._with_parameters(self.order[repeat.start + repeat.period : repeat.end])
        number_of_frame = len(self.scene.boxes)
        self._add_exits(repeat, inner, frame, number_of_frame)
        frame.parts.append(("", inner.scene))
        self.scene.add(frame)
        self.scene.links.extend(Link(*place, number_of_frame, entry) for (place, _), entry in entries.items())

    def _add_entries(
        self, repeat: Repeat, inner: _GraphScene
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
                    entry = Box(BoxKind.ENTRY, tail(self.graph.layers[value[0]].layer.name, 26))
                    entry.ports.append(Port(fact_text(self.inferred, *value)))
                    entries[place, carried] = inner.scene.add(entry)
                inner.entries[number, index] = entries[place, carried]
        for (_, carried), number_of_entry in entries.items():
            if carried is not None:
                entry = inner.scene.boxes[number_of_entry]
                entry.carried = len(entries) + first.index(carried[0]), carried[1]
                entry.lines.append(f"then from {tail(self.graph.layers[carried[0]].layer.name, 24)}")
        return entries

    def _add_exits(self, repeat: Repeat, inner: _GraphScene, frame: Box, number_of_frame: int) -> None:
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
                    exit_box = Box(BoxKind.EXIT, "")
                    inner.scene.links.append(Link(*inner.places[number, index], inner.scene.add(exit_box)))
                    frame.ports.append(Port(fact_text(self.inferred, last, index)))
                    self.places[last, index] = number_of_frame, len(frame.ports) - 1

    def _with_parameters(self, numbers: list[int]) -> list[LayerNode]:
        """Layers, and the folded layers that they depend on."""
        found = dict.fromkeys(numbers)
        ahead = list(numbers)
        while ahead:
            for source in self.graph.wiring.inputs[ahead.pop()]:
                if source is not None and source[0].id in self.folded and source[0].id not in found:
                    found[source[0].id] = None
                    ahead.append(source[0].id)
        return [self.graph.layers[number] for number in found]

    def add_block(self, block: Block) -> None:
        numbers = self.order[block.start : block.end]
        box = Box(BoxKind.BLOCK, head(block.name or "layers", 40), plural(len(numbers), "layer"))
        box.lines = [head(f"{count} {name}", 40) for name, count in block.ops]
        box.folded = self._with_parameters(numbers)
        place = self.scene.add(box)
        seen = set()
        for number in numbers:
            for source in self.graph.wiring.inputs[number]:
                value = None if source is None else (source[0].id, source[1])
                if value in self.places and self.places[value] not in seen and self.places[value][0] != place:
                    seen.add(self.places[value])
                    self.scene.links.append(Link(*self.places[value], place))
            for index in range(len(self.graph.layers[number].layer.outputs)):
                self.places[number, index] = place, 0
        box.ports.append(Port(""))


def _annotate(scene: Scene, body: BodyNode) -> None:
    """Write what flows into the Parameters and out of the Results of a body."""
    if body.maps is None:
        return
    parameters, results = body.graph.parameters, body.graph.results
    texts: dict[int, list[str]] = {}
    outer = body.outer.layers[body.layer.id]
    for entry in body.maps.inputs:
        what = entry.purpose or f"from input {input_name(outer, entry.port or 0)}"
        cut = f", sliced along axis {entry.cut.axis}" if entry.cut is not None else ""
        texts.setdefault(parameters[entry.parameter].id, []).append(what.replace("_", " ") + cut)
    for edge in body.maps.back_edges:
        source = results[edge.result]
        texts.setdefault(parameters[edge.parameter].id, []).append(f"then from {tail(source.name, 24)}")
    for leaving in body.maps.outputs:
        what = leaving.purpose or f"to output {leaving.port}"
        cut = f", joined along axis {leaving.cut.axis}" if leaving.cut is not None else ""
        texts.setdefault(results[leaving.result].id, []).append(what.replace("_", " ") + cut)
    for edge in body.maps.back_edges:
        target = parameters[edge.parameter]
        texts.setdefault(results[edge.result].id, []).append(f"next {tail(target.name, 28)}")
    for box in scene.boxes:
        if box.node is not None:
            box.lines[:0] = [head(text, 40) for text in texts.get(box.node.layer.id, ())]


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
