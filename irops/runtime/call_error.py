"""The error of a called op."""

from __future__ import annotations

from dataclasses import replace

from irops.diagnostics.diagnostic import EvaluationError, Location
from irops.diagnostics.rule import Severity
from irops.invocation import OpFault
from irops.spec.op import Op


def call_error(op: Op, fault: OpFault) -> EvaluationError:
    """What is wrong with a call as an error, also where it is a warning about a file."""
    return EvaluationError([replace(fault.diagnostic(op, Location("<call>")), level=Severity.ERROR)])
