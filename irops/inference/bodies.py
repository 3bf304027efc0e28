"""Bodies of a layer as the functions that its op sees."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from irops.ir.model import Body, Layer, PortMapping
from irops.spec.body import BodyFunction, BodyInput, BodyOutput, Cut

Apply = Callable[[Body, Sequence[Any]], list[Any]]


class BodyFault(Exception):
    """A body's maps name what does not exist. at: the byte offset of the map's entry."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message, self.at = message, at


def parameters_of(body: Body) -> list[Layer]:
    """The Parameters of a body, in the order of the file."""
    return [layer for layer in body.graph.layers if layer.type.lower() == "parameter"]


def results_of(body: Body) -> list[Layer]:
    """The Results of a body, in the order of the file."""
    return [layer for layer in body.graph.layers if layer.type == "Result"]


def body_function(body: Body, inputs: int, declared: Sequence[Any], apply: Apply, iterations: int = 1_000_000) -> BodyFunction:
    """The body as a function, its maps in terms of positions.

    As OpenVINO reads them: an input's external_port_id is the number of the layer's input; outputs are sorted by external_port_id
    and numbered from 0.
    Raises:  BodyFault where a map names no layer of the body, or no input
    """
    parameters = {layer.id: k for k, layer in enumerate(parameters_of(body))}
    results = {layer.id: k for k, layer in enumerate(results_of(body))}
    ports = {port: k for k, port in enumerate(sorted({m.external_port_id for m in body.outputs if m.external_port_id >= 0}))}
    for m in body.inputs:
        if m.external_port_id >= inputs:
            raise BodyFault(f"the port map takes input {m.external_port_id}, the layer has {inputs}", m.at)
        _find(parameters, m.internal_layer_id, "Parameter", m.at)
    for m in body.outputs:
        _find(results, m.internal_layer_id, "Result", m.at)
    for edge in body.back_edges:
        _find(results, edge.from_layer, "Result", edge.at)
        _find(parameters, edge.to_layer, "Parameter", edge.at)
    return BodyFunction(
        apply=lambda items: apply(body, items),
        declared=tuple(declared),
        results=len(results),
        inputs=tuple(BodyInput(_port(m), parameters[m.internal_layer_id], _cut(m), m.purpose) for m in body.inputs),
        outputs=tuple(BodyOutput(ports.get(m.external_port_id), results[m.internal_layer_id], _cut(m), m.purpose) for m in body.outputs),
        back_edges=tuple((results[e.from_layer], parameters[e.to_layer]) for e in body.back_edges),
        iterations=iterations,
    )


def _find(known: dict[int, int], id: int, kind: str, at: int) -> None:
    if id not in known:
        raise BodyFault(f"the body has no {kind} with id {id}", at)


def _port(m: PortMapping) -> int | None:
    return None if m.external_port_id < 0 else m.external_port_id


def _cut(m: PortMapping) -> Cut | None:
    return None if m.axis is None else Cut(m.axis, m.start, m.end, m.stride, m.part_size)
