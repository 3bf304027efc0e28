"""A comparison as a page in one file: the answer, a curve over depth, a histogram, layers, the drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, log10
from typing import Final

from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.compared import ComparedLayer, ComparedResult
from irops.debugging.compare.report import Reportable, answer, place_of, results_summary
from irops.diagnostics.printable import Markup, abridged, in_html, literal
from irops.drawing.draw import draw
from irops.files.extras import MissingExtraError
from irops.verdicts.metrics import DECADES, Metrics
from irops.verdicts.verdict import Verdict

MAX_ROWS = 500
"""How many layers the table of the page has."""
COLOURS = {
    Verdict.EQUAL: "#2f7a3d",
    Verdict.ROUNDING: "#4d8a2b",
    Verdict.TIE: "#8a7a00",
    Verdict.RANDOM: "#8a7a00",
    Verdict.NO_EFFECT: "#8a7a00",
    Verdict.SKIPPED: "#8a9099",
    Verdict.SATURATION: "#c25e00",
    Verdict.OVERFLOW: "#c25e00",
    Verdict.NOT_FINITE: "#b3261e",
    Verdict.WRONG: "#b3261e",
    Verdict.FAILED: "#7a1fa2",
}
_STYLE: Final = """
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
.outcome { font-size: 22px; font-weight: 600; margin: 12px 0 4px; }
.good { color: #2f7a3d; } .bad { color: #c0392b; }
.faint { color: var(--faint); }
"""
_PAGE = literal(
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy"'
    " content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>{title}</title>"
    "<style>{style}</style></head><body>{body}</body></html>\n"
)


def page(comparison: Reportable, analysis: ModelAnalysis) -> Markup:
    """The page. analysis: of the model that was compared, for the drawing"""
    title = in_html(f"{comparison.a} and {comparison.b}: {comparison.model}")
    return _PAGE.format(title=title, style=_STYLE, body="\n".join(_body(comparison, analysis, title)))


def _body(comparison: Reportable, analysis: ModelAnalysis, title: Markup) -> Iterator[Markup]:
    yield f"<h1>{title}</h1>"
    outcome = "good" if comparison.ok else "bad"
    yield f'<p class="outcome {in_html(outcome)}">{in_html(results_summary(comparison))}</p>'
    yield f'<p class="faint">compared: {in_html(str(comparison.coverage))}</p>'
    if comparison.results:
        yield f"<h2>Results</h2>{''.join(_results(comparison.results))}"
    lines = [*answer(comparison), *comparison.notes]
    text = "\n".join(map(in_html, lines))
    yield f"<h2>Answer</h2><pre>{text}</pre>"
    yield f"<h2>Error over depth</h2>{curve(comparison.layers)}"
    first = comparison.first
    if first is not None and first.metrics is not None and first.metrics.histogram:
        yield f"<h2>Differences in {in_html(first.name)}</h2>{histogram(first.metrics)}"
    yield f"<h2>Drawing</h2>{drawing(comparison.layers, analysis)}"
    yield f"<h2>Layers</h2>{''.join(_table(comparison.layers))}"


def _results(results: Sequence[ComparedResult]) -> Iterator[Markup]:
    """A row for each result."""
    head = ("result", "in B", "verdict", "max abs", "SNR in dB", "differ", "reason")
    yield f"<table><tr>{''.join(f'<th>{in_html(name)}</th>' for name in head)}</tr>"
    for result in results[:MAX_ROWS]:
        metrics = result.metrics
        numbers = ("", "", "")
        if metrics is not None:
            numbers = (f"{metrics.max_abs:.3g}", f"{metrics.snr:.1f}", f"{metrics.share:.2%}")
        own, other = (in_html(abridged(name, 100)) for name in result.names)
        verdict = f"{_mark(result.verdict)}{result.verdict if result.is_compared else 'not compared'}"
        yield (
            f"<tr><td>{own}</td><td>{other}</td><td>{verdict}</td>"
            f"{''.join(f'<td class=number>{in_html(text)}</td>' for text in numbers)}"
            f"<td>{in_html(result.reason)}</td></tr>"
        )
    yield literal("</table>")


def curve(layers: Sequence[ComparedLayer]) -> Markup:
    """Noise to signal of each layer on a logarithmic scale, in the order of the layers."""
    wide, tall, left, floor, ceiling = 1100, 220, 52, -10.0, 1.0
    errors = [(index, layer, _relative_error(layer.metrics)) for index, layer in enumerate(layers)]
    step = (wide - left - 12) / max(len(layers) - 1, 1)
    marks: list[Markup] = []
    for index, layer, error in errors:
        if error is None:
            continue
        level = min(max(error, floor), ceiling)
        x, y = left + index * step, 10 + (ceiling - level) / (ceiling - floor) * (tall - 30)
        label = in_html(f"{layer.name}: {layer.verdict}")
        marks.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_colour(layer.verdict)}"><title>{label}</title>'
            "</circle>"
        )
    lines: list[Markup] = []
    for power in range(int(floor), int(ceiling) + 1, 2):
        y = 10 + (ceiling - power) / (ceiling - floor) * (tall - 30)
        lines.append(
            f'<line x1="{left}" x2="{wide}" y1="{y:.1f}" y2="{y:.1f}" stroke="#8884"/>'
            f'<text x="6" y="{y + 4:.1f}">1e{power}</text>'
        )
    caption: Markup = (
        f'<text x="{left}" y="{tall - 4}">layers in order; relative error (noise to signal)</text>'
    )
    return _chart(wide, tall, "".join((*lines, *marks, caption)))


def histogram(metrics: Metrics) -> Markup:
    """How many elements differ by each decade of the greatest element."""
    wide, tall, across = 640, 160, 44
    most = max(*metrics.histogram, 1)
    bars: list[Markup] = []
    for index, count in enumerate(metrics.histogram):
        height = log10(count + 1) / log10(most + 1) * (tall - 50)
        x, y = 20 + index * (across + 6), tall - 26 - height
        bars.append(
            f'<rect x="{x}" y="{y:.1f}" width="{across}" height="{height:.1f}" fill="#3465a4"/>'
            f'<text x="{x}" y="{tall - 10}">1e{DECADES[index]}</text>'
            f'<text x="{x}" y="{y - 4:.1f}">{f"{count:,}" if count else ""}</text>'
        )
    return _chart(wide, tall, "".join(bars))


def _chart(wide: int, tall: int, content: Markup) -> Markup:
    return f'<svg class="chart" width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}">{content}</svg>'


def _relative_error(metrics: Metrics | None) -> float | None:
    """The power of ten of noise to signal; None where there are no values."""
    if metrics is None:
        return None
    power = -metrics.snr / 20
    if isfinite(power):
        return power
    return 1.0 if metrics.differing else -10.0


def _table(layers: Sequence[ComparedLayer]) -> Iterator[Markup]:
    order = sorted(range(len(layers)), key=lambda index: (-layers[index].verdict.severity, index))
    head = ("layer", "op", "verdict", "max abs", "ULP", "differ", "reason", "place")
    yield f"<table><tr>{''.join(f'<th>{in_html(name)}</th>' for name in head)}</tr>"
    for index in order[:MAX_ROWS]:
        layer = layers[index]
        metrics = layer.metrics
        numbers = ("", "", "")
        if metrics is not None:
            ulp = "" if metrics.max_ulp is None else f"{metrics.max_ulp:,.0f}"
            numbers = (f"{metrics.max_abs:.3g}", ulp, f"{metrics.share:.2%}")
        name = in_html(abridged("/".join((*layer.path, layer.name)), 100))
        yield (
            f"<tr><td>{name}</td><td>{in_html(layer.op)}</td><td>{_mark(layer.verdict)}{layer.verdict}</td>"
            f"{''.join(f'<td class=number>{in_html(text)}</td>' for text in numbers)}"
            f"<td>{in_html(layer.reason)}</td>"
            f'<td class="faint">{in_html(place_of(layer.location))}</td></tr>'
        )
    yield literal("</table>")
    if len(layers) > MAX_ROWS:
        yield f'<p class="faint">and {len(layers) - MAX_ROWS:,} more layers</p>'


def drawing(layers: Sequence[ComparedLayer], analysis: ModelAnalysis) -> Markup:
    """The picture of the model, each layer in the colour of its verdict."""
    try:
        picture = draw(analysis, unfold=True).svg
    except MissingExtraError as missing:
        return f'<p class="faint">{in_html(str(missing))}</p>'
    inside: Final = ".drawing .irops-drawing"
    rules = "".join(
        f'{inside} [data-layer="{layer.id}"]>.title{{fill:{_colour(layer.verdict)}}}\n'
        for layer in layers
        if not layer.path
    )
    quiet: Markup = f"{inside} .box>.title{{fill:#8a9099}}{inside} :is(.swatch,.key){{display:none}}\n"
    present = dict.fromkeys(layer.verdict for layer in layers)
    legend = " ".join(f"{_mark(verdict)}{verdict}" for verdict in COLOURS if verdict in present)
    return f'<style>{quiet}{rules}</style><p>{legend}</p><div class="drawing">{picture}</div>'


def _colour(verdict: Verdict) -> Markup:
    return in_html(COLOURS[verdict])


def _mark(verdict: Verdict) -> Markup:
    return f'<span class="mark" style="background:{_colour(verdict)}"></span>'
