"""ONNX Runtime with a whole ONNX model, optimised as users run it; tensors are matched by name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from irops.debugging.sources.openvino_device import TIMEOUT
from irops.debugging.sources.processes import UNBOUNDED, Workers, asked
from irops.debugging.sources.source import (
    Context,
    Failure,
    LayerValue,
    Source,
    SourceFailed,
    Values,
    chunks_of_taps,
)
from irops.ir.model import Layer
from irops.values.element import Array
from irops.work.processes.requests import Process

SAME = "same"
"""The text of the file that is compared, as ONNX Runtime reads it."""


class ONNXFile(Source):
    """An .onnx file in a process of its own. The model's inputs are those of the compared model, in order.

    path: of the file, or SAME
    """

    is_whole = True

    def __init__(self, path: str, workers: Workers = UNBOUNDED) -> None:
        self.name = f"onnxruntime:{path}"
        self._path, self._workers = path, workers
        self._process: Process | None = None

    def results(self, context: Context) -> Values | Failure:
        try:
            values = self._values(context, [])
        except SourceFailed as failed:
            return failed.failure
        ports = context.analysis.signature.results
        by_name = {name: port.name for port in ports for name in port.names}
        if all(name in by_name for name in values):
            return {by_name[name]: array for name, array in values.items()}
        return {port.name: array for port, array in zip(ports, values.values())}

    def walk(self, context: Context) -> Iterator[LayerValue]:
        present = set(self._ask(context, ("names",)))
        for taps in chunks_of_taps(context):
            names = {tap: _name(context.analysis.root.layers[tap[0]].layer, tap[1], present) for tap in taps}
            wanted = sorted({name for name in names.values() if name})
            values = self._values(context, wanted) if wanted else {}
            yield from _by_layer({tap: values.get(name) for tap, name in names.items()})

    def close(self) -> None:
        if self._process is not None:
            self._process.close()

    def _values(self, context: Context, names: list[str]) -> Values:
        inputs = [context.inputs[port.layer.id] for port in context.analysis.signature.inputs]
        values: Values = self._ask(context, ("values", inputs, names))
        return values

    def _ask(self, context: Context, request: tuple[Any, ...]) -> Any:
        if self._process is None:
            self._process = self._workers.process(_File, self._file(context), seconds=TIMEOUT)
        return asked(self._process, request)

    def _file(self, context: Context) -> str:
        if self._path != SAME:
            return self._path
        source = context.model.source
        path = None if source is None else source.path
        if context.analysis.dialect.name != "onnx" or path is None or not os.path.isfile(path):
            reason = f"ONNX Runtime reads ONNX files; {context.model.name} is in no such file"
            raise SourceFailed(Failure("refused", reason))
        return path


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


# What the process does.


class _File:
    """A model, run with ONNX Runtime. Its requests are ("names",) and ("values", inputs, names): the values
    of these names, or of the model's outputs where there are none.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self, request: tuple[Any, ...]) -> Any:
        """The answer to a request; an exception says what ONNX Runtime refuses."""
        try:
            return self._names() if request[0] == "names" else self._values(*request[1:])
        except Exception as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            return SourceFailed(Failure("refused", reason))

    def _names(self) -> list[str]:
        """The names of all values that nodes give."""
        import onnx

        graph = onnx.load(self._path, load_external_data=False).graph
        return [name for node in graph.node for name in node.output if name]

    def _values(self, inputs: list[Array], names: list[str]) -> Values:
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
