"""A picture in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from irops.diagnostics.printable import printable
from irops.drawing.colours import LIGHT, group_of
from irops.drawing.scene import Box, BoxKind, Scene


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
