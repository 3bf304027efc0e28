"""What a page shows of a layer on click: its definition, its place in the file, its attributes and Facts."""

from __future__ import annotations

from typing import Any

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode, LayerNode
from irops.diagnostics.printable import printable
from irops.drawing.layer_box import input_name, value_text
from irops.drawing.scene import Scene, boxes
from irops.editing.scope import Scope as GraphScope
from irops.spec.definition import Definition

MAX_FOLDED = 20_000
"""How many layers that are not drawn are listed by name."""
MAX_TEXT = 400
"""How many characters of an attribute are shown."""


def details(scene: Scene, analysis: ModelAnalysis, scope: GraphScope) -> dict[str, Any]:
    """layers: by path and id; definitions: by op; folded: name, type and output of other layers, by path and
    id.
    """
    layers: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    folded: dict[str, dict[str, list[str]]] = {}
    count = 0
    for around, box in boxes(scene):
        path = "/".join(map(printable, around.path))
        graph, inferred = _graph(analysis, scope, around.path)
        if box.node is not None:
            layers[f"{path}|{box.node.layer.id}"] = _layer(analysis, graph, inferred, box.node)
            if box.node.op is not None:
                definitions[box.node.op.id] = _definition(box.node.op.definition)
        for node in box.folded:
            if count < MAX_FOLDED:
                count += 1
                folded.setdefault(path, {})[str(node.layer.id)] = [
                    printable(node.layer.name),
                    printable(node.layer.type),
                    _outputs(inferred, node)[0][1] if node.layer.outputs else "",
                ]
    return {"layers": layers, "definitions": definitions, "folded": folded}


def _graph(
    analysis: ModelAnalysis, scope: GraphScope, path: tuple[str, ...]
) -> tuple[GraphNode, Inferred | None]:
    """The graph of a scene with what is inferred of it."""
    graph = analysis.by_path[path]
    inferred = scope.inferred
    below = path[len(scope.graph.path) :]
    for layer, body in zip(below[::2], below[1::2]):
        inferred = None if inferred is None else inferred.of(layer).bodies.get(body)
    return graph, inferred


def _layer(
    analysis: ModelAnalysis, graph: GraphNode, inferred: Inferred | None, node: LayerNode
) -> dict[str, Any]:
    layer = node.layer
    place = str(analysis.location(layer, graph.path)) if layer.at >= 0 else "not in the file"
    inputs = []
    for index, source in enumerate(graph.wiring.inputs[layer.id]):
        if source is None:
            continue
        facts = inferred.layers.get(source[0].id) if inferred is not None else None
        text = value_text(facts.outputs[source[1]]) if facts and source[1] < len(facts.outputs) else "?"
        inputs.append([input_name(node, index), text, f"from {printable(source[0].name)}"])
    return {
        "op": node.op.id if node.op is not None else printable(f"{layer.type} {layer.version}"),
        "name": printable(f"{layer.name} (layer {layer.id})"),
        "location": printable(place),
        "inputs": inputs,
        "outputs": _outputs(inferred, node),
        "attributes": [[printable(name), printable(text[:MAX_TEXT])] for name, text in layer.data.items()],
    }


def _outputs(inferred: Inferred | None, node: LayerNode) -> list[list[str]]:
    facts = inferred.layers.get(node.layer.id) if inferred is not None else None
    specs = node.op.definition.outputs if node.op is not None else ()
    rows = []
    for index, port in enumerate(node.layer.outputs):
        name = specs[index].name if index < len(specs) and not specs[index].variadic else str(index)
        text = value_text(facts.outputs[index]) if facts is not None and index < len(facts.outputs) else "?"
        rows.append([name, text, printable(", ".join(port.names))])
    return rows


def _definition(definition: Definition) -> dict[str, Any]:
    return {
        "category": definition.category,
        "summary": definition.summary,
        "formula": definition.formula,
        "constraints": [[constraint.id, constraint.text] for constraint in definition.constraints.values()],
    }
