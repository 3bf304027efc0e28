"""The port maps and back edges of a body, in terms of positions, as its op sees them."""

from __future__ import annotations

from dataclasses import dataclass

from irops.ir.model import BackEdge, Body, Layer, LayerKind, PortMapping
from irops.spec.body import CURRENT_ITERATION, EXECUTION_CONDITION, BodyInput, BodyOutput, Cut, Feedback


class BodyFault(Exception):
    """The maps of a body are not sound. rule: the name of the diagnostic rule; at: the byte offset of what is
    wrong.
    """

    def __init__(self, rule: str, message: str, at: int) -> None:
        super().__init__(rule, message, at)
        self.rule, self.message, self.at = rule, message, at


def parameters_of(body: Body) -> list[Layer]:
    """The Parameters of a body, in the order of the file."""
    return [layer for layer in body.graph.layers if layer.kind is LayerKind.PARAMETER]


def results_of(body: Body) -> list[Layer]:
    """The Results of a body, in the order of the file."""
    return [layer for layer in body.graph.layers if layer.kind is LayerKind.RESULT]


@dataclass(frozen=True, slots=True)
class Maps:
    """The port map and the back edges of a body, in terms of positions."""

    inputs: tuple[BodyInput, ...]
    outputs: tuple[BodyOutput, ...]
    back_edges: tuple[Feedback, ...]


def maps_of(layer: Layer, body: Body) -> Maps:
    """The maps of a layer's body.

    As OpenVINO reads them: an input's external_port_id is the number of the layer's input; outputs are sorted
        by external_port_id
    and numbered from 0.
    Raises:  BodyFault for the first thing in the maps that is not sound
    """
    places = _Places(layer, body)
    inputs, outputs = tuple(map(places.input, body.inputs)), tuple(map(places.output, body.outputs))
    maps = Maps(inputs, outputs, tuple(map(places.back_edge, body.back_edges)))
    places.hold_together(maps)
    return maps


class _Places:
    """The positions that ids and port numbers in the maps of one body mean."""

    def __init__(self, layer: Layer, body: Body) -> None:
        self.layer, self.body = layer, body
        self.parameters = {p.id: k for k, p in enumerate(parameters_of(body))}
        self.results = {r.id: k for k, r in enumerate(results_of(body))}
        self.ports = {
            port: k
            for k, port in enumerate(
                sorted({m.external_port_id for m in body.outputs if m.external_port_id >= 0})
            )
        }

    def input(self, m: PortMapping) -> BodyInput:
        count, free = len(self.layer.inputs), m.purpose == CURRENT_ITERATION and m.external_port_id == -1
        if not free and not 0 <= m.external_port_id < count:
            message = f"the port map of {self.layer} takes its input {m.external_port_id}, it has {count}"
            raise BodyFault("mapping-to-no-port", message, m.at)
        parameter = self._place(self.parameters, m.internal_layer_id, "Parameter", m)
        return BodyInput(None if free else m.external_port_id, parameter, _cut(m), m.purpose, m.at)

    def output(self, m: PortMapping) -> BodyOutput:
        free = m.purpose == EXECUTION_CONDITION and m.external_port_id == -1
        if not free and m.external_port_id < 0:
            raise BodyFault(
                "mapping-to-no-port",
                f"the port map of {self.layer} gives its output {m.external_port_id}",
                m.at,
            )
        result = self._place(self.results, m.internal_layer_id, "Result", m)
        return BodyOutput(self.ports.get(m.external_port_id), result, _cut(m), m.purpose, m.at)

    def back_edge(self, edge: BackEdge) -> Feedback:
        result = self._place(self.results, edge.from_layer, "Result", edge)
        return Feedback(result, self._place(self.parameters, edge.to_layer, "Parameter", edge), edge.at)

    def hold_together(self, maps: Maps) -> None:
        """One entry for every Parameter and for every output."""
        _once(
            "doubly-mapped-parameter",
            f"the port map of {self.layer} feeds a Parameter twice",
            [(i.parameter, i.at) for i in maps.inputs],
        )
        _once(
            "doubly-mapped-output",
            f"the port map of {self.layer} gives an output twice",
            [(o.port, o.at) for o in maps.outputs if o.port is not None],
        )
        fed = {i.parameter for i in maps.inputs}
        for parameter, place in zip(parameters_of(self.body), range(len(self.parameters))):
            if place not in fed:
                raise BodyFault(
                    "unmapped-parameter",
                    f"no input of the port map of {self.layer} feeds {parameter}",
                    parameter.at,
                )
        if self.layer.type.lower() == "loop" and not any(
            o.purpose == EXECUTION_CONDITION for o in maps.outputs
        ):
            raise BodyFault(
                "missing-condition",
                f"no output of the port map of {self.layer} is its condition to go on",
                self.layer.at,
            )

    def _place(self, known: dict[int, int], id: int, kind: str, entry: PortMapping | BackEdge) -> int:
        if id not in known:
            rule = "dangling-back-edge" if isinstance(entry, BackEdge) else "mapping-to-no-layer"
            raise BodyFault(rule, f"{self.body.name} of {self.layer} has no {kind} with id {id}", entry.at)
        return known[id]


def _once(rule: str, message: str, entries: list[tuple[int, int]]) -> None:
    seen: set[int] = set()
    for what, at in entries:
        if what in seen:
            raise BodyFault(rule, message, at)
        seen.add(what)


def _cut(m: PortMapping) -> Cut | None:
    if m.axis is None:
        return None
    if m.stride == 0 or m.part_size < 1:
        raise BodyFault(
            "empty-slice",
            f"a slice has stride {m.stride} and part_size {m.part_size}, must move on and have a size",
            m.at,
        )
    return Cut(m.axis, m.start, m.end, m.stride, m.part_size)
