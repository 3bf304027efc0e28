"""A comparison as a page in one file: the answer, a curve over depth, a histogram, layers, the drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import log10

from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.report import Reportable, answer, greatest_difference, place_of
from irops.diagnostics.printable import abridged, printable
from irops.drawing.draw import draw
from irops.drawing.engines import MissingExtraError
from irops.verdicts.metrics import DECADES, Metrics
from irops.verdicts.verdict import Verdict

MAX_ROWS = 500
"""How many layers the table of the page has."""
COLOURS = {
    Verdict.EQUAL: "#2f7a3d",
    Verdict.ROUNDING: "#4d8a2b",
    Verdict.TIE: "#8a7a00",
    Verdict.RANDOM: "#8a7a00",
    Verdict.SKIPPED: "#8a9099",
    Verdict.SATURATION: "#c25e00",
    Verdict.OVERFLOW: "#c25e00",
    Verdict.NOT_FINITE: "#b3261e",
    Verdict.WRONG: "#b3261e",
    Verdict.FAILED: "#7a1fa2",
}
_STYLE = """
:root { color-scheme: light dark; --line: #8886; --faint: #57606a; }
@media (prefers-color-scheme: dark) { :root { --faint: #a3acb7; } }
body { font: 14px/1.45 system-ui, sans-serif; margin: 24px; }
h1 { font-size: 18px; } h2 { font-size: 15px; margin-top: 28px; }
pre { font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; }
table { border-collapse: collapse; }
td, th { padding: 2px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td:is(:first-child, :nth-child(7), :last-child) { overflow-wrap: anywhere; min-width: 16ch; }
td:is(:nth-child(2), :nth-child(3)) { white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.mark { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
.chart { border: 1px solid var(--line); }
.chart text { font: 11px system-ui, sans-serif; fill: var(--faint); }
.drawing { overflow: auto; max-height: 60vh; border: 1px solid var(--line); }
.faint { color: var(--faint); }
"""
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy"'
    " content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>{title}</title>"
    "<style>{style}</style></head><body>{body}</body></html>\n"
)


def page(comparison: Reportable, analysis: ModelAnalysis) -> str:
    """The page. analysis: of the model that was compared, for the drawing"""
    title = escape(printable(f"{comparison.a} and {comparison.b}: {comparison.model}"))
    return _PAGE.format(title=title, style=_STYLE, body="\n".join(_body(comparison, analysis, title)))


def _body(comparison: Reportable, analysis: ModelAnalysis, title: str) -> Iterator[str]:
    yield f"<h1>{title}</h1>"
    lines = [*answer(comparison), *comparison.notes]
    yield f"<pre>{escape(printable_text(lines))}</pre>"
    yield f"<h2>Error over depth</h2>{curve(comparison.layers)}"
    yield f"<h2>Results</h2>{''.join(_results(comparison))}"
    first = comparison.first
    if first is not None and first.metrics is not None and any(first.metrics.histogram):
        yield f"<h2>Differences in {escape(printable(first.name))}</h2>{histogram(first.metrics)}"
    yield f"<h2>Drawing</h2>{drawing(comparison.layers, analysis)}"
    yield f"<h2>Layers</h2>{''.join(_table(comparison.layers))}"


def printable_text(lines: Sequence[str]) -> str:
    """Lines of text without control characters."""
    return "\n".join(printable(line) for line in lines)


def curve(layers: Sequence[ComparedLayer]) -> str:
    """Noise to signal of each layer on a logarithmic scale, in the order of the layers."""
    wide, tall, left, floor, ceiling = 1100, 220, 52, -10.0, 1.0
    errors = [(index, layer, _relative_error(layer.metrics)) for index, layer in enumerate(layers)]
    step = (wide - left - 12) / max(len(layers) - 1, 1)
    marks = []
    for index, layer, error in errors:
        if error is None:
            continue
        level = min(max(error, floor), ceiling)
        x, y = left + index * step, 10 + (ceiling - level) / (ceiling - floor) * (tall - 30)
        label = escape(printable(f"{layer.name}: {layer.verdict}"))
        marks.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[layer.verdict]}"><title>{label}</title>'
            "</circle>"
        )
    lines = []
    for power in range(int(floor), int(ceiling) + 1, 2):
        y = 10 + (ceiling - power) / (ceiling - floor) * (tall - 30)
        lines.append(
            f'<line x1="{left}" x2="{wide}" y1="{y:.1f}" y2="{y:.1f}" stroke="#8884"/>'
            f'<text x="6" y="{y + 4:.1f}">1e{power}</text>'
        )
    caption = f'<text x="{left}" y="{tall - 4}">layers in order; relative error (noise to signal)</text>'
    return _chart(wide, tall, "".join((*lines, *marks, caption)))


def histogram(metrics: Metrics) -> str:
    """How many elements differ by each decade of the greatest element."""
    wide, tall, across = 640, 160, 44
    most = max(*metrics.histogram, 1)
    bars = []
    for index, count in enumerate(metrics.histogram):
        height = log10(count + 1) / log10(most + 1) * (tall - 50)
        x, y = 20 + index * (across + 6), tall - 26 - height
        bars.append(
            f'<rect x="{x}" y="{y:.1f}" width="{across}" height="{height:.1f}" fill="#3465a4"/>'
            f'<text x="{x}" y="{tall - 10}">1e{DECADES[index]}</text>'
            f'<text x="{x}" y="{y - 4:.1f}">{f"{count:,}" if count else ""}</text>'
        )
    return _chart(wide, tall, "".join(bars))


def _chart(wide: int, tall: int, content: str) -> str:
    return f'<svg class="chart" width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}">{content}</svg>'


def _relative_error(metrics: Metrics | None) -> float | None:
    """The power of ten of noise to signal; None where there are no values."""
    if metrics is None:
        return None
    error = metrics.relative_error
    return min(max(log10(error), -10.0), 1.0) if error else -10.0


def _results(comparison: Reportable) -> Iterator[str]:
    yield "<table><tr><th>result</th><th>verdict</th><th>reason</th></tr>"
    for result in comparison.results[:MAX_ROWS]:
        name, reason = (escape(printable(text)) for text in (abridged(result.name, 100), result.reason))
        verdict = str(result.verdict) if result.is_compared else "not compared"
        yield f"<tr><td>{name}</td><td>{_mark(result.verdict)}{verdict}</td><td>{reason}</td></tr>"
    yield "</table>"


def _table(layers: Sequence[ComparedLayer]) -> Iterator[str]:
    order = sorted(range(len(layers)), key=lambda index: (-layers[index].verdict.severity, index))
    head = ("layer", "op", "verdict", "max abs", "ULP", "differ", "reason", "place")
    yield f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>"
    for index in order[:MAX_ROWS]:
        layer = layers[index]
        metrics = layer.metrics
        numbers = ("", "", "")
        if metrics is not None:
            has_ulp = metrics.max_ulp is not None and not metrics.not_finite
            ulp = f"{metrics.max_ulp:,.0f}" if has_ulp else ""
            numbers = (greatest_difference(metrics), ulp, f"{metrics.share:.2%}")
        name = escape(printable(abridged("/".join((*layer.path, layer.name)), 100)))
        yield (
            f"<tr><td>{name}</td><td>{escape(layer.op)}</td><td>{_mark(layer.verdict)}{layer.verdict}</td>"
            f"{''.join(f'<td class=number>{text}</td>' for text in numbers)}"
            f"<td>{escape(printable(layer.reason))}</td>"
            f'<td class="faint">{escape(printable(place_of(layer.location)))}</td></tr>'
        )
    yield "</table>"
    if len(layers) > MAX_ROWS:
        yield f'<p class="faint">and {len(layers) - MAX_ROWS:,} more layers</p>'


def drawing(layers: Sequence[ComparedLayer], analysis: ModelAnalysis) -> str:
    """The picture of the model, each layer in the colour of its verdict."""
    try:
        picture = draw(analysis, unfold=True).svg
    except MissingExtraError as missing:
        return f'<p class="faint">{escape(str(missing))}</p>'
    inside = ".drawing .irops-drawing"
    rules = "".join(
        f'{inside} [data-layer="{layer.id}"]>.title{{fill:{COLOURS[layer.verdict]}}}\n'
        for layer in layers
        if not layer.path
    )
    quiet = f"{inside} .box>.title{{fill:#8a9099}}{inside} :is(.swatch,.key){{display:none}}\n"
    present = dict.fromkeys(layer.verdict for layer in layers)
    legend = " ".join(f"{_mark(verdict)}{verdict}" for verdict in COLOURS if verdict in present)
    return f'<style>{quiet}{rules}</style><p>{legend}</p><div class="drawing">{picture}</div>'


def _mark(verdict: Verdict) -> str:
    return f'<span class="mark" style="background:{COLOURS[verdict]}"></span>'
