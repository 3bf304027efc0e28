"""The boxes of layers: their colours and texts, and the layers that are drawn as parameters of their users.

Widths of texts are those of monospaced fonts, so that text fits its box whatever font the reader has.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from unicodedata import east_asian_width

import numpy as np

from irops.analysis.inferred import Inferred
from irops.analysis.structure import GraphNode, LayerNode
from irops.diagnostics.printable import printable
from irops.ir.model import LayerKind
from irops.values.fact import Fact, holds_dims

# The content of a picture, before and after layout.


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


# The boxes of layers.


_GROUPS = (
    ("weighted", "#3465a4", "convolution, matrix", "convolution matrix"),
    ("elementwise", "#5c6670", "arithmetic, logic, types", "arithmetic bitwise comparison logical type"),
    ("activation", "#a3354a", "activation", "activation"),
    ("pooling", "#2f7a3d", "pooling, reduction, sorting", "pooling reduction sort"),
    ("normalization", "#8a6100", "normalization, quantization", "normalization quantization"),
    ("movement", "#74508c", "movement, shapes", "movement shape generation"),
    ("recurrent", "#b14a12", "sequence, control flow", "sequence condition"),
    ("detection", "#0f7577", "detection, image, signals", "detection image signals sparse tokenizers"),
    ("model", "#3d4248", "inputs, results, state", "infrastructure"),
    ("other", "#6b5b4a", "other", ""),
)
GROUP = {category: name for name, _, _, categories in _GROUPS for category in categories.split()}
"""The group of each category; ops of other categories have the group "other"."""
LIGHT = {name: colour for name, colour, _, _ in _GROUPS}
"""The colour of a title with white text on it, by group; each has a contrast of at least 4.5 to white."""
TITLES = {name: title for name, _, title, _ in _GROUPS}
"""The names of the groups in the legend."""


def group_of(category: str) -> str:
    return GROUP.get(category, "other")


TITLE, BODY, SMALL = 13.0, 11.0, 10.0
"""Font sizes."""
ADVANCE = 0.61
"""The width of a character in monospaced fonts, as a share of the font size."""
NAME_WIDTH = 34
"""How many characters of a name are shown."""


def cells(text: str) -> int:
    """How many character cells a text takes."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def width(text: str, size: float) -> float:
    return round(cells(text) * size * ADVANCE, 1)


def head(text: str, limit: int) -> str:
    """The start of a text, on one line of at most limit cells."""
    line = printable(text[: limit + 1])
    if cells(line) <= limit:
        return line
    while cells(line) > limit - 1:
        line = line[:-1]
    return f"{line}…"


def tail(text: str, limit: int = NAME_WIDTH) -> str:
    """The end of a text, where names of layers differ, on one line of at most limit cells."""
    line = printable(text[-limit - 1 :])
    if len(text) <= limit and cells(line) <= limit:
        return line
    while cells(line) > limit - 1:
        line = line[1:]
    # whole parts of a name read better
    part = min((k for k in map(line.find, "/.") if 0 <= k < 12), default=-1)
    return f"…{line[part + 1 :]}"


MAX_SHAPE_ELEMENTS = 16
"""Integer tensors of more elements are not taken for shapes."""


def folded_layers(graph: GraphNode, inferred: Inferred | None, *, with_shapes: bool) -> set[int]:
    """The ids of the layers that are drawn in the boxes of their users.

    with_shapes: also those that compute shapes: integers of at most one dimension, from ShapeOf on.
    """
    constant: set[int] = set()
    shapes: set[int] = set()
    for node in graph.order:
        number = node.layer.id
        sources = [s[0].id for s in graph.wiring.inputs[number] if s is not None]
        if node.layer.kind is LayerKind.CONSTANT:
            constant.add(number)
        elif node.layer.kind is not LayerKind.OPERATION or node.bodies or not node.layer.outputs:
            continue
        elif sources and constant.issuperset(sources):
            constant.add(number)
        elif with_shapes and _is_shape_step(node, sources, constant | shapes, inferred):
            shapes.add(number)
    folded = constant | shapes  # but for those that would not be in the picture at all
    consumers = graph.wiring.consumers
    for node in reversed(graph.order):  # users first: they decide on what they use
        number = node.layer.id
        if number in folded:
            users = [u for k in range(len(node.layer.outputs)) for u, _ in consumers.get((number, k), ())]
            if not users or any(user.kind is LayerKind.RESULT for user in users):
                folded.discard(number)
    return folded


