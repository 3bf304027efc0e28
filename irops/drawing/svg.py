"""A laid out scene as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from irops.diagnostics.printable import Markup, in_html, literal
from irops.drawing.arrange import FRAME_MARGIN, LINE_HEIGHT, PADDING, PART_TITLE, PORT_HEIGHT, TITLE_HEIGHT
from irops.drawing.colours import LIGHT, TITLES, group_of
from irops.drawing.scene import Box, BoxKind, Link, Scene, needs_input
from irops.drawing.text import BODY, SMALL, TITLE, width

# The style sheet of pictures, for light and dark displays.

_MONO: Final = "ui-monospace,'SF Mono',Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace"
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
_TEXTS: Markup = f"""
.irops-drawing text{{font-family:{_MONO};white-space:pre;fill:var(--ink)}}
.irops-drawing .heading{{font-size:15px;font-weight:600}}
.irops-drawing .note,.irops-drawing .line,.irops-drawing .caption{{font-size:{BODY:g}px}}
.irops-drawing .op{{font-size:{TITLE:g}px;font-weight:600}}
.irops-drawing .layer>.op{{fill:#fff}}
.irops-drawing .name,.irops-drawing .shape,.irops-drawing .key,.irops-drawing .input{{font-size:{SMALL:g}px}}
.irops-drawing .name,.irops-drawing .note,.irops-drawing .caption,.irops-drawing .input{{fill:var(--faint)}}
.irops-drawing .input{{paint-order:stroke;stroke:var(--page);stroke-width:3px}}
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


def _variables(colours: dict[str, str]) -> Markup:
    return ";".join(f"--{in_html(name)}:{in_html(colour)}" for name, colour in colours.items())


_GROUPS = "".join(
    f".irops-drawing .{name}>.title,.irops-drawing .swatch.{name}{{fill:{colour}}}\n"
    for name, colour in (map(in_html, pair) for pair in LIGHT.items())
)
STYLE: Markup = (
    f".irops-drawing{{{_variables(_LIGHT)};color-scheme:light dark}}\n"
    f"@media (prefers-color-scheme:dark){{.irops-drawing{{{_variables(_DARK)}}}}}{_TEXTS}{_GROUPS}"
)
"""Of <style> in the picture; every rule is limited to it, since notebooks put pictures into their page."""


MARGIN, LEGEND_HEIGHT = 16.0, 22.0
NOTHING = literal("")


def svg(scene: Scene, title: str, notes: list[str]) -> Markup:
    """The picture of a scene, with a title, notes and a legend above it."""
    groups = sorted(dict.fromkeys(_groups(scene)), key=list(TITLES).index)
    head, head_width, head_height = _head(title, notes, groups)
    across = max(scene.width, head_width) + 2 * MARGIN
    down = scene.height + head_height + 2 * MARGIN
    left = MARGIN + max(0.0, (head_width - scene.width) / 2)
    size = f'width="{_number(across)}" height="{_number(down)}"'
    parts: list[Markup] = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="irops-drawing" {size}'
        f' viewBox="0 0 {_number(across)} {_number(down)}" role="img">',
        f"<title>{in_html(title)}</title>",
        f"<style>{STYLE}</style>",
        literal(
            '<defs><marker id="irops-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
            ' markerHeight="7" orient="auto"><path d="M0 0.5 8 4 0 7.5z" class="arrow"/></marker></defs>'
        ),
        f'<rect class="page" width="{_number(across)}" height="{_number(down)}"/>',
        *head,
        *_scene(scene, left, MARGIN + head_height),
        literal("</svg>"),
    ]
    return "\n".join(parts) + "\n"


def _groups(scene: Scene) -> Iterator[str]:
    for box in scene.boxes:
        if box.kind is BoxKind.LAYER:
            yield group_of(box.category)
        for _, part in box.parts:
            yield from _groups(part)


def _head(title: str, notes: list[str], groups: list[str]) -> tuple[list[Markup], float, float]:
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
        at: Markup = f'x="{_number(x)}" y="{_number(y)}"'
        parts.append(f'<rect class="swatch {in_html(group)}" {at} width="11" height="11" rx="2"/>')
        parts.append(_line("key", x + 16, y + 9.5, TITLES[group]))
        x += across
        widest = max(widest, x)
    return parts, widest, y - MARGIN + LEGEND_HEIGHT + 8


def _scene(scene: Scene, x: float, y: float) -> Iterator[Markup]:
    path = in_html("/".join(scene.path))
    yield f'<g class="scene" data-path="{path}" transform="translate({_number(x)} {_number(y)})">'
    for link in scene.lines:
        yield _link(link)
    for link in scene.lines:
        if needs_input(scene, link):
            end_x, end_y = link.points[-1]
            yield _line("input", end_x + 4, end_y - 3, ",".join(map(str, link.inputs)))
    for box in scene.boxes:
        yield from _box(box)
    yield literal("</g>")


def _link(link: Link) -> Markup:
    (x, y), *rest = link.points
    way: list[Markup] = [f"M{_number(x)} {_number(y)}"]
    for place, (to_x, to_y) in enumerate(rest):
        if place % 2 or to_x == x:
            way.append(f"L{_number(to_x)} {_number(to_y)}")
        else:
            middle = _number((y + to_y) / 2)
            way.append(f"C{_number(x)} {middle} {_number(to_x)} {middle} {_number(to_x)} {_number(to_y)}")
        x, y = to_x, to_y
    return f'<path class="link"{_ends(link)} d="{"".join(way)}" marker-end="url(#irops-arrow)"/>'


def _ends(link: Link) -> Markup:
    """What a link connects, as attributes."""
    inputs: Markup = (
        f' data-inputs="{" ".join(f"{one}" for one in link.inputs)}"' if link.inputs else literal("")
    )
    entry: Markup = literal("") if link.entry is None else f' data-entry="{link.entry}"'
    return f' data-from="{link.source}" data-port="{link.port}" data-to="{link.target}"{inputs}{entry}'


def _content(box: Box) -> Markup:
    """The layers and edges that a box stands for, as attributes."""
    texts = {
        "layer": "" if box.node is None else str(box.node.layer.id),
        "folded": " ".join(str(node.layer.id) for node in box.folded),
        "wires": " ".join(f"{w.source}.{w.output}>{w.target}.{w.input}" for w in box.wires),
        "copies": ";".join(" ".join(str(node.layer.id) for node in copy) for copy in box.copies),
        "carried": "" if box.carried is None else f"{box.carried[0]}.{box.carried[1]}",
        "copy": str(box.copy) if box.kind is BoxKind.EXIT else "",
    }
    return "".join(f' data-{in_html(name)}="{in_html(text)}"' for name, text in texts.items() if text)


def _box(box: Box) -> Iterator[Markup]:
    group = group_of(box.category) if box.kind is BoxKind.LAYER else ""
    place: Markup = f"translate({_number(box.x)} {_number(box.y)})"
    kinds = in_html(" ".join(filter(None, ("box", box.kind, group))))
    yield f'<g class="{kinds}" data-box="{box.number}"{_content(box)} transform="{place}">'
    wide, tall = _number(box.width), _number(box.height)
    yield f'<rect class="frame" width="{wide}" height="{tall}" rx="4"/>'
    if box.kind is BoxKind.EXIT:
        yield literal("</g>")
        return
    if box.node is not None:
        yield f"<title>{in_html(box.node.layer.name)}</title>"
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
    for link in box.named:
        y += LINE_HEIGHT
        yield _line("line", PADDING, y - 2, link.text, _ends(link))
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
    yield literal("</g>")


def _title_path(across: float) -> Markup:
    """The upper part of a box, with round corners above."""
    return f"M0 {TITLE_HEIGHT:g}V4a4 4 0 0 1 4-4H{_number(across - 4)}a4 4 0 0 1 4 4V{TITLE_HEIGHT:g}z"


def _line(kind: str, x: float, y: float, text: str, more: Markup = NOTHING) -> Markup:
    return f'<text class="{in_html(kind)}"{more} x="{_number(x)}" y="{_number(y)}">{in_html(text)}</text>'


def _number(value: float) -> Markup:
    return f"{round(value, 1):g}"
