"""What a model uses that not every release of OpenVINO reads, and the oldest release that reads all of it."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.declared import declared_outputs
from irops.analysis.inferred import Inferred
from irops.analysis.layer_needs import LayerNeeds, port_needs
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.need import Need
from irops.analysis.structure import GraphNode
from irops.dialects.openvino import DIALECT as OPENVINO
from irops.graph.order import feeding_layers
from irops.ir.model import Layer, LayerKind
from irops.spec.releases import Releases, releases
from irops.values.element import DYNAMIC
from irops.values.fact import Fact

MIN_BYTES = 512
"""Releases before 2024.5 do not recognize shorter files."""


def needs(analysis: ModelAnalysis) -> Iterator[Need]:
    """What keeps the oldest of the known releases from reading a model; nothing for other formats than IR."""
    if analysis.dialect is not OPENVINO:
        return
    table = releases()
    for need in _all_needs(analysis, table):
        if need.since != table.oldest:
            yield need


def oldest_release(analysis: ModelAnalysis) -> tuple[str, tuple[Need, ...]]:
    """The oldest release that reads a model, as far as is known, and what needs that release."""
    of_model, table = list(needs(analysis)), releases()
    oldest = table.newest_of(need.since for need in of_model)
    return oldest, tuple(need for need in of_model if need.since == oldest)


def _all_needs(analysis: ModelAnalysis, table: Releases) -> Iterator[Need]:
    source = analysis.model.source
    if source is not None and len(source.data) < MIN_BYTES:
        what = f"the file has {len(source.data)} bytes"
        since = table.of_feature("below-512-bytes")
        yield Need("format-newer-than-target", what, since, analysis.root)
    for graph, inferred in _graphs(analysis):
        living = created_layers(graph)
        for node in graph.layers.values():
            yield from port_needs(graph, node.layer, table)
            if node.layer.id in living:
                yield from LayerNeeds(graph, node, _inputs(graph, node.layer, inferred), table)


def _graphs(analysis: ModelAnalysis) -> Iterator[tuple[GraphNode, Inferred | None]]:
    """All graphs, with what is inferred for each; None for a body that is not inferred."""
    ahead: list[tuple[GraphNode, Inferred | None]] = [(analysis.root, analysis.infer())]
    while ahead:
        graph, inferred = ahead.pop()
        yield graph, inferred
        for node in graph.layers.values() if graph.bodies else ():
            facts = None if inferred is None else inferred.layers.get(node.layer.id)
            for name, body in node.bodies.items():
                ahead.append((body.graph, None if facts is None else facts.bodies.get(name)))


def _inputs(graph: GraphNode, layer: Layer, inferred: Inferred | None) -> list[Fact | None]:
    """What is inferred of the inputs of a layer, or else declared by the ports that they come from."""
    facts = None if inferred is None else inferred.layers.get(layer.id)
    inputs = []
    for index, source in enumerate(graph.wiring.inputs[layer.id]):
        fact = facts.inputs[index] if facts is not None and index < len(facts.inputs) else None
        if source is not None and (fact is None or fact.element_type is DYNAMIC):
            fact = declared_outputs(source[0], ())[source[1]]
        inputs.append(fact)
    return inputs


def created_layers(graph: GraphNode) -> set[int]:
    """The layers that OpenVINO creates: Parameters, and what Results and Assigns depend on."""
    kinds = (LayerKind.RESULT, LayerKind.SINK, LayerKind.PARAMETER)
    roots = graph.current(graph.groups.where(lambda layer: layer.intended_kind in kinds))
    return feeding_layers(graph.wiring, roots)
