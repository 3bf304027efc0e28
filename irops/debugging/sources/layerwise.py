"""Backends as a source: layer by layer, or a model of single layers that have nothing to do with each other.

Many layers in one model are compiled much faster than each in its own, and nothing can be fused between them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from irops.analysis.declaring import port_of
from irops.analysis.invocation import OpFault
from irops.backends.backend import Backend, Declined, Reference, kernel_of
from irops.debugging.sources.source import (
    Answer,
    Context,
    Failure,
    LayerCall,
    LayerValue,
    Source,
    SourceFailed,
    Values,
)
from irops.debugging.sources.workers import RemoteBackend
from irops.diagnostics.diagnostic import EvaluationError
from irops.editing.extraction import parameter
from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Model, Port, UniqueNames
from irops.ir.weights import checked_region
from irops.ir.write import document
from irops.runtime.evaluator import Evaluator, Variables
from irops.runtime.plan import PlannedLayer, rounded
from irops.runtime.run import run_model, walk_model
from irops.spec.op import Op
from irops.values.arrays import result_array
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.packing import pack
from irops.values.violation import LimitExceeded, Violation

ALIGNMENT = 64
"""Constants start at multiples of this many bytes."""


@dataclass(slots=True)
class SingleLayers:
    """The text of a model, its weights, the arrays of its Parameters by name, and the names of the results of
    each layer.
    """

    text: str
    weights: bytes
    inputs: dict[str, Array]
    results: list[list[str]]


@dataclass(slots=True)
class _Builder:
    graph: LayerGraph = field(default_factory=LayerGraph)
    weights: bytearray = field(default_factory=bytearray)
    inputs: dict[str, Array] = field(default_factory=dict)
    owners: dict[int, Model] = field(default_factory=dict)
    _names: UniqueNames = field(default_factory=UniqueNames)

    def add(self, call: LayerCall) -> list[str]:
        """Add a layer with its inputs and results; the names of the results."""
        layer, fixed = call.node.layer, call.fixed
        ports: list[Port] = []
        edges: list[tuple[int, int]] = []
        for index, array in enumerate(call.inputs):
            if array is not None:
                fact = Fact(element_type_of(array), call.shape(index, array))
                ports.append(port_of(index, fact))
                name = f"{layer.name}/input {index}"
                source = self._constant(name, array) if index in fixed else self._parameter(name, fact, array)
                edges.append((source, index))
        first = len(call.inputs)
        outputs = [Port(first + k, kind.precision, ()) for k, kind in enumerate(call.types)]
        alone = replace(layer, inputs=ports, outputs=outputs, output_names=None, rt_info=None, comments=())
        number = self._new(alone)
        for inner in _layers_of_bodies(layer):
            self.owners[id(inner)] = call.model
        self.graph.edges.extend(Edge(source, 0, number, index) for source, index in edges)
        results: list[str] = []
        for port, kind in zip(outputs, call.types):
            end = Layer(0, f"{layer.name}/result", "Result", "opset1", inputs=[Port(0, kind.precision)])
            result = self._new(end)
            self.graph.edges.append(Edge(number, port.id, result, 0))
            results.append(self.graph.layers[result].name)
        return results

    def data(self, layer: Layer) -> Mapping[str, str]:
        """The <data> of a layer; constants of bodies bring their bytes along."""
        owner = self.owners.get(id(layer))
        if owner is None or not layer.is_constant:
            return layer.data
        region = checked_region(owner, layer)
        # OpenVINO requires a byte for an empty tensor; a table of no strings has 8
        raw = bytes(8)[: max(region.size, 1)] if owner.weights is None or not region.elements else None
        if raw is None:
            assert owner.weights is not None
            raw = bytes(owner.weights.read(region.offset, region.size))
        return {**layer.data, **self._placed(raw)}

    def _constant(self, name: str, array: Array) -> int:
        kind = element_type_of(array)
        data = {"element_type": kind.name, "shape": ",".join(map(str, array.shape))}
        data |= self._placed(pack(array, kind) or b"\0")
        ports = [Port(0, kind.precision, array.shape)]
        return self._new(Layer(0, name, "Const", "opset1", data, outputs=ports))

    def _parameter(self, name: str, fact: Fact, array: Array) -> int:
        number = self._new(parameter(0, name, fact, ()))
        self.inputs[self.graph.layers[number].name] = array
        return number

    def _placed(self, raw: bytes) -> dict[str, str]:
        self.weights.extend(bytes(-len(self.weights) % ALIGNMENT))
        place = {"offset": str(len(self.weights)), "size": str(len(raw))}
        self.weights.extend(raw)
        return place

    def _new(self, layer: Layer) -> int:
        number = len(self.graph.layers)
        self.graph.layers.append(replace(layer, id=number, name=self._names.unique(layer.name)))
        return number


def _layers_of_bodies(layer: Layer) -> list[Layer]:
    found: list[Layer] = []
    ahead = list(layer.bodies.values())
    while ahead:
        for inner in ahead.pop().graph.layers:
            found.append(inner)
            ahead.extend(inner.bodies.values())
    return found


def single_layers(calls: Sequence[LayerCall]) -> SingleLayers:
    """The model of these layers."""
    builder = _Builder()
    results = [builder.add(call) for call in calls]
    text = "".join(document(Model("layers", 11, builder.graph), builder.data))
    return SingleLayers(text, bytes(builder.weights), builder.inputs, results)


class Layerwise(Source):
    """A backend that computes one layer after the other.

    backend: an object; a RemoteBackend computes in a process of its own; has_reference: the reference counts
    as a part of it, so that no layer is declined, as in a Session
    """

    computes_layers = True

    def __init__(self, backend: Backend, *, has_reference: bool = False) -> None:
        self.name, self.backend = backend.name, backend
        self._has_reference = has_reference or self.is_reference
        self.is_cpu_plugin = self.name == "openvino"
        self.ends_caller = not isinstance(backend, Reference | RemoteBackend)

    @property
    def is_reference(self) -> bool:
        return isinstance(self.backend, Reference)

    def walk(self, context: Context) -> Iterator[LayerValue]:
        watched, before = _Watched(self.backend), 0
        evaluator = _evaluator(context, watched, partly=True)
        for computed in walk_model(evaluator, context.inputs, Variables()):
            number, failure = computed.step.layer.id, watched.failure
            if failure is not None:
                watched.failure = None
                yield LayerValue(number, (), failure)
                continue
            facts = computed.step.facts.outputs
            outputs = tuple(rounded(array, fact) for array, fact in zip(computed.outputs, facts))
            declined = watched.computed == before and self._may_decline(computed.step)
            before = watched.computed
            reason = f"{self.name} does not compute {computed.step.op.id}"
            failure = Failure("declined", reason) if declined else None
            yield LayerValue(number, outputs, failure, inputs=tuple(computed.inputs))

    def results(self, context: Context) -> Values | Failure:
        watched = _Watched(self.backend)
        try:
            values = run_model(_evaluator(context, watched), context.inputs, (), Variables())
        except EvaluationError as error:
            return Failure("refused", str(error))
        if watched.failure is not None:
            return watched.failure
        if not watched.computed and not self._has_reference:
            return Failure("declined", f"{self.name} computes no layer of the model")
        signature = context.analysis.signature
        return {port.name: values[port.layer.id, 0] for port in signature.results}

    def _may_decline(self, step: PlannedLayer) -> bool:
        return not self._has_reference and not step.constant and step.layer.kind is LayerKind.OPERATION

    def compute(self, calls: Sequence[LayerCall]) -> list[Answer]:
        return [self._computed(call) for call in calls]

    def _computed(self, call: LayerCall) -> Answer:
        try:
            chosen = kernel_of(call.op, (self.backend,))
            if chosen is None:
                return Failure("declined", f"the backend {self.name} has no kernel of {call.op.id}")
            keywords = call.invocation.keywords("kernel", call.inputs)
            results = call.invocation.compute(call.inputs, kernel=chosen[1], keywords=keywords)
        except Declined as declined:
            return Failure("declined", str(declined))
        except SourceFailed as failed:
            return failed.failure
        except (Violation, OpFault, LimitExceeded) as error:
            return Failure("refused", str(error))
        except Exception as error:  # the code of a backend may raise anything, and that is the finding
            return Failure("refused", f"{type(error).__name__}: {error}")
        return [_array(result, call, index) for index, result in enumerate(results)]

    def close(self) -> None:
        if isinstance(self.backend, RemoteBackend):
            self.backend.close()


class _Watched:
    """A backend whose failures are recorded; the next backend of the chain then computes the layer.

    computed: how many calls the backend has computed
    """

    def __init__(self, backend: Backend) -> None:
        self.name, self._backend = backend.name, backend
        self.failure: Failure | None = None
        self.computed = 0

    def kernel(self, op: Op) -> Callable[..., Any] | None:
        try:
            kernel = self._backend.kernel(op)
        except SourceFailed as failed:
            self.failure = failed.failure
            return None
        return None if kernel is None else partial(self._compute, kernel)

    def _compute(self, kernel: Callable[..., Any], /, *inputs: Any, **attributes: Any) -> Any:
        try:
            result = kernel(*inputs, **attributes)
        except SourceFailed as failed:
            self.failure = failed.failure
            raise Declined(str(failed)) from None
        self.computed += 1
        return result


def _evaluator(context: Context, backend: _Watched, *, partly: bool = False) -> Evaluator:
    """The backends that compute the model: one, and the reference for what it declines."""
    return Evaluator(context.analysis, (backend, Reference()), partly=partly)


def _array(result: Any, call: LayerCall, index: int) -> Any:
    kind = call.types[index] if index < len(call.types) else None
    return np.asarray(result) if kind is None else result_array(result, Fact(kind))
