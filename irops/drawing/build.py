"""Make the scene of a graph: which boxes there are, what is inside them, and what connects them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from irops.analysis.inferred import Inferred
from irops.analysis.structure import BodyNode, GraphNode, LayerNode, Path
from irops.diagnostics.printable import plural
from irops.drawing.layer_box import fact_text, input_name, layer_box
from irops.drawing.repeats import Block, Likeness, Repeat, Value, blocks, repeats, sequence
from irops.drawing.scene import Box, BoxKind, DrawnPort, DrawnWire, Link, Scene, name_source
from irops.drawing.text import head, tail
from irops.ir.model import LayerKind
from irops.spec.body import Cut
from irops.values.fact import Fact

# Layers that are drawn as parameters of their users: constants, what follows from them, and shapes.

MAX_SHAPE_ELEMENTS = 16
"""Integer tensors of more elements are not taken for shapes."""


def folded_layers(graph: GraphNode, inferred: Inferred | None, *, with_shapes: bool) -> set[int]:
    """The ids of the layers that are drawn in the boxes of their users.

    with_shapes: also those that compute shapes: integers of at most one dimension, from ShapeOf on.
    """
    folded = set(graph.constants)
    for node in graph.order:
        number = node.layer.id
        sources = [s[0].id for s in graph.wiring.inputs[number] if s is not None]
        if number in folded or node.layer.kind is not LayerKind.OPERATION or node.bodies:
            continue
        if with_shapes and node.layer.outputs and _is_shape_step(node, sources, folded, inferred):
            folded.add(number)
    return _used_by_drawn(graph, folded)


def _is_shape_step(node: LayerNode, sources: list[int], before: set[int], inferred: Inferred | None) -> bool:
    if inferred is None or node.layer.id not in inferred.layers:
        return False
    follows = node.layer.type == "ShapeOf" or (bool(sources) and before.issuperset(sources))
    return follows and all(_is_small(fact) for fact in inferred.of(node.layer.id).outputs)


def _is_small(fact: Fact) -> bool:
    rank, size = fact.shape.rank, fact.shape.size
    return fact.element_type.integral and rank is not None and rank <= 1 and size.high <= MAX_SHAPE_ELEMENTS


def _used_by_drawn(graph: GraphNode, folded: set[int]) -> set[int]:
    """Without those that a Result gives or nothing uses, which would not be in the picture at all."""
    consumers = graph.wiring.consumers
    for node in reversed(graph.order):
        number = node.layer.id
        if number in folded:
            users = [u for k in range(len(node.layer.outputs)) for u, _ in consumers.get((number, k), ())]
            if not users or any(user.kind is LayerKind.RESULT for user in users):
                folded.discard(number)
    return folded


MAX_BOXES = 1500
"""A graph with more layers to draw is drawn as blocks of layers."""
HOISTS = (12, 20, 32, 50, 80, 120, 200)
"""Distances of users that are tried to find more repeats; see sequence."""
MAX_REORDERED = 2500
"""Longer sequences are searched for repeats only once."""


MAX_TEXTS = 4
"""How many differences a box lists."""


@dataclass
class Notes:
    """What a picture leaves out, counted while it is made. budget: how many boxes bodies may still have"""

    constants: int = 0
    repeats: int = 0
    blocks: int = 0
    layers: int = 0
    budget: int = 2 * MAX_BOXES
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mark:
    """What a picture of differences says of a layer. kind: one of colours.MARKS; texts: lines of its box"""

    kind: str
    texts: tuple[str, ...] = ()


Marks = Mapping[tuple[Path, int], Mark]


class SceneBuilder:
    """The scenes of a model. unfold: draw repeated blocks and shape computations layer by layer.

    cut: the ids from which on Parameters and Results stand for what lies around the part that is drawn.
    marks: of layers by path and id, which give the colours in place of the categories of ops
    """

    def __init__(
        self, notes: Notes, *, unfold: bool, cut: int | None = None, marks: Marks | None = None
    ) -> None:
        self.notes, self.unfold, self.cut, self.marks = notes, unfold, cut, marks

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
        likeness = Likeness(graph, inferred, folded)
        found = repeats(likeness, order)
        for hoist in HOISTS:
            if len(order) <= MAX_REORDERED:
                other = sequence(graph, folded, hoist)
                there = repeats(likeness, other)
                if sum(r.saved for r in there) > sum(r.saved for r in found):
                    order, found = other, there
        return order, found


class _GraphScene:
    """One scene in the making. places: the box and the port that stand for an output of a layer"""

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
        self._close_cycles()
        return self.scene

    def add_layer(self, number: int, copies: Sequence[int] = ()) -> None:
        """The box of a layer, and the links to it. copies: the layers of other blocks that it stands for"""
        node = self.graph.layers[number]
        box = layer_box(self.graph, self.inferred, node, self.folded, copies)
        self._fold(box, [number])
        self._mark(box, [node, *box.folded])
        cut = self.builder.cut
        if cut is not None and not self.graph.path and number >= cut:
            box.kind = BoxKind.CUT
            box.title = "from" if node.layer.outputs else "to others"
        for name, body in node.bodies.items():
            self._add_body(box, name, body)
        to = self.scene.add(box)
        for value, inputs in self._sources(number).items():
            if value in self.places:
                self.scene.links.append(Link(*self.places[value], to, inputs))
        for index in range(len(node.layer.outputs)):
            self.places[number, index] = to, index

    def _mark(self, box: Box, nodes: Iterable[LayerNode]) -> None:
        """Colour a box by the first mark of its layers, and write what these marks say into it."""
        if self.builder.marks is None:
            return
        keys = ((self.graph.path, node.layer.id) for node in nodes)
        marks = [mark for mark in map(self.builder.marks.get, keys) if mark is not None]
        box.category = marks[0].kind if marks else "unchanged"
        if box.kind is BoxKind.BLOCK and marks:
            counts = Counter(mark.kind for mark in marks)
            box.lines.append(", ".join(f"{count} {kind}" for kind, count in counts.items()))
            return
        texts = [head(f"{mark.kind}: {text}", 60) for mark in marks for text in mark.texts]
        box.lines += texts[:MAX_TEXTS]
        if len(texts) > MAX_TEXTS:
            box.lines.append(f"and {plural(len(texts) - MAX_TEXTS, 'more difference')}")

    def _sources(self, number: int) -> dict[Value, tuple[int, ...]]:
        """The values of drawn layers that a layer uses, with the inputs that each feeds."""
        sources: dict[Value, tuple[int, ...]] = {}
        for index, source in enumerate(self.graph.wiring.inputs[number]):
            if source is not None and source[0].id not in self.folded:
                value = source[0].id, source[1]
                sources[value] = (*sources.get(value, ()), index)
        return sources

    def _close_cycles(self) -> None:
        """Add the links of cycles that lead back; they are not drawn, but named."""
        linked = {(link.target, index) for link in self.scene.links for index in link.inputs}
        for to, box in enumerate(self.scene.boxes):
            if box.node is not None:
                for value, inputs in self._sources(box.node.layer.id).items():
                    if (to, inputs[0]) not in linked:
                        link = Link(*self.places[value], to, inputs)
                        self.scene.links.append(link)
                        name_source(self.scene, link)

    def _fold(self, box: Box, numbers: Iterable[int]) -> None:
        """Put the folded layers that some layers depend on into a box, with the edges from and to them."""
        inside: dict[int, None] = {}
        users = [*numbers]
        while users:
            number = users.pop()
            for index, source in enumerate(self.graph.wiring.inputs[number]):
                if source is not None and (number in self.folded or source[0].id in self.folded):
                    box.wires.append(DrawnWire(source[0].id, source[1], number, index))
                    if source[0].id in self.folded and source[0].id not in inside:
                        inside[source[0].id] = None
                        users.append(source[0].id)
        box.folded += [self.graph.layers[number] for number in inside]

    def _add_body(self, box: Box, name: str, body: BodyNode) -> None:
        facts = None
        if self.inferred is not None and body.layer.id in self.inferred.layers:
            facts = self.inferred.of(body.layer.id).bodies.get(name)
        scene = self.builder.scene(body.graph, facts)
        _annotate(scene, body)
        box.parts.append((name, scene))

    def add_repeat(self, repeat: Repeat) -> None:
        """The first of the blocks, in a frame with an entry for each value that comes from outside."""
        copies = [
            self.order[start : start + repeat.period]
            for start in range(repeat.start, repeat.end, repeat.period)
        ]
        inner = _GraphScene(self.builder, self.graph, self.inferred, self.folded, self.order)
        frame = Box(BoxKind.REPEAT, f"{repeat.count} × {plural(repeat.period, 'layer')}")
        names = [self.graph.layers[numbers[0]].layer.name for numbers in (copies[0], copies[-1])]
        frame.subtitle = f"{tail(names[0], 30)} … {tail(names[1], 30)}"
        frame.copies = [tuple(self.graph.layers[number] for number in numbers) for numbers in copies]
        self._fold(frame, [number for numbers in copies[1:] for number in numbers])
        number_of_frame = len(self.scene.boxes)
        links = self._add_entries(copies, inner, number_of_frame)
        for numbers in zip(*copies):
            inner.add_layer(numbers[0], numbers[1:])
        inner.scene.links += links
        self._add_exits(copies, inner, frame, number_of_frame)
        frame.parts.append(("", inner.scene))
        self.scene.add(frame)

    def _add_entries(self, copies: list[list[int]], inner: _GraphScene, frame: int) -> list[Link]:
        """An entry for each value that the first block uses from outside, and that the next one takes from
        the block before or from outside, too. Returns the links from entries to layers.
        """
        offsets = {number: offset for offset, number in enumerate(copies[0])}
        uses: dict[tuple[Value, Value | None], dict[int, tuple[int, ...]]] = {}
        for offset, (number, after) in enumerate(zip(*copies[:2])):
            inputs_after = self.graph.wiring.inputs[after]
            for value, inputs in self._sources(number).items():
                if value[0] not in offsets:
                    for index in inputs:
                        source = inputs_after[index]
                        is_carried = source is not None and source[0].id in offsets
                        carried = (source[0].id, source[1]) if source is not None and is_carried else None
                        use = uses.setdefault((value, carried), {})
                        use[offset] = (*use.get(offset, ()), index)
        links = []
        for entry, ((value, carried), users) in enumerate(uses.items()):
            box = Box(BoxKind.ENTRY, tail(self.graph.layers[value[0]].layer.name, 26))
            box.ports.append(DrawnPort(fact_text(self.inferred, *value)))
            if carried is not None:
                source_layer = self.graph.layers[carried[0]].layer
                box.carried = len(uses) + offsets[carried[0]], carried[1]
                box.lines.append(f"then from {tail(source_layer.name, 24)}")
                if len(source_layer.outputs) > 1:
                    box.lines[-1] += f" output {carried[1]}"
            inner.scene.add(box)
            self.scene.links.append(Link(*self.places[value], frame, entry=entry))
            links += [Link(entry, 0, len(uses) + offset, inputs) for offset, inputs in users.items()]
        return links

    def _add_exits(self, copies: list[list[int]], inner: _GraphScene, frame: Box, place: int) -> None:
        """An exit for each output of a block that is used outside the blocks."""
        members = {number for numbers in copies for number in numbers}
        consumers = self.graph.wiring.consumers
        for numbers in zip(*copies):
            for index in range(len(self.graph.layers[numbers[0]].layer.outputs)):
                for copy, number in enumerate(numbers):
                    users = {user.id for user, _ in consumers.get((number, index), ())}
                    if users <= members | self.folded:
                        continue
                    exit_box = Box(BoxKind.EXIT, "", copy=copy)
                    inner.scene.links.append(
                        Link(*inner.places[numbers[0], index], inner.scene.add(exit_box))
                    )
                    self.places[number, index] = place, len(frame.ports)
                    is_last = copy == len(copies) - 1
                    text = fact_text(self.inferred, numbers[0], index)
                    frame.ports.append(DrawnPort(text if is_last else f"block {copy + 1}: {text}"))

    def add_block(self, block: Block) -> None:
        numbers = self.order[block.start : block.end]
        members = set(numbers)
        box = Box(BoxKind.BLOCK, head(block.name or "layers", 40), plural(len(numbers), "layer"))
        box.lines = [head(f"{count} {name}", 40) for name, count in block.ops]
        self._fold(box, numbers)
        box.folded = [*(self.graph.layers[number] for number in numbers), *box.folded]
        self._mark(box, box.folded)
        place = self.scene.add(box)
        seen = set()
        for number in numbers:
            for value, inputs in self._sources(number).items():
                box.wires.extend(DrawnWire(*value, number, index) for index in inputs)
                source = self.places.get(value)
                if value[0] not in members and source is not None and source not in seen:
                    seen.add(source)
                    self.scene.links.append(Link(*source, place))
        for number in numbers:
            for index in range(len(self.graph.layers[number].layer.outputs)):
                self.places[number, index] = place, 0
        box.ports.append(DrawnPort(""))


def _annotate(scene: Scene, body: BodyNode) -> None:
    """Write what flows into the Parameters and out of the Results of a body."""
    if body.maps is None:
        return
    parameters, results = body.graph.parameters, body.graph.results
    texts: dict[int, list[str]] = {}
    outer = body.outer.layers[body.layer.id]
    for entry in body.maps.inputs:
        what = entry.purpose or f"from input {input_name(outer, entry.port or 0)}"
        cut = "" if entry.cut is None else f", sliced along {_cut_text(entry.cut)}"
        texts.setdefault(parameters[entry.parameter].id, []).append(what.replace("_", " ") + cut)
    for edge in body.maps.back_edges:
        source = results[edge.result]
        texts.setdefault(parameters[edge.parameter].id, []).append(f"then from {tail(source.name, 24)}")
    for leaving in body.maps.outputs:
        what = leaving.purpose or f"to output {leaving.port}"
        cut = "" if leaving.cut is None else f", joined along {_cut_text(leaving.cut)}"
        texts.setdefault(results[leaving.result].id, []).append(what.replace("_", " ") + cut)
    for edge in body.maps.back_edges:
        target = parameters[edge.parameter]
        texts.setdefault(results[edge.result].id, []).append(f"next {tail(target.name, 28)}")
    for box in scene.boxes:
        if box.node is not None:
            box.lines[:0] = [head(text, 60) for text in texts.get(box.node.layer.id, ())]


def _cut_text(cut: Cut) -> str:
    """axis 0, axis 0 from -1 to 0 by -1: parts of 2"""
    ends = "" if (cut.start, cut.end) == (0, -1) else f" from {cut.start} to {cut.end}"
    step = "" if cut.stride == cut.part_size == 1 else f" by {cut.stride}"
    parts = "" if cut.part_size == 1 else f", parts of {cut.part_size}"
    return f"axis {cut.axis}{ends}{step}{parts}"
