"""irops.draw: a picture of a model, and the formats that it can be written in."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse
from irops.analysis.structure import GraphNode, LayerNode
from irops.diagnostics.printable import plural, printable, shortened
from irops.dialects.registry import Registry
from irops.drawing import arrange, boxes
from irops.drawing.build import Notes, SceneBuilder
from irops.editing.extraction import Boundary, Name, Scope, extracted
from irops.environment import MissingExtraError, no_collection, require_extra
from irops.files.limits import Limits
from irops.files.output import PendingFiles, local_target
from irops.spec.definition import Definition


def _file(name: str) -> str:
    return (files("irops.drawing") / name).read_text(encoding="utf-8")


SUFFIXES = (".svg", ".html", ".png", ".pdf")
MAX_PIXELS = 20_000
"""The greatest width and height of a .png file; smaller ones have two pixels for each unit of the picture."""


@dataclass(frozen=True, eq=False, repr=False)
class Drawing:
    """A picture: svg and html are its texts, png and pdf its bytes, write stores it. notes: what the picture
    leaves out
    """

    title: str
    notes: tuple[str, ...]
    scene: boxes.Scene
    analysis: ModelAnalysis = field(repr=False)
    scope: Scope = field(repr=False)

    @cached_property
    def svg(self) -> str:
        """The picture, for light and dark displays."""
        return svg(self.scene, self.title, list(self.notes))

    @cached_property
    def html(self) -> str:
        """A page that needs no network: it pans, zooms, searches, and explains a layer on click."""
        about = details(self.scene, self.analysis, self.scope)
        data = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
        data = data.replace("<", "\\u003c")  # ends no script element
        texts = {"title": escape(printable(self.title)), "css": _file("page.css"), "script": _file("page.js")}
        return _file("page.html").format(svg=self.svg, data=data, **texts)

    @cached_property
    def png(self) -> bytes:
        """The picture for a light display. Raises: MissingExtraError without irops[png]"""
        scale = min(2, MAX_PIXELS / max(self.scene.width, self.scene.height))
        return bytes(_cairo().svg2png(bytestring=plain(self.svg).encode(), scale=scale))

    @cached_property
    def pdf(self) -> bytes:
        """The picture for a light display. Raises: MissingExtraError without irops[png]"""
        return bytes(_cairo().svg2pdf(bytestring=plain(self.svg).encode()))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the picture in the format of the suffix: .svg, .html, .png or .pdf.

        Raises:  ValueError; MissingExtraError without irops[png]
        """
        suffix = os.path.splitext(path)[1]
        if suffix not in SUFFIXES:
            raise ValueError(f"the suffix is {suffix!r}, must be one of {', '.join(SUFFIXES)}")
        content: str | bytes = getattr(self, suffix[1:])
        with PendingFiles(local_target(path)) as (file,):
            file.write(content.encode() if isinstance(content, str) else content)

    def __len__(self) -> int:
        """The number of boxes, those inside others included."""
        return sum(1 for _ in boxes.boxes(self.scene))

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing of {self.title!r}: {len(self)} boxes>"


def _cairo() -> Any:
    """The library that makes .png and .pdf files. Raises: MissingExtraError"""
    require_extra("png", "cairosvg", purpose="pictures in .png and .pdf files")
    try:
        import cairosvg
    except OSError:  # the shared library of cairo, which pip does not install
        raise MissingExtraError(
            "cairosvg needs the library cairo; install it: apt install libcairo2, brew install cairo"
        ) from None
    return cairosvg


def plain(svg: str) -> str:
    """A picture in light colours without what cairo does not know: variables, media, lists of fonts."""
    style, end, content = svg.partition("</style>")
    colours = dict(re.findall(r"--(\w+):(#\w+)", style[: style.index("@media")]))
    style = re.sub(r"@media.*", "", style)
    style = re.sub(r"var\(--(\w+)\)", lambda match: colours[match[1]], style)
    return re.sub(r"font-family:[^;]*", "font-family:monospace", style) + end + content


# What a page shows of a layer on click: its definition, its place in the file, its attributes and Facts.

MAX_FOLDED = 20_000
"""How many layers that are not drawn are listed by name."""
MAX_TEXT = 400
"""How many characters of an attribute are shown."""


