"""A comparison as a JUnit file, for continuous integration: a test case for each result and each layer."""

from __future__ import annotations

from collections.abc import Iterator

from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.report import Reportable, coverage_lines, metrics_line, place_of
from irops.debugging.compare.results import ComparedResult
from irops.diagnostics.junit import Case, file_of, suite_of
from irops.diagnostics.printable import printable
from irops.verdicts.verdict import Verdict


def junit(comparison: Reportable) -> str:
    """The text of the file."""
    cases = [*_whole(comparison), *map(_result, comparison.results), *map(_layer, comparison.layers)]
    name = f"{comparison.b} against {comparison.a} ({comparison.mode})"
    return file_of(suite_of(name, cases, compared=str(comparison.coverage)))


def _whole(comparison: Reportable) -> Iterator[Case]:
    """A failure where nothing was compared, or b did not run to the end."""
    reason = ""
    if comparison.coverage.is_nothing:
        reason = f"nothing was compared: {'; '.join(coverage_lines(comparison))}"
    elif not comparison.complete:
        reason = "; ".join(comparison.notes) or f"{comparison.b} did not run to the end"
    if reason:
        yield _failed("comparison", "coverage", "failed", reason, reason)


def _result(result: ComparedResult) -> Case:
    if result.verdict is Verdict.RANDOM:
        return Case("Result", result.name, skipped=result.reason)
    if result.is_compared and not result.is_fault:
        return Case("Result", result.name)
    details = result.reason if result.metrics is None else f"{result.reason}; {metrics_line(result.metrics)}"
    kind = str(result.verdict) if result.is_compared else "not compared"
    return _failed("Result", result.name, kind, result.reason, details)


def _layer(layer: ComparedLayer) -> Case:
    name = "/".join((*layer.path, layer.name))
    if layer.verdict is Verdict.SKIPPED:
        return Case(layer.op, name, skipped=layer.reason)
    if layer.is_fault:
        details = [layer.reason, place_of(layer.location)]
        if layer.metrics is not None:
            details.append(metrics_line(layer.metrics))
        text = "; ".join(filter(None, (*details, *layer.inputs)))
        return _failed(layer.op, name, str(layer.verdict), layer.reason, text)
    return Case(layer.op, name, output=layer.reason if layer.verdict is Verdict.EQUAL else "")


def _failed(of: str, name: str, kind: str, reason: str, details: str) -> Case:
    return Case(of, name, failure=(kind, reason, printable(details)))
