"""Sources by their texts, and by objects; ONNX Runtime with a whole ONNX model, optimised as users run it."""

import os
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from irops.analysis.model_analysis import AnyModel, Buildable, ModelAnalysis
from irops.backends.backend import Backend, Reference
from irops.backends.catalogue import backend_names, backend_of, missing
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.openvino_device import TIMEOUT, OpenVINODevice, by_layer, chunks_of_taps
from irops.debugging.sources.source import Context, Failure, LayerValue, Source, SourceFailed, Values
from irops.debugging.sources.stored import OtherModel, SourceError, Stored, stored_source
from irops.debugging.sources.workers import UNBOUNDED, RemoteBackend, SourceWorkers, apart, asked
from irops.diagnostics.suggestions import did_you_mean_word, similar
from irops.files.urls import Place
from irops.ir.model import Layer, Model
from irops.runtime.session import Session
from irops.values.element import Array
from irops.work.worker import Refused


class ONNXModel:
    """The model at a path."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self, request: tuple[Any, ...]) -> Any:
        try:
            return self._names() if request[0] == "names" else self._values(*request[1:])
        except Exception as error:
            return Refused((str(error).strip() or type(error).__name__).splitlines()[0])

    def _names(self) -> list[str]:
        """The names of all values that nodes give."""
        import onnx

        graph = onnx.load(self._path, load_external_data=False).graph
        return [name for node in graph.node for name in node.output if name]

    def _values(self, inputs: list[Array], names: list[str]) -> dict[str, Array]:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # errors are raised; do not print them too
        content: Any = self._with_outputs(names) if names else self._path
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        fed = {port.name: array for port, array in zip(session.get_inputs(), inputs)}
        wanted = names or [port.name for port in session.get_outputs()]
        return {name: np.asarray(value) for name, value in zip(wanted, session.run(wanted, fed))}

    def _with_outputs(self, names: list[str]) -> bytes:
        """The model with further outputs; its initializers are loaded, since it is passed as bytes."""
        import onnx

        model = onnx.load(self._path)
        present = {output.name for output in model.graph.output}
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in present)
        content: bytes = model.SerializeToString()
        return content


class ONNXFile(Source):
    """An .onnx file in a process of its own. The model's inputs are those of the compared model, in order."""

    is_whole = True

    def __init__(self, path: str, workers: SourceWorkers = UNBOUNDED) -> None:
        self.name = f"onnxruntime:{path}"
        self._process = workers.process(ONNXModel, path, seconds=TIMEOUT)

    def results(self, context: Context) -> Values | Failure:
        try:
            values = self._values(context, [])
        except SourceFailed as failed:
            return failed.failure
        ports = context.analysis.signature.results
        by_name = {name: port.name for port in ports for name in port.names}
        if any(name in by_name for name in values):
            return {by_name.get(name, name): array for name, array in values.items()}
        names = [port.name for port in ports[: len(values)]]
        return dict(zip([*names, *list(values)[len(names) :]], values.values()))

    def walk(self, context: Context) -> Iterator[LayerValue]:
        present = set(self._ask("names"))
        for taps in chunks_of_taps(context):
            names = {tap: _name(context.analysis.root.layers[tap[0]].layer, tap[1], present) for tap in taps}
            wanted = sorted({name for name in names.values() if name})
            values = self._values(context, wanted) if wanted else {}
            yield from by_layer({tap: values.get(name) for tap, name in names.items()})

    def close(self) -> None:
        self._process.close()

    def _values(self, context: Context, names: list[str]) -> Values:
        inputs = [context.inputs[port.layer.id] for port in context.analysis.signature.inputs]
        values: Values = self._ask("values", inputs, names)
        return values

    def _ask(self, *request: Any) -> Any:
        return asked(self._process.ask_again, request)


def _name(layer: Layer, index: int, present: set[str]) -> str:
    """The tensor of an ONNX model that an output is, or ""."""
    names = (*layer.outputs[index].names, f"{layer.name}:{index}", *([layer.name] if index == 0 else []))
    return next((name for name in names if name in present), "")


