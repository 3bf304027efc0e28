"""A device of OpenVINO with whole models, optimised as users run them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.openvino import array_of, tensor_of
from irops.debugging.sources.processes import UNBOUNDED, Workers, asked
from irops.debugging.sources.source import (
    Answer,
    Context,
    Failure,
    LayerCall,
    LayerValue,
    Source,
    SourceFailed,
    Tap,
    Values,
    chunks_of_taps,
    with_taps,
)
from irops.debugging.weights_in_place import weights_file, write_text
from irops.diagnostics.diagnostic import DiagnosticError
from irops.dialects import dialect_of_version
from irops.editing.writing import write
from irops.ir.model import Edge, Graph, Layer, Model, Port
from irops.ir.serialize import document
from irops.ir.weights import checked_region, reading_weights
from irops.spec.types import OPENVINO
from irops.values.element import Array, element_type_of
from irops.values.packing import pack
from irops.verdicts.arithmetic import Arithmetic

# A model of single layers that have nothing to do with each other: their inputs are Parameters or constants.
#
# Many layers in one model are compiled much faster than each in its own, and nothing can be fused between
# them.

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
    graph: Graph = field(default_factory=Graph)
    weights: bytearray = field(default_factory=bytearray)
    inputs: dict[str, Array] = field(default_factory=dict)
    owners: dict[int, Model] = field(default_factory=dict)
    _number: int = 0

    def add(self, call: LayerCall) -> list[str]:
        """Add a layer with its inputs and results; the names of the results."""
        ports: list[Port] = []
        edges: list[tuple[int, int]] = []
        for index, array in enumerate(call.inputs):
            if array is not None:
                kind = element_type_of(array)
                ports.append(Port(index, kind.precision, array.shape))
                edges.append((self._source(array, is_constant=index in call.constant), index))
        first = len(call.inputs)
        outputs = [Port(first + k, kind.precision, ()) for k, kind in enumerate(call.types)]
        layer = call.node.layer
        number = self._new(
            replace(layer, id=0, inputs=ports, outputs=outputs, output_names=None, rt_info=None, comments=())
        )
        for inner in _layers_of_bodies(layer):
            self.owners[id(inner)] = call.model
        self.graph.edges.extend(Edge(source, 0, number, index) for source, index in edges)
        results: list[str] = []
        for port, kind in zip(outputs, call.types):
            result = self._new(Layer(0, "", "Result", "opset1", inputs=[Port(0, kind.precision)]))
            self.graph.edges.append(Edge(number, port.id, result, 0))
            results.append(self.graph.layers[result].name)
        return results

    def data(self, layer: Layer) -> Mapping[str, str]:
        """The <data> of a layer; constants of bodies bring their bytes along."""
        owner = self.owners.get(id(layer))
        if owner is None or not layer.is_constant:
            return layer.data
        region = checked_region(owner, layer)
        raw = bytes(8)[: max(region.size, 1)] if owner.weights is None or not region.elements else None
        if raw is None:
            assert owner.weights is not None
            with reading_weights(owner):
                raw = bytes(owner.weights.read(region.offset, region.size))
        return {**layer.data, **self._placed(raw)}

    def _source(self, array: Array, *, is_constant: bool) -> int:
        kind = element_type_of(array)
        data = {"element_type": kind.name, "shape": ",".join(map(str, array.shape))}
        ports = [Port(0, kind.precision, array.shape)]
        if is_constant:
            data |= self._placed(pack(array, kind) or b"\0")
            return self._new(Layer(0, "", "Const", "opset1", data, outputs=ports))
        number = self._new(Layer(0, "", "Parameter", "opset1", data, outputs=ports))
        self.inputs[self.graph.layers[number].name] = array
        return number

    def _placed(self, raw: bytes) -> dict[str, str]:
        self.weights.extend(bytes(-len(self.weights) % ALIGNMENT))
        place = {"offset": str(len(self.weights)), "size": str(len(raw))}
        self.weights.extend(raw)
        return place

    def _new(self, layer: Layer) -> int:
        number = self._number
        self._number += 1
        self.graph.layers.append(replace(layer, id=number, name=f"layer{number}"))
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


TIMEOUT = 300.0
"""Seconds for compiling and running one model."""
CONVERTED = (("f64", "f32"), ("i64", "i32"), ("u64", "i32"))
"""Types without kernels in OpenVINO's CPU and GPU plug-ins, and what they are converted to."""
SMALL = 64
"""Up to this many integers may be axes, sizes or counts."""
BATCH_LAYERS = 48
"""Up to this many layers are compiled as one model."""
BATCH_BYTES = 64 << 20
"""Up to this many bytes of inputs are sent at once, unless one layer alone has more."""

