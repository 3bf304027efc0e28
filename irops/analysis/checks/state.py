"""Checks of state variables: assigned variables are read, and all declarations agree."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.structure import GraphNode, ModelStructure, Path
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import abridged
from irops.ir.model import SHOWN, Layer


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
