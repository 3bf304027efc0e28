"""The details of rows: findings, ops and outputs of a model, of bounded size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode
from irops.diagnostics.diagnostic import PATH_RULES, USAGE_RULES, Diagnostic, Severity
from irops.diagnostics.printable import abridged
from irops.limits import LIMIT_OF_RULE

MAX_FINDINGS = 50
"""How many findings of a cell are listed; all are counted."""
MAX_TEXT, MAX_NAME = 500, 200
MAX_OPS, MAX_OUTPUTS = 1000, 64

Detail = dict[str, Any]


def findings_detail(findings: Sequence[Diagnostic], analysis: ModelAnalysis | None = None) -> Detail:
    """The findings of a cell, the errors first, and the number of findings of each rule.

    analysis: for the ops of the layers
    """
    if not findings:
        return {}
    worst_first = sorted(findings, key=lambda finding: finding.severity is not Severity.ERROR)
    return {
        "counts": dict(Counter(finding.code for finding in findings)),
        "findings": [_finding(finding, analysis) for finding in worst_first[:MAX_FINDINGS]],
    }


def status_of(findings: Iterable[Diagnostic]) -> str:
    """The status of a model with some findings."""
    severities = set()
    for finding in findings:
        if finding.name in PATH_RULES:
            return "error"
        severities.add(finding.severity)
    if Severity.ERROR in severities:
        return "fail"
    return "warn" if severities else "pass"


def refusal_status(findings: Sequence[Diagnostic]) -> str:
    """The status of a model that cannot be computed for some reasons."""
    names = {finding.name for finding in findings}
    if names & (PATH_RULES | USAGE_RULES | LIMIT_OF_RULE.keys()):
        return "error"
    return "unsupported" if "unsupported-op" in names else "fail"


def op_counts(analysis: ModelAnalysis) -> dict[str, int]:
    """The number of layers of each op, those of bodies included; the most frequent ones if there are many."""
    counts: Counter[str] = Counter()
    for graph in analysis.graphs:
        for node in graph.layers.values():
            counts[_op_name(node)] += 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_OPS])


def outputs_detail(analysis: ModelAnalysis, inferred: Inferred) -> dict[str, str]:
    """Type and shape of the results of a model, by name."""
    facts = {port.name: inferred.of(port.layer.id).inputs for port in analysis.signature.results}
    shown = {name: found[0].spelled for name, found in facts.items() if found and found[0] is not None}
    return {
        abridged(name, MAX_NAME): abridged(fact, MAX_NAME) for name, fact in list(shown.items())[:MAX_OUTPUTS]
    }


def _finding(finding: Diagnostic, analysis: ModelAnalysis | None) -> Detail:
    where = finding.location
    excerpt = {} if where.excerpt is None else {"excerpt": list(where.excerpt)}
    return {
        **excerpt,
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "message": abridged(finding.message, MAX_TEXT),
        "line": where.line,
        "column": where.column,
        "layer": None if where.shown_name is None else "/".join((*where.shown_path, where.shown_name)),
        "op": _op_of(finding, analysis),
    }


def _op_of(finding: Diagnostic, analysis: ModelAnalysis | None) -> str | None:
    if finding.constraint is not None:
        return finding.constraint.rpartition(":")[0] or None
    where = finding.location
    graph = None if analysis is None else analysis.by_path.get(where.path)
    node = None if graph is None or where.layer_id is None else graph.layers.get(where.layer_id)
    return None if node is None else _op_name(node)


def _op_name(node: LayerNode) -> str:
    """The op version of a layer, named as ids are, whether it is defined or not."""
    if node.op is not None:
        return node.op.id
    dialect, colon, number = node.layer.version.removeprefix("opset").rpartition(":")
    return abridged(f"{dialect}{colon}{node.layer.type}-{number}", MAX_NAME)
