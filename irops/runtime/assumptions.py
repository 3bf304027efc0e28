"""What inference assumes of sizes that it does not know, compared with what a run meets.

Only Squeeze assumes: by its specification, an axis that is to be removed and may have size 1 is inferred to
be removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.rule import Severity
from irops.invocation import OpFault
from irops.ir.model import LayerKind
from irops.values.element import Array


def contradiction(assumed: LayerFacts, actual: LayerFacts) -> OpFault | None:
    """The fault of a layer whose outputs do not have the shapes that were inferred; None if they have."""
    for index, (before, now) in enumerate(zip(assumed.outputs, actual.outputs)):
        if not before.shape.can_be(now.shape):
            message = f"output {index} has shape {now.shape} in this run, inferred is {before.shape}"
            return OpFault("contradicted-inference", message)
    return None


def contradictions(
    analysis: ModelAnalysis, graph: GraphNode, planned: Inferred, given: Mapping[int, Array]
) -> Iterator[tuple[LayerFacts, OpFault]]:
    """The layers of the model that get other shapes for the given inputs than the model's own inference says.

    Every assumption that fails gives a warning, so that only layers with warnings are compared.
    """
    if graph.path or any(graph.layers[key].layer.kind is not LayerKind.PARAMETER for key in given):
        return
    for layer in dict.fromkeys(_warned(planned.findings)):
        fault = contradiction(analysis.declared.layers[layer], planned.layers[layer])
        if fault is not None:
            yield planned.layers[layer], fault


def _warned(findings: list[Diagnostic]) -> Iterator[int]:
    for finding in findings:
        place = finding.location
        if finding.severity is Severity.WARNING and not place.path and place.layer_id is not None:
            yield place.layer_id
