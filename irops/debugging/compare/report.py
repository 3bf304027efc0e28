"""A comparison and its report: as text with the answer first, as a page in one file, and as a JUnit file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan, log10
from typing import Any, TypeVar

from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.compared_layer import ComparedLayer, first_fault
from irops.debugging.compare.results import ComparedResult, Coverage
from irops.diagnostics.diagnostic import Location
from irops.diagnostics.formats import JUnitCase, file_of, suite_of
from irops.diagnostics.html_table import html_lines
from irops.diagnostics.printable import abridged, plural, printable, shortened
from irops.drawing.drawing import draw
from irops.environment import MissingExtraError
from irops.pages.render import render
from irops.verdicts.metrics import DECADES, Metrics
from irops.verdicts.question import SEVERITY, Verdict, gravity

MAX_RESULTS = 8
"""How many results that do not agree are listed."""
MAX_ROWS = 20
"""How many layers the table has, unless all are asked for."""
NAME_WIDTH, REASON_WIDTH = 100, 100
"""How wide the columns of names and of reasons are where the width of the terminal sets no limit."""
NARROWEST, WIDE = 24, 140
"""How wide the column of reasons is at least, and from which width on there is a column of ops."""
HINT = "INFERENCE_PRECISION_HINT"
NOT_ALONE = "could not be looked at alone"
"""Said of a layer with which a runtime fails alone, and not where the model has it."""
_HOW = {
    "isolated": "alone, with the shapes that the model has",
    "propagated": "with further outputs, which keep them apart",
}
"""How a source that optimises a model as a whole gives the values of layers, by mode."""


Item = TypeVar("Item", ComparedLayer, ComparedResult)
SCHEMA = 1
"""The version of the JSON form."""


@dataclass(frozen=True)
class Comparison:
    """The results of two sources, compared, and the values of layers.

    a, b: the names of the sources; layers: in the order in which they were computed; precision: the type that
    b computes f32 in, where that is another one; notes: sentences about the comparison as a whole; complete:
    whether b ran to the end; results: of the model as it is; coverage: how much was compared; is_whole:
    whether b optimises a model as a whole, so that layers may be right alone and wrong together.
    """

    model: str
    a: str
    b: str
    mode: str
    layers: tuple[ComparedLayer, ...]
    precision: str = ""
    notes: tuple[str, ...] = ()
    complete: bool = True
    results: tuple[ComparedResult, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)
    is_whole: bool = False

    @property
    def ok(self) -> bool:
        """Whether all results were compared, none and no layer is wrong, and b ran to the end.

        Results that follow from random values need not be compared, as long as another one is.
        """
        return (
            self.first is None
            and self.complete
            and not self.coverage.is_nothing
            and (not self.results or self.coverage.results > 0)
            and all(result.is_compared or result.verdict is Verdict.RANDOM for result in self.results)
            and not any(result.is_fault for result in self.results)
        )

    @cached_property
    def first(self) -> ComparedLayer | None:
        """The first layer that is wrong or failed, if possible one whose fault goes on, and one that computes
        something else: another model may take other ways through shapes and integers. None for none.
        """
        return first_fault(self.layers)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many layers have each verdict."""
        return Counter(layer.verdict for layer in self.layers)

    def to_json(self) -> dict[str, Any]:
        """The comparison for machines."""
        return {
            "schema": SCHEMA,
            "model": self.model,
            "a": self.a,
            "b": self.b,
            "mode": self.mode,
            "precision": self.precision,
            "ok": self.ok,
            "first": None if self.first is None else self.first.name,
            "counts": {str(verdict): count for verdict, count in self.counts.items()},
            "notes": list(self.notes),
            "coverage": self.coverage.to_json(),
            "results": [result.to_json() for result in self.results],
            "layers": [layer.to_json() for layer in self.layers],
        }

    def __str__(self) -> str:
        return report_text(self)

    def __repr__(self) -> str:
        layers = plural(len(self.layers), "layer")
        outcome = "none wrong" if self.first is None else f"first wrong {shortened(self.first.name)}"
        sources = f"{shortened(self.a)} and {shortened(self.b)}"
        return f"<Comparison of {sources}: {results_summary(self)}; {layers}, {outcome}>"

    def _repr_html_(self) -> str:
        """The page for notebooks, without the drawing; the text without irops[html]."""
        with suppress(MissingExtraError):
            text = page(self).replace("&", "&amp;").replace('"', "&quot;")
            style = "width: 100%; height: 32em; border: 0; resize: vertical"
            return f'<iframe title="comparison" sandbox style="{style}" srcdoc="{text}"></iframe>'
        return html_lines(str(self))


