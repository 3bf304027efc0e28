"""The graph that a picture shows, rebuilt from its scene alone."""

from collections import Counter
from collections.abc import Iterator

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode
from irops.drawing.boxes import Box, BoxKind, Scene
from irops.drawing.build import Notes, SceneBuilder

Edge = tuple[int, int, int]
"""The id of a layer, the index of its output, and the id of a layer that uses it."""


def losses(analysis: ModelAnalysis, *, unfold: bool = False) -> list[str]:
    """What the scene of a model, before its layout, loses or invents, bodies included."""
    scene = SceneBuilder(Notes(), unfold=unfold).scene(analysis.root, analysis.infer())
    return list(_losses(scene, analysis.root))


def frames(scene: Scene) -> list[str]:
    return [box.title for box in scene.boxes if box.kind is BoxKind.REPEAT]


def _losses(scene: Scene, graph: GraphNode) -> Iterator[str]:
    assert all(box.kind in (BoxKind.LAYER, BoxKind.REPEAT) for box in scene.boxes)
    drawn = Counter(number for box in scene.boxes for copy in copies_of(box) for number in copy)
    folded = {number for box in scene.boxes for number in folded_in(box)}
    yield from (f"layer {number} is drawn {count} times" for number, count in drawn.items() if count > 1)
    yield from (f"layer {number} is missing" for number in graph.layers.keys() - drawn.keys() - folded)
    yield from (f"layer {number} is drawn and folded" for number in drawn.keys() & folded)
    wanted = {
        (source[0].id, source[1], number)
        for number, sources in graph.wiring.inputs.items()
        for source in sources
        if source is not None and number in drawn and source[0].id in drawn
    }
    found = set(edges_of(scene))
    yield from (f"edge {edge} is missing" for edge in sorted(wanted - found))
    yield from (f"edge {edge} is invented" for edge in sorted(found - wanted))
    for box in scene.boxes:
        for inner in box.parts[0][1].boxes if box.kind is BoxKind.REPEAT else (box,):
            for name, part in inner.parts:
                assert inner.node is not None
                yield from (f"{name}: {loss}" for loss in _losses(part, inner.node.bodies[name].graph))


def copies_of(box: Box) -> list[list[int]]:
    """The ids of the layers that a box stands for, by block: the first is drawn, the others are listed."""
    if box.kind is BoxKind.LAYER:
        assert box.node is not None
        return [[box.node.layer.id]]
    first = [inner.node.layer.id for inner in box.parts[0][1].boxes if inner.node is not None]
    others = [node.layer.id for node in box.folded[: (count_of(box) - 1) * len(first)]]
    return [first, *(others[k : k + len(first)] for k in range(0, len(others), len(first)))]


def count_of(frame: Box) -> int:
    return int(frame.title.split()[0])


def folded_in(box: Box) -> Iterator[int]:
    """The ids of the layers that are drawn as parameters in a box."""
    copies = len(copies_of(box)[0]) * (count_of(box) - 1) if box.kind is BoxKind.REPEAT else 0
    yield from (node.layer.id for node in box.folded[copies:])
    if box.kind is BoxKind.REPEAT:
        yield from (node.layer.id for inner in box.parts[0][1].boxes for node in inner.folded)


def edges_of(scene: Scene) -> Iterator[Edge]:
    for link in scene.links:
        if link.entry is None:
            ((target,),) = copies_of(scene.boxes[link.target])
            yield *_value(scene, link.source, link.port), target
    for number, box in enumerate(scene.boxes):
        if box.kind is BoxKind.REPEAT:
            yield from _edges_of_frame(scene, number)


def _value(scene: Scene, number: int, port: int) -> tuple[int, int]:
    """The layer and the output that a port of a box is: of a frame, those of its last block."""
    box = scene.boxes[number]
    if box.kind is BoxKind.LAYER:
        return copies_of(box)[0][0], port
    inner = box.parts[0][1]
    leaving = [place for place, inside in enumerate(inner.boxes) if inside.kind is BoxKind.EXIT][port]
    ((source, output),) = [(link.source, link.port) for link in inner.links if link.target == leaving]
    return copies_of(box)[-1][_place(inner, source)], output


def _place(inner: Scene, number: int) -> int:
    """Which layer of a block a box is."""
    return sum(box.kind is BoxKind.LAYER for box in inner.boxes[:number])


def _edges_of_frame(scene: Scene, number: int) -> Iterator[Edge]:
    frame, inner = scene.boxes[number], scene.boxes[number].parts[0][1]
    outside = {
        link.entry: _value(scene, link.source, link.port) for link in scene.links if link.target == number
    }
    copies = copies_of(frame)
    assert len(copies) == count_of(frame) > 1
    for link in inner.links:
        source, target = inner.boxes[link.source], inner.boxes[link.target]
        if target.kind is BoxKind.EXIT:
            continue
        for block, layers in enumerate(copies):
            if source.kind is BoxKind.LAYER:
                value = layers[_place(inner, link.source)], link.port
            elif block and source.carried is not None:
                value = copies[block - 1][_place(inner, source.carried[0])], source.carried[1]
            else:
                value = outside[link.source]
            yield *value, layers[_place(inner, link.target)]
