"""What a picture shows, before and after layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from irops.analysis.structure import LayerNode
from irops.drawing.text import head


class BoxKind(StrEnum):
    """What a box stands for."""

    LAYER = "layer"
    REPEAT = "repeat"  # a block of layers that occurs several times in sequence
    BLOCK = "block"  # layers that are not drawn one by one
    ENTRY = "entry"  # where a value comes into a frame
    EXIT = "exit"  # where a value leaves a frame
    CUT = "cut"  # a value from or to the layers around the part that is drawn


@dataclass(eq=False, slots=True)
class DrawnPort:
    """An output that is drawn below its box. x: from the left side of the box, after layout"""

    text: str
    width: float = 0.0
    x: float = 0.0


@dataclass(frozen=True, slots=True)
class DrawnWire:
    """An edge of the graph that no line shows: the ids of two layers, and the positions of their ports."""

    source: int
    output: int
    target: int
    input: int


@dataclass(eq=False, slots=True)
class Box:
    """A box of a picture. x, y: its upper left corner in its scene, after layout.

    node: its layer; lines: texts below the title; ports: the outputs; named: links to it that are not drawn,
    whose texts follow the lines; parts: scenes inside it, each with a caption; height is without the ports.
    folded: the layers that are not drawn and belong to it; wires: the edges from and to these.
    copies: the layers of each block of a repeat, the drawn one first, in the order of the boxes inside it;
    carried: of an entry, the box and the port inside from which the next copy takes the value, None where all
    copies take the same; copy: of an exit, which copy the value leaves.
    """

    kind: BoxKind
    title: str
    subtitle: str = ""
    category: str = ""
    node: LayerNode | None = None
    lines: list[str] = field(default_factory=list)
    ports: list[DrawnPort] = field(default_factory=list)
    named: list[Link] = field(default_factory=list)
    parts: list[tuple[str, Scene]] = field(default_factory=list)
    folded: list[LayerNode] = field(default_factory=list)
    wires: list[DrawnWire] = field(default_factory=list)
    copies: list[tuple[LayerNode, ...]] = field(default_factory=list)
    carried: tuple[int, int] | None = None
    copy: int = 0
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    text_height: float = 0.0
    number: int = -1


@dataclass(eq=False, slots=True)
class Link:
    """From an output of one box to another, by their places in the scene.

    inputs: the inputs of the layer that it feeds; empty where it leads to a frame, an exit or a block;
    entry: where it goes on inside a repeated block, the place of a box there; text: what names its source in
    the box that it leads to, where it is too long to be drawn; points: x and y where the line turns, after
    layout.
    """

    source: int
    port: int
    target: int
    inputs: tuple[int, ...] = ()
    entry: int | None = None
    text: str = ""
    points: list[tuple[float, float]] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Scene:
    """Boxes in an order in which every link that is drawn goes forward, and the links between them.

    Together they hold all layers and edges of a graph, so that it can be rebuilt from them.
    path: of the graph that they belong to
    """

    path: tuple[str, ...]
    boxes: list[Box] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0

    def add(self, box: Box) -> int:
        self.boxes.append(box)
        return len(self.boxes) - 1

    @property
    def lines(self) -> list[Link]:
        """The links that are drawn."""
        return [link for link in self.links if not link.text]


def scenes(scene: Scene) -> Iterator[Scene]:
    """A scene and those of bodies in it."""
    yield scene
    for box in scene.boxes:
        if box.kind is not BoxKind.REPEAT:
            for _, part in box.parts:
                yield from scenes(part)


def shown_layers(scene: Scene) -> set[int]:
    """The ids of the layers of a scene that are drawn or within a box, bodies apart."""
    found: set[int] = set()
    for box in scene.boxes:
        nodes = [*box.folded, *(node for copy in box.copies for node in copy)]
        if box.node is not None and box.kind is not BoxKind.CUT:
            nodes.append(box.node)
        found.update(node.layer.id for node in nodes)
        if box.kind is BoxKind.REPEAT:
            found |= shown_layers(box.parts[0][1])
    return found


def boxes(scene: Scene) -> Iterator[tuple[Scene, Box]]:
    """Every box that stands for layers with its scene, those inside others included."""
    for box in scene.boxes:
        if box.kind not in (BoxKind.ENTRY, BoxKind.EXIT):
            yield scene, box
        for _, part in box.parts:
            yield from boxes(part)


def name_source(scene: Scene, link: Link) -> None:
    """Name the source of a link in the box that it leads to, in place of drawing a line."""
    source = scene.boxes[link.source]
    text = source.ports[link.port].text if link.port < len(source.ports) else ""
    inputs = "" if not link.inputs else f"{','.join(map(str, link.inputs))} "
    link.text = head(f"{inputs}← {source.subtitle or source.title} {text}", 52)
    scene.boxes[link.target].named.append(link)


def needs_input(scene: Scene, link: Link) -> bool:
    """Whether the inputs that a link feeds must be stated: the layer has others that links may feed."""
    node = scene.boxes[link.target].node
    if node is None or not link.inputs:
        return False
    folded = {wire.input for wire in scene.boxes[link.target].wires if wire.target == node.layer.id}
    return len(node.layer.inputs) - len(folded) > 1
