"""The tasks that compute no values: check, infer and target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irops.analysis.checks.run import check_as_read
from irops.analysis.checks.target import the_target_reads_the_model, unknown
from irops.analysis.infer import infer
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import TRANSIENT, Diagnostic, in_document_order
from irops.diagnostics.report import Report
from irops.ir.read import no_collection
from irops.limits import recursion_limit_for
from irops.reading import load
from irops.registry import Registry
from irops.spec.types import OPENVINO
from irops.surveys.describing import Detail, findings_detail, op_counts, outputs_detail, status_of
from irops.surveys.settings import Settings

Examined = tuple[str, Detail, bool]
"""A status, a detail, and whether it may be another one the next time."""


class Examining:
    """What tasks have in common that read a model. registry: None for that of irops"""

    def __init__(self, settings: Settings, registry: Registry | None) -> None:
        self.settings, self.registry = settings, registry

    def analysed(self, path: str) -> ModelAnalysis:
        """The analysis of a model, with what reading it reports. Raises: ReadError"""
        limits = self.settings.limits
        with no_collection(), recursion_limit_for(limits.depth):
            model, read_findings = load(path, limits=limits)
            return ModelAnalysis(model, self.registry, limits, read_findings)


class Checking(Examining):
    """All findings, as irops check reports them."""

    def __call__(self, path: str) -> Examined:
        """Raises: ReadError"""
        with no_collection(), recursion_limit_for(self.settings.limits.depth):
            return self._checked(path)

    def _checked(self, path: str) -> Examined:
        # in a function of its own, so that the model is freed before the collector could traverse it
        limits = self.settings.limits
        model, read_findings = load(path, limits=limits)
        analysis = ModelAnalysis(model, self.registry, limits, read_findings)
        report = check_as_read(analysis, read_findings)
        return examined(report.diagnostics, self.settings, analysis, with_ops=True)


class Inferring(Examining):
    """What inference reports, and the type and shape of each result."""

    def __call__(self, path: str) -> Examined:
        """Raises: ReadError"""
        analysis = self.analysed(path)
        facts = infer(analysis)
        status, detail, transient = examined(facts.diagnostics, self.settings, analysis, with_ops=True)
        return status, {**detail, "outputs": outputs_detail(analysis, facts)}, transient


class Targeting(Examining):
    """What a release of OpenVINO does not read."""

    def __call__(self, path: str, target: str) -> Examined:
        """Raises: ReadError"""
        analysis = self.analysed(path)
        if analysis.dialect.name != OPENVINO:
            return "unsupported", {"message": unknown(analysis, target)}, False
        findings = in_document_order(the_target_reads_the_model(analysis, target))
        return examined(findings, self.settings, analysis)


def examined(
    findings: Sequence[Diagnostic],
    settings: Settings,
    analysis: ModelAnalysis | None = None,
    *,
    with_ops: bool = False,
) -> Examined:
    """The result of a model with some findings, of which the settings may select some."""
    selected = Report(tuple(findings)).narrowed(settings.select, settings.ignore).diagnostics
    detail: dict[str, Any] = findings_detail(selected, analysis)
    if analysis is not None and with_ops:
        detail["ops"] = op_counts(analysis)
    transient = any(finding.name in TRANSIENT for finding in findings)
    return status_of(selected), detail, transient