SETTINGS = (
    "INFERENCE_PRECISION_HINT",
    "EXECUTION_MODE_HINT",
    "INFERENCE_NUM_THREADS",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE",
    "KV_CACHE_PRECISION",
)
"""Properties on which the numbers that a device computes depend."""


class OpenVINODevice(Source):
    """A device, in a process of its own.

    device: CPU, GPU, AUTO …; properties: by OpenVINO's names ("INFERENCE_PRECISION_HINT": "bf16")
    """

    computes_layers = True
    is_whole = True

    def __init__(
        self,
        device: str = "CPU",
        properties: Mapping[str, str] | None = None,
        workers: Workers = UNBOUNDED,
    ) -> None:
        self.device, self.properties = device, dict(properties or {})
        self.name = ",".join((f"openvino:{device}", *(f"{k}={v}" for k, v in self.properties.items())))
        self._process = workers.process(_Device, device, self.properties, seconds=TIMEOUT)
        self._arithmetic: Arithmetic | None = None

    @property
    def arithmetic(self) -> Arithmetic:  # type: ignore[override]
        """The precision that the device reports for these properties."""
        if self._arithmetic is None:
            self._arithmetic = Arithmetic(self._ask(("precision",)), CONVERTED)
        return self._arithmetic

    @property
    def settings(self) -> dict[str, str]:
        """The properties on which numbers depend, as they are in effect here. Raises: SourceFailed"""
        return {**self._ask(("settings",)), **self.properties}

    def results(self, context: Context) -> Values | Failure:
        try:
            if context.analysis.dialect.name != OPENVINO:
                ports = context.analysis.signature.results
                return {port.name: array for port, array in zip(ports, self._run_file(context)[0])}
            return self._run_model(context.analysis, context.model, context.inputs)
        except SourceFailed as failed:
            return failed.failure

    def walk(self, context: Context) -> Iterator[LayerValue]:
        if context.analysis.dialect.name != OPENVINO:
            yield from self._walk_file(context)
            return
        for taps in chunks_of_taps(context):
            tapped, names = with_taps(context.analysis, taps)
            values = self._run_model(context.analysis, tapped, context.inputs)
            yield from _in_order(taps, {tap: values.get(name) for tap, name in names.items()})

    def run(self, model: Model, inputs: Mapping[str, Array]) -> Values:
        """The results of a model by name. inputs: by the name of the Parameter. Raises: SourceFailed"""
        with tempfile.TemporaryDirectory() as folder:
            text, weights = _files(model, Path(folder))
            values: Values = self._ask(("run", text, weights, dict(inputs)))
            return values

    def compute(self, calls: Sequence[LayerCall]) -> list[Answer]:
        answers: list[Answer] = []
        for batch in _batches(calls):
            answers.extend(self._computed(batch))
        return answers

    def close(self) -> None:
        self._process.close()

    def _run_file(self, context: Context, names: Sequence[str] = ()) -> tuple[list[Array], Values]:
        """The results of a file of another dialect, which OpenVINO reads itself, and tensors by name.

        Raises:  SourceFailed
        """
        source = context.model.source
        path = None if source is None else source.path
        if context.analysis.dialect.name != "onnx" or path is None or not os.path.isfile(path):
            reason = f"OpenVINO reads IR and ONNX files; {context.model.name} is in no such file"
            raise SourceFailed(Failure("refused", reason))
        inputs = [context.inputs[port.layer.id] for port in context.analysis.signature.inputs]
        answer: tuple[list[Array], Values] = self._ask(("file", path, inputs, list(names)))
        return answer

    def _walk_file(self, context: Context) -> Iterator[LayerValue]:
        """The values of a file of another dialect, as far as OpenVINO keeps the names of its tensors."""
        layers = context.analysis.root.layers
        for taps in chunks_of_taps(context):
            named = {tap: layers[tap[0]].layer.outputs[tap[1]].names for tap in taps}
            wanted = [name for names in named.values() for name in names]
            values = self._run_file(context, wanted)[1]
            found = {
                tap: next((values[n] for n in names if n in values), None) for tap, names in named.items()
            }
            for value in _in_order(taps, found):
                if any(array is not None for array in value.outputs):
                    yield value

    def _run_model(self, analysis: ModelAnalysis, model: Model, inputs: Mapping[int, Array]) -> Values:
        if analysis.dialect.name != "openvino":
            reason = f"OpenVINO devices run IR; irops translate {analysis.model.name}.{analysis.dialect.name}"
            raise SourceFailed(Failure("refused", reason))
        named = {port.name: inputs[port.layer.id] for port in analysis.signature.inputs}
        return self.run(model, named)

    def _computed(self, calls: Sequence[LayerCall]) -> list[Answer]:
        """The outputs of layers, compiled as one model; as two where that fails."""
        if dialect_of_version(calls[0].node.layer.version).name != OPENVINO:
            return [Failure("declined", f"{self.name} computes layers of IR alone")] * len(calls)
        try:
            model = single_layers(calls)
            values: Values = self._ask(("run", model.text, model.weights, model.inputs))
        except SourceFailed as failed:
            failure = failed.failure
        except (DiagnosticError, ValueError) as error:  # the layer is not representable alone
            failure = Failure("declined", str(error))
        else:
            return [[values[name] for name in names] for names in model.results]
        if len(calls) == 1:
            fixed = _with_constants(calls[0])
            return self._computed([fixed]) if failure.kind == "refused" and fixed else [failure]
        middle = len(calls) // 2
        return [*self._computed(calls[:middle]), *self._computed(calls[middle:])]

    def _ask(self, request: tuple[Any, ...]) -> Any:
        return asked(self._process, request)


