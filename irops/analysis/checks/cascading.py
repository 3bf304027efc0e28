"""Suppresses cascading findings: those that another finding on the same layer explains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from irops.diagnostics.diagnostic import Diagnostic

CASCADES = {
    "IR101": ("IR301", "IR302", "IR303"),  # a layer without a type or version: no op can be found
    "IR102": ("IR301", "IR302", "IR303"),
    "IR111": ("IR321", "IR322"),  # ports that share an id
    "IR504": ("IR312",),  # attributes of a Const, which both the weights and the definition check
    "IR505": ("IR314", "IR315"),
    "IR506": ("IR314", "IR315"),
    "IR508": ("IR314", "IR315", "IR408"),
    "IR509": ("IR311", "IR312"),
    "IR906": ("IR208", "IR210"),  # a tensor that two nodes produce
    **dict.fromkeys(
        ("IR907", "IR908", "IR909", "IR910", "IR911"), ("IR504", "IR312", "IR314")
    ),  # a constant without a value
}
"""The rules whose findings are suppressed by a finding of another rule on the same layer."""


def without_cascading(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    findings = list(findings)
    suppressed: dict[tuple[tuple[str, ...], int | None], set[str]] = defaultdict(set)
    for diagnostic in findings:
        suppressed[diagnostic.location.path, diagnostic.location.layer_id].update(
            CASCADES.get(diagnostic.code, ())
        )
    return [d for d in findings if d.code not in suppressed[d.location.path, d.location.layer_id]]
