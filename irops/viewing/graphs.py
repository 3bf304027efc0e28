"""A model as the graphs of Model Explorer, in the form of its JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis, infer
from irops.analysis.structure import GraphNode, LayerNode, Path
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import printable, shown
from irops.drawing.colours import LIGHT, group_of
from irops.drawing.layer_box import input_name, value_text
from irops.ir.model import LayerKind, Model

# How graphs and layers are called in Model Explorer, where overlays refer to them.


def graph_id(model: Model, path: Path) -> str:
    """The id of a graph: the name of the model, and the layers and bodies down to the graph."""
    return "/".join(map(shown, (model.name or "model", *path)))


def node_ids(graph: GraphNode) -> dict[int, str]:
    """The ids of layers: the name, with the number of the layer where several have this name."""
    names = {number: shown(node.layer.name) for number, node in graph.layers.items()}
    counts = Counter(names.values())
    return {
        number: name if name and counts[name] == 1 else f"{name} ({number})" for number, name in names.items()
    }


def scope_of(name: str) -> str:
    """The groups that a layer is in: a name such as block1/conv/relu has the scope block1/conv."""
    parts = [part for part in shown(name).split("/") if part]
    return "/".join(parts[:-1])


Json = dict[str, Any]
MAX_TEXT = 400
"""How many characters of an attribute are shown."""
_NAMED_KINDS = (LayerKind.PARAMETER, LayerKind.RESULT)
Place = tuple[tuple[str, ...], int | None]
"""The path of a graph, and the id of a layer in it."""


def graphs(analysis: ModelAnalysis, findings: Iterable[Diagnostic] = ()) -> list[Json]:
    """The graph of a model and those of its bodies, outermost first.

    A layer is a node in the groups that the parts of its name are, with its attributes, its inputs and
    outputs with their types and shapes, and the findings about it. Findings name their layers.
    """
    by_place: dict[Place, list[Diagnostic]] = {}
    for finding in findings:
        by_place.setdefault((finding.location.path, finding.location.layer_id), []).append(finding)
    writer = _Writer(analysis, by_place)
    outermost = analysis.by_path[()]
    writer.add(outermost, infer(analysis))
    return writer.graphs


class _Writer:
    def __init__(self, analysis: ModelAnalysis, findings: dict[Place, list[Diagnostic]]) -> None:
        self.analysis, self.findings = analysis, findings
        self.graphs: list[Json] = []

    def add(self, graph: GraphNode, inferred: Inferred | None) -> None:
        ids = node_ids(graph)
        made: Json = {"id": graph_id(self.analysis.model, graph.path)}
        self.graphs.append(made)
        made["nodes"] = [self._node(graph, inferred, node, ids) for node in graph.layers.values()]
        for node in graph.layers.values():
            facts = inferred.layers.get(node.layer.id) if inferred is not None else None
            for name, body in node.bodies.items():
                self.add(body.graph, facts.bodies.get(name) if facts is not None else None)

    def _node(
        self, graph: GraphNode, inferred: Inferred | None, node: LayerNode, ids: dict[int, str]
    ) -> Json:
        layer = node.layer
        sources = list(enumerate(graph.wiring.inputs[layer.id]))
        named = layer.kind in _NAMED_KINDS
        made: Json = {
            "id": ids[layer.id],
            "label": shown(f"{layer.name} ({layer.type})" if named else layer.type),
            "namespace": scope_of(layer.name),
            "attrs": self._attributes(graph, node),
            "incomingEdges": [
                {
                    "sourceNodeId": ids[source[0].id],
                    "sourceNodeOutputId": str(source[1]),
                    "targetNodeInputId": str(index),
                }
                for index, source in sources
                if source is not None and source[0].id in ids
            ],
            "inputsMetadata": [
                {"id": str(index), "attrs": _pairs({"__tensor_tag": input_name(node, index)})}
                for index, source in sources
                if source is not None
            ],
            "outputsMetadata": _outputs(inferred, node),
        }
        if node.op is not None:
            made["style"] = {"borderColor": LIGHT[group_of(node.op.definition.category)]}
        if node.bodies:
            model = self.analysis.model
            made["subgraphIds"] = [graph_id(model, body.graph.path) for body in node.bodies.values()]
        return made

    def _attributes(self, graph: GraphNode, node: LayerNode) -> list[Json]:
        layer = node.layer
        pairs = {
            "op": node.op.id if node.op is not None else f"{layer.type} {layer.version}",
            "name": layer.name,
            "layer": str(layer.id),
        }
        if layer.at >= 0:
            pairs["location"] = str(self.analysis.location(layer, graph.path))
        pairs |= {f"attribute {name}": text for name, text in layer.data.items()}
        for number, finding in enumerate(self.findings.get((graph.path, layer.id), ()), 1):
            pairs[f"finding {number}"] = f"{finding.severity.value} {finding.code} {finding.message}"
        if node.op is not None:
            pairs["definition"] = node.op.definition.summary
        return _pairs(pairs)


def _outputs(inferred: Inferred | None, node: LayerNode) -> list[Json]:
    facts = inferred.layers.get(node.layer.id) if inferred is not None else None
    specs = node.op.definition.outputs if node.op is not None else ()
    made = []
    for index, port in enumerate(node.layer.outputs):
        pairs = {}
        if index < len(specs):
            pairs["output"] = specs[index].name
        if facts is not None and index < len(facts.outputs):
            fact = facts.outputs[index]
            pairs["tensor_shape"] = f"{fact.element_type}{fact.shape.spelled}"
            if value_text(fact) != pairs["tensor_shape"]:
                pairs["value"] = value_text(fact)
        if port.names:
            pairs["tensor_name"] = ", ".join(port.names)
        made.append({"id": str(index), "attrs": _pairs(pairs)})
    return made


def _pairs(pairs: dict[str, str]) -> list[Json]:
    return [
        {"key": shown(key), "value": printable(value if len(value) <= MAX_TEXT else f"{value[:MAX_TEXT]}…")}
        for key, value in pairs.items()
    ]
