"""Reading pictures back."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Shape:
    """A box in the coordinates of the picture. inside: the box around it, if any"""

    kinds: tuple[str, ...]
    number: str
    path: str
    left: float
    top: float
    width: float
    height: float
    layer: int | None
    folded: tuple[int, ...]
    inside: Shape | None
    texts: list[tuple[str, float, float, str]] = field(default_factory=list)
    ports: list[tuple[float, float, float, float]] = field(default_factory=list)

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height


@dataclass
class Line:
    """A line: its ends, and the boxes that it says it connects."""

    start: tuple[float, float]
    end: tuple[float, float]
    source: Shape
    target: Shape


@dataclass
class Picture:
    root: etree._Element
    shapes: list[Shape] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.root.itertext())


def picture(svg: str) -> Picture:
    found = Picture(etree.fromstring(svg.encode()))
    for scene in found.root.findall(f"{SVG}g"):
        _read_scene(found, scene, 0.0, 0.0, None)
    return found


def _read_scene(found: Picture, scene, x: float, y: float, inside: Shape | None) -> None:
    dx, dy = _moved(scene)
    x, y = x + dx, y + dy
    numbers: dict[str, Shape] = {}
    for group in scene.findall(f"{SVG}g"):
        dx, dy = _moved(group)
        frame = group.find(f"{SVG}rect")
        layer = group.get("data-layer")
        names = tuple(group.get("class").split()), group.get("data-box"), scene.get("data-path")
        place = x + dx, y + dy, float(frame.get("width")), float(frame.get("height"))
        folded = tuple(map(int, group.get("data-folded", "").split()))
        shape = Shape(*names, *place, None if layer is None else int(layer), folded, inside)
        for text in group.findall(f"{SVG}text"):
            place = shape.left + float(text.get("x")), shape.top + float(text.get("y"))
            shape.texts.append((text.get("class"), *place, text.text or ""))
        for rect in group.findall(f"{SVG}rect")[1:]:
            if rect.get("class") == "port":
                left, top = shape.left + float(rect.get("x")), shape.top + float(rect.get("y"))
                shape.ports.append((left, top, float(rect.get("width")), float(rect.get("height"))))
        found.shapes.append(shape)
        numbers[shape.number] = shape
        for inner in group.findall(f"{SVG}g"):
            _read_scene(found, inner, shape.left, shape.top, shape)
    for path in scene.findall(f"{SVG}path"):
        way = path.get("d").replace("C", "L").split("L")
        start, end = (tuple(map(float, part.strip("M").split()[-2:])) for part in (way[0], way[-1]))
        ends = numbers[path.get("data-from")], numbers[path.get("data-to")]
        found.lines.append(Line((start[0] + x, start[1] + y), (end[0] + x, end[1] + y), *ends))


def _moved(element) -> tuple[float, float]:
    inside = element.get("transform").removeprefix("translate(").removesuffix(")")
    dx, dy = map(float, inside.split())
    return dx, dy
