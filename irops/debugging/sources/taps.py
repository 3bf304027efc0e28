"""A model with further results: the values of layers within it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from irops.analysis.declaring import port_of
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.sources.source import Context
from irops.ir.model import Edge, Graph, Layer, LayerKind, Model
from irops.ir.unique import UniqueNames
from irops.runtime.arrays import size_in_bytes

Tap: TypeAlias = tuple[int, int]
"""A layer's id and the index of one of its outputs."""
MAX_TAPS = 2000
"""How many values are taken out of one run."""


def tappable(analysis: ModelAnalysis) -> Iterator[Tap]:
    """The outputs of all layers that compute, in order."""
    for node in analysis.root.order:
        if node.layer.kind not in (LayerKind.RESULT, LayerKind.PARAMETER, LayerKind.CONSTANT, LayerKind.SINK):
            yield from ((node.layer.id, index) for index in range(len(node.layer.outputs)))


def chunks_of_taps(context: Context) -> Iterator[list[Tap]]:
    """The values that are wanted, in portions that fit into the limit on memory."""
    inferred = context.analysis.infer(
        {
            port.name: str(list(context.inputs[port.layer.id].shape))
            for port in context.analysis.signature.inputs
        }
    )
    chunk: list[Tap] = []
    size = 0.0
    for tap in tappable(context.analysis):
        if context.taps is not None and tap[0] not in context.taps:
            continue
        facts = inferred.of(tap[0]).outputs
        weight = size_in_bytes(facts[tap[1] : tap[1] + 1])
        starts_layer = tap[1] == 0
        too_much = size + weight > context.analysis.limits.tensor_bytes / 4 or len(chunk) >= MAX_TAPS
        if chunk and starts_layer and too_much:
            yield chunk
            chunk, size = [], 0.0
        chunk.append(tap)
        size += weight
    if chunk:
        yield chunk


def with_taps(analysis: ModelAnalysis, taps: Iterable[Tap]) -> tuple[Model, dict[Tap, str]]:
    """The model with a Result for each tap, and the names of these Results."""
    model = analysis.model
    number = max((layer.id for layer in model.layers), default=-1)
    names = UniqueNames((layer.name for layer in model.layers), mark="_")
    layers: list[Layer] = list(model.layers)
    edges = list(model.edges)
    found: dict[Tap, str] = {}
    facts = analysis.infer()
    for tap in taps:
        number += 1
        source = analysis.root.layers[tap[0]].layer
        name = found[tap] = names.unique(f"tap{number}")
        result = Layer(number, name, "Result", "opset1")
        result.inputs.append(port_of(0, facts.of(tap[0]).outputs[tap[1]]))
        layers.append(result)
        edges.append(Edge(tap[0], source.outputs[tap[1]].id, number, 0))
    return replace(model, graph=Graph(layers, edges)), found
