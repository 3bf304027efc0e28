"""The graph that a picture shows, rebuilt from the picture alone: from its scene, or from its SVG.

Nothing of the model is looked at: boxes say which layer they stand for by its id, lines and wires say which
output leads to which input, and a repeat says its copies and what goes from one copy to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree
from pictures import SVG

from irops.analysis.structure import GraphNode
from irops.drawing.draw import draw
from irops.drawing.scene import BoxKind, Scene, scenes

Edge = tuple[int, int, int, int]
"""The ids of two layers: source, its output, target, its input."""
STANDS_FOR_ONE = (BoxKind.LAYER, BoxKind.CUT)


@dataclass
class ShownBox:
    """What a box says, as a scene or an SVG gives it."""

    kind: str
    layer: int | None
    folded: list[int]
    wires: list[Edge]
    copies: list[list[int]] = field(default_factory=list)
    count: int = 0
    carried: tuple[int, int] | None = None
    copy: int = 0
    inner: ShownScene | None = None


@dataclass
class ShownScene:
    """links: source box, port, target box, inputs, entry"""

    boxes: list[ShownBox]
    links: list[tuple[int, int, int, tuple[int, ...], int | None]]


@dataclass
class Rebuilt:
    """layers: how often each layer is shown as a box or as a layer of a copy; folded: those within boxes"""

    layers: list[int] = field(default_factory=list)
    folded: set[int] = field(default_factory=set)
    edges: list[Edge] = field(default_factory=list)
    wires: set[Edge] = field(default_factory=set)


def losses(model, **options) -> list[str]:
    """What the pictures of a model lose or invent, in the scene and in the SVG."""
    drawing = draw(model, **options)
    found = []
    pictures = from_svg(drawing.svg)
    shown = list(scenes(drawing.scene))
    assert set(pictures) == {"/".join(scene.path) for scene in shown}
    for scene in shown:
        graph = drawing.analysis.by_path[scene.path]
        for what, made in (("scene", from_scene(scene)), ("SVG", pictures["/".join(scene.path)])):
            found += [f"{what} {scene.path}: {text}" for text in differences(made, graph)]
    return found


def differences(scene: ShownScene, graph: GraphNode) -> list[str]:
    """What a picture of a graph shows otherwise than it is; empty where the picture is lossless."""
    shown = rebuilt(scene)
    found = [f"layer {n} is shown {shown.layers.count(n)} times" for n in set(_repeated(shown.layers))]
    found += [f"layer {n} is a box and within a box" for n in shown.folded & set(shown.layers)]
    layers = set(shown.layers) | shown.folded
    found += [f"layer {number} is missing" for number in graph.layers.keys() - layers]
    found += [f"layer {number} is invented" for number in layers - graph.layers.keys()]
    found += [f"edge {edge} is shown more than once" for edge in set(_repeated(shown.edges))]
    found += [f"edge {edge} is a line and a wire" for edge in shown.wires & set(shown.edges)]
    edges = shown.wires | set(shown.edges)
    true = edges_of(graph)
    found += [f"edge {edge} is missing" for edge in sorted(true - edges)]
    found += [f"edge {edge} is invented" for edge in sorted(edges - true)]
    return found


def edges_of(graph: GraphNode) -> set[Edge]:
    return {
        (source[0].id, source[1], number, index)
        for number, sources in graph.wiring.inputs.items()
        for index, source in enumerate(sources)
        if source is not None
    }


def _repeated(items: list) -> Iterator:
    seen = set()
    for item in items:
        if item in seen:
            yield item
        seen.add(item)


def rebuilt(scene: ShownScene) -> Rebuilt:
    found = Rebuilt()
    for box in scene.boxes:
        found.folded.update(box.folded)
        found.wires.update(box.wires)
        if box.kind in STANDS_FOR_ONE:
            assert box.layer is not None
            found.layers.append(box.layer)
        elif box.kind == BoxKind.REPEAT:
            assert box.count == len(box.copies) > 1, "the count of a repeat is that of its copies"
            found.layers.extend(number for copy in box.copies for number in copy)
            found.folded.update(number for inner in box.inner.boxes for number in inner.folded)
            found.wires.update(wire for inner in box.inner.boxes for wire in inner.wires)
        else:
            assert box.kind == BoxKind.BLOCK, box.kind
    for source, port, target, inputs, entry in scene.links:
        box = scene.boxes[target]
        if box.kind in STANDS_FOR_ONE:
            value = _value(scene, source, port)
            assert inputs, "a line to a layer says which inputs it feeds"
            found.edges.extend((*value, box.layer, index) for index in inputs)
        elif box.kind == BoxKind.REPEAT:
            assert entry is not None
        else:  # the wires of a block say which layers its lines connect
            assert _lead_to(scene, source, box), "a line to a block is one of its wires"
    for number, box in enumerate(scene.boxes):
        if box.kind == BoxKind.REPEAT:
            found.edges.extend(_edges_of_copies(scene, number))
    return found


def _lead_to(scene: ShownScene, source: int, box: ShownBox) -> bool:
    before = scene.boxes[source]
    own = {before.layer} if before.layer is not None else set(before.folded)
    return any(wire[0] in own for wire in box.wires)


def _value(scene: ShownScene, number: int, port: int) -> tuple[int, int]:
    """The layer and the output behind a port of a box."""
    box = scene.boxes[number]
    if box.kind in STANDS_FOR_ONE:
        return box.layer, port
    assert box.kind == BoxKind.REPEAT, box.kind
    inner = box.inner
    exits = [k for k, inside in enumerate(inner.boxes) if inside.kind == BoxKind.EXIT]
    leaving = exits[port]
    ((source, output),) = [(a, out) for a, out, b, *_ in inner.links if b == leaving]
    place = _layers(inner).index(source)
    return box.copies[inner.boxes[leaving].copy][place], output


def _layers(inner: ShownScene) -> list[int]:
    """The boxes of a repeat that stand for layers, in the order of its copies."""
    return [k for k, box in enumerate(inner.boxes) if box.kind == BoxKind.LAYER]


def _edges_of_copies(scene: ShownScene, number: int) -> Iterator[Edge]:
    frame = scene.boxes[number]
    inner = frame.inner
    place = {box: k for k, box in enumerate(_layers(inner))}
    outside = {}
    for source, port, target, _, entry in scene.links:
        if target == number:
            assert entry not in outside, "one line leads to an entry"
            outside[entry] = _value(scene, source, port)
    entries = [k for k, box in enumerate(inner.boxes) if box.kind == BoxKind.ENTRY]
    assert sorted(outside) == entries
    assert [inner.boxes[box].layer for box in place] == frame.copies[0], "the first copy is the one drawn"
    for copy, layers in enumerate(frame.copies):
        assert len(layers) == len(place)
        for source, port, target, inputs, _ in inner.links:
            if inner.boxes[target].kind == BoxKind.EXIT:
                continue
            assert inputs
            entry = inner.boxes[source]
            if entry.kind != BoxKind.ENTRY:
                value = layers[place[source]], port
            elif copy and entry.carried is not None:
                value = frame.copies[copy - 1][place[entry.carried[0]]], entry.carried[1]
            else:
                value = outside[source]
            yield from ((*value, layers[place[target]], index) for index in inputs)


def from_scene(scene: Scene) -> ShownScene:
    """What a scene says, without the layers that its boxes refer to but for their ids."""
    made = []
    for box in scene.boxes:
        made.append(
            ShownBox(
                str(box.kind),
                None if box.node is None else box.node.layer.id,
                [node.layer.id for node in box.folded],
                [(wire.source, wire.output, wire.target, wire.input) for wire in box.wires],
                [[node.layer.id for node in copy] for copy in box.copies],
                int(box.title.split()[0]) if box.kind is BoxKind.REPEAT else 0,
                box.carried,
                box.copy,
                from_scene(box.parts[0][1]) if box.kind is BoxKind.REPEAT else None,
            )
        )
    return ShownScene(made, [(x.source, x.port, x.target, x.inputs, x.entry) for x in scene.links])


def from_svg(text: str) -> dict[str, ShownScene]:
    """What the scenes of an SVG say, by path."""
    root = etree.fromstring(text.encode())
    found: dict[str, ShownScene] = {}
    for group in root.findall(f"{SVG}g"):
        _read(group, found)
    return found


def _read(group, found: dict[str, ShownScene]) -> ShownScene:
    made = ShownScene([], [])
    boxes = sorted(group.findall(f"{SVG}g"), key=lambda box: int(box.get("data-box")))
    lines = group.findall(f"{SVG}path")
    for box in boxes:
        lines += [text for text in box.findall(f"{SVG}text") if text.get("data-from") is not None]
        kind = box.get("class").split()[1]
        inner = None
        for part in box.findall(f"{SVG}g"):
            read = _read(part, {} if kind == BoxKind.REPEAT else found)
            inner = read if kind == BoxKind.REPEAT else None
        wires = [
            (*_pair(a, "."), *_pair(b, "."))
            for a, b in (wire.split(">") for wire in box.get("data-wires", "").split())
        ]
        carried = box.get("data-carried")
        copies = [list(map(int, copy.split())) for copy in box.get("data-copies", "").split(";") if copy]
        layer = box.get("data-layer")
        made.boxes.append(
            ShownBox(
                kind,
                None if layer is None else int(layer),
                list(map(int, box.get("data-folded", "").split())),
                wires,
                copies,
                int(box.find(f"{SVG}text").text.split()[0]) if kind == BoxKind.REPEAT else 0,
                None if carried is None else _pair(carried, "."),
                int(box.get("data-copy", 0)),
                inner,
            )
        )
    for line in lines:
        entry = line.get("data-entry")
        inputs = tuple(map(int, line.get("data-inputs", "").split()))
        ends = (int(line.get(f"data-{name}")) for name in ("from", "port", "to"))
        made.links.append((*ends, inputs, None if entry is None else int(entry)))
    found[group.get("data-path")] = made
    return made


def _pair(text: str, separator: str) -> tuple[int, int]:
    a, b = text.split(separator)
    return int(a), int(b)