def _in_order(taps: Sequence[Tap], values: Mapping[Tap, Array | None]) -> Iterator[LayerValue]:
    """The values of taps, those of one layer together."""
    layers: dict[int, list[Array | None]] = {}
    for layer, index in taps:
        outputs = layers.setdefault(layer, [])
        outputs.extend([None] * (index - len(outputs)))
        outputs.append(values[layer, index])
    for layer, outputs in layers.items():
        yield LayerValue(layer, tuple(outputs))


def _with_constants(call: LayerCall) -> LayerCall | None:
    """The layer with its small integer inputs, which may be axes or sizes, as constants; None if they are.

    Within a model the device may know them by folding, and it has no kernels for those that it does not know.
    """
    small = {
        index
        for index, array in enumerate(call.inputs)
        if index and array is not None and array.dtype.kind in "iu" and array.ndim < 2 and array.size <= SMALL
    }
    return None if small <= call.constant else replace(call, constant=call.constant | small)


def _batches(calls: Sequence[LayerCall]) -> Iterator[list[LayerCall]]:
    batch: list[LayerCall] = []
    size = 0
    for call in calls:
        if batch and (len(batch) == BATCH_LAYERS or size + call.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(call)
        size += call.size
    if batch:
        yield batch


def _files(model: Model, folder: Path) -> tuple[str, str]:
    """The paths of a model's files. Weights in a file are used where they are, unless they must change."""
    path = folder / "model.xml"
    weights = weights_file(model)
    if weights is not None:
        write_text(model, path)
        return str(path), weights
    write(model, path)
    return str(path), str(path.with_suffix(".bin"))


# What the process does.


class _Device:
    """A device with its properties. Its requests are ("precision",), ("settings",), ("run", model, weights,
    inputs) and ("file", path, inputs, names).

    model: text or the path of a file; weights: bytes or the path of a file; inputs: by the name of the
    Parameter. Results come by the name of the Result.
    """

    def __init__(self, device: str, properties: dict[str, str]) -> None:
        from openvino import Core

        self._core, self._device, self._properties = Core(), device, properties
        self._absent = ""
        if device not in ("AUTO", "MULTI", "HETERO", "BATCH") and ":" not in device:
            available = self._core.available_devices
            if device.partition(".")[0] not in {name.partition(".")[0] for name in available}:
                self._absent = f"OpenVINO has no device {device} here, only {', '.join(available)}"

    def __call__(self, request: tuple[Any, ...]) -> Any:
        """The answer to a request; an exception says what OpenVINO refuses."""
        if self._absent:
            return SourceFailed(Failure("refused", self._absent))
        try:
            match request[0]:
                case "precision":
                    return self._precision()
                case "settings":
                    return self._settings()
                case "file":
                    return self._run_file(*request[1:])
                case _:
                    return self._run(*request[1:])
        except Exception as error:
            return SourceFailed(Failure("refused", _reason(error)))

    def _precision(self) -> str:
        """The type that the device computes f32 tensors in, as a compiled model reports it."""
        name = self._settings().get("INFERENCE_PRECISION_HINT", "")
        return "" if name in ("f32", "dynamic", "undefined") else name

    def _settings(self) -> dict[str, str]:
        """The properties that decide on numbers and that the device has, as a compiled model reports them."""
        import openvino
        from openvino import opset13

        data = opset13.parameter([2], np.float32)
        model = openvino.Model([opset13.relu(data)], [data], "probe")
        compiled = self._core.compile_model(model, self._device, self._properties)
        supported = compiled.get_property("SUPPORTED_PROPERTIES")  # AUTO and its kin have few
        return {name: _spelled(compiled.get_property(name)) for name in SETTINGS if name in supported}

    def _run(self, text: str, weights: bytes | str, inputs: Values) -> Values:
        from openvino import Tensor

        shared = Tensor(np.frombuffer((isinstance(weights, bytes) and weights) or b"\0", np.uint8).copy())
        if isinstance(weights, bytes):
            model = self._core.read_model(text.encode(), shared)
        else:
            model = self._core.read_model(text, weights)
        compiled = self._core.compile_model(model, self._device, self._properties)
        request = compiled.create_infer_request()
        names = [parameter.get_friendly_name() for parameter in model.get_parameters()]
        tensors = [tensor_of(inputs[name]) for name in names]
        for index, (tensor, _memory) in enumerate(tensors):
            request.set_input_tensor(index, tensor)
        request.infer()
        results = [result.get_friendly_name() for result in model.get_results()]
        return {name: array_of(request.get_output_tensor(index)) for index, name in enumerate(results)}

    def _run_file(self, path: str, inputs: list[Array], names: list[str]) -> tuple[list[Array], Values]:
        """The results of a file as OpenVINO reads it, in order, and the tensors of some names that it has."""
        model = self._core.read_model(path)
        count = len(model.outputs)
        present = {name for op in model.get_ops() for port in op.outputs() for name in port.get_names()}
        own = {name for port in model.outputs for name in port.get_names()}
        found = [name for name in names if name in present]
        further = [name for name in found if name not in own]
        if further:
            model.add_outputs(further)
        request = self._core.compile_model(model, self._device, self._properties).create_infer_request()
        tensors = [tensor_of(item) for item in inputs]
        for index, (tensor, _memory) in enumerate(tensors):
            request.set_input_tensor(index, tensor)
        request.infer()
        results = [array_of(request.get_output_tensor(index)) for index in range(count)]
        return results, {name: array_of(request.get_tensor(name)) for name in found}


def _spelled(value: Any) -> str:
    """The text by which a property is set."""
    if hasattr(value, "get_type_name"):
        name: str = value.get_type_name()
        return name
    return str(getattr(value, "name", value))


def _reason(error: Exception) -> str:
    """The last line of OpenVINO's message, which has the reason; places in its source come first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