def _is_shape_step(node: LayerNode, sources: list[int], before: set[int], inferred: Inferred | None) -> bool:
    if inferred is None or node.layer.id not in inferred.layers:
        return False
    follows = node.layer.type == "ShapeOf" or (bool(sources) and before.issuperset(sources))
    return follows and all(_is_small(fact) for fact in inferred.of(node.layer.id).outputs)


def _is_small(fact: Fact) -> bool:
    rank, size = fact.shape.rank, fact.shape.size
    return fact.element_type.integral and rank is not None and rank <= 1 and size.high <= MAX_SHAPE_ELEMENTS


def behind(graph: GraphNode, numbers: Iterable[int], folded: set[int]) -> list[int]:
    """Layers, and the folded layers that they depend on."""
    found = dict.fromkeys(numbers)
    ahead = list(found)
    while ahead:
        for source in graph.wiring.inputs[ahead.pop()]:
            if source is not None and source[0].id in folded and source[0].id not in found:
                found[source[0].id] = None
                ahead.append(source[0].id)
    return list(found)


MAX_PARAMETERS = 6
"""How many parameters a box lists."""
LINE = 40
"""How many characters a line of a box has."""
SHOWN_ELEMENTS = 4
"""The elements of smaller parameters are shown in place of their type and shape."""


def fact_text(inferred: Inferred | None, number: int, index: int) -> str:
    """Type and shape of a value: f32[1,3,224,224]."""
    fact = _fact(inferred, number, index)
    return "?" if fact is None else head(fact.spelled, LINE)


def _fact(inferred: Inferred | None, number: int, index: int) -> Fact | None:
    """The Fact that is inferred of an output of a layer, if there is one."""
    facts = None if inferred is None else inferred.layers.get(number)
    return facts.outputs[index] if facts is not None and index < len(facts.outputs) else None


def layer_box(graph: GraphNode, inferred: Inferred | None, node: LayerNode, folded: set[int]) -> Box:
    """The box of a layer, without what is in its bodies."""
    layer = node.layer
    category = node.op.definition.category if node.op is not None else ""
    box = Box(BoxKind.LAYER, head(layer.type, LINE), tail(layer.name), category, node)
    if node.bodies:
        box.category = "condition"  # coloured as control flow, whatever the definition counts it to
    if layer.kind is LayerKind.CONSTANT and _fact(inferred, layer.id, 0) is not None:
        box.lines.append(head(value_text(inferred, layer.id, 0), LINE))
    if layer.kind is LayerKind.SINK or layer.data.get("variable_id"):
        box.lines.append(f"variable {tail(layer.data.get('variable_id', ''), 24)}")
    lines = []
    inside: dict[int, None] = {}
    for index, source in enumerate(graph.wiring.inputs[layer.id]):
        if source is not None and source[0].id in folded:
            text = value_text(inferred, source[0].id, source[1])
            lines.append(head(f"{input_name(node, index)} {text}", LINE))
            inside |= dict.fromkeys(behind(graph, (source[0].id,), folded))
    if len(lines) > MAX_PARAMETERS:
        lines[MAX_PARAMETERS - 1 :] = [f"and {len(lines) - MAX_PARAMETERS + 1} more parameters"]
    box.lines += lines
    box.folded = [graph.layers[number] for number in inside]
    consumers = graph.wiring.consumers
    used = [k for k in range(len(layer.outputs)) if (layer.id, k) in consumers]
    shown = used[:8] if used else list(range(min(len(layer.outputs), 1)))
    for index in range(shown[-1] + 1 if shown else 0):
        box.ports.append(DrawnPort(fact_text(inferred, layer.id, index) if index in shown else ""))
    return box


def input_name(node: LayerNode, index: int) -> str:
    """The name of an input by the definition, or its number."""
    specs = node.op.definition.inputs if node.op is not None else ()
    if index < len(specs) and not specs[index].variadic:
        return specs[index].name
    return str(index)


def value_text(inferred: Inferred | None, number: int, index: int) -> str:
    """The elements of a small value where they are known, else its type and shape."""
    fact = _fact(inferred, number, index)
    if fact is None:
        return "?"
    known = fact.known if fact.shape.size.high <= SHOWN_ELEMENTS else None
    if known is None or known.size == 0:
        return fact.spelled
    texts = [e.spelled for e in known.ravel()] if holds_dims(known) else [_number(e) for e in known.ravel()]
    if set(texts) == {"?"}:
        return fact.spelled
    return texts[0] if known.ndim == 0 else f"[{','.join(texts)}]"


def _number(element: object) -> str:
    if isinstance(element, str):
        return repr(element)
    if isinstance(element, np.integer | int):
        return str(int(element))
    value = float(element)  # type: ignore[arg-type]  # numpy scalars, and those of ml_dtypes
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.4g}"