def worst_of(comparisons: Sequence[Comparison]) -> Comparison:
    """One report of several sets of inputs: the worst of each layer and result, and how often it is wrong."""
    if len(comparisons) == 1:
        return comparisons[0]
    layers: dict[object, list[ComparedLayer]] = {}
    results: dict[object, list[ComparedResult]] = {}
    for one in comparisons:
        for layer in one.layers:
            layers.setdefault((layer.path, layer.id), []).append(layer)
        for result in one.results:
            results.setdefault(result.name, []).append(result)
    count = len(comparisons)
    notes = dict.fromkeys(note for one in comparisons for note in one.notes)
    return replace(
        min(comparisons, key=lambda one: (one.complete, one.coverage.results, one.coverage.layers)),
        layers=tuple(_worst(group, count) for group in layers.values()),
        results=tuple(_worst(group, count) for group in results.values()),
        notes=(f"{count} sets of inputs; of each layer and result, the worst is shown", *notes),
    )


def _worst(group: Sequence[Item], count: int) -> Item:
    """A fault first, then what was not compared: that other inputs agree does not make up for it."""
    order = [(item.is_fault, item.verdict is Verdict.SKIPPED, gravity(item.judgement)) for item in group]
    worst = group[order.index(max(order))]
    faults = sum(item.is_fault for item in group)
    return worst.noted(f"in {faults} of {count} sets of inputs") if faults else worst


def report_text(comparison: Comparison, *, all_layers: bool = False, width: int | None = None) -> str:
    """The report. all_layers: also those that are equal, however many there are; width: of the table"""
    return "\n".join(map(printable, _lines(comparison, all_layers, width)))


def _lines(comparison: Comparison, all_layers: bool, width: int | None) -> Iterator[str]:
    yield from answer(comparison)
    yield from comparison.notes
    rows = table_rows(comparison.layers, all_layers)
    if rows:
        yield ""
        yield from fitted([("layer", "op", "verdict", "max abs", "differ", "reason"), *rows], width)
        rest = sum(map(is_remarkable, comparison.layers)) - len(rows)
        if rest > 0:
            yield f"and {plural(rest, 'more layer')} that differ; --all lists every layer"


def answer(comparison: Comparison) -> Iterator[str]:
    """The first lines: whether the results agree; which layer is wrong, and how much; what was seen."""
    yield from result_lines(comparison)
    if not comparison.coverage.is_nothing:
        yield from layer_lines(comparison)
    yield from coverage_lines(comparison)
    if comparison.precision:
        is_device = comparison.b.startswith("openvino:") and HINT not in comparison.b
        yield (
            f"{comparison.b} computes f32 in {comparison.precision}; errors within that precision count as"
            f" rounding{f'; {comparison.b},{HINT}=f32 shows smaller ones' if is_device else ''}"
        )


def results_summary(comparison: Comparison) -> str:
    """How many results agree."""
    if comparison.coverage.is_nothing:
        return "nothing was compared"
    results = comparison.results
    agreeing = sum(result.is_compared and not result.is_fault for result in results)
    verb = "agrees" if len(results) == 1 else "agree"
    return f"{agreeing} of {plural(len(results), 'result')} {verb}"