def details(scene: boxes.Scene, analysis: ModelAnalysis, scope: Scope) -> dict[str, Any]:
    """layers: by path and id; definitions: by op; folded: name, type and output of other layers, by path and
    id.
    """
    layers: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    folded: dict[str, dict[str, list[str]]] = {}
    count = 0
    for around, box in boxes.boxes(scene):
        path = "/".join(map(printable, around.path))
        graph, inferred = _graph(analysis, scope, around.path)
        if box.node is not None:
            layers[f"{path}|{box.node.layer.id}"] = _layer(analysis, graph, inferred, box.node)
            if box.node.op is not None:
                definitions[box.node.op.id] = _definition(box.node.op.definition)
        for node in box.folded:
            if count < MAX_FOLDED:
                count += 1
                text = _outputs(inferred, node)[0][1] if node.layer.outputs else ""
                about = [printable(node.layer.name), printable(node.layer.type), text]
                folded.setdefault(path, {})[str(node.layer.id)] = about
    return {"layers": layers, "definitions": definitions, "folded": folded}


def _graph(analysis: ModelAnalysis, scope: Scope, path: tuple[str, ...]) -> tuple[GraphNode, Inferred | None]:
    """The graph of a scene with what is inferred of it."""
    graph = analysis.by_path[path]
    inferred = scope.inferred
    below = path[len(scope.graph.path) :]
    for layer, body in zip(below[::2], below[1::2]):
        inferred = None if inferred is None else inferred.of(layer).bodies.get(body)
    return graph, inferred


def _layer(
    analysis: ModelAnalysis, graph: GraphNode, inferred: Inferred | None, node: LayerNode
) -> dict[str, Any]:
    layer = node.layer
    place = str(analysis.location(layer, graph.path)) if layer.at >= 0 else "not in the file"
    inputs = []
    for index, source in enumerate(graph.wiring.inputs[layer.id]):
        if source is None:
            continue
        text = boxes.value_text(inferred, source[0].id, source[1])
        inputs.append([boxes.input_name(node, index), text, f"from {printable(source[0].name)}"])
    return {
        "op": node.op.id if node.op is not None else printable(f"{layer.type} {layer.version}"),
        "name": printable(f"{layer.name} (layer {layer.id})"),
        "location": printable(place),
        "inputs": inputs,
        "outputs": _outputs(inferred, node),
        "attributes": [[printable(name), printable(text[:MAX_TEXT])] for name, text in layer.data.items()],
    }


def _outputs(inferred: Inferred | None, node: LayerNode) -> list[list[str]]:
    specs = node.op.definition.outputs if node.op is not None else ()
    rows = []
    for index, port in enumerate(node.layer.outputs):
        name = specs[index].name if index < len(specs) and not specs[index].variadic else str(index)
        text = boxes.value_text(inferred, node.layer.id, index)
        rows.append([name, text, printable(", ".join(port.names))])
    return rows


def _definition(definition: Definition) -> dict[str, Any]:
    return {
        "category": definition.category,
        "summary": definition.summary,
        "formula": definition.formula,
        "constraints": [[constraint.id, constraint.text] for constraint in definition.constraints.values()],
    }


