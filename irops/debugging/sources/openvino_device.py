"""A device of OpenVINO with whole models, optimised as users run them, in a process of its own.

The requests of this process are ("precision",), ("run", model, weights, inputs) or ("read", file, inputs,
taps). model: text or the path of a file; weights: bytes or the path of a file, "" for none; inputs: by the
name of the Parameter; file: of another format that OpenVINO reads; taps: names of tensors that are wanted
beside the results. Results come by the name of the Result, those of another format by the names of their
tensors.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from irops.analysis.declaring import port_of
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.writing import write
from irops.backends.openvino import sentence_of
from irops.debugging.sources.layerwise import single_layers
from irops.debugging.sources.source import (
    Answer,
    Context,
    Failure,
    LayerCall,
    LayerValue,
    Source,
    SourceFailed,
    Values,
    is_small,
)
from irops.debugging.sources.workers import UNBOUNDED, SourceWorkers, asked, weights_file, write_text
from irops.diagnostics.diagnostic import DiagnosticError
from irops.dialects.onnx.opsets import ONNX
from irops.dialects.reading import read
from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Model, UniqueNames
from irops.runtime.plan import constants_of
from irops.spec.definition import OPENVINO
from irops.values.element import STRING, Array, element_type, element_type_of, tagged
from irops.values.fact import size_in_bytes
from irops.values.packing import pack, unpack
from irops.verdicts.question import Arithmetic
from irops.work.worker import Refused

Tap: TypeAlias = tuple[int, int]
"""A layer's id and the index of one of its outputs."""
MAX_TAPS = 2000
"""How many values are taken out of one run."""


def tappable(analysis: ModelAnalysis) -> Iterator[Tap]:
    """The outputs of all layers that compute, in order, but of those that unpack the weights of a MatMul: a
    device that keeps weights packed would unpack them, with other roundings, where these are looked at.
    """
    unpacking = constants_of(analysis.root).weights
    for node in analysis.root.order:
        if node.layer.kind is LayerKind.OPERATION and node.layer.id not in unpacking:
            yield from ((node.layer.id, index) for index in range(len(node.layer.outputs)))


def chunks_of_taps(context: Context) -> Iterator[list[Tap]]:
    """The values that are wanted, in portions that fit into the limit on memory."""
    inferred = context.analysis.infer(
        {
            port.name: str(list(context.inputs[port.layer.id].shape))
            for port in context.analysis.signature.inputs
        }
    )
    chunk: list[Tap] = []
    size = 0.0
    for tap in tappable(context.analysis):
        if context.taps is not None and tap[0] not in context.taps:
            continue
        facts = inferred.of(tap[0]).outputs
        weight = size_in_bytes(facts[tap[1] : tap[1] + 1])
        starts_layer = tap[1] == 0
        too_much = size + weight > context.analysis.limits.tensor_bytes / 4 or len(chunk) >= MAX_TAPS
        if chunk and starts_layer and too_much:
            yield chunk
            chunk, size = [], 0.0
        chunk.append(tap)
        size += weight
    if chunk:
        yield chunk


def with_taps(analysis: ModelAnalysis, taps: Iterable[Tap]) -> tuple[Model, dict[Tap, str]]:
    """The model with a Result for each tap, and the names of these Results."""
    model = analysis.model
    number = max((layer.id for layer in model.layers), default=-1)
    names = UniqueNames((layer.name for layer in model.layers), mark="_")
    layers: list[Layer] = list(model.layers)
    edges = list(model.edges)
    found: dict[Tap, str] = {}
    facts = analysis.infer()
    for tap in taps:
        number += 1
        source = analysis.root.layers[tap[0]].layer
        name = found[tap] = names.unique(f"tap{number}")
        result = Layer(number, name, "Result", "opset1")
        result.inputs.append(port_of(0, facts.of(tap[0]).outputs[tap[1]]))
        layers.append(result)
        edges.append(Edge(tap[0], source.outputs[tap[1]].id, number, 0))
    return replace(model, graph=LayerGraph(layers, edges)), found


