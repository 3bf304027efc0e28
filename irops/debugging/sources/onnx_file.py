"""ONNX Runtime with a whole ONNX model, optimised as users run it, in a process of its own.

The requests of this process are ("names",) or ("values", inputs, names): the values of these names, or of the
model's outputs where there are none. Tensors are matched by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from irops.debugging.sources.openvino_device import TIMEOUT, chunks_of_taps
from irops.debugging.sources.source import Context, Failure, LayerValue, Source, SourceFailed, Values
from irops.debugging.sources.workers import UNBOUNDED, SourceWorkers, asked
from irops.ir.model import Layer
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
        options.log_severity_level = 4
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
            yield from _by_layer({tap: values.get(name) for tap, name in names.items()})

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


def _by_layer(values: Mapping[tuple[int, int], Array | None]) -> Iterator[LayerValue]:
    layers: dict[int, list[Array | None]] = {}
    for (layer, _), array in values.items():
        layers.setdefault(layer, []).append(array)
    for layer, outputs in layers.items():
        if any(array is not None for array in outputs):
            yield LayerValue(layer, tuple(outputs))
