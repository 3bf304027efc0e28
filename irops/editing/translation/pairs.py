"""Ops that both dialects have: the correspondence of inputs and attributes, from the ONNX definitions."""

from __future__ import annotations

from functools import cache

from irops.dialects.onnx import DIALECT, FRAME
from irops.dialects.onnx.opsets import ONNX, onnx_opsets
from irops.editing.translation.node import impossible
from irops.registry import default_registry
from irops.spec.definition import Definition, PortSpec
from irops.spec.sharing import NotSharedError, own_attributes, source_of

EQUIVALENT = {"Gather-1": "Gather-8", "Gather-7": "Gather-8", "Squeeze-15": "Squeeze-1"}
"""OpenVINO op versions that equal another version if the remaining attributes have their defaults."""


@cache
def onnx_types() -> dict[str, str]:
    """The ONNX op types by the id of their OpenVINO counterpart."""
    definitions = (default_registry().op(file).definition for file in default_registry().ids(ONNX))
    return {d.same_as: d.type for d in definitions if d.same_as is not None and d.type not in FRAME}


def onnx_definition(type: str, opset: int) -> Definition:
    """The definition of a type in an opset of ONNX.

    Raises:  UntranslatableError if the opset has no such op or irops does not define it
    """
    file = DIALECT.named(type, opset)
    if file is None:
        version = onnx_opsets().version(type, opset)
        reason = f"ONNX opset {opset} has no {type}; {onnx_opsets().history(type)}"
        raise impossible(
            reason if version is None else f"irops does not define ONNX's {type}-{version} of opset {opset}"
        )
    return default_registry().op(file).definition


def counterpart(
    definition: Definition, base: Definition, index: int, port: PortSpec
) -> tuple[str | None, str | None]:
    """The name of the ONNX input, or of the ONNX attribute, for an input of the OpenVINO op; at most one is
    set.
    """
    attribute_map = own_attributes(definition)
    try:
        name, parameter = source_of(definition, base, attribute_map, index, port)
    except NotSharedError:
        return None, None
    return name, attribute_map[port.name].name if parameter is not None else None
