"""Judge a model by a rule of irops.check."""

from __future__ import annotations

from irops.analysis.checks.run import check
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.oracle import Judge
from irops.diagnostics.diagnostic import Diagnostic
from irops.ir.model import Model
from irops.limits import Limits
from irops.registry import Registry


class RuleJudge(Judge):
    """Whether irops.check reports a rule: its code, or the beginning of a code. Values do not matter.

    The reason is the rule, the type of the layer, and the constraint of its definition. Of several findings
    in the whole model, the first one counts.
    """

    needs_values = False

    def __init__(self, rule: str, registry: Registry | None = None, limits: Limits | None = None) -> None:
        self.rule, self._registry, self._limits = rule, registry, limits
        self.description, self.absence = f"rule {rule}", f"irops check does not report {rule}"
        self._reason: str | None = None

    def reason(self, case: Case) -> str | None:
        report = check(case.analysis(self._registry, self._limits), select=(self.rule,), limits=self._limits)
        reasons = [_reason(finding, case.model) for finding in report]
        if self._reason is None and reasons:
            self._reason = reasons[0]
            self.allowed = frozenset(finding.code for finding in report)
        return self._reason if self._reason in reasons else None


def _reason(finding: Diagnostic, model: Model) -> str:
    """What stays the same of a finding in a smaller model."""
    types = {layer.name: layer.type for _, layer in model.walk()}
    layer = types.get(finding.location.layer_name or "", "")
    return " ".join(filter(None, (finding.code, layer, finding.constraint)))