def result_lines(comparison: Comparison) -> Iterator[str]:
    """How many results agree, and what is said of those that do not."""
    yield results_summary(comparison)
    others = [result for result in comparison.results if _needs_a_line(result)]
    for result in others[:MAX_RESULTS]:
        verdict = result.verdict if result.is_compared else "not compared"
        yield f"  result {abridged(result.name, 60)} {verdict}: {result.reason}"
        if result.is_fault and result.metrics is not None:
            yield f"    {metrics_line(result.metrics)}"
        if result.cause:
            yield f"    differs there: {printable(result.cause)}"
    if len(others) > MAX_RESULTS:
        yield f"  and {plural(len(others) - MAX_RESULTS, 'more result')}"


def _needs_a_line(result: ComparedResult) -> bool:
    """Whether a result is wrong, was not compared, or is equal with a reservation."""
    reserved = result.verdict is Verdict.EQUAL and bool(result.reason)
    return result.is_fault or not result.is_compared or reserved


def layer_lines(comparison: Comparison) -> Iterator[str]:
    """Which layer is wrong, where, and how much; or that none is."""
    first = comparison.first
    if first is None and not comparison.complete:
        yield f"{comparison.b} did not run to the end; until then, no layer is wrong"
    elif first is None and not comparison.coverage.layers:
        if comparison.mode != "cuts":
            yield "no layer was compared"
    elif first is None and any(result.is_fault for result in comparison.results):
        seen = "" if comparison.coverage.layers == comparison.coverage.all_layers else " that was compared"
        yield f"no single layer{seen} is wrong, but the results are"
        if comparison.is_whole and comparison.mode != "cuts":
            how = _HOW[comparison.mode]
            yield f"  layers were compiled {how}; --mode cuts finds the part that is wrong"
    elif first is None:
        yield f"no layer of {comparison.b} is wrong against {comparison.a} ({comparison.mode})"
        yield from _rounding_otherwise(comparison)
    else:
        place = place_of(first.location)
        where = f"{first.op}, {place}" if place else first.op
        path = f" in {'/'.join(first.path)}" if first.path else ""
        yield f"the first wrong layer is {abridged(first.name, 100)}{path} ({where}): {first.reason}"
        if first.is_masked:
            yield "  nothing that is computed from it differs"
        if first.metrics is not None:
            yield f"  {metrics_line(first.metrics)}"
            yield from (f"  {line}" for line in worst_lines(first.metrics, comparison.a, comparison.b))
        yield from (f"  {line}" for line in first.inputs)
        if first.cause:
            what = "" if first.is_known else f"{comparison.b} differs there: "
            yield f"  {what}{printable(first.cause)}"


def _rounding_otherwise(comparison: Comparison) -> Iterator[str]:
    """How many layers differ within rounding where another model differs, and the first of them."""
    others = [layer for layer in comparison.layers if layer.cause and layer.verdict is Verdict.ROUNDING]
    if others:
        name, cause = abridged(others[0].name, 60), printable(others[0].cause)
        count, differ = plural(len(others), "layer"), "differs" if len(others) == 1 else "differ"
        yield f"  {count} {differ} within rounding, where the models do: {name}: {cause}"


def coverage_lines(comparison: Comparison) -> Iterator[str]:
    """How much was compared, with which verdicts, and why the rest was not."""
    counts = ", ".join(
        f"{comparison.counts[verdict]} {verdict}"
        for verdict in SEVERITY
        if comparison.counts.get(verdict) and verdict is not Verdict.SKIPPED
    )
    yield f"{comparison.coverage}{f'; layers: {counts}' if counts else ''}"
    for reason, count in comparison.coverage.layers_left_out.items():
        why = reason if reason == NOT_ALONE else f"not compared: {printable(reason)}"
        yield f"  {plural(count, 'layer')} {why}{_such_as(comparison, reason)}"


def _such_as(comparison: Comparison, reason: str) -> str:
    """The details of one layer that was not compared, where there are some."""
    skipped = (layer for layer in comparison.layers if layer.verdict is Verdict.SKIPPED)
    details = (layer.reason.partition(": ") for layer in skipped)
    example = next((after for before, _, after in details if before == reason and after), "")
    return f", such as: {printable(example)}" if example else ""


