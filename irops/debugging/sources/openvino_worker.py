"""The process that runs models with an OpenVINO device, so that a crash does not end the caller.

Its requests are ("precision",) or ("run", model, weights, inputs). model: text or the path of a file;
weights: bytes or the path of a file; inputs: by the name of the Parameter. Results come by the name of the
Result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.processes.worker import Refused
from irops.values.element import STRING, Array, element_type, element_type_of, tagged
from irops.values.packing import pack, unpack


class Device:
    """A device with its properties."""

    def __init__(self, device: str, properties: dict[str, str]) -> None:
        self._device, self._properties = device, properties
        self._core: Any = None

    def __call__(self, request: tuple[Any, ...]) -> Any:
        try:
            self._start()
            return self._precision() if request[0] == "precision" else self._run(*request[1:])
        except Refused as refused:
            return refused
        except Exception as error:
            return Refused(_reason(error))

    def _start(self) -> None:
        """Raises: Refused for a device that is not there"""
        if self._core is not None:
            return
        from openvino import Core

        core, device = Core(), self._device
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
        return {name: _array(request.get_output_tensor(index)) for index, name in enumerate(results)}


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


def _reason(error: Exception) -> str:
    """The last line of OpenVINO's message, which has the reason; places in its source come first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
