"""What irops check --why adds to a report."""

from __future__ import annotations

from irops.analysis.model_analysis import ModelAnalysis
from irops.cli.check_options import CheckOptions
from irops.debugging.origins.violations import with_reasons
from irops.diagnostics.diagnostic import ReadError
from irops.diagnostics.report import Report
from irops.dialects.reading import load
from irops.registry import Registry


def explained(
    report: Report, file: str, options: CheckOptions, registry: Registry | None, content: bytes | None
) -> Report:
    """The report, with notes about where the facts that violate constraints come from."""
    try:
        model, _ = load(file, options.weights, text=content, limits=options.limits)
    except ReadError:
        return report
    return with_reasons(report, ModelAnalysis(model, registry, options.limits))
