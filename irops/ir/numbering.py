"""Assigns the most likely ids to layers and ports with malformed ids, to avoid cascading findings."""

from __future__ import annotations

from irops.ir.faults import Faults
from irops.ir.model import Graph, Layer, Port

UNREAD = -1


def number_layers(graph: Graph, faults: Faults) -> None:
    """Report ids that are not unique, and number the layers whose id is malformed."""
    if has_unique_ids(graph.layers):
        return
    used: dict[int, Layer] = {}
    for layer in graph.layers:
        first = layer if layer.id == UNREAD else used.setdefault(layer.id, layer)
        if first is not layer:
            faults.layer = layer
            faults.add(
                "duplicate-layer-id",
                f'layer "{layer.shown_name}" has the id {layer.id} of layer "{first.shown_name}",'
                " must have a unique id",
                layer.at,
                attribute="id",
                notes=("OpenVINO uses the last layer with an id for all of them",),
            )
            faults.layer = None
    if any(layer.id == UNREAD for layer in graph.layers):
        referenced = {end for edge in graph.edges for end in (edge.from_layer, edge.to_layer)}
        _fill(graph.layers, set(used), referenced - used.keys())


def has_unique_ids(layers: list[Layer]) -> bool:
    """Whether all layers have an id, and no two the same."""
    ids = {layer.id for layer in layers}
    return len(ids) == len(layers) and UNREAD not in ids


def _fill(layers: list[Layer], used: set[int], unresolved: set[int]) -> None:
    """Number layers without an id. unresolved: ids that edges refer to and no layer has.

    Prefers the number that follows the previous layer if edges refer to it, then another such, then any.
    """
    before, largest = -1, max(used, default=-1)
    others = iter(sorted(unresolved))
    for layer in layers:
        if layer.id == UNREAD:
            likely = before + 1
            if unresolved and likely not in unresolved:
                likely = next(number for number in others if number in unresolved)
            layer.id = likely if likely not in used else largest + 1
            unresolved.discard(layer.id)
            used.add(layer.id)
            largest = max(largest, layer.id)
        before = layer.id


def number_ports(layer: Layer, faults: Faults) -> None:
    """Report ids that are not unique, and number the ports whose id is malformed by their positions."""
    start = 0
    for side, ports in (("input", layer.inputs), ("output", layer.outputs)):
        ids = {port.id for port in ports} if len(ports) != 1 or ports[0].id == UNREAD else None
        if ids is not None and (len(ids) < len(ports) or UNREAD in ids):
            _report_duplicates(ports, side, faults)
            largest = max(ids)
            for place, port in enumerate(ports, start):
                if port.id == UNREAD:
                    port.id = place if place not in ids else largest + 1
                    ids.add(port.id)
                    largest = max(largest, port.id)
        start += len(ports)


def _report_duplicates(ports: list[Port], side: str, faults: Faults) -> None:
    seen: set[int] = set()
    for port in ports:
        if port.id in seen and port.id != UNREAD:
            faults.add(
                "duplicate-port-id",
                f"a second {side} port has the id {port.id}, must have an id that is unique in its layer",
                port.at,
                attribute="id",
            )
        seen.add(port.id)
