"""The analysis of a model: its structure and signature, and inference for any set of input shapes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from irops.analysis.checks.structural import ANALYSIS_CHECKS
from irops.analysis.declaring import with_hint
from irops.analysis.inference import Inference
from irops.analysis.inferred import Inferred
from irops.analysis.signature import Key, Signature
from irops.analysis.structure import GraphNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.reading import read
from irops.files.limits import Limits, recursion_limit_for
from irops.ir.collection import no_collection
from irops.ir.model import Model
from irops.registry import Registry


class ModelAnalysis(ModelStructure):
    """What follows from a model alone, computed once: topology, port maps, invocations, signature.

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
        """What is wrong with edges, port maps, ops and attributes, whatever the shapes are."""
        return tuple(finding for check in ANALYSIS_CHECKS for finding in check(self))

    def infer(self, inputs: Mapping[Key, Any] | None = None) -> Inferred:
        """The Facts of every output of every layer.

        inputs: other shapes for the inputs, by tensor name, layer name or position; see irops.infer
        Raises:  DiagnosticError for an input that does not exist, or a text that is not a shape
        """
        return self._inferred(inputs) if inputs else self.declared

    @cached_property
    def declared(self) -> Inferred:
        """What follows for the shapes that the inputs declare."""
        return self._inferred({})

    @cached_property
    def hinted(self) -> Inferred:
        """As `declared`, with what the model declares of tensors where nothing follows (see with_hint), and
        what follows from that; `believed` says where. No finding rests on it; where such declarations break
        a requirement, none is believed.
        """
        plain = self.declared
        if plain.has_errors or not self.dialect.hint_of_shapes or not _says_more(plain):
            return plain
        hinted = Inference(self, with_hints=True).graph(self.root, {})
        if hinted.has_errors:
            return plain
        hinted.structural = plain.structural
        _believe(hinted, plain)
        return hinted

    def _inferred(self, inputs: Mapping[Key, Any]) -> Inferred:
        inferred = Inference(self).graph(self.root, self.signature.facts(inputs))
        inferred.structural = self.structural_findings
        return inferred


def _says_more(inferred: Inferred) -> bool:
    """Whether a port of a graph, or of a body, declares what is not inferred."""
    return any(
        with_hint(fact, port) is not fact
        for facts in inferred.layers.values()
        for fact, port in zip(facts.outputs, facts.layer.outputs)
    ) or any(map(_says_more, inferred.bodies))


def _believe(hinted: Inferred, plain: Inferred | None) -> None:
    """Give what was inferred with hints the findings of inference without, and note where it says more."""
    hinted.findings = [] if plain is None else plain.findings
    for number, facts in hinted.layers.items():
        before = None if plain is None else plain.layers.get(number)
        outputs = () if before is None else before.outputs
        for index, fact in enumerate(facts.outputs):
            if index >= len(outputs) or fact.spelled != outputs[index].spelled:
                hinted.believed.add((number, index))
        for name, body in facts.bodies.items():
            _believe(body, None if before is None else before.bodies.get(name))


# Analysing and inferring models and files.


def analyse(
    model: Model | str | os.PathLike[str],
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> ModelAnalysis:
    """The analysis of a model, which is read first where it is a path. Raises: ReadError"""
    limits = limits or Limits()
    if not isinstance(model, Model):
        model = read(model, limits=limits)
    with no_collection(), recursion_limit_for(limits.depth):
        return ModelAnalysis(model, registry, limits)


def infer(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Mapping[str | int, Any] | None = None,
    *,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Inferred:
    """Element type and shape, and value where it is known, of every output of every layer.

    inputs: other shapes for the model's inputs, by tensor name, layer name or position: "?,3,1..224,224", a
        sequence, a Shape; words are symbols ("batch,3"); or a Fact.
    Returns: inferred[layer name or id, output index] -> Fact(.element_type, .shape, .value); .diagnostics
        holds what is wrong. Unless inputs are given, what the model declares of other tensors may stand
        where nothing follows; .believed names these.
    Raises:  ReadError where the model cannot be read; DiagnosticError (a ValueError) for an input that does
        not exist, or a text that is not a shape
    """
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    with no_collection():
        return analysis.infer(inputs) if inputs else analysis.hinted


# The graph that a path of layers and bodies leads to.


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
        node = graph.find(layer_name)
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
        step = next(
            (
                (node, name)
                for node in graph.layers.values()
                for name in node.bodies
                if f"{rest}/".startswith(f"{node.layer.name}/{name}/")
            ),
            None,
        )
        if step is None:
            return tuple(text.split("/"))
        node, name = step
        path += (node.layer.name, name)
        graph, rest = node.bodies[name].graph, rest[len(node.layer.name) + len(name) + 2 :]
    return tuple(path)
