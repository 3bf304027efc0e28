"""Checks of state variables: assigned variables are read, and all declarations agree."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.structure import GraphNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import abridged
from irops.ir.model import SHOWN, Layer


def variables_have_one_type_and_shape(structure: ModelStructure) -> Iterator[Diagnostic]:
    first: dict[str, Layer] = {}
    for scope, layer in _layers_of_type(structure, "readvalue"):
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
    read = {layer.data.get("variable_id") for _, layer in _layers_of_type(structure, "readvalue")}
    for scope, layer in _layers_of_type(structure, "assign"):
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


def _layers_of_type(structure: ModelStructure, type_: str) -> Iterator[tuple[GraphNode, Layer]]:
    for scope in structure.graphs:
        for layer in scope.graph.layers:
            if layer.type.lower() == type_:
                yield scope, layer


def _declaration(layer: Layer) -> tuple[str, str] | None:
    """The declared element type and shape of the variable, normalized; None if the layer declares none."""
    if not {"variable_id", "variable_type", "variable_shape"} <= layer.data.keys():
        return None
    shape = "".join(layer.data["variable_shape"].split()).strip("[]").replace("-1", "?")
    return layer.data["variable_type"].strip().lower(), f"[{shape}]"