class Device:
    """A device with its properties."""

    def __init__(self, device: str, properties: dict[str, str]) -> None:
        self._device, self._properties = device, properties
        self._core: Any = None

    def __call__(self, request: tuple[Any, ...]) -> Any:
        try:
            self._start()
            match request:
                case ("run", *arguments):
                    return self._run(*arguments)
                case ("read", *arguments):
                    return self._read(*arguments)
            return self._precision()
        except Refused as refused:
            return refused
        except Exception as error:
            return Refused(sentence_of(error))

    def _start(self) -> None:
        """Raises: Refused for a device that is not there"""
        if self._core is not None:
            return
        from openvino import Core

        core, device = Core(), self._device
        # those choose among devices, and OpenVINO does not list them
        if device not in ("AUTO", "MULTI", "HETERO", "BATCH") and ":" not in device:
            available = core.available_devices
            if device.partition(".")[0] not in {name.partition(".")[0] for name in available}:
                raise Refused(f"OpenVINO has no device {device} here, only {', '.join(available)}")
        self._core = core

    def _precision(self) -> str:
        """The type that the device computes f32 tensors in, as a compiled model reports it."""
        import openvino
        from openvino import opset13

        data = opset13.parameter([2], np.float32)
        model = openvino.Model([opset13.relu(data)], [data], "probe")
        compiled = self._core.compile_model(model, self._device, self._properties)
        try:
            hint = compiled.get_property("INFERENCE_PRECISION_HINT")
        except RuntimeError:  # AUTO and its kin know no such property
            return ""
        name: str = hint.get_type_name()
        return "" if name in ("f32", "dynamic", "undefined") else name

    def _run(self, text: str, weights: bytes | str, inputs: dict[str, Array]) -> dict[str, Array]:
        from openvino import Tensor

        if isinstance(weights, bytes):
            shared = Tensor(np.frombuffer(weights or b"\0", np.uint8).copy())
            model = self._core.read_model(text.encode(), shared)
        else:
            model = self._core.read_model(text, weights)
        names = [result.get_friendly_name() for result in model.get_results()]
        return dict(zip(names, self._results(model, inputs)))

    def _read(self, path: str, inputs: dict[str, Array], taps: Sequence[str]) -> dict[str, Array]:
        model = self._core.read_model(path)
        outputs = [output for op in model.get_ops() for output in op.outputs()]
        present = {name for output in outputs for name in output.get_names()}
        model.add_outputs([name for name in taps if name in present])
        arrays = list(self._results(model, inputs))
        return {name: array for output, array in zip(model.outputs, arrays) for name in output.get_names()}

    def _results(self, model: Any, inputs: dict[str, Array]) -> Iterator[Array]:
        compiled = self._core.compile_model(model, self._device, self._properties)
        request = compiled.create_infer_request()
        names = [parameter.get_friendly_name() for parameter in model.get_parameters()]
        tensors = [_tensor(inputs[name]) for name in names]
        for index, (tensor, _memory) in enumerate(tensors):
            request.set_input_tensor(index, tensor)
        request.infer()
        return (_array(request.get_output_tensor(index)) for index in range(len(model.outputs)))


def _tensor(array: Array) -> tuple[Any, Any]:
    """A tensor, and the array that has its memory: it must live as long."""
    from openvino import Shape, Tensor, Type

    kind = element_type_of(array)
    if kind is STRING:
        texts = np.asarray(array, dtype=str)
        return Tensor(texts), texts
    if kind.bits < 8:
        raw = np.frombuffer(pack(array, kind) or b"\0", np.uint8).copy()
    else:
        raw = np.array(array, order="C").reshape(-1).view(np.uint8) if array.size else np.zeros(1, np.uint8)
    return Tensor(raw, Shape(list(array.shape)), getattr(Type, kind.name)), raw


def _array(tensor: Any) -> Array:
    kind, shape = element_type(tensor.get_element_type().get_type_name()), tuple(tensor.shape)
    if kind is STRING:
        return np.asarray(tensor.str_data, dtype=object).reshape(shape)
    raw = tensor.data.reshape(-1).view(np.uint8) if tensor.get_size() else np.empty(0, np.uint8)
    if kind.bits < 8:
        return tagged(unpack(raw.tobytes(), kind, shape), kind)
    return tagged(raw.copy().view(kind.dtype).reshape(shape), kind)


