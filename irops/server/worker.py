"""The process that checks texts, so that neither time nor a crash of a check holds up the server."""

import re
from collections.abc import Iterator
from dataclasses import replace

from irops.analysis.checks.run import check_as_read
from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, ReadError, Severity
from irops.diagnostics.report import Report
from irops.dialects.reading import load
from irops.dialects.registry import registry_with
from irops.environment import no_collection
from irops.files.limits import recursion_limit_for
from irops.ir.locate import SourceText
from irops.server.records import Checked, FindingRecord, FixRecord, GraphPath, ServerOptions
from irops.spec.extension import load_rules

MAX_TEXT = 64 << 20
"""Texts with more bytes are not checked: the reader reports them."""
_DECLARED = re.compile(r"""(?:\ufeff)?<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9_.:-]+)["']""")


class Worker:
    """Checks texts, each with the path of its document."""

    def __init__(self, options: ServerOptions) -> None:
        limits = replace(options.limits, xml_bytes=min(options.limits.xml_bytes, MAX_TEXT))
        self._options = replace(options, limits=limits)
        for source in options.rules:
            load_rules(source)
        self._registry = registry_with(options.definitions, options.modules)

    def __call__(self, request: tuple[str, str]) -> Checked:
        path, text = request
        limits, target = self._options.limits, self._options.target
        try:
            with no_collection(), recursion_limit_for(limits.depth):
                model, read_findings = load(path, text=_stored_bytes(text), limits=limits)
                analysis = ModelAnalysis(model, self._registry, limits, read_findings)
                report = check_as_read(analysis, read_findings, target)
                outputs = dict(_outputs((), analysis.declared))
        except ReadError as error:
            return Checked(self._records(Report.of(error.diagnostics, path), None), is_read=False)
        except DiagnosticError as error:  # a definition of a custom op is faulty
            return Checked(tuple(map(plain, error.diagnostics)), is_read=False)
        return Checked(self._records(report, analysis.editable), outputs)

    def _records(self, report: Report, source: SourceText | None) -> tuple[FindingRecord, ...]:
        narrowed = report.narrowed(self._options.select, self._options.ignore)
        return tuple(replace(plain(d), fix=_fix(d, source)) for d in narrowed)


def _stored_bytes(text: str) -> bytes:
    """A text as its file stores it: in the encoding that its XML declaration names, otherwise UTF-8."""
    declared = _DECLARED.match(text[:400])  # a text without > would be searched to its end
    if declared is not None:
        try:
            return text.encode(declared[1])
        except (LookupError, UnicodeError, ValueError):
            pass  # the reader reports the declaration, or the characters that the encoding lacks
    return text.encode("utf-8", "surrogatepass")


def plain(d: Diagnostic) -> FindingRecord:
    """A finding without its fix."""
    place = d.location
    is_error = d.severity is Severity.ERROR
    notes = (*((d.facts,) if d.facts else ()), *d.notes)
    return FindingRecord(d.code, d.name, is_error, d.message, place.line, place.column, notes)


def _fix(d: Diagnostic, source: SourceText | None) -> FixRecord | None:
    if d.fix is None or source is None:
        return None
    edits = ((source.line_column(e.start), source.line_column(e.end), e.text) for e in d.fix.edits)
    return FixRecord(d.fix.what, tuple(edits))


def _outputs(path: GraphPath, inferred: Inferred) -> Iterator[tuple[tuple[GraphPath, int], tuple[str, ...]]]:
    for number, facts in inferred.layers.items():
        yield (path, number), tuple(fact.spelled for fact in facts.outputs)
        for name, body in facts.bodies.items():
            yield from _outputs((*path, number, name), body)
