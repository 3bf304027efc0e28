"""A comparison as a JUnit file, for continuous integration: a test case for each result and each layer."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.report import Reportable, coverage_lines, metrics_line, place_of
from irops.debugging.compare.results import ComparedResult
from irops.diagnostics.printable import printable
from irops.verdicts.verdict import Verdict


def junit(comparison: Reportable) -> str:
    """The text of the file."""
    return "".join(f"{line}\n" for line in _lines(comparison))


def _lines(comparison: Reportable) -> Iterator[str]:
    cases = [*_whole(comparison), *map(_result, comparison.results), *map(_case, comparison.layers)]
    failures, skipped = (sum(mark in case for case in cases) for mark in ("<failure ", "<skipped "))
    name = _quoted(f"{comparison.b} against {comparison.a} ({comparison.mode})")
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<testsuite name={name} tests="{len(cases)}" failures="{failures}" skipped="{skipped}" errors="0">'
    )
    compared = _quoted(str(comparison.coverage))
    yield f'  <properties><property name="compared" value={compared}/></properties>'
    yield from cases
    yield "</testsuite>"


def _whole(comparison: Reportable) -> Iterator[str]:
    """A failure where nothing was compared, or b did not run to the end."""
    reason = ""
    if comparison.coverage.is_nothing:
        reason = f"nothing was compared: {'; '.join(coverage_lines(comparison))}"
    elif not comparison.complete:
        reason = "; ".join(comparison.notes) or f"{comparison.b} did not run to the end"
    if reason:
        yield _failure(_start("comparison", "coverage"), "failed", reason, reason)


def _result(result: ComparedResult) -> str:
    start = _start("Result", result.name)
    if result.verdict is Verdict.RANDOM:
        return f"{start}><skipped message={_quoted(result.reason)}/></testcase>"
    if result.is_compared and not result.is_fault:
        return f"{start}/>"
    details = result.reason if result.metrics is None else f"{result.reason}; {metrics_line(result.metrics)}"
    kind = str(result.verdict) if result.is_compared else "not compared"
    return _failure(start, kind, result.reason, details)


def _start(of: str, name: str) -> str:
    return f"  <testcase classname={_quoted(of)} name={_quoted(name)}"


def _failure(start: str, kind: str, reason: str, details: str) -> str:
    words = f"type={_quoted(kind)} message={_quoted(reason)}"
    return f"{start}><failure {words}>{escape(printable(details))}</failure></testcase>"


def _case(layer: ComparedLayer) -> str:
    start = _start(layer.op, "/".join((*layer.path, layer.name)))
    if layer.verdict is Verdict.SKIPPED:
        return f"{start}><skipped message={_quoted(layer.reason)}/></testcase>"
    if layer.is_fault:
        details = [layer.reason, place_of(layer.location)]
        if layer.metrics is not None:
            details.append(metrics_line(layer.metrics))
        text = "; ".join(filter(None, (*details, *layer.inputs)))
        return _failure(start, str(layer.verdict), layer.reason, text)
    if layer.verdict is Verdict.EQUAL and layer.reason:
        return f"{start}><system-out>{escape(printable(layer.reason))}</system-out></testcase>"
    return f"{start}/>"


def _quoted(text: str) -> str:
    return quoteattr(printable(text))
