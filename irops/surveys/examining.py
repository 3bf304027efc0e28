"""The tasks that compute no values: check, infer and target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irops.analysis.checks.run import check_as_read
from irops.analysis.checks.target import the_target_reads_the_model
from irops.analysis.infer import infer
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Diagnostic, in_document_order
from irops.diagnostics.report import Report
from irops.diagnostics.subjects import TRANSIENT
from irops.ir.collection import no_collection
from irops.limits import recursion_limit_for
from irops.reading import load
from irops.registry import Registry
from irops.surveys.describing import Detail, findings_detail, op_counts, outputs_detail, status_of
from irops.surveys.settings import Settings

Examined = tuple[str, Detail, bool]
"""A status, a detail, and whether it may be another one the next time."""


def checked(path: str, settings: Settings, registry: Registry | None) -> Examined:
    """All findings, as irops check reports them. Raises: ReadError"""
    with no_collection(), recursion_limit_for(settings.limits.depth):
        return _checked(path, settings, registry)


def _checked(path: str, settings: Settings, registry: Registry | None) -> Examined:
    # in a function of its own, so that the model is freed before the collector could traverse it
    model, read_findings = load(path, limits=settings.limits)
    analysis = ModelAnalysis(model, registry, settings.limits, read_findings)
    report = check_as_read(analysis, read_findings)
    return examined(report.diagnostics, settings, analysis)


def inferred(path: str, settings: Settings, registry: Registry | None) -> Examined:
    """What inference reports, and the type and shape of each result. Raises: ReadError"""
    analysis = analysed(path, settings, registry)
    facts = infer(analysis)
    status, detail, transient = examined(facts.diagnostics, settings, analysis)
    return status, {**detail, "outputs": outputs_detail(analysis, facts)}, transient


def target_checked(path: str, settings: Settings, registry: Registry | None, target: str) -> Examined:
    """What a release of OpenVINO does not read. Raises: ReadError"""
    analysis = analysed(path, settings, registry)
    findings = in_document_order(the_target_reads_the_model(analysis, target))
    return examined(findings, settings, analysis, with_ops=False)


def analysed(path: str, settings: Settings, registry: Registry | None) -> ModelAnalysis:
    """The analysis of a model, with what reading it reports. Raises: ReadError"""
    with no_collection(), recursion_limit_for(settings.limits.depth):
        model, read_findings = load(path, limits=settings.limits)
        return ModelAnalysis(model, registry, settings.limits, read_findings)


def examined(
    findings: Sequence[Diagnostic],
    settings: Settings,
    analysis: ModelAnalysis | None = None,
    *,
    with_ops: bool = True,
) -> Examined:
    """The result of a model with some findings, of which the settings may select some."""
    selected = Report(tuple(findings)).narrowed(settings.select, settings.ignore).diagnostics
    detail: dict[str, Any] = findings_detail(selected, analysis)
    if analysis is not None and with_ops:
        detail["ops"] = op_counts(analysis)
    transient = any(finding.name in TRANSIENT for finding in findings)
    return status_of(selected), detail, transient
