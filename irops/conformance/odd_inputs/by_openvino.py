"""OpenVINO, asked with a model of one op."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.backends.one_op import one_op_model
from irops.conformance.odd_inputs.odd import Question, Reply, sent
from irops.conformance.odd_inputs.refused import refused
from irops.conformance.odd_inputs.runtime import Runtime
from irops.registry import default_registry
from irops.values.element import STRING, Array, element_type, element_type_of, foreign_types
from irops.values.packing import pack, unpack

PRECISION = {"INFERENCE_PRECISION_HINT": "f32"}
"""Not the bf16 that the plug-in may choose by itself."""


def by_cpu(question: Question) -> Reply:
    """What the CPU plug-in does."""
    if _foreign(question):
        return Reply("lacks", "OpenVINO has no such elements")
    try:
        compiled = _core().compile_model(_model(question), "CPU", PRECISION)
    except RuntimeError as error:
        return refused(error, loaded=False, last=True)
    return inferred(compiled, question)


def inferred(compiled: Any, question: Question) -> Reply:
    """What a compiled model gives."""
    request, given = compiled.create_infer_request(), [_tensor(array) for array in _given(question)]
    try:
        for place, (tensor, _) in enumerate(given):
            request.set_input_tensor(place, tensor)
        request.infer()
        output = _array(request.get_output_tensor(0))
    except RuntimeError as error:
        return refused(error, loaded=True, last=True)
    return Reply("gives", output=sent(output))


def by_evaluate(question: Question) -> Reply:
    """What OpenVINO's own evaluation of its graphs does, which folds constants."""
    from openvino import Tensor

    if _foreign(question):
        return Reply("lacks", "OpenVINO has no such elements")
    try:
        model = _model(question)
    except RuntimeError as error:
        return refused(error, loaded=False, last=True)
    given = [_tensor(array) for array in _given(question)]
    found = [Tensor(model.output(0).get_element_type(), question.arrays[0].shape)]
    try:
        if not model.evaluate(found, [tensor for tensor, _ in given]):
            return Reply("refuses", "evaluate returns false", loaded=True)
    except (RuntimeError, ValueError) as error:
        return refused(error, loaded=True, last=True)
    return Reply("gives", output=sent(_array(found[0])))


def _foreign(question: Question) -> bool:
    return any(element_type_of(array) in foreign_types() for array in question.arrays)


def _model(question: Question) -> Any:
    from openvino import Tensor

    arrays = question.arrays
    fixed = {place: arrays[place] for place in question.constants}
    text, weights = one_op_model(
        default_registry().op(question.op), arrays, question.attributes, 1, fixed, question.unranked
    )
    return _core().read_model(text.encode(), Tensor(np.frombuffer(weights or b"\0", np.uint8).copy()))


def _given(question: Question) -> list[Array]:
    return [array for place, array in enumerate(question.arrays) if place not in question.constants]


def _tensor(array: Array) -> tuple[Any, Array]:
    """A tensor, and the memory that it stands on and does not keep."""
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
