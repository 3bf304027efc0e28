"""irops: the executable specification of OpenVINO IR.

Names are imported when first used, so that importing irops costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irops.analysis.checks.run import check as check
    from irops.analysis.infer import infer as infer
    from irops.backends.declined import Declined as Declined
    from irops.diagnostics.diagnostic import DefinitionError as DefinitionError
    from irops.diagnostics.diagnostic import Diagnostic as Diagnostic
    from irops.diagnostics.diagnostic import DiagnosticError as DiagnosticError
    from irops.diagnostics.diagnostic import EvaluationError as EvaluationError
    from irops.diagnostics.diagnostic import ReadError as ReadError
    from irops.diagnostics.report import Report as Report
    from irops.editing.translation.translate import translate as translate
    from irops.ir.model import Model as Model
    from irops.limits import Limits as Limits
    from irops.reading import read as read
    from irops.registry import Registry as Registry
    from irops.registry import definition as definition
    from irops.registry import definitions as definitions
    from irops.runtime.call import call as call
    from irops.runtime.gradients import vjp as vjp
    from irops.runtime.session import Session as Session
    from irops.runtime.session import run as run
    from irops.values.element import tagged as tagged
    from irops.writing import write as write

__version__ = "0.1.0"

_HOMES = {
    "check": "irops.analysis.checks.run",
    "Report": "irops.diagnostics.report",
    "Diagnostic": "irops.diagnostics.diagnostic",
    "DiagnosticError": "irops.diagnostics.diagnostic",
    "DefinitionError": "irops.diagnostics.diagnostic",
    "EvaluationError": "irops.diagnostics.diagnostic",
    "ReadError": "irops.diagnostics.diagnostic",
    "call": "irops.runtime.call",
    "Limits": "irops.limits",
    "Session": "irops.runtime.session",
    "run": "irops.runtime.session",
    "infer": "irops.analysis.infer",
    "vjp": "irops.runtime.gradients",
    "Declined": "irops.backends.declined",
    "Model": "irops.ir.model",
    "read": "irops.reading",
    "write": "irops.writing",
    "Registry": "irops.registry",
    "definition": "irops.registry",
    "definitions": "irops.registry",
    "tagged": "irops.values.element",
    "translate": "irops.editing.translation.translate",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'irops' has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
