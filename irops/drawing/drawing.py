"""A picture of a model, in the formats that it can be written in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode, LayerNode
from irops.diagnostics.printable import (
    Dot,
    Markup,
    OwnText,
    in_dot,
    in_html,
    json_in_html,
    literal,
    own_file,
    printable,
)
from irops.drawing.colours import LIGHT, group_of
from irops.drawing.layer_box import input_name, value_text
from irops.drawing.scene import Box, BoxKind, Scene, boxes, scenes, shown_layers
from irops.drawing.svg import svg
from irops.editing.scope import Scope
from irops.ir.model import LayerCount
from irops.ir.pending import write_report
from irops.ir.targets import PICTURE
from irops.spec.definition import Definition

# A picture as a page in one file, which needs no network.

_PAGE = literal("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title><style>
{css}</style></head>
<body><header><h1>{title}</h1>
<input id="search" type="search" placeholder="search layers ( / )" aria-label="search">
<span id="count"></span>
<button id="out" aria-label="smaller">-</button><button id="in" aria-label="larger">+</button>
<button id="fit">fit</button></header>
<main><div id="view">{svg}</div><aside id="panel" hidden></aside></main>
<script type="application/json" id="data">{data}</script>
<script>
{script}</script></body></html>
""")


def page(title: str, svg: Markup, details: dict[str, Any]) -> Markup:
    """The page of a picture. details: see irops.drawing.drawing"""
    return _PAGE.format(
        title=in_html(title),
        css=_file_text("page.css"),
        svg=svg,
        data=json_in_html(details),
        script=_file_text("page.js"),
    )


def _file_text(name: OwnText) -> Markup:
    return own_file("irops.drawing", name)


# What a page shows of a layer on click: its definition, its place in the file, its attributes and Facts.

MAX_FOLDED = 20_000
"""How many layers that are not drawn are listed by name."""
MAX_TEXT = 400
"""How many characters of an attribute are shown."""


def details(scene: Scene, analysis: ModelAnalysis, scope: Scope) -> dict[str, Any]:
    """layers: by path and id; definitions: by op; folded: name, type and output of other layers, by path and
    id.
    """
    layers: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    folded: dict[str, dict[str, list[str]]] = {}
    count = 0
    for around, box in boxes(scene):
        path = "/".join(map(printable, around.path))
        graph, inferred = _graph(analysis, scope, around.path)
        if box.node is not None:
            layers[f"{path}|{box.node.layer.id}"] = _layer(analysis, graph, inferred, box.node)
            if box.node.op is not None:
                definitions[box.node.op.id] = _definition(box.node.op.definition)
        for node in (*box.folded, *(node for copy in box.copies[1:] for node in copy)):
            if count < MAX_FOLDED:
                count += 1
                folded.setdefault(path, {})[str(node.layer.id)] = [
                    printable(node.layer.name),
                    printable(node.layer.type),
                    _outputs(inferred, node)[0][1] if node.layer.outputs else "",
                ]
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
        facts = inferred.layers.get(source[0].id) if inferred is not None else None
        text = value_text(facts.outputs[source[1]]) if facts and source[1] < len(facts.outputs) else "?"
        inputs.append([input_name(node, index), text, f"from {printable(source[0].name)}"])
    return {
        "op": node.op.id if node.op is not None else printable(f"{layer.type} {layer.version}"),
        "name": printable(f"{layer.name} (layer {layer.id})"),
        "location": printable(place),
        "inputs": inputs,
        "outputs": _outputs(inferred, node),
        "attributes": [[printable(name), printable(text[:MAX_TEXT])] for name, text in layer.data.items()],
    }


def _outputs(inferred: Inferred | None, node: LayerNode) -> list[list[str]]:
    facts = inferred.layers.get(node.layer.id) if inferred is not None else None
    specs = node.op.definition.outputs if node.op is not None else ()
    rows = []
    for index, port in enumerate(node.layer.outputs):
        name = specs[index].name if index < len(specs) and not specs[index].variadic else str(index)
        text = value_text(facts.outputs[index]) if facts is not None and index < len(facts.outputs) else "?"
        rows.append([name, text, printable(", ".join(port.names))])
    return rows


def _definition(definition: Definition) -> dict[str, Any]:
    return {
        "category": definition.category,
        "summary": definition.summary,
        "formula": definition.formula,
        "constraints": [[constraint.id, constraint.text] for constraint in definition.constraints.values()],
    }


# A picture in the language of Graphviz.


def dot(scene: Scene, title: str) -> Dot:
    """The boxes and edges of a scene; bodies and repeated blocks are clusters."""
    lines: list[Dot] = [
        literal("digraph {"),
        f'  label="{in_dot(title)}"; labelloc=t; compound=true;',
        literal('  node [shape=box style=filled fillcolor=white fontname="monospace" fontsize=11];'),
        literal('  edge [fontname="monospace" fontsize=10];'),
        *_scene(scene, "n", "  "),
        literal("}"),
    ]
    return "\n".join(lines) + "\n"


