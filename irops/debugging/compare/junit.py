"""A comparison as a JUnit file, for continuous integration: a test case for each layer."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.report import Reportable, metrics_line, place_of
from irops.diagnostics.printable import printable
from irops.verdicts.verdict import Verdict


def junit(comparison: Reportable) -> str:
    """The text of the file."""
    return "".join(f"{line}\n" for line in _lines(comparison))


def _lines(comparison: Reportable) -> Iterator[str]:
    layers = comparison.layers
    failures = sum(layer.is_fault for layer in layers)
    skipped = sum(layer.verdict is Verdict.SKIPPED for layer in layers)
    name = _quoted(f"{comparison.b} against {comparison.a} ({comparison.mode})")
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<testsuite name={name} tests="{len(layers)}" failures="{failures}" skipped="{skipped}" errors="0">'
    )
    for layer in layers:
        yield from _case(layer)
    yield "</testsuite>"


def _case(layer: ComparedLayer) -> Iterator[str]:
    start = f"  <testcase classname={_quoted(layer.op)} name={_quoted('/'.join((*layer.path, layer.name)))}"
    if layer.verdict is Verdict.SKIPPED:
        yield f"{start}><skipped message={_quoted(layer.reason)}/></testcase>"
    elif layer.is_fault:
        details = [layer.reason, place_of(layer.location)]
        if layer.metrics is not None:
            details.append(metrics_line(layer.metrics))
        text = escape(printable("; ".join(filter(None, (*details, *layer.inputs)))))
        kind = f"type={_quoted(str(layer.verdict))} message={_quoted(layer.reason)}"
        yield f"{start}><failure {kind}>{text}</failure></testcase>"
    elif layer.verdict is Verdict.EQUAL and layer.reason:
        yield f"{start}><system-out>{escape(printable(layer.reason))}</system-out></testcase>"
    else:
        yield f"{start}/>"


def _quoted(text: str) -> str:
    return quoteattr(printable(text))