AnySource: TypeAlias = AnyModel | Source | Backend | Session | Mapping[str, Any]
"""A text as source_of_text takes it, or an object that gives values."""
FORMS = (
    "reference",
    "BACKEND (numba, openvino, onnxruntime …: layer by layer)",
    "openvino:DEVICE[,PROPERTY=VALUE…] (the whole model)",
    "onnxruntime:MODEL.onnx (the whole model)",
    "model:OTHER.xml",
    "VALUES.npz or a folder of stored values",
)
"""The forms of a source text, for helps and messages."""
PREFIXES = ("openvino:", "onnxruntime:", "model:")


def source_of(item: AnySource, workers: SourceWorkers = UNBOUNDED) -> Source:
    """The source that a text or an object stands for; the caller closes it.

    workers: how a runtime in a process of its own is run
    Raises:  SourceError for a text that is no source; DiagnosticError for a backend that is not available
    """
    match item:
        case Source():
            return item
        case str() | os.PathLike():
            return source_of_text(os.fspath(item), workers)
        case Session():
            return OtherModel(
                item.analysis, Layerwise(apart(item.evaluator.backends[0], workers), has_reference=True)
            )
        case Model() | ModelAnalysis() | Buildable():
            return OtherModel(item, Layerwise(Reference()))
        case Mapping():
            return Stored(item)
        case Backend():
            return Layerwise(apart(item, workers))
    raise TypeError(f"a source is {type(item).__name__}, must be a text, a backend, a model or a mapping")


def source_of_text(text: str, workers: SourceWorkers = UNBOUNDED) -> Source:
    """The source that a text stands for; see FORMS. Raises: SourceError"""
    head, separator, rest = text.partition(":")
    match head + separator:
        case "openvino:":
            return _device(rest, workers)
        case "onnxruntime:":
            _require_local(rest)
            _require_file(rest, text)
            return ONNXFile(rest, workers)
        case "model:":
            if not Place.of(rest).is_remote:
                _require_file(rest, text)
            return OtherModel(rest, Layerwise(Reference()))
    if text in backend_names():
        if text == Reference.name:
            return Layerwise(Reference())
        lacking = missing(backend_of(text))
        if lacking is not None:
            raise SourceError(f"the backend {text} is not available: {lacking}")
        return Layerwise(RemoteBackend(text, workers))
    place = Place.of(text)
    if place.is_remote:
        raise SourceError(
            f"{place} is a URL; a model there is written model:{place}, stored values must be local"
        )
    if text.endswith((".npz", ".npy")) or os.path.isdir(text):
        return stored_source(text)
    if os.path.isfile(text):
        raise SourceError(f"{text} is a file, but no source; a model is written model:{text}")
    prefix = similar(f"{head}:", PREFIXES) if separator else None
    meant = f"; did you mean {prefix}{rest}?" if prefix else did_you_mean_word(text, backend_names())
    forms = f"{' A' if meant else '; a'} source is one of: {'; '.join(FORMS)}"
    raise SourceError(f"there is no source {text!r}{meant}{forms}")


def _device(rest: str, workers: SourceWorkers) -> Source:
    device, *settings = rest.split(",")
    properties: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals and not properties:
            device += f",{setting}"  # MULTI:CPU,GPU
        elif not equals or not name:
            raise SourceError(f"{setting!r} in openvino:{rest} is not of the form PROPERTY=VALUE")
        else:
            properties[name] = value
    if not device:
        raise SourceError("openvino: names no device; write openvino:CPU")
    lacking = missing(backend_of("openvino"))
    if lacking is not None:
        raise SourceError(f"openvino:{device} is not available: {lacking}")
    return OpenVINODevice(device, properties, workers)


def _require_file(path: str, text: str) -> None:
    if not os.path.isfile(path):
        raise SourceError(f"the source {text} names the file {path!r}, which does not exist")


def _require_local(path: str) -> None:
    place = Place.of(path)
    if place.is_remote:
        raise SourceError(
            f"{place} is a URL; onnxruntime:MODEL.onnx must be a local file, model:URL need not be"
        )
