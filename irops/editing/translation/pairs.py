"""Ops that both dialects have: what the definitions of ONNX's say that OpenVINO's inputs and attributes are
there.
"""

from __future__ import annotations

from functools import cache

from irops.dialects.onnx import DIALECT
from irops.dialects.onnx.dialect import FRAME
from irops.dialects.onnx.opsets import ONNX, onnx_opsets
from irops.editing.translation.refusal import impossible
from irops.registry import default_registry
from irops.spec.definition import Definition, PortSpec
from irops.spec.sharing import NotSharedError, own_attributes, source_of

ALIKE = {"Gather-1": "Gather-8", "Gather-7": "Gather-8", "Squeeze-15": "Squeeze-1"}
"""Versions of OpenVINO's ops that say what another says, where their attributes are their defaults."""


@cache
def onnx_types() -> dict[str, str]:
    """The types of ONNX's ops, by the id of the op of OpenVINO that they are."""
    definitions = (default_registry().op(file).definition for file in default_registry().ids(ONNX))
    return {d.same_as: d.type for d in definitions if d.same_as is not None and d.type not in FRAME}


def onnx_definition(type: str, opset: int) -> Definition:
    """What an opset of ONNX means by a type.

    Raises:  RefusedError where it has no such op that irops defines
    """
    found = DIALECT.named(type, opset)
    if found is None:
        version = onnx_opsets().version(type, opset)
        why = f"opset {opset} of ONNX has no {type}; {onnx_opsets().history(type)}"
        raise impossible(
            why
            if version is None
            else f"irops has no definition of ONNX's {type}-{version}, which opset {opset} holds"
        )
    return default_registry().op(found).definition


def counterpart(
    definition: Definition, base: Definition, place: int, port: PortSpec
) -> tuple[str | None, str | None]:
    """The name of the input of ONNX's op, or of its attribute, that an input of OpenVINO's is; neither: it
    has none.
    """
    own = own_attributes(definition)
    try:
        name, parameter = source_of(definition, base, own, place, port)
    except NotSharedError:
        return None, None
    return name, own[port.name].name if parameter is not None else None