def _scene(scene: Scene, prefix: Dot, indent: Dot) -> Iterator[Dot]:
    for number, box in enumerate(scene.boxes):
        yield from _box(box, f"{prefix}{number}", indent)
    for link in scene.links:
        source = scene.boxes[link.source]
        text = source.ports[link.port].text if link.port < len(source.ports) else ""
        label = {"label": text, "headlabel": ",".join(map(str, link.inputs))}
        start = f"{prefix}{link.source}{_exit_of(source, link.port)}"
        entry: Dot = literal("") if link.entry is None else f"_0_{link.entry}"
        yield _edge(indent, start, f"{prefix}{link.target}{entry}", label)
    for number, box in enumerate(scene.boxes):
        if box.carried is not None:
            label = {"label": "next block", "style": "dashed", "constraint": "false"}
            yield _edge(indent, f"{prefix}{box.carried[0]}", f"{prefix}{number}", label)


def _edge(indent: Dot, start: Dot, end: Dot, attributes: dict[str, str]) -> Dot:
    texts = [f'{in_dot(name)}="{in_dot(text)}"' for name, text in attributes.items() if text]
    return f"{indent}{start} -> {end}{' [' + ' '.join(texts) + ']' if texts else ''};"


def _exit_of(box: Box, port: int) -> Dot:
    """The rest of the name of the node from which an edge starts: the exit inside a repeated block."""
    if box.kind is not BoxKind.REPEAT:
        return literal("")
    inner = box.parts[0][1]
    exits = [number for number, inside in enumerate(inner.boxes) if inside.kind is BoxKind.EXIT]
    return f"_0_{exits[port]}"


def _box(box: Box, name: Dot, indent: Dot) -> Iterator[Dot]:
    if box.kind is BoxKind.EXIT:
        yield f'{indent}{name} [shape=point label=""];'
        return
    label = "\\l".join(in_dot(line) for line in (box.title, box.subtitle, *box.lines) if line) + "\\l"
    colour: Dot = (
        f' color="{in_dot(LIGHT[group_of(box.category)])}" penwidth=2'
        if box.kind is BoxKind.LAYER
        else literal("")
    )
    node = f'{name} [label="{label}"{colour}];'
    if not box.parts:
        yield indent + node
        return
    yield f'{indent}subgraph cluster_{name} {{ label=""; style=dashed;'
    yield f"{indent}  {node}"
    for place, (caption, part) in enumerate(box.parts):
        yield f'{indent}  subgraph cluster_{name}_{place} {{ label="{in_dot(caption)}";'
        yield from _scene(part, f"{name}_{place}_", indent + "    ")
        yield f"{indent}  }}"
    yield f"{indent}}}"


SUFFIXES = (".svg", ".html", ".dot")


@dataclass(frozen=True, eq=False, repr=False)
class Drawing:
    """A picture: svg, html and dot are its texts, write stores it. notes: what the picture leaves out"""

    title: str
    notes: tuple[str, ...]
    scene: Scene
    analysis: ModelAnalysis = field(repr=False)
    scope: Scope = field(repr=False)

    @cached_property
    def svg(self) -> Markup:
        """The picture, for light and dark displays."""
        return svg(self.scene, self.title, list(self.notes))

    @cached_property
    def html(self) -> Markup:
        """A page that needs no network: it pans, zooms, searches, and explains a layer on click."""
        return page(self.title, self.svg, details(self.scene, self.analysis, self.scope))

    @cached_property
    def dot(self) -> Dot:
        """The boxes and edges in the language of Graphviz."""
        return dot(self.scene, self.title)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the picture in the format of the suffix: .svg, .html or .dot. Raises: ValueError"""
        text = self.text(os.path.splitext(path)[1])
        write_report(path, PICTURE, text)

    def text(self, suffix: str) -> Markup | Dot:
        """The text of a format. Raises: ValueError"""
        if suffix not in SUFFIXES:
            raise ValueError(f"the suffix is {suffix!r}, must be .svg, .html or .dot")
        match suffix:
            case ".svg":
                return self.svg
            case ".html":
                return self.html
            case _:
                return self.dot

    @property
    def layers(self) -> LayerCount:
        """How many layers it shows, in boxes of their own or within boxes."""
        counts = [len(shown_layers(scene)) for scene in scenes(self.scene)]
        return LayerCount(counts[0], sum(counts))

    def __len__(self) -> int:
        """The number of boxes, those inside others included."""
        return sum(1 for _ in boxes(self.scene))

    def _repr_svg_(self) -> Markup:
        return self.svg

    def __str__(self) -> Markup:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing of {self.title!r}: {len(self)} boxes>"
