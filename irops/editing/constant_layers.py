"""Layers that hold a tensor, in place of others: constants, and Parameters of one static shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from irops.ir.joined_weights import JoinedWeights
from irops.ir.model import Layer, LayerKind, Model, Port
from irops.ir.storage import Weights
from irops.spec.domains import format_value
from irops.values.element import Array, element_type_of
from irops.values.packing import pack


def joined(weights: Weights | None) -> JoinedWeights:
    """Weights to which bytes can be added."""
    if isinstance(weights, JoinedWeights):
        return weights.copy()
    return JoinedWeights(weights or Weights.of_bytes(b""))


def constant_layer(layer: Layer, array: Array, weights: JoinedWeights) -> Layer:
    """A Const in place of a layer with one output: of its id and name. weights: get the bytes"""
    kind = element_type_of(array)
    content = pack(array, kind)
    data = {
        "element_type": str(kind),
        "shape": format_value(array.shape),
        "offset": str(weights.append(Weights.of_bytes(content))),
        "size": str(len(content)),
    }
    return Layer(layer.id, layer.name, "Const", "opset1", data, outputs=[_port(layer, array)])


def static_parameter(layer: Layer, array: Array) -> Layer:
    """A Parameter in place of a layer with one output, which declares the type and shape of an array."""
    data = {"shape": format_value(array.shape), "element_type": str(element_type_of(array))}
    return Layer(layer.id, layer.name, "Parameter", "opset1", data, outputs=[_port(layer, array)])


def _port(layer: Layer, array: Array) -> Port:
    first = layer.outputs[0]
    return Port(first.id, element_type_of(array).precision, array.shape, first.names)


def with_constants(model: Model, arrays: Mapping[str, Array]) -> Model:
    """A model with constants in place of the Parameters of these names."""
    if not arrays:
        return model
    weights = joined(model.weights)
    layers = [
        constant_layer(layer, arrays[layer.name], weights)
        if layer.kind is LayerKind.PARAMETER and layer.name in arrays
        else layer
        for layer in model.layers
    ]
    return replace(model, graph=replace(model.graph, layers=layers), weights=weights)
