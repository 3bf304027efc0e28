"""The report of a comparison as text: the answer first, then the layers that matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from irops.debugging.compare.compared import ComparedLayer, ComparedResult, Coverage
from irops.diagnostics.diagnostic import Location
from irops.diagnostics.printable import Markup, abridged, in_html, literal, plural, printable
from irops.verdicts.metrics import Metrics
from irops.verdicts.verdict import SEVERITY, Verdict

MAX_REASONS = 3
MAX_ROWS = 20
"""How many layers the table has, unless all are asked for."""
NAME_WIDTH = 48
MAX_NAMED = 4
"""How many results and layers the answer names of each kind."""
UNREMARKABLE = (Verdict.EQUAL, Verdict.SKIPPED)
"""Layers that the table leaves out, unless all are asked for."""


class Reportable(Protocol):
    """What a report is about."""

    @property
    def model(self) -> str: ...
    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def precision(self) -> str: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def complete(self) -> bool: ...
    @property
    def layers(self) -> tuple[ComparedLayer, ...]: ...
    @property
    def first(self) -> ComparedLayer | None: ...
    @property
    def counts(self) -> Mapping[Verdict, int]: ...
    @property
    def ok(self) -> bool: ...
    @property
    def results(self) -> tuple[ComparedResult, ...]: ...
    @property
    def coverage(self) -> Coverage: ...
    @property
    def between(self) -> tuple[str, ...]: ...
    @property
    def sets(self) -> int: ...
    @property
    def whole(self) -> bool: ...
    @property
    def compressed(self) -> tuple[str, ...]: ...


def report_text(comparison: Reportable, *, all_layers: bool = False) -> str:
    """The report. all_layers: also those that are equal, however many there are."""
    return "\n".join(_lines(comparison, all_layers))


def _lines(comparison: Reportable, all_layers: bool) -> Iterator[str]:
    yield from answer(comparison)
    yield from comparison.notes
    rows = table_rows(comparison.layers, all_layers)
    if rows:
        yield ""
        yield from aligned([("layer", "op", "verdict", "max abs", "differ", "reason"), *rows])
        rest = sum(1 for layer in comparison.layers if layer.verdict not in UNREMARKABLE) - len(rows)
        if rest > 0:
            yield f"and {plural(rest, 'more layer')} that differ; --all lists every layer"


def answer(comparison: Reportable) -> Iterator[str]:
    """The first lines: whether the results agree; which layer is wrong, where, and how much; the coverage."""
    yield from result_lines(comparison)
    yield from layer_lines(comparison)
    yield from coverage_lines(comparison)
    if comparison.precision:
        yield (
            f"{comparison.b} computes f32 in {comparison.precision}; errors within that precision count as"
            " rounding"
        )


def results_summary(comparison: Reportable) -> str:
    """In a few words, whether the results agree."""
    results = comparison.results
    if comparison.coverage.is_nothing:
        return "nothing was compared"
    if not results:
        return "no results"
    agreeing = sum(result.is_compared and not result.is_fault for result in results)
    if agreeing == 0 and len(results) == 1:
        return "the result differs" if results[0].is_fault else "the result was not compared"
    if agreeing < len(results):
        return f"{agreeing} of {plural(len(results), 'result')} {'agrees' if agreeing == 1 else 'agree'}"
    match len(results):
        case 1:
            return "the result agrees"
        case 2:
            return "both results agree"
    return f"all {len(results)} results agree"


def result_lines(comparison: Reportable) -> Iterator[str]:
    """Whether the results agree, and what is wrong with those that do not."""
    results = comparison.results
    wrong = [result for result in results if result.is_fault]
    left = [result for result in results if not result.is_compared]
    if not wrong:
        yield f"{results_summary(comparison)}{_often(comparison)}"
    for result in wrong[:MAX_NAMED]:
        yield f"result {result_name(result)} {_how_wrong(result)}{_often(comparison, result.wrong_in)}"
    if len(wrong) > MAX_NAMED:
        yield f"and {plural(len(wrong) - MAX_NAMED, 'more result')} that differ"
    if wrong and len(wrong) + len(left) < len(results):
        others = len(results) - len(wrong) - len(left)
        yield f"{plural(others, 'other result')} {'agrees' if others == 1 else 'agree'}"
    for result in left[:MAX_NAMED]:
        yield f"  result {result_name(result)} was not compared: {result.reason}"
    for result in results:
        if result.is_compared and not result.is_fault and result.verdict is Verdict.EQUAL and result.reason:
            yield f"  result {result_name(result)} is equal, as {result.reason}"


def _often(comparison: Reportable, times: int | None = None) -> str:
    """For which sets of inputs, where there are several."""
    if comparison.sets == 1:
        return ""
    sets = plural(comparison.sets, "set")
    return f" for all {sets} of inputs" if times is None else f" (for {times} of {sets} of inputs)"


def result_name(result: ComparedResult) -> str:
    """The name of a result, with that in b where it is another one."""
    own, other = (abridged(name, 60) for name in result.names)
    return own if own == other else f"{own} ({other} in B, by {result.matched_by})"


def _how_wrong(result: ComparedResult) -> str:
    """How a result differs, as a predicate."""
    metrics = result.metrics
    if result.verdict is Verdict.FAILED:
        return f"was not computed: {result.reason}"
    if metrics is None or metrics.worst is None:
        return f"differs: {result.reason}"
    size = f"{metrics.max_abs:.2g} at {list(metrics.worst)}, SNR {metrics.snr:.0f} dB"
    return f"differs: {size}; {result.reason}"


def layer_lines(comparison: Reportable) -> Iterator[str]:
    """Which layer is wrong, where, how much, and why; or why none is named."""
    first = comparison.first
    if first is None:
        yield from _no_layer_lines(comparison)
    else:
        place = place_of(first.location)
        where = f"{first.op}, {place}" if place else first.op
        path = f" in {'/'.join(first.path)}" if first.path else ""
        often = _often(comparison, first.wrong_in)
        yield f"the first wrong layer is {abridged(first.name, 100)}{path} ({where}): {first.reason}{often}"
        if first.cause:
            yield f"  cause: {first.cause}"
        if comparison.between:
            yield f"  {_between(comparison)} before it: the difference may begin there"
        if first.metrics is not None:
            yield f"  {metrics_line(first.metrics)}"
            yield from (f"  {line}" for line in worst_lines(first.metrics, comparison.a, comparison.b))
        yield from (f"  {line}" for line in first.inputs)
    without_effect = [layer for layer in comparison.layers if layer.verdict is Verdict.NO_EFFECT]
    for layer in without_effect[:MAX_NAMED]:
        yield f"  layer {abridged(layer.name, 60)} {layer.note}"
    if len(without_effect) > MAX_NAMED:
        yield f"  and {plural(len(without_effect) - MAX_NAMED, 'more layer')} that differ without an effect"


def _no_layer_lines(comparison: Reportable) -> Iterator[str]:
    wrong = any(result.is_fault and result.metrics is not None for result in comparison.results)
    if not comparison.complete:
        yield f"{comparison.b} did not run to the end; until then, no layer is wrong"
    elif not comparison.coverage.layers and comparison.mode != "cuts":
        if comparison.results and not comparison.coverage.is_nothing:
            yield "no layer was compared"
        if wrong and comparison.between:
            yield f"  {_between(comparison)}: the difference begins there"
    elif wrong and comparison.between:
        yield "no layer that was compared is wrong, but the results differ"
        yield f"  {_between(comparison)} before them: the difference begins there"
    elif wrong:
        yield "no single layer is wrong, but the results differ"
        if comparison.compressed:
            yield from (f"  the {text} in {comparison.b}" for text in comparison.compressed)
            yield "  with the weights of the first model, all layers agree"
        elif comparison.mode == "cuts":
            yield "  no part that can be cut out differs when it is compiled alone"
        elif comparison.whole:
            yield "  the difference appears when layers are compiled together: --mode cuts finds the part"
        else:
            further = "" if comparison.mode == "propagated" else "; --mode propagated shows how it grows"
            yield f"  it is larger than rounding explains{further}"
    else:
        yield f"no layer of {comparison.b} is wrong against {comparison.a} ({comparison.mode})"


def _between(comparison: Reportable) -> str:
    """The layers that were not compared, as a subject with its verb."""
    names = comparison.between
    listed = ", ".join(abridged(name, 60) for name in names[:MAX_NAMED])
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    lie = "lies" if len(names) == 1 else "lie"
    return f"{plural(len(names), 'layer')} that B does not have ({listed}{more}) {lie}"


def coverage_lines(comparison: Reportable) -> Iterator[str]:
    """How much was compared, with which verdicts, and why the rest was not."""
    coverage = comparison.coverage
    counts = ", ".join(
        f"{comparison.counts[verdict]} {verdict}"
        for verdict in SEVERITY
        if comparison.counts.get(verdict) and verdict not in (Verdict.SKIPPED, Verdict.RANDOM)
    )
    yield (
        f"{coverage.layers} of {plural(coverage.all_layers, 'layer')} and {coverage.results} of"
        f" {plural(coverage.all_results, 'result')} compared{f': {counts}' if counts else ''}"
    )
    left_out = ", ".join(f"{count} {reason}" for reason, count in coverage.left_out.items())
    if left_out:
        yield f"  layers not compared: {left_out}"
    skipped = Counter(layer.reason for layer in comparison.layers if layer.verdict is Verdict.SKIPPED)
    for reason, count in skipped.most_common(MAX_REASONS):
        yield f"  skipped {count}: {printable(reason)}"


def place_of(location: Location) -> str:
    """The file and line of a layer; "" where it is of no file."""
    if location.file is None:
        return ""
    return location.file if location.line is None else f"{location.file}:{location.line}"


def metrics_line(metrics: Metrics) -> str:
    """All metrics on one line."""
    parts = [
        f"max abs {metrics.max_abs:.3g}",
        f"max rel {metrics.max_rel:.3g}",
        *([] if metrics.max_ulp is None else [f"{metrics.max_ulp:,.0f} ULP"]),
        f"cosine {metrics.cosine:.6f}",
        f"SNR {metrics.snr:.1f} dB",
        f"{metrics.differing:,} of {metrics.elements:,} elements differ ({metrics.share:.1%})",
    ]
    return ", ".join(parts)


def worst_lines(metrics: Metrics, a: str, b: str) -> Iterator[str]:
    """Both values where they differ most."""
    if metrics.worst is not None:
        yield f"worst at {list(metrics.worst)}: {metrics.first!r} by {a}, {metrics.second!r} by {b}"


def table_rows(layers: Sequence[ComparedLayer], all_layers: bool) -> list[tuple[str, ...]]:
    """The rows of the table: what is wrong first, then what differs most, in the order of the model."""
    if all_layers:
        return [_row(layer) for layer in layers]
    differing = [layer for layer in layers if layer.verdict not in UNREMARKABLE]
    order = {id(layer): index for index, layer in enumerate(layers)}
    chosen = sorted(differing, key=_rank)[:MAX_ROWS]
    return [_row(layer) for layer in sorted(chosen, key=lambda layer: (not layer.is_fault, order[id(layer)]))]


def _rank(layer: ComparedLayer) -> tuple[bool, int, float]:
    snr = layer.metrics.snr if layer.metrics is not None else 0.0
    return not layer.is_fault, 0 if layer.is_fault else -layer.verdict.severity, snr


def _row(layer: ComparedLayer) -> tuple[str, ...]:
    metrics = layer.metrics
    return (
        printable(abridged("/".join((*layer.path, layer.name)), NAME_WIDTH)),
        layer.op,
        str(layer.verdict),
        "" if metrics is None else f"{metrics.max_abs:.3g}",
        "" if metrics is None else f"{metrics.share:.2%}",
        printable(layer.reason),
    )


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows as lines with columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()


# A comparison as a JUnit file, for continuous integration: a test case for each result and each layer.


def junit(comparison: Reportable) -> Markup:
    """The text of the file."""
    return "".join(f"{line}\n" for line in _junit_lines(comparison))


def _junit_lines(comparison: Reportable) -> Iterator[Markup]:
    cases = [
        *_coverage_case(comparison),
        *map(_result_case, comparison.results),
        *map(_case, comparison.layers),
    ]
    failures, skipped = (sum(mark in case for case in cases) for mark in ("<failure ", "<skipped "))
    name = in_html(f"{comparison.b} against {comparison.a} ({comparison.mode})")
    yield literal('<?xml version="1.0" encoding="UTF-8"?>')
    yield (
        f'<testsuite name="{name}" tests="{len(cases)}" failures="{failures}" skipped="{skipped}" errors="0">'
    )
    compared = in_html(str(comparison.coverage))
    yield f'  <properties><property name="compared" value="{compared}"/></properties>'
    yield from cases
    yield literal("</testsuite>")


def _coverage_case(comparison: Reportable) -> Iterator[Markup]:
    """A failed test where nothing was compared, or b did not run to the end."""
    if comparison.coverage.is_nothing:
        yield _failed('  <testcase classname="comparison" name="coverage"', "none", "nothing was compared")
    elif not comparison.complete:
        reason = "; ".join(comparison.notes) or "b did not run to the end"
        yield _failed('  <testcase classname="comparison" name="coverage"', "incomplete", reason)


def _result_case(result: ComparedResult) -> Markup:
    """A result that was not compared is a failed test, too: it is not known to be right."""
    start = f'  <testcase classname="Result" name="{in_html(result.name)}"'
    if not result.is_compared:
        return _failed(start, "not compared", f"not compared: {result.reason}")
    if not result.is_fault:
        return f"{start}/>"
    details = [] if result.metrics is None else [metrics_line(result.metrics)]
    return _failed(start, str(result.verdict), result.reason, details)


def _failed(start: Markup, kind: str, reason: str, details: Iterable[str] = ()) -> Markup:
    text = in_html("; ".join(filter(None, (reason, *details))))
    return f'{start}><failure type="{in_html(kind)}" message="{in_html(reason)}">{text}</failure></testcase>'


def _case(layer: ComparedLayer) -> Markup:
    name = in_html("/".join((*layer.path, layer.name)))
    start = f'  <testcase classname="{in_html(layer.op)}" name="{name}"'
    if layer.verdict in (Verdict.SKIPPED, Verdict.RANDOM):
        return f'{start}><skipped message="{in_html(layer.reason)}"/></testcase>'
    if not layer.is_fault:
        return f"{start}/>"
    details = [layer.cause, place_of(layer.location)]
    if layer.metrics is not None:
        details.append(metrics_line(layer.metrics))
    return _failed(start, str(layer.verdict), layer.reason, (*details, *layer.inputs))
