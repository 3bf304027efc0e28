"""Gives layers and ports whose ids cannot be read the ids that they most likely should have, so that no other
fault follows.
"""

from __future__ import annotations

from irops.ir.faults import Faults
from irops.ir.model import Graph, Layer, Port

UNREAD = -1


def number_layers(graph: Graph, faults: Faults) -> None:
    """Tell which ids are not unique, and number the layers whose id could not be read."""
    used: dict[int, Layer] = {}
    for layer in graph.layers:
        first = layer if layer.id == UNREAD else used.setdefault(layer.id, layer)
        if first is not layer:
            faults.layer = layer
            faults.add(
                "duplicate-layer-id",
                f'id {layer.id} of layer "{layer.name}" is that of layer "{first.name}" too; ids must differ',
                layer.at,
                attribute="id",
                notes=("OpenVINO takes the last layer of an id for all of them",),
            )
            faults.layer = None
    if any(layer.id == UNREAD for layer in graph.layers):
        mentioned = {end for edge in graph.edges for end in (edge.from_layer, edge.to_layer)}
        _fill(graph.layers, used, mentioned - used.keys())


def _fill(layers: list[Layer], used: dict[int, Layer], wanted: set[int]) -> None:
    """Prefer the number after the layer before, if edges mean it; else one that they mean; else any."""
    before = -1
    for layer in layers:
        if layer.id == UNREAD:
            following = before + 1
            free = following if following not in used else max(used) + 1
            layer.id = following if following in wanted else min(wanted) if wanted else free
            wanted.discard(layer.id)
            used[layer.id] = layer
        before = layer.id


def number_ports(layer: Layer, faults: Faults) -> None:
    """Tell which ids are not unique, and number the ports whose id could not be read: by their places."""
    start = 0
    for side, ports in (("input", layer.inputs), ("output", layer.outputs)):
        ids = {port.id for port in ports} if len(ports) != 1 or ports[0].id == UNREAD else None
        if ids is not None and (len(ids) < len(ports) or UNREAD in ids):
            _tell_duplicates(ports, side, faults)
            for place, port in enumerate(ports, start):
                if port.id == UNREAD:
                    port.id = place if place not in ids else max(ids) + 1
                    ids.add(port.id)
        start += len(ports)


def _tell_duplicates(ports: list[Port], side: str, faults: Faults) -> None:
    seen: set[int] = set()
    for port in ports:
        if port.id in seen and port.id != UNREAD:
            faults.add(
                "duplicate-port-id",
                f"a second {side} port has the id {port.id}; the ids of a layer's {side} ports must differ",
                port.at,
                attribute="id",
            )
        seen.add(port.id)
