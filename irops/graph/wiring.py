"""Which output feeds which input: the edges of one graph, their port labels resolved to positions."""

from __future__ import annotations

from collections import Counter
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
    """What is wrong with an edge. rule: the name of the diagnostic rule."""

    rule: str
    edge: Edge


class Wiring:
    """The edges of one graph as positions of ports; bodies are graphs of their own.

    layers: by id, the last one where ids repeat (as OpenVINO has it); inputs: for each layer, by id, what
        feeds each of its
    inputs, None where nothing does; faults: what is wrong with the edges, in the order of the file, not
    raised but kept. Layers whose id is another's too, or whose port labels repeat, have no faults here: the
    reader tells what
    is wrong with them.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.layers: dict[int, Layer] = {layer.id: layer for layer in graph.layers}
        self.inputs: dict[int, list[Source | None]] = {
            layer.id: [None] * len(layer.inputs) for layer in self.layers.values()
        }
        self.faults: list[Fault] = []
        self._misled: set[int] = set()  # layers that an edge does not reach as it should
        self._repeated = _repeated_ids(graph) if len(self.layers) < len(graph.layers) else frozenset()
        for edge in graph.edges:
            self._connect(edge)

    @cached_property
    def order(self) -> list[Layer]:
        """Parameters first, then each layer after those that feed it; layers on or behind a cycle are left
        out.
        """
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
    def unconnected(self) -> list[tuple[Layer, int]]:
        """Layers and indices of their inputs at which no edge ends, unless another fault may be the
        reason.
        """
        if any(fault.edge.to_layer not in self.layers for fault in self.faults):
            return []  # an edge that ends nowhere may be the one that is missed
        return [
            (layer, index)
            for layer in self.layers.values()
            for index, source in enumerate(self.inputs[layer.id])
            if source is None
            and layer.id not in self._misled
            and not layer.inputs[index].absent
            and not self._ambiguous(layer)
        ]

    @cached_property
    def faulty(self) -> frozenset[int]:
        """The ids of layers whose inputs are not what the file meant, so that a second complaint would be an
        echo.
        """
        return frozenset(
            self._misled.union(
                layer_id
                for layer_id, sources in self.inputs.items()
                if None in sources and self._lacks(layer_id, sources)
            )
        )

    def _lacks(self, layer_id: int, sources: list[Source | None]) -> bool:
        return any(
            source is None and not port.absent for source, port in zip(sources, self.layers[layer_id].inputs)
        )

    def _connect(self, edge: Edge) -> None:
        source, target = self.layers.get(edge.from_layer), self.layers.get(edge.to_layer)
        if source is None or target is None:
            self._misled.add(edge.to_layer)
            self.faults.append(Fault("dangling-edge", edge))
            return
        output, index = _output_index(source, edge.from_port), input_index(target, edge.to_port)
        if output is None:
            self._fault("unknown-output-port", source, edge)
        elif index is None:
            self._fault("unknown-input-port", target, edge)
        elif self.inputs[target.id][index] is not None:
            self._fault("multiple-producers", target, edge)
        else:
            self.inputs[target.id][index] = (source, output)

    def _fault(self, rule: str, layer: Layer, edge: Edge) -> None:
        self._misled.add(edge.to_layer)
        if not self._ambiguous(layer):
            self.faults.append(Fault(rule, edge))

    def _ambiguous(self, layer: Layer) -> bool:
        return layer.id in self._repeated or any(
            len({port.id for port in ports}) < len(ports) for ports in (layer.inputs, layer.outputs)
        )


def input_index(layer: Layer, label: int) -> int | None:
    """Which input a port label means."""
    ports = layer.inputs
    if (
        0 <= label < len(ports) and ports[label].id == label
    ):  # as OpenVINO writes labels: a search is seldom needed
        return label
    return layer.input_index(label)


def _output_index(layer: Layer, label: int) -> int | None:
    ports = layer.outputs
    index = label - len(layer.inputs)
    if 0 <= index < len(ports) and ports[index].id == label:
        return index
    return layer.output_index(label)


def _repeated_ids(graph: Graph) -> frozenset[int]:
    return frozenset(
        layer_id for layer_id, count in Counter(layer.id for layer in graph.layers).items() if count > 1
    )
