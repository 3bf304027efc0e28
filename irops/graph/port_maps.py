"""The port map and back edges of a body: validated, and in terms of positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irops.diagnostics.printable import abridged
from irops.ir.model import SHOWN, BackEdge, Body, Layer, LayerKind, PortMapping
from irops.spec.body import CURRENT_ITERATION, EXECUTION_CONDITION, BodyInput, BodyOutput, Cut, Feedback

PURPOSES = {"input": CURRENT_ITERATION, "output": EXECUTION_CONDITION}
RANGE_CHECK = 'OpenVINO refuses the file with "vector::_M_range_check"'
AT_CHECK = 'OpenVINO refuses the file with "unordered_map::at"'


@dataclass(frozen=True, slots=True)
class MapFault:
    """A fault of a port map. rule: the name of the diagnostic rule; at: the byte offset of the cause.

    note: what OpenVINO does; absence: something is missing, which proves nothing of a file that could be read
    only in part; harmless: the map can be followed all the same.
    """

    rule: str
    message: str
    at: int
    note: str
    absence: bool = False
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class PortMaps:
    """The port map and the back edges of a body, in terms of positions."""

    inputs: tuple[BodyInput, ...]
    outputs: tuple[BodyOutput, ...]
    back_edges: tuple[Feedback, ...]


def parameters_of(layers: list[Layer]) -> list[Layer]:
    """The Parameters of a graph, in the order of the file."""
    return [layer for layer in layers if layer.kind is LayerKind.PARAMETER]


def results_of(layers: list[Layer]) -> list[Layer]:
    """The Results of a graph, in the order of the file."""
    return [layer for layer in layers if layer.kind is LayerKind.RESULT]


def port_maps(layer: Layer, body: Body) -> tuple[PortMaps | None, tuple[MapFault, ...]]:
    """The maps of a layer's body, None where they cannot be followed, and all that is wrong with them.

    As OpenVINO reads them: an input's external_port_id is the number of the layer's input; outputs are
    sorted by external_port_id and numbered from 0.
    """
    validation = _Validation(layer, body)
    faults = tuple(validation.faults())
    if any(not fault.harmless for fault in faults):
        return None, faults
    return validation.maps(), faults


class _Validation:
    """The entries of one body's maps, and the layers of the body that they mean."""

    def __init__(self, layer: Layer, body: Body) -> None:
        self.layer, self.body = layer, body
        self.layers = {inner.id: inner for inner in body.graph.layers}
        self.parameters = {p.id: k for k, p in enumerate(parameters_of(body.graph.layers))}
        self.results = {r.id: k for k, r in enumerate(results_of(body.graph.layers))}
        self.is_loop = layer.type.lower() == "loop"

    def maps(self) -> PortMaps:
        """The maps by positions. The entries must be free of faults."""
        numbers = {m.external_port_id for m in self.body.outputs if m.external_port_id >= 0}
        ports: dict[int, int] = {port: k for k, port in enumerate(sorted(numbers))}
        inputs = [
            BodyInput(
                None if m.external_port_id == -1 else m.external_port_id,
                self.parameters[m.internal_layer_id],
                _cut(m),
                m.purpose,
                m.at,
            )
            for m in self.body.inputs
        ]
        outputs = [
            BodyOutput(
                ports.get(m.external_port_id), self.results[m.internal_layer_id], _cut(m), m.purpose, m.at
            )
            for m in self.body.outputs
        ]
        back_edges = [
            Feedback(self.results[e.from_layer], self.parameters[e.to_layer], e.at)
            for e in self.body.back_edges
        ]
        return PortMaps(tuple(inputs), tuple(outputs), tuple(back_edges))

    def faults(self) -> Iterator[MapFault]:
        """All that is wrong, each kind of fault for itself."""
        for side, entries in (("input", self.body.inputs), ("output", self.body.outputs)):
            for entry in entries:
                yield from self._layer_fault(side, entry)
                yield from self._port_fault(side, entry)
                yield from self._purpose_fault(side, entry)
                yield from self._slice_fault(side, entry)
        yield from self._repeated_parameters()
        yield from self._unmapped_parameters()
        yield from self._repeated_outputs()
        for edge in self.body.back_edges:
            yield from self._back_edge_faults(edge)
        yield from self._condition_fault()

    def _unfit(self, layer_id: int, wanted: str) -> str | None:
        """Why the body's layer of an id is not of the wanted type; None if it is."""
        if layer_id in (self.parameters if wanted == "Parameter" else self.results):
            return None
        inner = self.layers.get(layer_id)
        return "which does not exist" if inner is None else f"which is of type {abridged(inner.type, SHOWN)}"

    def _layer_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        wanted = "Parameter" if side == "input" else "Result"
        reason = self._unfit(entry.internal_layer_id, wanted)
        if reason is not None:
            message = (
                f"an {side} of the port map of {self.layer} refers to layer {entry.internal_layer_id} of its"
                f" {self.body.name}, {reason}; it must be a {wanted} there"
            )
            yield MapFault("unknown-internal-layer", message, entry.at, AT_CHECK)

    def _port_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        number, count = entry.external_port_id, len(self.layer.inputs)
        if entry.purpose == PURPOSES[side] and number == -1:
            return
        if number < 0 or (side == "input" and number >= count):
            has = "the number of an output is 0 or more"
            if side == "input":
                has = f"the layer has {count} input{'s' * (count != 1)}, counted from 0"
            message = f"an {side} of the port map of {self.layer} refers to its port {number}; {has}"
            yield MapFault("unknown-external-port", message, entry.at, RANGE_CHECK)

    def _purpose_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        if entry.purpose is None:
            return
        if self.is_loop and entry.purpose == PURPOSES[side]:
            yield from self._number_fault(side, entry)
            return
        allowed = f"{PURPOSES[side]} is the only one" if self.is_loop else "only a Loop has purposes"
        purpose = abridged(entry.purpose, SHOWN)
        message = f'an {side} of the port map of {self.layer} has the purpose "{purpose}"; {allowed}'
        note = "OpenVINO treats the entry as one without a purpose"
        yield MapFault("unknown-purpose", message, entry.at, note, harmless=True)

    def _number_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        """The number of the iteration is no input of the layer, and has no parts."""
        if side == "input" and (entry.external_port_id != -1 or entry.axis is not None):
            number = entry.external_port_id
            what = "an axis" if number == -1 else f"the external_port_id {number}"
            message = (
                f"an input of the port map of {self.layer} with the purpose {entry.purpose} has {what}; it"
                " must have the external_port_id -1 and no axis"
            )
            yield MapFault("unknown-purpose", message, entry.at, "OpenVINO refuses the model", harmless=True)

    def _slice_fault(self, side: str, entry: PortMapping) -> Iterator[MapFault]:
        if entry.axis is None:
            return
        what = f"an {side} of the port map of {self.layer} has"
        if entry.stride == 0:
            message = f"{what} the stride 0; it must be a positive or a negative number"
            note = "OpenVINO reads the file, and refuses the model when it compiles it"
        elif entry.part_size < 1:
            message = f"{what} the part_size {entry.part_size}; it must be at least 1"
            note = "OpenVINO divides by it unchecked: 0 ends the process"
        else:
            return
        yield MapFault("invalid-slice", message, entry.at, note)

    def _repeated_parameters(self) -> Iterator[MapFault]:
        seen: set[int] = set()
        for entry in self.body.inputs:
            number = entry.internal_layer_id
            if number in seen:
                parameter = self.layers.get(number, f"layer {number}")
                message = (
                    f"two inputs of the port map of {self.layer} feed {parameter} of its {self.body.name}; a"
                    " Parameter takes one"
                )
                yield MapFault("duplicate-parameter-mapping", message, entry.at, "OpenVINO keeps one of them")
            seen.add(number)

    def _unmapped_parameters(self) -> Iterator[MapFault]:
        mapped = {entry.internal_layer_id for entry in self.body.inputs}
        misdirected = any(self._unfit(number, "Parameter") for number in mapped)
        if misdirected or len(mapped) < len(self.body.inputs):
            return  # an entry that refers to another layer may be the one that is missing
        for inner in self.body.graph.layers:
            if inner.id in self.parameters and inner.id not in mapped:
                message = (
                    f"no input of the port map of {self.layer} feeds {inner} of its {self.body.name}; every"
                    " Parameter of a body takes its value from one"
                )
                note = 'OpenVINO: "Number of inputs must be the same as number of input descriptions"'
                yield MapFault("unmapped-parameter", message, inner.at, note, absence=True)

    def _repeated_outputs(self) -> Iterator[MapFault]:
        seen: set[int] = set()
        for entry in self.body.outputs:
            number = entry.external_port_id
            if number in seen and number >= 0:
                message = (
                    f"two outputs of the port map of {self.layer} give its port {number} from its"
                    f" {self.body.name}; an output takes one"
                )
                note = "OpenVINO keeps the first of them"
                yield MapFault("duplicate-output-mapping", message, entry.at, note)
            seen.add(number)

    def _back_edge_faults(self, edge: BackEdge) -> Iterator[MapFault]:
        ends = (("begins", edge.from_layer, "Result"), ("ends", edge.to_layer, "Parameter"))
        for verb, number, wanted in ends:
            reason = self._unfit(number, wanted)
            if reason is not None:
                message = (
                    f"a back edge of {self.layer} {verb} at layer {number} of its {self.body.name}, {reason};"
                    f" it must be a {wanted}"
                )
                note = AT_CHECK if wanted == "Result" else "OpenVINO silently drops this back edge"
                yield MapFault("dangling-back-edge", message, edge.at, note)

    def _condition_fault(self) -> Iterator[MapFault]:
        has_condition = any(entry.purpose == EXECUTION_CONDITION for entry in self.body.outputs)
        if self.is_loop and not has_condition:
            message = (
                f'no output of the port map of {self.layer} has the purpose "execution_condition"; a Loop'
                " must have one"
            )
            note = "OpenVINO refuses the file"
            yield MapFault("missing-condition", message, self.layer.at, note, absence=True)


def _cut(entry: PortMapping) -> Cut | None:
    if entry.axis is None:
        return None
    return Cut(entry.axis, entry.start, entry.end, entry.stride, entry.part_size)
