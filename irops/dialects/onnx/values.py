"""Constants of models that are written: from bytes as irops stores them to a TensorProto."""

from __future__ import annotations

from typing import Any

from irops.dialects.onnx.types import number_of
from irops.ir.model import Layer, Model
from irops.ir.weights import checked_region, constant
from irops.values.element import STRING


def tensor_of(model: Model, layer: Layer, name: str) -> Any:
    """The TensorProto of a constant.

    Raises:  DiagnosticError where its bytes are not all there
    """
    from onnx import TensorProto

    region = checked_region(model, layer)
    number = number_of(region.element)
    assert number is not None, "a type that ONNX has not is in no model of ONNX"
    proto = TensorProto(data_type=number, dims=region.shape, name=name)
    if region.element is STRING:
        proto.string_data.extend(str(text).encode() for text in constant(model, layer).ravel())
    elif region.elements:
        assert model.weights is not None
        proto.raw_data = bytes(model.weights.view(region.offset, region.size))
    else:
        proto.raw_data = b""
    return proto
