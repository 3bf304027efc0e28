"""How much of a model a comparison has seen, and why it has not seen the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.compared_layer import ComparedLayer
from irops.debugging.compare.noise import QUIET_KINDS
from irops.debugging.compare.randomness import FOLLOWS_RANDOM, is_random
from irops.debugging.compare.results import ComparedResult
from irops.diagnostics.printable import plural
from irops.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many layers and results were compared, of how many.

    all_layers: those that compute something; layers_left_out, results_left_out: how many, by reason
    """

    layers: int = 0
    all_layers: int = 0
    results: int = 0
    all_results: int = 0
    layers_left_out: Mapping[str, int] = field(default_factory=dict)
    results_left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_nothing(self) -> bool:
        """Whether neither a layer nor a result was compared."""
        return not self.layers and not self.results

    def to_json(self) -> dict[str, Any]:
        """The coverage for machines."""
        return {
            "layers": self.layers,
            "all_layers": self.all_layers,
            "results": self.results,
            "all_results": self.all_results,
            "layers_left_out": dict(self.layers_left_out),
            "results_left_out": dict(self.results_left_out),
        }

    def __str__(self) -> str:
        layers, results = plural(self.all_layers, "layer"), plural(self.all_results, "result")
        return f"{self.layers} of {layers}, {self.results} of {results} compared"


def coverage_of(
    analysis: ModelAnalysis,
    layers: Sequence[ComparedLayer],
    results: Sequence[ComparedResult],
    why_missing: str,
) -> Coverage:
    """What was compared of a model. why_missing: the reason for layers that the comparison does not list"""
    left_out = Counter(reason for layer in layers if (reason := _why_left_out(layer)))
    compared = len(layers) - left_out.total()
    listed = {layer.id for layer in layers if not layer.path}
    constant = constant_layers(analysis)
    for number, node in analysis.root.layers.items():
        if node.layer.kind not in QUIET_KINDS and number not in listed:
            is_stateful = node.op is not None and node.op.definition.stateful
            reason = "has a state" if is_stateful else why_missing
            left_out["follows from constants alone" if number in constant else reason] += 1
    of_results = Counter(result.reason for result in results if not result.is_compared)
    return Coverage(
        compared,
        compared + left_out.total(),
        len(results) - of_results.total(),
        len(results),
        dict(left_out.most_common()),
        dict(of_results.most_common()),
    )


def _why_left_out(layer: ComparedLayer) -> str:
    """Why a layer that is listed was not compared, without what is special to it; "" where it was."""
    if layer.verdict is Verdict.SKIPPED:
        return layer.reason.partition(":")[0]
    return FOLLOWS_RANDOM if layer.reason == FOLLOWS_RANDOM else ""


def constant_layers(analysis: ModelAnalysis) -> set[int]:
    """The layers that depend on constants alone, which come along with their users."""
    found: set[int] = set()
    for node in analysis.root.order:
        sources = analysis.root.wiring.inputs[node.layer.id]
        folded = bool(sources) and all(s is None or s[0].id in found for s in sources)
        changes = is_random(node) or (node.op is not None and node.op.definition.stateful)
        if node.layer.is_constant or (folded and not changes and node.layer.kind not in QUIET_KINDS):
            found.add(node.layer.id)
    return found
