"""Which opset of ONNX brought which version of which op; and the library onnx, which knows the format and is
imported when a model of ONNX is met.
"""

import re
from dataclasses import replace
from functools import cache
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location, ReadError
from irops.diagnostics.rules import rule
from irops.diagnostics.suggestions import similar
from irops.spec.op import NoOp
from irops.spec.releases import schemas_folder


def onnx_library(path: str | None, error: type[DiagnosticError] = ReadError) -> Any:
    """The module onnx.

    Raises:  error (IR901) with the extra of irops that brings it
    """
    try:
        import onnx
    except ImportError:
        wanted = "ONNX models require the library onnx, which is not installed"
        message = f"{wanted}; pip install 'irops[onnx]' installs it"
        raise error([Diagnostic(rule("missing-onnx"), message, Location(path))]) from None
    return onnx


ONNX = "onnx"
OWN_DOMAINS = ("", "ai.onnx")
_IMPORTED = re.compile(r"(.+):(-?\d{1,19})", re.DOTALL)


def imported(version: str) -> tuple[str, int] | None:
    """The domain and the opset that a layer's version names, onnx:17; None where it names no such: an opset
    of OpenVINO, say.
    """
    found = _IMPORTED.fullmatch(version)
    return (found[1], int(found[2])) if found else None


class OnnxOpsets:
    """The ops of ONNX's own domain, by name, with the opsets that brought their versions. last: the newest
    opset that is known.
    """

    def __init__(self) -> None:
        from xml.etree import ElementTree

        root = ElementTree.parse(schemas_folder() / ONNX / "opsets.xml").getroot()
        self.last = int(root.attrib["last"])
        self.since = {op.attrib["type"]: _numbers(op.attrib["since"]) for op in root}
        self._gone = {op.attrib["type"]: _numbers(op.attrib.get("gone", "")) for op in root}

    def version(self, type: str, opset: int) -> int | None:
        """The version of an op that an opset means: the newest that is not newer; None where the opset has no
        such op.
        """
        changes = [n for n in (*self.since.get(type, ()), *self._gone.get(type, ())) if n <= opset]
        newest = max(changes, default=None)
        return None if newest is None or newest in self._gone[type] else newest

    def history(self, type: str) -> str:
        """When an op came and went, in words."""
        since, gone = self.since[type], self._gone[type]
        return f"it came with opset {since[0]}" + "".join(f" and is gone from opset {n} on" for n in gone)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


@cache
def onnx_opsets() -> OnnxOpsets:
    """The table of schemas/onnx/opsets.xml."""
    return OnnxOpsets()


BY_OPENVINO = "OpenVINO may convert the model: ovc FILE.onnx or openvino.convert_model; give irops its IR"
"""The way on from an op of ONNX that irops does not define."""


def why_not(type: str, domain: str, opset: int) -> NoOp:
    """Why irops knows no op of a type that an ONNX model names."""
    table = onnx_opsets()
    if domain != ONNX:
        return NoOp.undefined(f"{type} of the domain {domain}", once=True)
    if type not in table.since:
        meant = similar(type, table.since)
        notes = () if meant is None else (f"did you mean {meant}?",)
        return NoOp("unknown-op", f"ONNX has no op {type!r}", notes, once=True)
    number = table.version(type, opset)
    if number is None:
        message = f"opset {opset} of ONNX has no {type}: {table.history(type)}"
        return NoOp("op-not-in-opset", message, once=True)
    return replace(NoOp.undefined(f"ONNX's {type}-{number}", once=True), notes=(BY_OPENVINO,))
