"""The library onnx, which knows the format: imported when a model of ONNX is met, and reported where it is
missing.
"""

from __future__ import annotations

from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location, ReadError
from irops.diagnostics.rules import rule


def onnx_library(path: str | None, error: type[DiagnosticError] = ReadError) -> Any:
    """The module onnx.

    Raises:  error (IR901) with the extra of irops that brings it
    """
    try:
        import onnx
    except ImportError:
        message = (
            "ONNX models require the library onnx, which is not installed; pip install 'irops[onnx]'"
            " installs it"
        )
        raise error([Diagnostic(rule("missing-onnx"), message, Location(path))]) from None
    return onnx