def place_of(location: Location) -> str:
    """The file and line of a layer; "" where it is of no file."""
    if location.file is None:
        return ""
    return location.file if location.line is None else f"{location.file}:{location.line}"


def metrics_line(metrics: Metrics) -> str:
    """All metrics on one line; elements that are not finite are counted, and the figures are of the rest."""
    count = f"{metrics.differing:,} of {metrics.elements:,} elements differ ({metrics.share:.1%})"
    if not metrics.not_finite:
        return f"{_figures(metrics)}, {count}"
    counts = ((metrics.nans, "NaN"), (metrics.infinities, "infinite"))
    apart = ", ".join(f"{number:,} {what}" for number, what in counts if number)
    rest = (
        "the rest is equal" if metrics.not_finite == metrics.differing else f"the rest: {_figures(metrics)}"
    )
    return f"{count}: {apart}; {rest}"


def _figures(metrics: Metrics) -> str:
    parts = [
        f"max abs {metrics.max_abs:.3g}",
        f"max rel {metrics.max_rel:.3g}",
        *([] if metrics.max_ulp is None else [f"{metrics.max_ulp:,.0f} ULP"]),
        *([] if isnan(metrics.cosine) else [f"cosine {metrics.cosine:.6f}"]),  # of zeros there is none
        f"SNR {metrics.snr:.1f} dB",
    ]
    return ", ".join(parts)


def greatest_difference(metrics: Metrics | None) -> str:
    """The cell of a table: the greatest difference, NaN or inf where an element is that in one of the two."""
    if metrics is None:
        return ""
    if metrics.nans:
        return "NaN"
    return "inf" if metrics.infinities else f"{metrics.max_abs:.3g}"


def worst_lines(metrics: Metrics, a: str, b: str) -> Iterator[str]:
    """Both values where they differ most."""
    if metrics.worst is not None:
        yield f"worst at {list(metrics.worst)}: {metrics.first!r} by {a}, {metrics.second!r} by {b}"


def table_rows(layers: Sequence[ComparedLayer], all_layers: bool) -> list[tuple[str, ...]]:
    """The rows of the table: what is wrong first, then what differs most, in the order of the model."""
    if all_layers:
        return [_row(layer) for layer in layers]
    differing = [layer for layer in layers if is_remarkable(layer)]
    order = {id(layer): index for index, layer in enumerate(layers)}
    chosen = sorted(differing, key=_rank)[:MAX_ROWS]
    return [_row(layer) for layer in sorted(chosen, key=lambda layer: (not layer.is_fault, order[id(layer)]))]


def is_remarkable(layer: ComparedLayer) -> bool:
    """Whether a layer differs, or is declared otherwise although its values are equal."""
    return layer.verdict not in (Verdict.EQUAL, Verdict.SKIPPED) or (
        layer.verdict is Verdict.EQUAL and bool(layer.reason)
    )


def _rank(layer: ComparedLayer) -> tuple[bool, int, float]:
    error = layer.metrics.relative_error if layer.metrics is not None else 1.0
    return not layer.is_fault, 0 if layer.is_fault else -layer.verdict.severity, -error


def _row(layer: ComparedLayer) -> tuple[str, ...]:
    metrics = layer.metrics
    return (
        printable("/".join((*layer.path, layer.name))),
        layer.op,
        str(layer.verdict),
        greatest_difference(metrics),
        "" if metrics is None else f"{metrics.share:.2%}",
        printable("; ".join(filter(None, (layer.reason, "" if layer.is_known else layer.cause)))),
    )


