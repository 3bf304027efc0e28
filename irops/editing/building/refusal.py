"""What is wrong with a graph that is built."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule


def refuse(name: str, message: str, node: str | None = None, notes: tuple[str, ...] = ()) -> DiagnosticError:
    """The error to raise. name: of the rule; node: the name of the node that is at fault; notes: further
    help.
    """
    return DiagnosticError(
        [Diagnostic(rule(name), message, Location("<graph>", layer_name=node), notes=notes)]
    )
