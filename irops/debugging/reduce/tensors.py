"""The tensors of a case, which constants and Parameters hold, and the case with others in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from irops.analysis.declaring import with_declared_ports
from irops.analysis.model_analysis import infer
from irops.debugging.reduce.case import Case
from irops.dialects.registry import Registry
from irops.files.storage import JoinedWeights, Weights
from irops.ir.model import Layer, LayerKind, Port
from irops.ir.weights import constant
from irops.spec.attributes import format_value
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


def tensors(case: Case) -> dict[int, Array]:
    """The values of inputs and constants by layer id, bodies apart."""
    return {
        layer.id: constant(case.model, layer) if layer.is_constant else case.inputs[layer.name]
        for layer in case.model.layers
        if layer.is_constant or (layer.kind is LayerKind.PARAMETER and layer.name in case.inputs)
    }


def constants(case: Case) -> frozenset[int]:
    """The ids of constants, bodies apart."""
    return frozenset(layer.id for layer in case.model.layers if layer.is_constant)


def with_tensors(
    case: Case,
    arrays: Mapping[int, Array],
    registry: Registry | None,
    data: Mapping[int, Mapping[str, str]] | None = None,
) -> Case:
    """The case with other values, of any types and shapes; ports declare what is then inferred.

    registry: of the ops of the case, None for the default one; data: other attributes, by layer id
    """
    weights, inputs = joined(case.model.weights), dict(case.inputs)
    layers: list[Layer] = []
    for layer in case.model.layers:
        array = arrays.get(layer.id)
        if array is None:
            layers.append(_undeclared(layer, (data or {}).get(layer.id, layer.data)))
        elif layer.is_constant:
            layers.append(constant_layer(layer, array, weights))
        else:
            layers.append(static_parameter(layer, array))
            inputs[layer.name] = array
    model = replace(case.model, graph=replace(case.model.graph, layers=layers), weights=weights)
    return Case(with_declared_ports(model, infer(model, registry=registry)), inputs)


def _undeclared(layer: Layer, data: Mapping[str, str]) -> Layer:
    """A layer whose ports declare nothing; Parameters and constants declare what their attributes say."""
    if layer.is_constant or layer.kind is LayerKind.PARAMETER:
        return layer
    return replace(
        layer,
        data=dict(data),
        inputs=[_bare(port) for port in layer.inputs],
        outputs=[_bare(port) for port in layer.outputs],
    )


def _bare(port: Port) -> Port:
    return replace(port, precision=None, dims=(), at=-1)
