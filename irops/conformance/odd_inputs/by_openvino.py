"""Run a model of one op on OpenVINO."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.backends.one_op import one_op_model
from irops.conformance.odd_inputs.odd_input import Reply, Request, serialized
from irops.conformance.odd_inputs.refusals import refused
from irops.conformance.odd_inputs.runtime import Runtime
from irops.registry import default_registry
from irops.values.element import STRING, Array, element_type, element_type_of, foreign_types
from irops.values.packing import pack, unpack

PRECISION = {"INFERENCE_PRECISION_HINT": "f32"}
"""Prevents the plug-in from choosing bf16."""


def by_cpu(request: Request) -> Reply:
    """Run the CPU plug-in."""
    if _foreign(request):
        return Reply("unsupported", "OpenVINO does not support this element type")
    try:
        compiled = _core().compile_model(_model(request), "CPU", PRECISION)
    except RuntimeError as error:
        return refused(error, loaded=False, reason_last=True)
    return inferred(compiled, request)


def inferred(compiled: Any, request: Request) -> Reply:
    """Run a compiled model."""
    infer_request = compiled.create_infer_request()
    tensors = [_tensor(array) for array in _input_arrays(request)]
    try:
        for index, (tensor, _) in enumerate(tensors):
            infer_request.set_input_tensor(index, tensor)
        infer_request.infer()
        output = _array(infer_request.get_output_tensor(0))
    except RuntimeError as error:
        return refused(error, loaded=True, reason_last=True)
    return Reply("computes", output=serialized(output))


def by_evaluate(request: Request) -> Reply:
    """Run Model.evaluate, which OpenVINO uses for constant folding."""
    from openvino import Tensor

    if _foreign(request):
        return Reply("unsupported", "OpenVINO does not support this element type")
    try:
        model = _model(request)
    except RuntimeError as error:
        return refused(error, loaded=False, reason_last=True)
    tensors = [_tensor(array) for array in _input_arrays(request)]
    outputs = [Tensor(model.output(0).get_element_type(), request.arrays[0].shape)]
    try:
        if not model.evaluate(outputs, [tensor for tensor, _ in tensors]):
            return Reply("refuses", "evaluate returns false", loaded=True)
    except (RuntimeError, ValueError) as error:
        return refused(error, loaded=True, reason_last=True)
    return Reply("computes", output=serialized(_array(outputs[0])))


def _foreign(request: Request) -> bool:
    return any(element_type_of(array) in foreign_types() for array in request.arrays)


def _model(request: Request) -> Any:
    from openvino import Tensor

    arrays = request.arrays
    fixed = {index: arrays[index] for index in request.constants}
    text, weights = one_op_model(
        default_registry().op(request.op), arrays, request.attributes, 1, fixed, request.unranked
    )
    return _core().read_model(text.encode(), Tensor(np.frombuffer(weights or b"\0", np.uint8).copy()))


def _input_arrays(request: Request) -> list[Array]:
    return [array for index, array in enumerate(request.arrays) if index not in request.constants]


def _tensor(array: Array) -> tuple[Any, Array]:
    """A tensor, and its memory, which the tensor does not keep alive."""
    from openvino import Shape, Tensor, Type

    kind = element_type_of(array)
    if kind is STRING:
        return Tensor(array.astype(str)), array
    memory = np.frombuffer(pack(array, kind) or b"\0", np.uint8).copy()
    return Tensor(memory, Shape(list(array.shape)), getattr(Type, kind.name)), memory


def _array(tensor: Any) -> Array:
    kind, shape = element_type(tensor.get_element_type().get_type_name()), tuple(tensor.shape)
    if kind is STRING:
        return np.asarray(tensor.str_data).astype(object)
    raw = tensor.data.reshape(-1).view(np.uint8).tobytes() if np.prod(shape, dtype=np.int64) else b""
    return unpack(raw, kind, shape)


def _core() -> Any:
    from openvino import Core

    return Core()


RUNTIMES = (
    Runtime("openvino", "OpenVINO, CPU", "openvino", ("openvino",), by_cpu),
    Runtime("openvino-evaluate", "OpenVINO, Model.evaluate", "openvino", ("openvino",), by_evaluate),
)