def fitted(rows: Sequence[tuple[str, ...]], width: int | None) -> Iterator[str]:
    """Rows as lines of columns. In a width that has no room for whole names, each name has a line of its own,
    without an op, which most names end with; long reasons are cut.
    """
    names, ops, *rest, reasons = zip(*rows)
    name_width, reason_width = max(map(len, names)), REASON_WIDTH
    columns = [names, ops, *rest]
    if width is None:
        name_width = NAME_WIDTH
    else:
        columns = columns if width >= WIDE else [names, *rest]
        reason_width = width - sum(2 + max(map(len, column)) for column in columns)
        if reason_width < NARROWEST:
            measures = [*rest, tuple(_beginning(reason, REASON_WIDTH) for reason in reasons)]
            for name, line in zip(names, _aligned(measures)):
                yield from (_end(name, width), f"  {_beginning(line, width - 2)}")
            return
    columns[0] = tuple(_end(name, name_width) for name in names)
    yield from _aligned([*columns, tuple(_beginning(reason, reason_width) for reason in reasons)])


def _aligned(columns: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows as lines with columns of equal width."""
    widths = [max(map(len, column)) for column in columns]
    for row in zip(*columns):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()


def _end(text: str, width: int) -> str:
    return text if len(text) <= width else f"…{text[len(text) - width + 1 :]}"


def _beginning(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


MAX_PAGE_ROWS = 500
"""How many layers the table of the page has."""
COLOURS = {
    Verdict.EQUAL: "#2f7a3d",
    Verdict.ROUNDING: "#4d8a2b",
    Verdict.TIE: "#8a7a00",
    Verdict.MASKED: "#8a7a00",
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


def page(comparison: Comparison, analysis: ModelAnalysis | None = None) -> str:
    """The page. analysis: of the model that was compared, for the drawing; None for a page without it

    Raises:  MissingExtraError
    """
    layers, first = comparison.layers, comparison.first
    picture, missing = ("", "") if analysis is None else _picture(analysis)
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
        rows=MAX_PAGE_ROWS,
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


def junit(comparison: Comparison) -> str:
    """The text of the file."""
    cases = [*_whole(comparison), *map(_result, comparison.results), *map(_layer, comparison.layers)]
    name = f"{comparison.b} against {comparison.a} ({comparison.mode})"
    return file_of(suite_of(name, cases, compared=str(comparison.coverage)))


def _whole(comparison: Comparison) -> Iterator[JUnitCase]:
    """A failure where nothing was compared, or b did not run to the end."""
    reason = ""
    if comparison.coverage.is_nothing:
        reason = f"nothing was compared: {'; '.join(coverage_lines(comparison))}"
    elif comparison.results and not comparison.coverage.results:
        reason = "no result was compared"
    elif not comparison.complete:
        reason = "; ".join(comparison.notes) or f"{comparison.b} did not run to the end"
    if reason:
        yield _failed("comparison", "coverage", "failed", reason, reason)


def _result(result: ComparedResult) -> JUnitCase:
    if result.verdict is Verdict.RANDOM:
        return JUnitCase("Result", result.name, skipped=result.reason)
    if result.is_compared and not result.is_fault:
        return JUnitCase("Result", result.name)
    details = result.reason if result.metrics is None else f"{result.reason}; {metrics_line(result.metrics)}"
    kind = str(result.verdict) if result.is_compared else "not compared"
    return _failed("Result", result.name, kind, result.reason, details)


def _layer(layer: ComparedLayer) -> JUnitCase:
    name = "/".join((*layer.path, layer.name))
    if layer.verdict is Verdict.SKIPPED:
        return JUnitCase(layer.op, name, skipped=layer.reason)
    if layer.is_fault:
        details = [layer.reason, place_of(layer.location)]
        if layer.metrics is not None:
            details.append(metrics_line(layer.metrics))
        text = "; ".join(filter(None, (*details, *layer.inputs, layer.cause)))
        return _failed(layer.op, name, str(layer.verdict), layer.reason, text)
    return JUnitCase(layer.op, name, output=layer.reason if layer.verdict is Verdict.EQUAL else "")


def _failed(of: str, name: str, kind: str, reason: str, details: str) -> JUnitCase:
    return JUnitCase(of, name, failure=(kind, reason, printable(details)))
