"""Checks of edges: they connect existing layers and ports, one per input, without cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irops.analysis.structure import GraphNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.graph.topology import cycles
from irops.ir.model import Edge, Port

SHOWN = 8
"""How many layers of a cycle a message names."""


def edges_end_at_layers(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope, _, edge in _faulty_edges(structure, "dangling-edge"):
        layers = scope.wiring.layers
        begins = edge.from_layer in layers
        verb, absent, there = ("ends", edge.to_layer, "from") if begins else ("starts", edge.from_layer, "to")
        other = layers.get(edge.from_layer, layers.get(edge.to_layer))
        notes = [
            "OpenVINO ignores this edge"
            if begins
            else (
                'OpenVINO refuses the file with "Cannot create layer id:0 from unsupported opset", if it'
                " reads that far"
            )
        ]
        if scope.outer is not None and absent in scope.outer.wiring.layers:
            notes.append(
                f"{scope.outer.wiring.layers[absent]} is outside the body, whose edges cannot refer to it"
            )
        message = (
            f"an edge{f' {there} {other}' if other else ''} {verb} at layer {absent}, which does not exist in"
            f" {scope.what}"
        )
        yield structure.finding("dangling-edge", message, edge.at, scope, other, notes=tuple(notes))


def edges_meet_ports(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope, rule, edge in _faulty_edges(structure, "unknown-output-port", "unknown-input-port"):
        if rule == "unknown-output-port":
            layer, label = scope.wiring.layers[edge.from_layer], edge.from_port
            verb, side, other = "starts", "output", "input"
            ports, elsewhere = layer.outputs, scope.wiring.input_index(layer, label)
        else:
            layer, label = scope.wiring.layers[edge.to_layer], edge.to_port
            verb, side, other = "ends", "input", "output"
            ports, elsewhere = layer.inputs, scope.wiring.output_index(layer, label)
        instead = f", which is an {other}" if elsewhere is not None else ""
        message = f"an edge {verb} at port {label} of {layer}{instead}, {_labels(ports, side)}"
        words = f"Can not find {side} port with id {label} in layer {layer.shown_name}"
        note = f'OpenVINO refuses the file: "{words}"'
        yield structure.finding(rule, message, edge.at, scope, layer, notes=(note,))


def no_input_has_two_edges(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope, _, edge in _faulty_edges(structure, "multiple-producers"):
        layer = scope.wiring.layers[edge.to_layer]
        index = scope.wiring.input_index(layer, edge.to_port) or 0
        first, second = scope.wiring.inputs[layer.id][index], scope.wiring.layers[edge.from_layer]
        by = f"twice by {second}" if first is None or first[0] is second else f"by {first[0]} and by {second}"
        message = f"input {index} of {layer} is fed {by}, must have one incoming edge"
        note = 'OpenVINO refuses the file: "has incorrect input with index ..."'
        yield structure.finding("multiple-producers", message, edge.at, scope, layer, notes=(note,))


def every_input_port_is_fed(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.fully_read:
        for layer, index in scope.wiring.unconnected:
            name = f"input {index} (port {layer.inputs[index].id}) of {layer}"
            message = f"{name} has no incoming edge, must have one"
            note = (
                "OpenVINO counts edges, not ports, and sees an op with fewer inputs, or fails with an index"
                " out of range"
            )
            yield structure.finding("unconnected-input", message, layer.at, scope, layer, notes=(note,))


def there_are_no_cycles(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        for cycle in cycles(scope.wiring):
            way = [f'{layer.id} "{layer.shown_name}"' for layer in (*cycle[:SHOWN], cycle[0])]
            if len(cycle) > SHOWN:
                way.insert(SHOWN, f"({len(cycle) - SHOWN} more)")
            what = (
                f"the graph has the cycle {' -> '.join(way)}"
                if len(cycle) > 1
                else f"the graph has a cycle: {cycle[0]} feeds itself"
            )
            message = f"{what}, must have no cycle"
            note = (
                'OpenVINO refuses the file with "Attempt to access node ... that not in graph" if the cycle'
                " leads to a Result, and ignores the cycle otherwise"
            )
            yield structure.finding("cycle", message, cycle[0].at, scope, cycle[0], notes=(note,))


EDGE_CHECKS = (
    edges_end_at_layers,
    edges_meet_ports,
    no_input_has_two_edges,
    every_input_port_is_fed,
    there_are_no_cycles,
)


def _faulty_edges(structure: ModelStructure, *rules: str) -> Iterator[tuple[GraphNode, str, Edge]]:
    for scope in structure.graphs:
        for fault in scope.wiring.faults:
            if fault.rule in rules:
                yield scope, fault.rule, fault.edge


def _labels(ports: Sequence[Port], side: str) -> str:
    shown = ", ".join(str(port.id) for port in ports[:SHOWN])
    if len(ports) < 2:
        return f"must be port {shown}, its only {side}" if ports else f"which has no {side}s"
    return f"must be one of its {side} ports {shown}{', ...' if len(ports) > SHOWN else ''}"
