"""The graph that a path of layers and bodies leads to."""

from __future__ import annotations

from collections.abc import Sequence

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode
from irops.diagnostics.suggestions import did_you_mean


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
