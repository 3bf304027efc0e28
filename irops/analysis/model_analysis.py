"""The analysis of a model: its structure and signature, and inference for any set of input shapes."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from irops.analysis.checks import layers
from irops.analysis.inference import Inference
from irops.analysis.inferred import Inferred
from irops.analysis.signature import Key, Signature
from irops.analysis.structure import EDGE_CHECKS, GraphNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.reading import read
from irops.dialects.registry import Registry
from irops.environment import WrongType, no_collection
from irops.files.limits import Limits, recursion_limit_for
from irops.files.urls import StrPath
from irops.ir.model import Model


class ModelAnalysis(ModelStructure):
    """The analysis of a model, computed once: topology, port maps, invocations, signature.

    Immutable once built; threads may share it. Inference is run as often as needed, for any input shapes.
    """

    def __repr__(self) -> str:
        return f"<ModelAnalysis of {self.model!r}>"

    @cached_property
    def signature(self) -> Signature:
        """The model's inputs and results."""
        return Signature(self)

    @cached_property
    def structural_findings(self) -> tuple[Diagnostic, ...]:
        """The findings on edges, port maps, ops and attributes, whatever the shapes are."""
        checks = (
            *EDGE_CHECKS,
            layers.port_maps_are_sound,
            layers.layers_name_ops_and_attributes,
            layers.layers_have_the_inputs_that_openvino_requires,
        )
        return tuple(finding for check in checks for finding in check(self))

    def infer(self, inputs: Mapping[Key, Any] | None = None) -> Inferred:
        """The Facts of every output of every layer.

        inputs: other shapes for the inputs, by tensor name, layer name or position; see irops.infer
        Raises:  DiagnosticError for an input that does not exist, or a text that is not a shape
        """
        return self._inferred(inputs) if inputs else self.declared

    @cached_property
    def declared(self) -> Inferred:
        """Inference for the shapes that the inputs declare."""
        return self._inferred({})

    def _inferred(self, inputs: Mapping[Key, Any]) -> Inferred:
        inferred = Inference(self).graph(self.root, self.signature.facts(inputs))
        inferred.structural = self.structural_findings
        return inferred


def graph_at(analysis: ModelAnalysis, path: Sequence[str]) -> tuple[GraphNode, Inferred | None]:
    """The graph within a model, and what is inferred for it; None where its body was not inferred.

    path: ("loop", "body"), alternately the name of a layer and of a body of it; empty for the model's graph
    Raises:  KeyError, with a suggestion, where a layer or a body does not exist; ValueError for a path that
        ends with a layer
    """
    if len(path) % 2:
        raise ValueError(f"the path {'/'.join(path)} ends with a layer, must end with a body of it")
    graph = analysis.root
    inferred: Inferred | None = analysis.infer()
    for layer_name, body_name in zip(path[::2], path[1::2]):
        named = (node for node in graph.layers.values() if node.layer.name == layer_name)
        node = next((node for node in named if body_name in node.bodies), None) or graph.find(layer_name)
        if body_name not in node.bodies:
            has = ", ".join(node.bodies) or "none"
            meant = did_you_mean(body_name, node.bodies)
            raise KeyError(f"{node.layer} has no body {body_name!r}; its bodies are {has}{meant}")
        inferred = None if inferred is None else inferred.of(node.layer.id).bodies.get(body_name)
        graph = node.bodies[body_name].graph
    return graph, inferred


def path_of_text(analysis: ModelAnalysis, text: str) -> tuple[str, ...]:
    """The path that a text like loop/body names. Names of layers may contain slashes themselves.

    A text that names no path is split at every slash, for the message about it.
    """
    graph, rest, path = analysis.root, text, list[str]()
    while rest:
        bodies = ((node, name) for node in graph.layers.values() for name in node.bodies)
        inside = (pair for pair in bodies if f"{rest}/".startswith(f"{pair[0].layer.name}/{pair[1]}/"))
        step = next(inside, None)
        if step is None:
            return tuple(text.split("/"))
        node, name = step
        path += (node.layer.name, name)
        graph, rest = node.bodies[name].graph, rest[len(node.layer.name) + len(name) + 2 :]
    return tuple(path)


@runtime_checkable
class Buildable(Protocol):
    """An object that builds a model on demand, as irops.Graph does."""

    name: str
    registry: Registry
    limits: Limits

    def model(self) -> Model: ...


AnyModel = Model | ModelAnalysis | Buildable | StrPath
"""A model in any form that functions accept."""


def analyse(model: AnyModel, registry: Registry | None = None, limits: Limits | None = None) -> ModelAnalysis:
    """The analysis of a model. A path is read first; an analysis is returned unchanged.

    registry, limits: by default those of the graph, if the model is one
    Raises:  ReadError; DiagnosticError where a graph has no result; TypeError for what is no model
    """
    if isinstance(model, ModelAnalysis):
        return model
    if isinstance(model, Buildable):
        registry, limits = registry or model.registry, limits or model.limits
        model = model.model()
    limits = limits or Limits()
    if not isinstance(model, Model):
        if not isinstance(model, str | os.PathLike):
            given = type(model).__name__
            raise WrongType(f"a model is {given}, must be a path, a URL, a Model, a Graph or an analysis")
        model = read(model, limits=limits)
    with no_collection(), recursion_limit_for(limits.depth):
        return ModelAnalysis(model, registry, limits)


def infer(
    model: AnyModel,
    inputs: Mapping[str | int, Any] | None = None,
    *,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Inferred:
    """Element type and shape, and value where it is known, of every output of every layer.

    inputs: other shapes for the model's inputs, by tensor name, layer name or position: "?,3,1..224,224", a
        sequence, a Shape; words are symbols ("batch,3"); or a Fact.
    Returns: inferred[tensor name, layer name or id] -> Fact(.element_type, .shape, .value); where a layer has
        several outputs, inferred[layer, output index]; .diagnostics holds what is wrong
    Raises:  ReadError where the model cannot be read; DiagnosticError (a ValueError) for an input that does
        not exist, or a text that is not a shape
    """
    analysis = analyse(model, registry, limits)
    with no_collection():
        return analysis.infer(inputs)
