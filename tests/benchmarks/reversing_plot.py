"""The times of tests/benchmarks/reversing.py as an SVG: a line per layout and lengths (f32), a dot per peer;
further to the right is faster.
"""

from __future__ import annotations

from html import escape
from itertools import groupby
from math import log10
from typing import Any

from reversing_cases import layout
from reversing_tables import NAMES, SHOWN

COLOURS = {
    "numba": "#0b6e99",
    "reference": "#9aa0a6",
    "onnxruntime": "#c9541b",
    "openvino": "#8b3fa8",
    "flip": "#c9a227",
}
WIDTH, LEFT, RIGHT, TOP, LINE, GAP = 980, 290, 24, 84, 18, 10
LEAST, MOST = 0.003, 3.0
TICKS = (0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)


def plot(run: dict[str, Any]) -> str:
    """The SVG."""
    groups = [
        list(group) for _, group in groupby((case for case in run["cases"] if case["type"] == "f32"), _title)
    ]
    bottom = TOP + sum(LINE * len(group) + GAP for group in groups)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 58}"'
            ' font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="speed of reversal by'
            ' peer and layout, as a ratio to memcpy">'
        ),
        f'<rect width="{WIDTH}" height="{bottom + 58}" fill="#fff"/>',
        *_head(),
        *_grid(bottom),
    ]
    y = TOP
    for index, group in enumerate(groups):
        height = LINE * len(group)
        if index % 2 == 0:
            parts.append(
                f'<rect x="0" y="{y - GAP / 2}" width="{WIDTH}" height="{height + GAP}" fill="#5f6368"'
                ' fill-opacity=".06"/>'
            )
        parts.append(_text(16, y + LINE / 2 + 4, _title(group[0]), "#202124"))
        for case in group:
            parts += _line(case, y + LINE / 2)
            y += LINE
        y += GAP
    about = run["machine"]
    said = f"{about['processor']}, {about['cores']} cores; " + ", ".join(
        f"{name} {about[name]}" for name in ("numpy", "numba", "onnxruntime", "openvino")
    )
    parts.append(_text(WIDTH - RIGHT, bottom + 44, said, "#5f6368", "end"))
    return "\n".join([*parts, "</svg>\n"])


def _head() -> list[str]:
    parts = [
        _text(16, 26, "Reversing f32: times as fast as memcpy on one core", "#202124").replace(
            "<text", '<text font-size="15" font-weight="600"'
        )
    ]
    for index, name in enumerate(NAMES):
        x = 16 + index * 122
        parts += [_dot(x + 5, 50, name), _text(x + 15, 54, SHOWN[name], "#3c4043")]
    return parts


def _grid(bottom: float) -> list[str]:
    parts = []
    for tick in TICKS:
        stroke = 'stroke="#202124" stroke-width="1.5"' if tick == 1 else 'stroke="#dadce0"'
        parts += [
            f'<line x1="{_x(tick):.1f}" y1="{TOP - 12}" x2="{_x(tick):.1f}" y2="{bottom}" {stroke}/>',
            _text(_x(tick), bottom + 18, "1 (memcpy)" if tick == 1 else f"{tick:g}", "#3c4043", "middle"),
        ]
    return parts


def _line(case: dict[str, Any], y: float) -> list[str]:
    parts = []
    label = (
        case["lengths"]
        if case["op"] == "ReverseSequence"
        else ("axis " if len(case["axes"]) == 1 else "axes ") + ", ".join(map(str, case["axes"]))
    )
    parts.append(_text(LEFT - 14, y + 4, label, "#5f6368", "end"))
    parts.append(
        f'<line x1="{LEFT}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}" stroke="#dadce0" stroke-dasharray="1 3"/>'
    )
    return parts + [
        _dot(_x(case["seconds"]["memcpy"] / case["seconds"][name]), y, name)
        for name in reversed(NAMES)
        if name in case["seconds"]
    ]


def _title(case: dict[str, Any]) -> str:
    if case["op"] == "Reverse":
        return "Reverse (" + ", ".join(map(str, case["shape"])) + ")"
    return layout(case)


def _dot(x: float, y: float, name: str) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{COLOURS[name]}" stroke="#fff" stroke-width=".75"/>'
    )


def _text(x: float, y: float, said: str, colour: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(said)}</text>'


def _x(ratio: float) -> float:
    share = (log10(min(max(ratio, LEAST), MOST)) - log10(LEAST)) / (log10(MOST) - log10(LEAST))
    return LEFT + share * (WIDTH - LEFT - RIGHT)
