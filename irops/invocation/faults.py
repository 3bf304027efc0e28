"""What is wrong with an op that is applied to inputs."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.rules import rule
from irops.limits import notes as limit_notes
from irops.spec.extension import is_extension
from irops.spec.op import Op
from irops.values.violation import LimitExceeded, Violation


class OpFault(Exception):
    """An op and its inputs do not meet the definition, or a function of the op fails.

    rule: the name of the diagnostic rule; constraint: the number of the broken requirement, if it is one;
    at: the byte offset of the cause, where that is not the layer as a whole; violation: the Violation that
    it comes from, if any.
    """

    def __init__(
        self,
        rule: str,
        message: str,
        constraint: str | None = None,
        at: int = -1,
        violation: Violation | None = None,
    ) -> None:
        super().__init__(rule, message, constraint, at)
        self.rule, self.message, self.constraint, self.at = rule, message, constraint, at
        self.violation = violation

    def diagnostic(self, op: Op, location: Location, facts: str | None = None) -> Diagnostic:
        """This fault of an op as a finding at a place. facts: the inputs and attributes, on one line."""
        constraint = None if self.constraint is None else op.definition.constraints[self.constraint]
        return Diagnostic(
            rule(self.rule),
            self.message,
            location,
            None if constraint is None else f"{op.id}:{constraint.id}",
            facts,
            limit_notes(self.rule),
            level=None if constraint is None else constraint.severity,
        )


def fault_of(op: Op, violation: Violation) -> OpFault:
    """The fault for a broken requirement: the sentence of the definition, and the values that break it.

    Raises:  KeyError where a function of irops' own cites a requirement that the definition lacks
    """
    constraint = op.definition.constraints.get(violation.constraint)
    if constraint is None and is_extension(op.module):
        message = (
            f"a function of {op.id} cites {violation.constraint}, must cite a requirement of its definition"
        )
        return OpFault("undefined-constraint", message)
    if constraint is None:
        raise KeyError(f"{op.id} has no constraint {violation.constraint}") from violation
    detail = f"; {violation.detail}" if violation.detail else ""
    message = f"{op.id} requires: {constraint.text}{detail}"
    return OpFault("violated-constraint", message, constraint.id, violation.at, violation)


def fault_of_limit(limit: LimitExceeded) -> OpFault:
    """The fault for a computation that needs more than a limit allows."""
    return OpFault(limit.rule, str(limit))


def out_of_memory(op: Op) -> OpFault:
    """The fault for an op whose outputs do not fit into memory."""
    return OpFault("out-of-memory", f"{op.id} does not fit into the memory of this machine")