def draw(
    model: AnyModel,
    *,
    unfold: bool = False,
    around: Name | None = None,
    hops: int = 2,
    path: Sequence[str] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Drawing:
    """A picture of a model, which notebooks show; write("model.svg") or .html stores it.

    Boxes are layers, coloured by the category of their op; below each are the types and shapes of its
    outputs. Constants, and what follows from them, are parameters in the box of their user. Bodies are
    frames. Blocks of equal layers that follow one another are drawn once, and shape computations in the box
    of their user, unless unfold is given. A graph of more than about 1500 boxes is drawn as blocks of layers;
    notes of the picture say so.

    around, hops: draw what lies within so many edges of a layer; path: the layers and bodies down to the
        graph to draw: ("loop", "body")
    Raises:  MissingExtraError where no library for the layout is installed; ReadError where the model cannot
        be read; DiagnosticError for a layer that does not exist; KeyError for a path that does not
    """
    near = around
    analysis = analyse(model, registry, limits)
    whole = analysis
    cut = None
    if around is not None:
        graph = Scope.of(analysis, tuple(path)).graph
        cut = 1 + max(graph.layers, default=-1)
        around = _one_output(graph, around)
        part = extracted(analysis, Boundary(around=around, hops=hops, path=path))
        analysis = ModelAnalysis(replace(part.model, source=whole.model.source), whole.registry, whole.limits)
        path = ()
    with no_collection():
        scope = Scope.of(analysis, tuple(path))
        notes = Notes()
        scene = SceneBuilder(notes, unfold=unfold, cut=cut).scene(scope.graph, scope.inferred)
        arrange.arrange(scene)
    title = _title(whole, near, hops, path)
    return Drawing(title, tuple(_texts(notes, unfold=unfold)), scene, analysis, scope)


def _one_output(graph: GraphNode, around: Name) -> Name:
    """An output of a layer that has several, which are all around it."""
    if isinstance(around, tuple):
        return around
    try:
        layer = graph.find(around).layer
    except KeyError:
        return around
    return (layer.id, 0) if len(layer.outputs) > 1 else around


def _title(analysis: ModelAnalysis, around: Any, hops: int, path: Sequence[str]) -> str:
    name = shortened(analysis.model.name or "model", 60)
    where = f", {'/'.join(path)}" if path else ""
    near = f": {plural(hops, 'edge')} around {shortened(str(around), 40)}" if around is not None else ""
    return f"{name}{where}{near}"


def _texts(notes: Notes, *, unfold: bool) -> list[str]:
    """The parts that the picture leaves out."""
    texts = []
    if notes.blocks:
        drawn = f"{plural(notes.layers, 'layer')} are drawn as {plural(notes.blocks, 'block')}"
        texts.append(f"{drawn}; --around LAYER draws some of them")
    if notes.constants:
        what = "constants are" if unfold else "constants and shape computations are"
        texts.append(f"{plural(notes.constants, 'layer')} of {what} in the boxes of their users")
    if notes.repeats:
        texts.append(f"{plural(notes.repeats, 'repeated block')} drawn once; --unfold draws all")
    return texts


MARGIN, LEGEND_HEIGHT = 16.0, 22.0


def svg(scene: boxes.Scene, title: str, notes: list[str]) -> str:
    """The picture of a scene, with a title, notes and a legend above it."""
    groups = sorted(dict.fromkeys(_groups(scene)), key=list(boxes.TITLES).index)
    head, head_width, head_height = _head(title, notes, groups)
    across = max(scene.width, head_width) + 2 * MARGIN
    down = scene.height + head_height + 2 * MARGIN
    left = MARGIN + max(0.0, (head_width - scene.width) / 2)
    size = f'width="{_number(across)}" height="{_number(down)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="irops-drawing" {size}'
        f' viewBox="0 0 {_number(across)} {_number(down)}" role="img">',
        f"<title>{_text_element(title)}</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="irops-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0.5 8 4 0 7.5z" class="arrow"/></marker></defs>',
        f'<rect class="page" width="{_number(across)}" height="{_number(down)}"/>',
        *head,
        *_scene_element(scene, left, MARGIN + head_height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _groups(scene: boxes.Scene) -> Iterator[str]:
    for box in scene.boxes:
        if box.kind is boxes.BoxKind.LAYER:
            yield boxes.group_of(box.category)
        for _, part in box.parts:
            yield from _groups(part)


def _head(title: str, notes: list[str], groups: list[str]) -> tuple[list[str], float, float]:
    """The lines above the picture, with their width and height."""
    parts = [_line("heading", MARGIN, MARGIN + 12, title)]
    widest, y = boxes.width(title, 15), MARGIN + 14
    for note in notes:
        y += 16
        parts.append(_line("note", MARGIN, y, note))
        widest = max(widest, boxes.width(note, boxes.BODY))
    x = MARGIN
    y += 12
    for group in groups:
        across = boxes.width(boxes.TITLES[group], boxes.SMALL) + 30
        if x > MARGIN and x + across > 640:
            x, y = MARGIN, y + 16
        parts.append(
            f'<rect class="swatch {group}" x="{_number(x)}" y="{_number(y)}" width="11" height="11" rx="2"/>'
        )
        parts.append(_line("key", x + 16, y + 9.5, boxes.TITLES[group]))
        x += across
        widest = max(widest, x)
    return parts, widest, y - MARGIN + LEGEND_HEIGHT + 8


def _scene_element(scene: boxes.Scene, x: float, y: float) -> Iterator[str]:
    path = _text_element("/".join(scene.path))
    yield f'<g class="scene" data-path="{path}" transform="translate({_number(x)} {_number(y)})">'
    for link in scene.links:
        yield _link(link)
    for box in scene.boxes:
        yield from _box_element(box)
    yield "</g>"


def _link(link: boxes.Link) -> str:
    (x, y), *rest = link.points
    way = [f"M{_number(x)} {_number(y)}"]
    for place, (to_x, to_y) in enumerate(rest):
        if place % 2 or to_x == x:
            way.append(f"L{_number(to_x)} {_number(to_y)}")
        else:
            middle = _number((y + to_y) / 2)
            way.append(f"C{_number(x)} {middle} {_number(to_x)} {middle} {_number(to_x)} {_number(to_y)}")
        x, y = to_x, to_y
    ends = f'data-from="{link.source}" data-port="{link.port}" data-to="{link.target}"'
    return f'<path class="link" {ends} d="{"".join(way)}" marker-end="url(#irops-arrow)"/>'


def _box_element(box: boxes.Box) -> Iterator[str]:
    group = boxes.group_of(box.category) if box.kind is boxes.BoxKind.LAYER else ""
    own = "" if box.node is None else f' data-layer="{box.node.layer.id}"'
    folded = " ".join(str(node.layer.id) for node in box.folded)
    inside = f' data-folded="{folded}"' if folded else ""
    place = f"translate({_number(box.x)} {_number(box.y)})"
    kinds = " ".join(filter(None, ("box", box.kind, group)))
    yield f'<g class="{kinds}" data-box="{box.number}"{own}{inside} transform="{place}">'
    wide, tall = _number(box.width), _number(box.height)
    yield f'<rect class="frame" width="{wide}" height="{tall}" rx="4"/>'
    if box.kind is boxes.BoxKind.EXIT:
        yield "</g>"
        return
    if box.node is not None:
        yield f"<title>{_text_element(box.node.layer.name)}</title>"
    if box.kind is boxes.BoxKind.LAYER:
        yield f'<path class="title" d="{_title_path(box.width)}"/>'
    yield _line("line" if box.kind is boxes.BoxKind.ENTRY else "op", arrange.PADDING, 15.5, box.title)
    y = arrange.TITLE_HEIGHT
    if box.subtitle:
        y += 12
        yield _line("name", arrange.PADDING, y, box.subtitle)
        y += 2
    for line in box.lines:
        y += arrange.LINE_HEIGHT
        yield _line("line", arrange.PADDING, y - 2, line)
    for caption, part in box.parts:
        if caption:
            wide_body, tall_body = part.width + arrange.FRAME_MARGIN, part.height + arrange.PART_TITLE + 7
            size = f'width="{_number(wide_body)}" height="{_number(tall_body)}"'
            x, y_title = part.x - arrange.FRAME_MARGIN / 2, part.y - arrange.PART_TITLE
            at = f'x="{_number(x)}" y="{_number(y_title)}"'
            yield f'<rect class="body" {at} {size} rx="4"/>'
            yield _line("caption", part.x, part.y - 5, caption)
        yield from _scene_element(part, part.x, part.y)
    for port in box.ports:
        x = port.x - port.width / 2
        size = f'width="{_number(port.width)}" height="{_number(arrange.PORT_HEIGHT)}"'
        if not port.text:
            size = f'width="8" height="{_number(arrange.PORT_HEIGHT)}"'
        yield f'<rect class="port" x="{_number(x)}" y="{tall}" {size} rx="3"/>'
        if port.text:
            yield _line("shape", x + 5, box.height + 11, port.text)
    yield "</g>"


def _title_path(across: float) -> str:
    """The upper part of a box, with round corners above."""
    down = f"{arrange.TITLE_HEIGHT:g}"
    return f"M0 {down}V4a4 4 0 0 1 4-4H{_number(across - 4)}a4 4 0 0 1 4 4V{down}z"


def _line(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{_number(x)}" y="{_number(y)}">{_text_element(text)}</text>'


def _text_element(text: str) -> str:
    return escape(printable(text))


def _number(value: float) -> str:
    return f"{round(value, 1):g}"


# The style sheet of pictures, for light and dark displays.

_GROUPS = "".join(
    f".irops-drawing .{name}>.title,.irops-drawing .swatch.{name}{{fill:{colour}}}\n"
    for name, colour in boxes.LIGHT.items()
)
_RULES = Template(_file("picture.css")).substitute(
    body=f"{boxes.BODY:g}", title=f"{boxes.TITLE:g}", small=f"{boxes.SMALL:g}"
)
STYLE = _RULES + _GROUPS
"""Of <style> in the picture; every rule is limited to it, since notebooks put pictures into their page."""
