"""An order of layers in which a layer is near those that compute its inputs."""

from __future__ import annotations

from irops.graph.wiring import Wiring
from irops.ir.model import Layer


def depth_first(wiring: Wiring) -> list[Layer]:
    """Layers in topological order; the inputs of a layer come before it, each right after its own inputs.

    Layers on or behind a cycle are left out.
    """
    acyclic = {layer.id for layer in wiring.order}
    done: dict[int, Layer] = {}
    ahead = [(layer, False) for layer in reversed(wiring.order) if not _is_used(wiring, layer)]
    while ahead:
        layer, is_ready = ahead.pop()
        if layer.id in done or layer.id not in acyclic:
            continue
        if is_ready:
            done[layer.id] = layer
            continue
        ahead.append((layer, True))
        ahead += [(source[0], False) for source in reversed(wiring.inputs[layer.id]) if source is not None]
    return list(done.values())


def _is_used(wiring: Wiring, layer: Layer) -> bool:
    return any((layer.id, index) in wiring.consumers for index in range(len(layer.outputs)))
