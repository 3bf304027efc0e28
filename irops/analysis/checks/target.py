"""Checks what the target, a release of OpenVINO, does not read."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.need import Need
from irops.analysis.needs import needs
from irops.diagnostics.diagnostic import Diagnostic
from irops.spec.releases import UNRELEASED, releases
from irops.spec.types import OPENVINO


def the_target_reads_the_model(analysis: ModelAnalysis, target: str) -> Iterator[Diagnostic]:
    """target: one of the names of releases."""
    table = releases()
    if analysis.dialect.name != OPENVINO:
        yield analysis.finding("target-of-another-dialect", unknown(analysis, target), -1, analysis.root)
        return
    seen: set[tuple[int, str, tuple[str, ...]]] = set()
    for need in needs(analysis):
        if table.reads(target, need.since):
            continue
        key = (need.layer.id if need.layer else -1, need.rule, need.graph.path)
        if key not in seen:  # a Parameter of u2 has an output of u2 as well
            seen.add(key)
            yield _finding(analysis, need, target)


def unknown(analysis: ModelAnalysis, target: str) -> str:
    """Why a model of another dialect is not checked for a target."""
    return f"irops does not know which {analysis.dialect.title} models OpenVINO {target} reads"


def _finding(analysis: ModelAnalysis, need: Need, target: str) -> Diagnostic:
    subject = f"{need.layer} {need.what}" if need.layer is not None else need.what
    known = "no release that irops knows does" if need.since == UNRELEASED else None
    message = (
        f"{subject}, which OpenVINO {target} does not read; "
        f"{known or f'the oldest release that does is {need.since}'}"
    )
    return analysis.finding(need.rule, message, need.at, need.graph, need.layer, attribute=need.attribute)
