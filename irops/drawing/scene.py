"""The content of a picture, before and after layout."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from irops.analysis.structure import LayerNode


class BoxKind(StrEnum):
    """The object that a box stands for."""

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


@dataclass(eq=False, slots=True)
class Box:
    """A box of a picture. x, y: its upper left corner in its scene, after layout.

    node: its layer; lines: texts below the title; ports: the outputs; parts: scenes inside it, each with a
    caption; folded: the layers that are not drawn and belong to it; carried: of an entry, the box and the
    output that give its value to the next block, None if all blocks use one value; height is without the
    ports.
    """

    kind: BoxKind
    title: str
    subtitle: str = ""
    category: str = ""
    node: LayerNode | None = None
    lines: list[str] = field(default_factory=list)
    ports: list[DrawnPort] = field(default_factory=list)
    parts: "list[tuple[str, Scene]]" = field(default_factory=list)
    folded: list[LayerNode] = field(default_factory=list)
    carried: tuple[int, int] | None = None
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    text_height: float = 0.0
    number: int = -1


@dataclass(eq=False, slots=True)
class Link:
    """From an output of one box to another, by their places in the scene.

    entry: where it goes on inside a repeated block, the place of a box there; points: x and y where the line
    turns, after layout.
    """

    source: int
    port: int
    target: int
    entry: int | None = None
    points: list[tuple[float, float]] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Scene:
    """Boxes in an order in which every link goes forward. path: of the graph that they belong to"""

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


def boxes(scene: Scene) -> Iterator[tuple[Scene, Box]]:
    """Every box that stands for layers with its scene, those inside others included."""
    for box in scene.boxes:
        if box.kind not in (BoxKind.ENTRY, BoxKind.EXIT):
            yield scene, box
        for _, part in box.parts:
            yield from boxes(part)
