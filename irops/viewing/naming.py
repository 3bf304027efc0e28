"""How graphs and layers are called in Model Explorer, where overlays refer to them."""

from __future__ import annotations

from collections import Counter

from irops.analysis.structure import GraphNode, Path
from irops.diagnostics.printable import shown
from irops.ir.model import Model


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
