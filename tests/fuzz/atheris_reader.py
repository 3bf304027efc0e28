"""A target for atheris, which looks for bytes that bring the reader down, guided by what they reach in it.

    pip install atheris
    python tests/fuzz/atheris_reader.py corpus/ tests/fuzz/found tests/ir/files -dict=tests/fuzz/ir.dict
    -max_total_time=600

The first folder is where atheris keeps what reached something new. Whatever it finds belongs into
tests/fuzz/found.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

with atheris.instrument_imports(include=["irops"]):
    from irops.diagnostics.diagnostic import DiagnosticError
    from irops.files.limits import Limits
    from irops.ir.read import loads
    from irops.ir.weights import constant_faults
    from irops.ir.write import document

WEIGHTS = bytes(range(256))
LIMITS = Limits(elements=10_000, seconds=5)


def read(data: bytes) -> None:
    """Read bytes as an IR file; what is read can be written, and is the same when it is read again."""
    try:
        model, found = loads(data, WEIGHTS, limits=LIMITS)
    except DiagnosticError:
        return
    found = (*found, *constant_faults(model))
    assert all(d.location.line is not None for d in found), found
    if any(d.severity == "error" for d in found):
        return
    copy, _ = loads("".join(document(model, lambda layer: layer.data)).encode(), WEIGHTS, limits=LIMITS)
    assert copy == model


if __name__ == "__main__":
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()
