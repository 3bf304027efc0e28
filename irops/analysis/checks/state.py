"""Checks of state variables: assigned ones are read, their layers belong together, declarations agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from irops.analysis.structure import GraphNode, LayerNode, ModelStructure, Path
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import abridged
from irops.graph.topology import feeding_layers
from irops.ir.model import SHOWN, Layer
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


def variables_have_one_type_and_shape(structure: ModelStructure) -> Iterator[Diagnostic]:
    first: dict[str, Layer] = {}
    for scope, layer in layers_of_type(structure, "readvalue"):
        declared = _declaration(layer)
        if declared is None:
            continue
        other = first.setdefault(layer.data["variable_id"], layer)
        before = _declaration(other)
        if before is not None and before != declared:
            message = (
                f'{layer} declares the variable "{layer.data["variable_id"]}" as {"".join(declared)}, must be'
                f" {''.join(before)}, as {other} declares it"
            )
            yield structure.finding(
                "conflicting-variable-types",
                message,
                layer.at,
                scope,
                layer,
                notes=("OpenVINO checks one layer against the declaration of the other",),
            )


def assigned_variables_are_read(structure: ModelStructure) -> Iterator[Diagnostic]:
    read = {layer.data.get("variable_id") for _, layer in layers_of_type(structure, "readvalue")}
    for scope, layer in layers_of_type(structure, "assign"):
        name = layer.data.get("variable_id")
        if name is not None and name not in read and not structure.partially_read:
            message = (
                f'{layer} assigns the variable "{abridged(name, SHOWN)}", which no layer reads;'
                " there must be a ReadValue with the same variable_id"
            )
            yield structure.finding(
                "unread-variable",
                message,
                layer.at,
                scope,
                layer,
                notes=('OpenVINO refuses the file with "map::at"',),
            )


def variables_are_read_before_they_are_assigned(structure: ModelStructure) -> Iterator[Diagnostic]:
    """OpenVINO computes an Assign after every ReadValue of its variable, which must not depend on it."""
    reads = _variables(structure, "readvalue")
    assigns = _variables(structure, "assign")
    for scope in structure.fully_read if reads and assigns else ():
        if not any(path == scope.path and number in scope.wiring.feeding for path, number in assigns):
            continue
        behind: dict[int, frozenset[str]] = {}
        for node in scope.order:
            layer, place = node.layer, (scope.path, node.layer.id)
            sources = (source[0].id for source in scope.wiring.inputs[layer.id] if source is not None)
            assigned = frozenset().union(*(behind.get(number, frozenset()) for number in sources))
            if reads.get(place) in assigned:
                name = reads[place]
                message = f'{layer} reads the variable "{name}" and depends on an Assign of it, must not'
                note = ("OpenVINO refuses the file: it finds a cycle",)
                yield structure.finding("cyclic-variable", message, layer.at, scope, layer, notes=note)
            if place in assigns:
                assigned |= {assigns[place]}
            if assigned:
                behind[layer.id] = assigned


def _variables(structure: ModelStructure, type_: str) -> dict[tuple[Path, int], str]:
    """The variables that layers of a type name, by graph and id."""
    return {
        (scope.path, layer.id): layer.data["variable_id"]
        for scope, layer in layers_of_type(structure, type_)
        if "variable_id" in layer.data
    }


def layers_of_type(structure: ModelStructure, type_: str) -> Iterator[tuple[GraphNode, Layer]]:
    """The layers of a type, in lower case, with their graphs, bodies included."""
    for scope in structure.graphs:
        for layer in scope.groups.of_type(type_):
            yield scope, layer


def _declaration(layer: Layer) -> tuple[str, str] | None:
    """The declared element type and shape of the variable, normalized; None if the layer declares none."""
    if not {"variable_id", "variable_type", "variable_shape"} <= layer.data.keys():
        return None
    shape = "".join(layer.data["variable_shape"].split()).strip("[]").replace("-1", "?")
    return layer.data["variable_type"].strip().lower(), f"[{shape}]"
