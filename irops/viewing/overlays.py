"""Data that Model Explorer shows on the nodes: findings, and values that the user has in a JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import shown
from irops.diagnostics.rule import Severity
from irops.diagnostics.suggestions import did_you_mean
from irops.viewing.graphs import Json, graph_id, node_ids

_COLOURS = {Severity.ERROR: "#f2b8b5", Severity.WARNING: "#ffe08a"}
_LOW, _HIGH = "#ffffff", "#f4a259"
"""Colours of the smallest and the greatest of numbers."""


class NodeDataError(ValueError):
    """A file of node data has none, or not of this model."""


def findings_overlay(analysis: ModelAnalysis, findings: Iterable[Diagnostic]) -> Json:
    """The findings about layers, by graph; an error gives a node its colour before a warning does.

    Empty if there are none.
    """
    results: dict[str, Json] = {}
    ids = {path: node_ids(graph) for path, graph in analysis.by_path.items()}
    for finding in sorted(findings, key=lambda finding: finding.severity is not Severity.ERROR):
        path, layer = finding.location.path, finding.location.layer_id
        if path not in ids or layer not in ids[path]:
            continue
        node = ids[path][layer]
        in_graph = results.setdefault(graph_id(analysis.model, path), {})
        text = f"{finding.severity.value} {finding.code} {finding.name}"
        if node in in_graph:
            in_graph[node]["value"] += f", {finding.code} {finding.name}"
        else:
            in_graph[node] = {"value": text, "bgColor": _COLOURS[finding.severity]}
    return {graph: {"results": nodes} for graph, nodes in results.items()}


def node_data(analysis: ModelAnalysis, text: str) -> Json:
    """The node data of a JSON text.

    The text is an object of values by names of layers, {"conv_1": 0.25, "loop/body/add": "slow"}, where the
    name of a layer of a body begins with the path of the body; or it is in the format of Model Explorer.
    Raises:  NodeDataError if it is neither, or names a layer that the model does not have
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NodeDataError(f"it is not JSON: {error}") from None
    if not isinstance(data, dict) or not data:
        raise NodeDataError("it has no object of values by names of layers")
    if isinstance(data.get("results"), dict):  # of one graph, in the format of Model Explorer
        return {graph_id(analysis.model, ()): data}
    if all(isinstance(value, dict) and isinstance(value.get("results"), dict) for value in data.values()):
        return data
    return _by_layer(analysis, data)


def _by_layer(analysis: ModelAnalysis, data: Mapping[str, Any]) -> Json:
    places: dict[str, tuple[str, str]] = {}
    for graph in analysis.by_path.values():
        ids, place = node_ids(graph), graph_id(analysis.model, graph.path)
        for number, node in graph.layers.items():
            places.setdefault("/".join((*graph.path, node.layer.name)), (place, ids[number]))
    made: dict[str, Json] = {}
    for name, value in data.items():
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise NodeDataError(f"the value of {shown(name)!r} must be a number or a text")
        if name not in places:
            raise NodeDataError(f"the model has no layer {shown(name)!r}{did_you_mean(name, places)}")
        place, node_id = places[name]
        made.setdefault(place, {"results": {}})["results"][node_id] = {"value": value}
    for in_graph in made.values():
        if not any(isinstance(result["value"], str) for result in in_graph["results"].values()):
            in_graph["gradient"] = [{"stop": 0, "bgColor": _LOW}, {"stop": 1, "bgColor": _HIGH}]
    return made
