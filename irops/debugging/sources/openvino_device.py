"""A device of OpenVINO with whole models, optimised as users run them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.sources.openvino_worker import Device
from irops.debugging.sources.single_layers import single_layers
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
from irops.debugging.sources.taps import Tap, chunks_of_taps, with_taps
from irops.debugging.sources.workers import UNBOUNDED, Workers, asked
from irops.debugging.weights_in_place import weights_file, write_text
from irops.diagnostics.diagnostic import DiagnosticError
from irops.ir.model import Model
from irops.spec.types import OPENVINO
from irops.values.element import Array
from irops.verdicts.arithmetic import Arithmetic
from irops.writing import write

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
            return self._run_model(context.analysis, context.model, context.inputs)
        except SourceFailed as failed:
            return failed.failure

    def walk(self, context: Context) -> Iterator[LayerValue]:
        for taps in chunks_of_taps(context):
            tapped, names = with_taps(context.analysis, taps)
            values = self._run_model(context.analysis, tapped, context.inputs)
            yield from _in_order(taps, {tap: values.get(name) for tap, name in names.items()})

    def run(self, model: Model, inputs: Mapping[str, Array]) -> Values:
        """The results of a model by name. inputs: by the name of the Parameter. Raises: SourceFailed"""
        with tempfile.TemporaryDirectory() as folder:
            values: Values = self._ask("run", *_files(model, Path(folder)), dict(inputs))
            return values

    def compute(self, calls: Sequence[LayerCall]) -> list[Answer]:
        if calls and calls[0].model.dialect != OPENVINO:
            return [_other_dialect(calls[0].model)] * len(calls)
        answers: list[Answer] = []
        for batch in _batches(calls):
            answers.extend(self._computed(batch))
        return answers

    def close(self) -> None:
        self._process.close()

    def _run_model(self, analysis: ModelAnalysis, model: Model, inputs: Mapping[int, Array]) -> Values:
        if model.dialect != OPENVINO:
            raise SourceFailed(_other_dialect(model))
        named = {port.name: inputs[port.layer.id] for port in analysis.signature.inputs}
        return self.run(model, named)

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


def _other_dialect(model: Model) -> Failure:
    file = f"{model.name}.{model.dialect}"
    return Failure("declined", f"OpenVINO devices run IR; irops convert {file} --target openvino writes it")


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
