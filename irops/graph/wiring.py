"""Which output feeds which input: the edges of one graph, their port labels resolved to positions."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from irops.graph.order import topological_order
from irops.ir.model import Edge, Graph, Layer

Source: TypeAlias = tuple[Layer, int]
"""A layer and the index of one of its outputs."""
Consumer: TypeAlias = tuple[Layer, int]
"""A layer and the index of one of its inputs."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an edge, or with an input port that no edge meets. rule: the name of the diagnostic rule.

    layer: the one whose port is concerned; index: of its input, where that is known; edge: None for an input without one.
    """

    rule: str
    layer: Layer | None
    index: int | None
    edge: Edge | None


class Wiring:
    """The edges of one graph as positions of ports; bodies are graphs of their own.

    layers: by id, the last one where ids repeat (as OpenVINO has it); inputs: for each layer, by id, what feeds each of its
    inputs, None where nothing does; faults: what is wrong with the edges, in the order of the file, not raised but kept.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.layers: dict[int, Layer] = {layer.id: layer for layer in graph.layers}
        self.inputs: dict[int, list[Source | None]] = {layer.id: [None] * len(layer.inputs) for layer in self.layers.values()}
        self.faults: list[Fault] = []
        for edge in graph.edges:
            self._connect(edge)
        self.faults.extend(self._unfed_inputs())

    @cached_property
    def order(self) -> list[Layer]:
        """Parameters first, then each layer after those that feed it; layers on or behind a cycle are left out."""
        return topological_order(self)

    @cached_property
    def consumers(self) -> dict[tuple[int, int], list[Consumer]]:
        """What each output, by layer id and output index, feeds; outputs that feed nothing are absent."""
        consumers: dict[tuple[int, int], list[Consumer]] = {}
        for layer_id, sources in self.inputs.items():
            for index, source in enumerate(sources):
                if source is not None:
                    consumers.setdefault((source[0].id, source[1]), []).append((self.layers[layer_id], index))
        return consumers

    @cached_property
    def faulty(self) -> frozenset[int]:
        """The ids of layers whose inputs are not what the file meant, so that a second complaint would be an echo."""
        broken = {fault.layer.id for fault in self.faults if fault.layer is not None}
        return frozenset(broken | {fault.edge.to_layer for fault in self.faults if fault.edge is not None})

    def _connect(self, edge: Edge) -> None:
        source, target = self.layers.get(edge.from_layer), self.layers.get(edge.to_layer)
        if source is None or target is None:
            self.faults.append(Fault("dangling-edge", source or target, None, edge))
            return
        output, index = _output_index(source, edge.from_port), _input_index(target, edge.to_port)
        if output is None:
            self._fault("unknown-output-port", source, None, edge)
        elif index is None:
            self._fault("unknown-input-port", target, None, edge)
        elif self.inputs[target.id][index] is not None:
            self._fault("crowded-input", target, index, edge)
        else:
            self.inputs[target.id][index] = (source, output)

    def _fault(self, rule: str, layer: Layer, index: int | None, edge: Edge) -> None:
        if not _labels_repeat(layer):                         # a fault of the labels, told by the reader
            self.faults.append(Fault(rule, layer, index, edge))

    def _unfed_inputs(self) -> list[Fault]:
        if any(fault.edge and fault.edge.to_layer not in self.layers for fault in self.faults):
            return []                                         # an edge that ends nowhere may be the one that is missed
        misled = {fault.edge.to_layer for fault in self.faults if fault.edge}
        return [
            Fault("unfed-input", layer, index, None)
            for layer in self.layers.values() for index, source in enumerate(self.inputs[layer.id])
            if source is None and layer.id not in misled and not _labels_repeat(layer)
        ]


def _input_index(layer: Layer, label: int) -> int | None:
    ports = layer.inputs
    if 0 <= label < len(ports) and ports[label].id == label:  # as OpenVINO writes labels: a search is seldom needed
        return label
    return layer.input_index(label)


def _output_index(layer: Layer, label: int) -> int | None:
    ports = layer.outputs
    index = label - len(layer.inputs)
    if 0 <= index < len(ports) and ports[index].id == label:
        return index
    return layer.output_index(label)


def _labels_repeat(layer: Layer) -> bool:
    return any(len({port.id for port in ports}) < len(ports) for ports in (layer.inputs, layer.outputs))
