"""Checks that the layers of one state variable belong together as OpenVINO requires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from irops.analysis.checks.state import layers_of_type
from irops.analysis.structure import GraphNode, LayerNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.graph.order import feeding_layers

MAX_SEARCHES = 100
"""For how many layers all those before them are searched, which takes time for each."""
STATEFUL = ("readvalue", "assign")


def first_assignments_follow_a_read(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Assign-3 takes type and shape of the variable from a ReadValue that its input depends on."""
    read = _read(structure)
    nodes = ((scope, node) for scope in structure.fully_read for node in scope.layers.values())
    assigns = ((scope, node) for scope, node in nodes if node.op is not None and node.op.id == "Assign-3")
    for scope, node in islice(assigns, MAX_SEARCHES):
        name = node.layer.data.get("variable_id")
        if name in read and name not in _read_before(scope, node):  # not read at all: reported as such
            message = (
                f'{node.layer} assigns the variable "{name}" and does not depend on a ReadValue of it; the'
                " input of an Assign of opset3 must"
            )
            notes = ("OpenVINO refuses the file",)
            yield structure.finding("unread-variable", message, node.layer.at, scope, node.layer, notes=notes)


def _read_before(scope: GraphNode, node: LayerNode) -> set[str | None]:
    before = feeding_layers(scope.wiring, [node.layer])
    return {
        layer.data.get("variable_id")
        for layer in scope.graph.layers
        if layer.id in before and layer.type.lower() == "readvalue"
    }


def _read(structure: ModelStructure) -> set[str | None]:
    return {layer.data.get("variable_id") for _, layer in layers_of_type(structure, "readvalue")}


def _in_bodies(structure: ModelStructure) -> bool:
    return any(
        layer.type.lower() in STATEFUL for scope in structure.graphs[1:] for layer in scope.graph.layers
    )


def variables_are_read_and_assigned_once(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Only outside of bodies, whose variables OpenVINO's CPU plug-in handles otherwise."""
    scope = structure.graphs[0]
    if scope not in structure.fully_read or _in_bodies(structure):
        return
    layers = [layer for layer in scope.graph.layers if layer.type.lower() in STATEFUL]
    counts = Counter((layer.data.get("variable_id"), layer.type.lower()) for layer in layers)
    for layer in layers:
        name, kind = layer.data.get("variable_id"), layer.type.lower()
        if name is None:
            continue
        if kind == "readvalue" and not counts[name, "assign"]:
            message = f'{layer} reads the variable "{name}", which no layer assigns'
        elif counts[name, kind] > 1:
            message = f'{layer} is one of {counts[name, kind]} layers of its type for the variable "{name}"'
        else:
            continue
        counts[name, kind] = counts[name, "assign"] = 1  # once for each variable
        notes = ("OpenVINO compiles the model, but its CPU plug-in fails when it runs it",)
        yield structure.finding("unpaired-variable", message, layer.at, scope, layer, notes=notes)
