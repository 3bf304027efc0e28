"""The process that runs models with an OpenVINO device, so that a crash does not end the caller.

Its requests are ("device", name, properties), then ("precision",) or ("run", model, weights, inputs).
model: text or the path of a file; weights: bytes or the path of a file; inputs: as
irops.debugging.sources.wire packs them, by the name of the Parameter. Results come by the name of the Result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.debugging.sources.wire import Packed, packed, unpacked
from irops.processes.worker import serve
from irops.values.element import element_type, tagged
from irops.values.packing import unpack


class Worker:
    """A device with its properties. Answers are pairs of a word and what it is about."""

    def __init__(self) -> None:
        self._device, self._properties = "CPU", {}  # type: str, dict[str, str]
        self._core: Any = None

    def answer(self, request: tuple[Any, ...]) -> Any:
        """None for the first request, unless the device is unavailable; then (word, content)."""
        try:
            match request[0]:
                case "device":
                    return self._start(request[1], request[2])
                case "precision":
                    return "precision", self._precision()
                case _:
                    return "values", self._run(*request[1:])
        except Exception as error:
            return "refused", _reason(error)

    def _start(self, device: str, properties: dict[str, str]) -> Any:
        from openvino import Core

        self._core, self._device, self._properties = Core(), device, properties
        if device not in ("AUTO", "MULTI", "HETERO", "BATCH") and ":" not in device:
            available = self._core.available_devices
            if device.partition(".")[0] not in {name.partition(".")[0] for name in available}:
                return "refused", f"OpenVINO has no device {device} here, only {', '.join(available)}"
        return None

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

    def _run(self, text: str, weights: bytes | str, inputs: dict[str, Packed]) -> dict[str, Packed]:
        from openvino import Tensor

        shared = Tensor(np.frombuffer((isinstance(weights, bytes) and weights) or b"\0", np.uint8).copy())
        if isinstance(weights, bytes):
            model = self._core.read_model(text.encode(), shared)
        else:
            model = self._core.read_model(text, weights)
        compiled = self._core.compile_model(model, self._device, self._properties)
        request = compiled.create_infer_request()
        names = [parameter.get_friendly_name() for parameter in model.get_parameters()]
        tensors = [_tensor(inputs[name]) for name in names]
        for index, (tensor, _memory) in enumerate(tensors):
            request.set_input_tensor(index, tensor)
        request.infer()
        results = [result.get_friendly_name() for result in model.get_results()]
        return {name: _packed(request.get_output_tensor(index)) for index, name in enumerate(results)}


def _tensor(item: Packed) -> tuple[Any, Any]:
    """A tensor, and the array that has its memory: it must live as long."""
    from openvino import Shape, Tensor, Type

    name, shape, content = item
    if name == "string":
        texts = np.asarray(unpacked(item), dtype=str)
        return Tensor(texts), texts
    raw = np.array(content) if len(content) else np.zeros(1, np.uint8)
    return Tensor(raw, Shape(list(shape)), getattr(Type, name)), raw


def _packed(tensor: Any) -> Packed:
    kind = element_type(tensor.get_element_type().get_type_name())
    shape = tuple(tensor.shape)
    if kind.name == "string":
        return packed(np.asarray(tensor.str_data, dtype=object).reshape(shape))
    if not tensor.get_size():
        return kind.name, shape, np.empty(0, np.uint8)
    if kind.bits < 8:
        return packed(tagged(unpack(tensor.data.reshape(-1).view(np.uint8), kind, shape), kind))
    return kind.name, shape, tensor.data.reshape(-1).view(np.uint8).copy()


def _reason(error: Exception) -> str:
    """The last line of OpenVINO's message, which has the reason; places in its source come first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__


if __name__ == "__main__":
    serve(Worker().answer)
