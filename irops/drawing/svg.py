"""A laid out scene as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from irops.diagnostics.printable import printable
from irops.drawing.arrange import FRAME_MARGIN, LINE_HEIGHT, PADDING, PART_TITLE, PORT_HEIGHT, TITLE_HEIGHT
from irops.drawing.boxes import BODY, LIGHT, SMALL, TITLE, TITLES, group_of, width
from irops.drawing.scene import Box, BoxKind, Link, Scene

MARGIN, LEGEND_HEIGHT = 16.0, 22.0


def svg(scene: Scene, title: str, notes: list[str]) -> str:
    """The picture of a scene, with a title, notes and a legend above it."""
    groups = sorted(dict.fromkeys(_groups(scene)), key=list(TITLES).index)
    head, head_width, head_height = _head(title, notes, groups)
    across = max(scene.width, head_width) + 2 * MARGIN
    down = scene.height + head_height + 2 * MARGIN
    left = MARGIN + max(0.0, (head_width - scene.width) / 2)
    size = f'width="{_number(across)}" height="{_number(down)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="irops-drawing" {size}'
        f' viewBox="0 0 {_number(across)} {_number(down)}" role="img">',
        f"<title>{_text(title)}</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="irops-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0.5 8 4 0 7.5z" class="arrow"/></marker></defs>',
        f'<rect class="page" width="{_number(across)}" height="{_number(down)}"/>',
        *head,
        *_scene(scene, left, MARGIN + head_height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _groups(scene: Scene) -> Iterator[str]:
    for box in scene.boxes:
        if box.kind is BoxKind.LAYER:
            yield group_of(box.category)
        for _, part in box.parts:
            yield from _groups(part)


def _head(title: str, notes: list[str], groups: list[str]) -> tuple[list[str], float, float]:
    """The lines above the picture, with their width and height."""
    parts = [_line("heading", MARGIN, MARGIN + 12, title)]
    widest, y = width(title, 15), MARGIN + 14
    for note in notes:
        y += 16
        parts.append(_line("note", MARGIN, y, note))
        widest = max(widest, width(note, BODY))
    x = MARGIN
    y += 12
    for group in groups:
        across = width(TITLES[group], SMALL) + 30
        if x > MARGIN and x + across > 640:
            x, y = MARGIN, y + 16
        parts.append(
            f'<rect class="swatch {group}" x="{_number(x)}" y="{_number(y)}" width="11" height="11" rx="2"/>'
        )
        parts.append(_line("key", x + 16, y + 9.5, TITLES[group]))
        x += across
        widest = max(widest, x)
    return parts, widest, y - MARGIN + LEGEND_HEIGHT + 8


def _scene(scene: Scene, x: float, y: float) -> Iterator[str]:
    path = _text("/".join(scene.path))
    yield f'<g class="scene" data-path="{path}" transform="translate({_number(x)} {_number(y)})">'
    for link in scene.links:
        yield _link(link)
    for box in scene.boxes:
        yield from _box(box)
    yield "</g>"


def _link(link: Link) -> str:
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


def _box(box: Box) -> Iterator[str]:
    group = group_of(box.category) if box.kind is BoxKind.LAYER else ""
    own = "" if box.node is None else f' data-layer="{box.node.layer.id}"'
    folded = " ".join(str(node.layer.id) for node in box.folded)
    inside = f' data-folded="{folded}"' if folded else ""
    place = f"translate({_number(box.x)} {_number(box.y)})"
    kinds = " ".join(filter(None, ("box", box.kind, group)))
    yield f'<g class="{kinds}" data-box="{box.number}"{own}{inside} transform="{place}">'
    wide, tall = _number(box.width), _number(box.height)
    yield f'<rect class="frame" width="{wide}" height="{tall}" rx="4"/>'
    if box.kind is BoxKind.EXIT:
        yield "</g>"
        return
    if box.node is not None:
        yield f"<title>{_text(box.node.layer.name)}</title>"
    if box.kind is BoxKind.LAYER:
        yield f'<path class="title" d="{_title_path(box.width)}"/>'
    yield _line("line" if box.kind is BoxKind.ENTRY else "op", PADDING, 15.5, box.title)
    y = TITLE_HEIGHT
    if box.subtitle:
        y += 12
        yield _line("name", PADDING, y, box.subtitle)
        y += 2
    for line in box.lines:
        y += LINE_HEIGHT
        yield _line("line", PADDING, y - 2, line)
    for caption, part in box.parts:
        if caption:
            wide_body, tall_body = part.width + FRAME_MARGIN, part.height + PART_TITLE + 7
            size = f'width="{_number(wide_body)}" height="{_number(tall_body)}"'
            at = f'x="{_number(part.x - FRAME_MARGIN / 2)}" y="{_number(part.y - PART_TITLE)}"'
            yield f'<rect class="body" {at} {size} rx="4"/>'
            yield _line("caption", part.x, part.y - 5, caption)
        yield from _scene(part, part.x, part.y)
    for port in box.ports:
        x = port.x - port.width / 2
        size = f'width="{_number(port.width)}" height="{_number(PORT_HEIGHT)}"'
        if not port.text:
            size = f'width="8" height="{_number(PORT_HEIGHT)}"'
        yield f'<rect class="port" x="{_number(x)}" y="{tall}" {size} rx="3"/>'
        if port.text:
            yield _line("shape", x + 5, box.height + 11, port.text)
    yield "</g>"


def _title_path(across: float) -> str:
    """The upper part of a box, with round corners above."""
    return f"M0 {TITLE_HEIGHT:g}V4a4 4 0 0 1 4-4H{_number(across - 4)}a4 4 0 0 1 4 4V{TITLE_HEIGHT:g}z"


def _line(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{_number(x)}" y="{_number(y)}">{_text(text)}</text>'


def _text(text: str) -> str:
    return escape(printable(text))


def _number(value: float) -> str:
    return f"{round(value, 1):g}"


# The style sheet of pictures, for light and dark displays.

_MONO = "ui-monospace,'SF Mono',Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace"
_LIGHT = {
    "page": "#ffffff",
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "faint": "#57606a",
    "line": "#6a737d",
    "edge": "#9aa3ad",
    "inside": "#f4f6f8",
}
_DARK = {
    "page": "#14171b",
    "paper": "#1e2329",
    "ink": "#e6eaef",
    "faint": "#a3acb7",
    "line": "#98a2ae",
    "edge": "#5a646f",
    "inside": "#191d22",
}
_TEXTS = f"""
.irops-drawing text{{font-family:{_MONO};white-space:pre;fill:var(--ink)}}
.irops-drawing .heading{{font-size:15px;font-weight:600}}
.irops-drawing .note,.irops-drawing .line,.irops-drawing .caption{{font-size:{BODY:g}px}}
.irops-drawing .op{{font-size:{TITLE:g}px;font-weight:600}}
.irops-drawing .layer>.op{{fill:#fff}}
.irops-drawing .name,.irops-drawing .shape,.irops-drawing .key{{font-size:{SMALL:g}px}}
.irops-drawing .name,.irops-drawing .note,.irops-drawing .caption{{fill:var(--faint)}}
.irops-drawing .page{{fill:var(--page)}}
.irops-drawing .frame{{fill:var(--paper);stroke:var(--edge)}}
.irops-drawing .port{{fill:var(--inside);stroke:var(--edge)}}
.irops-drawing .body,.irops-drawing .repeat>.frame{{fill:var(--inside);stroke:var(--edge)}}
.irops-drawing .body,.irops-drawing .repeat>.frame{{stroke-dasharray:5 3}}
.irops-drawing .entry>.frame,.irops-drawing .cut>.frame{{stroke-dasharray:2 2}}
.irops-drawing .exit>.frame{{fill:var(--line);stroke:none}}
.irops-drawing .link{{fill:none;stroke:var(--line);stroke-width:1.3}}
.irops-drawing .arrow{{fill:var(--line)}}
"""


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{name}:{colour}" for name, colour in colours.items())


_GROUPS = "".join(
    f".irops-drawing .{name}>.title,.irops-drawing .swatch.{name}{{fill:{colour}}}\n"
    for name, colour in LIGHT.items()
)
STYLE = (
    f".irops-drawing{{{_variables(_LIGHT)};color-scheme:light dark}}\n"
    f"@media (prefers-color-scheme:dark){{.irops-drawing{{{_variables(_DARK)}}}}}{_TEXTS}{_GROUPS}"
)
"""Of <style> in the picture; every rule is limited to it, since notebooks put pictures into their page."""
