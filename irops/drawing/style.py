"""The style sheet of pictures, for light and dark displays."""

from __future__ import annotations

from irops.drawing.colours import LIGHT
from irops.drawing.text import BODY, SMALL, TITLE

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
