"""Why a constraint is violated: which facts of the inputs break it, and where these come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from irops.analysis.inference import Inference
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode
from irops.debugging.origins.sources import sentences
from irops.debugging.origins.symbolic import SymbolicModel
from irops.debugging.origins.walk import MAX_ITEMS, Facts, Item, Walk, items_of, needed_items
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.report import Report
from irops.ops.invocation import OpFault
from irops.values.violation import LimitExceeded, collect_warnings

RULE = "violated-constraint"
MAX_NOTES = 20
"""The greatest number of notes that explain one finding."""


def with_reasons(report: Report, analysis: ModelAnalysis) -> Report:
    """The report, in which every violated constraint has notes about where the facts that break it come from.

    analysis: of the model that the report is about
    """
    if not any(finding.name == RULE for finding in report):
        return report
    model = SymbolicModel(analysis, generalised=False)
    return replace(report, diagnostics=tuple(_with_reasons(finding, model) for finding in report))


def _with_reasons(finding: Diagnostic, model: SymbolicModel) -> Diagnostic:
    place = finding.location
    graph = model.analysis.by_path.get(place.path)
    if finding.name != RULE or graph is None or place.layer_id not in graph.layers:
        return finding
    lines = list(_reasons(finding, model, graph.layers[place.layer_id]))
    if len(lines) > MAX_NOTES:
        lines[MAX_NOTES - 1 :] = [f"and {len(lines) - MAX_NOTES + 1} more steps"]
    return replace(finding, notes=(*finding.notes, *lines))


def _reasons(finding: Diagnostic, model: SymbolicModel, node: LayerNode) -> Iterator[str]:
    constraint = (finding.constraint or "").rpartition(":")[2]
    inputs = model.facts((node.path, node.layer.id)).inputs
    items = _breaking(model.analysis, node, inputs, constraint)
    walk = Walk(model)
    causes = [(item, walk.cause((node.path, node.layer.id), item)) for item in items]
    if not causes:
        return
    reasons = [
        walk.reason((node.path, node.layer.id), item, cause).described(named=True) for item, cause in causes
    ]
    yield f"it is violated because of {', '.join(reasons)}"
    yield from sentences(walk.follow([cause for _, cause in causes]))


def _breaking(analysis: ModelAnalysis, node: LayerNode, inputs: Facts, constraint: str) -> list[Item]:
    """The facts of the inputs that suffice to break a constraint; none if they do not break it."""

    def breaks(reduced: Facts) -> bool:
        return constraint in _broken(analysis, node, reduced)

    items = list(items_of(inputs))
    if len(items) > MAX_ITEMS or not breaks(inputs):
        return []
    return needed_items(inputs, items, breaks)


def _broken(analysis: ModelAnalysis, node: LayerNode, inputs: Facts) -> Sequence[str | None]:
    """The constraints that a layer violates for these facts of its inputs, as errors or warnings."""
    with collect_warnings() as warnings:
        try:
            Inference(analysis).layer(node, inputs)
        except OpFault as fault:
            return [fault.constraint]
        except LimitExceeded:
            return []
    return [warning.constraint for warning in warnings]
