"""The edges of one graph, with port labels resolved to positions of outputs and inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from irops.ir.model import Edge, Graph, Layer, Port
from irops.ir.order import topological_order

Source: TypeAlias = tuple[Layer, int]
"""A layer and the index of one of its outputs."""
Consumer: TypeAlias = tuple[Layer, int]
"""A layer and the index of one of its inputs."""


@dataclass(frozen=True, slots=True)
class WiringFault:
    """An invalid edge. rule: the name of the diagnostic rule."""

    rule: str
    edge: Edge


class Wiring:
    """The edges of one graph as positions of ports; bodies are separate graphs.

    layers: by id, the last one if ids repeat (as in OpenVINO); inputs: by layer id, the source of each input,
    None if it is unconnected; faults: the invalid edges, in the order of the file. Edges of layers with a
    repeated id, or with repeated port labels, are not in faults, since the reader reports these layers.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.layers: dict[int, Layer] = {layer.id: layer for layer in graph.layers}
        self.inputs: dict[int, list[Source | None]] = {
            layer.id: [None] * len(layer.inputs) for layer in self.layers.values()
        }
        self.faults: list[WiringFault] = []
        self._affected: set[int] = set()  # layers that an invalid edge should end at
        self._labels: dict[tuple[int, str], dict[int, int]] = {}
        self._is_ambiguous: dict[int, bool] = {}
        self._repeated = _repeated_ids(graph) if len(self.layers) < len(graph.layers) else frozenset()
        self._connect_all(graph.edges)

    def first(self, layer_id: int) -> Source | None:
        """What the first input of a layer takes, the only one of a Result; None where it has no input, or the
        input no edge.
        """
        return next(iter(self.inputs[layer_id]), None)

    @cached_property
    def order(self) -> list[Layer]:
        """The topological order; see irops.ir.order."""
        return topological_order(self)

    @cached_property
    def consumers(self) -> dict[tuple[int, int], list[Consumer]]:
        """The consumers of each output that has any, by layer id and output index."""
        consumers: dict[tuple[int, int], list[Consumer]] = {}
        for layer_id, sources in self.inputs.items():
            for index, source in enumerate(sources):
                if source is not None:
                    consumers.setdefault((source[0].id, source[1]), []).append((self.layers[layer_id], index))
        return consumers

    @cached_property
    def feeding(self) -> frozenset[int]:
        """The ids of the layers of which an output is used."""
        return frozenset(
            source[0].id for sources in self.inputs.values() for source in sources if source is not None
        )

    @cached_property
    def _with_gaps(self) -> list[Layer]:
        """The layers of which an input has no edge."""
        return [self.layers[layer_id] for layer_id, sources in self.inputs.items() if None in sources]

    @cached_property
    def unconnected(self) -> list[tuple[Layer, int]]:
        """Layers and indices of inputs without an edge, unless an invalid edge may be the cause."""
        if any(fault.edge.to_layer not in self.layers for fault in self.faults):
            return []  # an edge to an unknown layer may be the missing one
        return [
            (layer, index)
            for layer in self._with_gaps
            for index, source in enumerate(self.inputs[layer.id])
            if source is None
            and layer.id not in self._affected
            and not layer.inputs[index].absent
            and not self._ambiguous(layer)
        ]

    @cached_property
    def faulty(self) -> frozenset[int]:
        """The ids of layers with invalid or missing edges, whose other errors may be cascading findings."""
        return frozenset(
            self._affected.union(
                layer.id for layer in self._with_gaps if self._lacks_input(layer.id, self.inputs[layer.id])
            )
        )

    def _lacks_input(self, layer_id: int, sources: list[Source | None]) -> bool:
        return any(
            source is None and not port.absent for source, port in zip(sources, self.layers[layer_id].inputs)
        )

    def _connect_all(self, edges: Sequence[Edge]) -> None:
        """Connect all edges; those whose labels are as OpenVINO writes them without a look-up of labels."""
        layers, inputs = self.layers, self.inputs
        for edge in edges:
            source, target = layers.get(edge.from_layer), layers.get(edge.to_layer)
            if source is not None and target is not None:
                label, index = edge.from_port, edge.to_port
                output = label - len(source.inputs)
                if (
                    0 <= output < len(source.outputs)
                    and source.outputs[output].id == label
                    and 0 <= index < len(target.inputs)
                    and target.inputs[index].id == index
                    and inputs[target.id][index] is None
                ):
                    inputs[target.id][index] = (source, output)
                    continue
            self._connect(edge)

    def _connect(self, edge: Edge) -> None:
        source, target = self.layers.get(edge.from_layer), self.layers.get(edge.to_layer)
        if source is None or target is None:
            self._affected.add(edge.to_layer)
            self.faults.append(WiringFault("dangling-edge", edge))
            return
        output, index = self.output_index(source, edge.from_port), self.input_index(target, edge.to_port)
        if output is None:
            self._add_fault("unknown-output-port", source, edge)
        elif index is None:
            self._add_fault("unknown-input-port", target, edge)
        elif self.inputs[target.id][index] is not None:
            self._add_fault("multiple-producers", target, edge)
        else:
            self.inputs[target.id][index] = (source, output)

    def _add_fault(self, rule: str, layer: Layer, edge: Edge) -> None:
        self._affected.add(edge.to_layer)
        if not self._ambiguous(layer):
            self.faults.append(WiringFault(rule, edge))

    def input_index(self, layer: Layer, label: int) -> int | None:
        """The index of the input with a port label, the first one if labels repeat; None if there is none."""
        return self._index(layer, "input", layer.inputs, label, label)

    def output_index(self, layer: Layer, label: int) -> int | None:
        """The index of the output with a port label, like input_index."""
        return self._index(layer, "output", layer.outputs, label, label - len(layer.inputs))

    def _index(self, layer: Layer, side: str, ports: Sequence[Port], label: int, usual: int) -> int | None:
        """usual: the index of the label as OpenVINO writes labels. Others are looked up, so that a layer of
        many ports takes no longer for each of its edges.
        """
        if 0 <= usual < len(ports) and ports[usual].id == label:
            return usual
        labels = self._labels.get((layer.id, side))
        if labels is None:
            labels = {port.id: index for index, port in reversed(list(enumerate(ports)))}
            self._labels[layer.id, side] = labels
        return labels.get(label)

    def _ambiguous(self, layer: Layer) -> bool:
        known = self._is_ambiguous.get(layer.id)
        if known is None:
            known = self._is_ambiguous[layer.id] = layer.id in self._repeated or any(
                len({port.id for port in ports}) < len(ports) for ports in (layer.inputs, layer.outputs)
            )
        return known


def _repeated_ids(graph: Graph) -> frozenset[int]:
    return frozenset(
        layer_id for layer_id, count in Counter(layer.id for layer in graph.layers).items() if count > 1
    )
