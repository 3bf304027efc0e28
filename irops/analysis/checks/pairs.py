"""Checks that the layers of one state variable belong together as OpenVINO requires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from irops.analysis.checks.state import layers_of_type
from irops.analysis.structure import GraphNode, LayerNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.graph.topology import feeding_layers
from irops.ir.model import Layer
from irops.spec.op import Op

MAX_SEARCHES = 100
"""For how many layers all those before them are searched, which takes time for each."""
STATEFUL = ("readvalue", "assign")


def first_assignments_follow_a_read(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Assign-3 takes type and shape of the variable from a ReadValue-3 that its input depends on."""
    by_any = {layer.data.get("variable_id") for _, layer in layers_of_type(structure, "readvalue")}
    by_first = {node.layer.data.get("variable_id") for _, node in _nodes(structure, "ReadValue-3")}
    for scope, node in islice(_nodes(structure, "Assign-3"), MAX_SEARCHES):
        name = node.layer.data.get("variable_id")
        if name not in by_any:  # reported as not read at all
            continue
        if name not in by_first:
            why = "is not read by a ReadValue of opset3; a ReadValue of a later version is not enough"
        elif name not in _read_before(scope, node):
            why = "must be read by a ReadValue of opset3 that the input of the Assign depends on"
        else:
            continue
        message = f'{node.layer} of {node.layer.version} assigns the variable "{name}", which {why}'
        notes = ("OpenVINO refuses the file: it does not find the variable",)
        yield structure.finding("unread-variable", message, node.layer.at, scope, node.layer, notes=notes)


def _nodes(structure: ModelStructure, op: str) -> Iterator[tuple[GraphNode, LayerNode]]:
    """The layers of an op version, with their graphs."""
    for scope in structure.fully_read:
        for layer in scope.current(scope.groups.where(lambda layer: _is_of(structure, layer, op))):
            yield scope, scope.layers[layer.id]


def _is_of(structure: ModelStructure, layer: Layer, op: str) -> bool:
    """Whether a layer is of an op version."""
    resolved = structure.registry.resolve(layer.type, layer.version)
    return isinstance(resolved, Op) and resolved.id == op


def _read_before(scope: GraphNode, node: LayerNode) -> set[str | None]:
    """The variables that are read by ReadValue-3 before a layer."""
    before = feeding_layers(scope.wiring, [node.layer])
    others = (scope.layers[number] for number in before if number in scope.layers)
    return {
        other.layer.data.get("variable_id")
        for other in others
        if other.op is not None and other.op.id == "ReadValue-3"
    }


def _in_bodies(structure: ModelStructure) -> bool:
    return any(
        layer.type.lower() in STATEFUL
        for scope in structure.graphs[1:]
        for layer in scope.groups.first_layers
    )


def variables_are_read_and_assigned_once(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Only outside of bodies, whose variables OpenVINO's CPU plug-in handles otherwise."""
    scope = structure.graphs[0]
    if scope not in structure.fully_read or _in_bodies(structure):
        return
    layers = scope.groups.where(lambda layer: layer.type.lower() in STATEFUL)
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
