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
from irops.diagnostics.printable import printable
from irops.drawing.colours import LIGHT, group_of
from irops.drawing.layer_box import input_name, value_text
from irops.drawing.page import page
from irops.drawing.scene import Box, BoxKind, Scene, boxes
from irops.drawing.svg import svg
from irops.editing.scope import Scope
from irops.editing.scope import Scope as GraphScope
from irops.ir.pending import Pending
from irops.ir.targets import local_target
from irops.spec.definition import Definition

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
    def svg(self) -> str:
        """The picture, for light and dark displays."""
        return svg(self.scene, self.title, list(self.notes))

    @cached_property
    def html(self) -> str:
        """A page that needs no network: it pans, zooms, searches, and explains a layer on click."""
        return page(self.title, self.svg, details(self.scene, self.analysis, self.scope))

    @cached_property
    def dot(self) -> str:
        """The boxes and edges in the language of Graphviz."""
        return dot(self.scene, self.title)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the picture in the format of the suffix: .svg, .html or .dot. Raises: ValueError"""
        text = self.text(os.path.splitext(path)[1])
        with Pending(local_target(path)) as (file,):
            file.write(text.encode())

    def text(self, suffix: str) -> str:
        """The text of a format. Raises: ValueError"""
        if suffix not in SUFFIXES:
            raise ValueError(f"the suffix is {suffix!r}, must be .svg, .html or .dot")
        return str(getattr(self, suffix[1:]))

    def __len__(self) -> int:
        """The number of boxes, those inside others included."""
        return sum(1 for _ in boxes(self.scene))

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing of {self.title!r}: {len(self)} boxes>"


# What a page shows of a layer on click: its definition, its place in the file, its attributes and Facts.

MAX_FOLDED = 20_000
"""How many layers that are not drawn are listed by name."""
MAX_TEXT = 400
"""How many characters of an attribute are shown."""


def details(scene: Scene, analysis: ModelAnalysis, scope: GraphScope) -> dict[str, Any]:
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
        for node in box.folded:
            if count < MAX_FOLDED:
                count += 1
                folded.setdefault(path, {})[str(node.layer.id)] = [
                    printable(node.layer.name),
                    printable(node.layer.type),
                    _outputs(inferred, node)[0][1] if node.layer.outputs else "",
                ]
    return {"layers": layers, "definitions": definitions, "folded": folded}


def _graph(
    analysis: ModelAnalysis, scope: GraphScope, path: tuple[str, ...]
) -> tuple[GraphNode, Inferred | None]:
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


def dot(scene: Scene, title: str) -> str:
    """The boxes and edges of a scene; bodies and repeated blocks are clusters."""
    lines = [
        "digraph {",
        f'  label="{_text(title)}"; labelloc=t; compound=true;',
        '  node [shape=box style=filled fillcolor=white fontname="monospace" fontsize=11];',
        '  edge [fontname="monospace" fontsize=10];',
        *_scene(scene, "n", "  "),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _scene(scene: Scene, prefix: str, indent: str) -> Iterator[str]:
    for number, box in enumerate(scene.boxes):
        yield from _box(box, f"{prefix}{number}", indent)
    for link in scene.links:
        source = scene.boxes[link.source]
        text = source.ports[link.port].text if link.port < len(source.ports) else ""
        label = f' [label="{_text(text)}"]' if text else ""
        yield f"{indent}{prefix}{link.source} -> {prefix}{link.target}{label};"


def _box(box: Box, name: str, indent: str) -> Iterator[str]:
    if box.kind is BoxKind.EXIT:
        yield f'{indent}{name} [shape=point label=""];'
        return
    label = "\\l".join(_text(line) for line in (box.title, box.subtitle, *box.lines) if line) + "\\l"
    colour = f' color="{LIGHT[group_of(box.category)]}" penwidth=2' if box.kind is BoxKind.LAYER else ""
    node = f'{name} [label="{label}"{colour}];'
    if not box.parts:
        yield indent + node
        return
    yield f'{indent}subgraph cluster_{name} {{ label=""; style=dashed;'
    yield f"{indent}  {node}"
    for place, (caption, part) in enumerate(box.parts):
        yield f'{indent}  subgraph cluster_{name}_{place} {{ label="{_text(caption)}";'
        yield from _scene(part, f"{name}_{place}_", indent + "    ")
        yield f"{indent}  }}"
    yield f"{indent}}}"


def _text(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')
