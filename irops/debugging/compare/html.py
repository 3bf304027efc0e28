"""A comparison as a page in one file: the answer, a curve over depth, a histogram, layers, the drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10

from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.report import Reportable, answer, greatest_difference, place_of
from irops.drawing.draw import draw
from irops.drawing.engines import MissingExtraError
from irops.pages.render import render
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
FLOOR, CEILING = -10.0, 1.0
"""The powers of ten between which the curve shows errors."""


def page(comparison: Reportable, analysis: ModelAnalysis) -> str:
    """The page. analysis: of the model that was compared, for the drawing

    Raises:  irops.pages.render.MissingExtraError
    """
    layers, first = comparison.layers, comparison.first
    picture, missing = _picture(analysis)
    return render(
        "compare.html",
        title=f"{comparison.a} and {comparison.b}: {comparison.model}",
        lines=[*answer(comparison), *comparison.notes],
        levels=[(power, _height(power)) for power in range(int(FLOOR), int(CEILING) + 1, 2)],
        points=_points(layers),
        results=comparison.results,
        first=first,
        bars=[] if first is None or first.metrics is None else _bars(first.metrics),
        picture=picture,
        missing=missing,
        verdicts={layer.verdict for layer in layers},
        layers=layers,
        worst=sorted(layers, key=lambda layer: -layer.verdict.severity),
        colours=COLOURS,
        rows=MAX_ROWS,
        greatest=greatest_difference,
        place=place_of,
    )


def _picture(analysis: ModelAnalysis) -> tuple[str, str]:
    """The drawing of the model as SVG, whose texts are escaped; or why there is none."""
    try:
        return draw(analysis, unfold=True).svg, ""
    except MissingExtraError as missing:
        return "", str(missing)


def _points(layers: Sequence[ComparedLayer]) -> Iterator[tuple[float, float, ComparedLayer]]:
    """Noise to signal of each layer on a logarithmic scale, in the order of the layers."""
    step = 1036 / max(len(layers) - 1, 1)
    for index, layer in enumerate(layers):
        if layer.metrics is not None:
            error = layer.metrics.relative_error
            yield round(52 + index * step, 1), _height(log10(error) if error else FLOOR), layer


def _height(power: float) -> float:
    level = min(max(power, FLOOR), CEILING)
    return round(10 + (CEILING - level) / (CEILING - FLOOR) * 190, 1)


def _bars(metrics: Metrics) -> list[tuple[int, float, float, int, int]]:
    """x, y, height, decade and count: how many elements differ by each decade of the greatest element."""
    most = max(metrics.histogram)
    bars = []
    for index, count in enumerate(metrics.histogram if most else ()):
        height = log10(count + 1) / log10(most + 1) * 110
        bars.append((20 + index * 50, round(134 - height, 1), round(height, 1), DECADES[index], count))
    return bars
