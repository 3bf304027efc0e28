"""What is wrong with a change of a graph, reported at the caller's line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location, Severity
from irops.diagnostics.rules import rule
from irops.invocation import OpFault
from irops.spec.op import Op
from irops.values.fact import Fact

_OWN_FOLDER = str(Path(__file__).parents[2]) + os.sep


def caller(name: str | None = None) -> Location:
    """The line outside of irops that made the call. name: of the node that is concerned"""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN_FOLDER):
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno, layer_name=name)


def refuse(name: str, message: str, node: str | None = None, notes: tuple[str, ...] = ()) -> DiagnosticError:
    """The error to raise. name: of the rule; node: the name of the node that is concerned"""
    place = caller(node)
    return DiagnosticError([Diagnostic(rule(name), message, place, notes=notes, level=Severity.ERROR)])


def refuse_fault(
    op: Op, fault: OpFault, node: str, inputs: list[Fact | None], attributes: dict[str, str]
) -> DiagnosticError:
    """The error for a requirement of an op that is broken, with what was given."""
    return DiagnosticError([fault.diagnostic(op, caller(node), _given(op, inputs, attributes))])


def _given(op: Op, inputs: list[Fact | None], attributes: dict[str, str]) -> str:
    """The inputs and attributes of a call on one line: data f32[4,10]; axis=1."""
    ports = op.definition.inputs
    named = [
        f"{ports[min(index, len(ports) - 1)].name} {fact.spelled}"
        for index, fact in enumerate(inputs)
        if fact is not None and ports
    ]
    texts = [f"{name}={text}" for name, text in attributes.items()]
    return "; ".join(", ".join(part) for part in (named, texts) if part)