TIMEOUT = 300.0
"""Seconds for compiling and running one model."""
CONVERTED = (("f64", "f32"), ("i64", "i32"), ("u64", "i32"), ("u32", "i32"))
"""Types without kernels in OpenVINO's CPU and GPU plug-ins, and what they are converted to."""
BATCH_LAYERS = 48
"""Up to this many layers are compiled as one model."""
BATCH_BYTES = 64 << 20
"""Up to this many bytes of inputs are sent at once, unless one layer alone has more."""


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
        workers: SourceWorkers = UNBOUNDED,
    ) -> None:
        self.device, self.properties = device, dict(properties or {})
        self.name = ",".join((f"openvino:{device}", *(f"{k}={v}" for k, v in self.properties.items())))
        self.is_cpu_plugin = "CPU" in device
        self._workers = workers
        self._process = workers.process(Device, device, self.properties, seconds=TIMEOUT)
        self._arithmetic: Arithmetic | None = None

    @property
    def arithmetic(self) -> Arithmetic:  # type: ignore[override]
        """The precision that the device reports for these properties."""
        if self._arithmetic is None:
            self._arithmetic = Arithmetic(self._ask("precision"), CONVERTED)
        return self._arithmetic

    def results(self, context: Context) -> Values | Failure:
        try:
            values = self._run_model(context, context.model)
        except SourceFailed as failed:
            return failed.failure
        names = {port.layer.name: port.name for port in context.analysis.signature.results}
        return {names.get(name, name): array for name, array in values.items()}

    def walk(self, context: Context) -> Iterator[LayerValue]:
        layers = context.analysis.root.layers
        for taps in chunks_of_taps(context):
            if context.model.dialect != OPENVINO:
                tensors = {tap: layers[tap[0]].layer.outputs[tap[1]].names[:1] for tap in taps}
                wanted = [name for names in tensors.values() for name in names]
                values = self._run_model(context, context.model, wanted)
                yield from by_layer({tap: values.get("".join(names)) for tap, names in tensors.items()})
                continue
            tapped, names = with_taps(context.analysis, taps)
            values = self._run_model(context, tapped)
            yield from by_layer({tap: values.get(name) for tap, name in names.items()})

    def run(self, model: Model, inputs: Mapping[str, Array]) -> Values:
        """The results of a model by name. inputs: by the name of the Parameter. Raises: SourceFailed"""
        with tempfile.TemporaryDirectory() as folder:
            values: Values = self._ask("run", *_files(model, Path(folder)), dict(inputs))
            return values

    def with_property(self, name: str, value: str) -> Source | None:
        properties = {**self.properties, name: value}
        has_it = properties == self.properties
        return None if has_it else OpenVINODevice(self.device, properties, self._workers)

    def compute(self, calls: Sequence[LayerCall]) -> list[Answer]:
        if calls and calls[0].model.dialect != OPENVINO:
            return [_other_dialect(calls[0].model)] * len(calls)
        answers: list[Answer] = []
        for batch in _batches(calls):
            answers.extend(self._computed(batch))
        return answers

    def close(self) -> None:
        self._process.close()

    def _run_model(self, context: Context, model: Model, taps: Sequence[str] = ()) -> Values:
        path = "" if model.dialect == OPENVINO else _file_of(model)
        named = {port.name: context.inputs[port.layer.id] for port in context.analysis.signature.inputs}
        if not path:
            return self.run(model, named)
        values: Values = self._ask("read", path, named, list(taps))
        return values

    def _computed(self, calls: Sequence[LayerCall]) -> list[Answer]:
        """The outputs of layers, compiled as one model; as two where that fails."""
        try:
            model = single_layers(calls)
            received: Values = self._ask("run", model.text, model.weights, dict(model.inputs))
        except SourceFailed as failed:
            failure = failed.failure
        except (DiagnosticError, ValueError) as error:  # the layer is not representable alone
            failure = Failure("declined", str(error))
        else:
            return [[received[name] for name in names] for names in model.results]
        if len(calls) == 1:
            fixed = _with_constants(calls[0])
            return self._computed([fixed]) if failure.kind == "refused" and fixed else [failure]
        middle = len(calls) // 2
        return [*self._computed(calls[:middle]), *self._computed(calls[middle:])]

    def _ask(self, *request: Any) -> Any:
        return asked(self._process.ask_again, request)


def _file_of(model: Model) -> str:
    """The file of a model of ONNX that is still what the file has. Raises: SourceFailed"""
    path = model.source.path if model.source is not None else None
    with suppress(DiagnosticError):
        if model.dialect == ONNX and path is not None and os.path.isfile(path) and read(path) == model:
            return path
    raise SourceFailed(_other_dialect(model))


def _other_dialect(model: Model) -> Failure:
    reason = f"OpenVINO devices run IR and unchanged files of ONNX; {model.name} is of {model.dialect}"
    return Failure(
        "declined", f"{reason}, changed or without a file; irops convert --target openvino writes IR"
    )


def by_layer(values: Mapping[Tap, Array | None]) -> Iterator[LayerValue]:
    """The values of taps, in their order, those of one layer together; none of layers without any."""
    layers: dict[int, list[Array | None]] = {}
    for (layer, _), array in values.items():
        layers.setdefault(layer, []).append(array)
    for layer, outputs in layers.items():
        if any(array is not None for array in outputs):
            yield LayerValue(layer, tuple(outputs))


def _with_constants(call: LayerCall) -> LayerCall | None:
    """The layer with its small integer inputs, which may be axes or sizes, as constants; None if they are.

    Within a model the device may know them by folding, and it has no kernels for those that it does not know.
    """
    small = {index for index, array in enumerate(call.inputs) if index and is_small(array)}
    return None if small <= call.fixed else replace(call, constant=call.fixed | small)


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
    stored = path.with_suffix(".bin")
    return str(path), str(stored) if stored.exists() else ""
