"""What a graph was made from: a model, or a body in one; and the weights of its constants."""

from __future__ import annotations

from dataclasses import replace

from irops.analysis.body_path import graph_at
from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode
from irops.diagnostics.diagnostic import DiagnosticError, Location, errors_of
from irops.editing.graph.faults import refuse
from irops.editing.graph.node import Node
from irops.ir.model import Body, Model
from irops.ir.model import Graph as Layers
from irops.ir.storage import JoinedWeights, Weights
from irops.limits import Limits
from irops.registry import Registry
from irops.spec.types import OPENVINO


class Origin:
    """The model that a graph was made from, if any; weights: its weights, and those of new constants.

    path: the layers and bodies down to the graph within the model
    """

    def __init__(self, model: Model, path: tuple[str, ...], layers: Layers | None) -> None:
        self.base, self.path, self.layers = model, path, layers
        self.weights = JoinedWeights(model.weights or Weights.of_bytes(b""))
        self.graph: GraphNode | None = None
        self.inferred: Inferred | None = None

    @classmethod
    def empty(cls, name: str) -> Origin:
        return cls(Model(name), (), None)

    @classmethod
    def of(cls, model: Model, path: tuple[str, ...], registry: Registry, limits: Limits) -> Origin:
        """The origin of a graph of a model. Raises: DiagnosticError where its edges are wrong"""
        if model.dialect != OPENVINO:
            message = f"the model is of dialect {model.dialect}; a Graph changes models of openvino"
            raise refuse("unsupported-graph", message)
        analysis = ModelAnalysis(model, registry, limits)
        faults = [d for d in errors_of(analysis.structural_findings) if d.name in _FAULTS_OF_EDGES]
        if faults:
            raise DiagnosticError(faults)
        graph, inferred = graph_at(analysis, path)
        origin = cls(model, path, graph.graph)
        origin.graph, origin.inferred = graph, inferred
        return origin

    def location(self, node: Node) -> Location:
        """Where a node is in the file of the model; its name alone for a node that was added."""
        if node.layer is None:
            return Location(None, None, None, None, node.name, self.path)
        return self.base.location(node.layer, self.path)

    def model_with(self, layers: Layers, name: str) -> Model:
        """The model, with other layers in place of those of the graph."""
        outermost = layers if not self.path else _with_body(self.base.graph, self.path, layers)
        weights = self.base.weights if self.weights.is_single else self.weights.copy()
        model = replace(self.base, graph=outermost, weights=weights)
        return model if self.path else replace(model, name=name)


_FAULTS_OF_EDGES = frozenset(
    (
        "dangling-edge",
        "unknown-output-port",
        "unknown-input-port",
        "multiple-producers",
        "cycle",
        "duplicate-layer-id",
    )
)
"""Faults of a model whose nodes would not be what the file means."""


def _with_body(graph: Layers, path: tuple[str, ...], layers: Layers) -> Layers:
    """A graph with other layers in the body that a path leads to."""
    place = next(k for k, layer in enumerate(graph.layers) if layer.name == path[0])
    layer = graph.layers[place]
    body = layer.bodies[path[1]]
    inner = layers if len(path) == 2 else _with_body(body.graph, path[2:], layers)
    changed: Body = replace(body, graph=inner)
    layer = replace(layer, bodies={**layer.bodies, path[1]: changed})
    return replace(graph, layers=[*graph.layers[:place], layer, *graph.layers[place + 1 :]])
