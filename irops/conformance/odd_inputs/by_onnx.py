"""Run a model of one node on ONNX's checker and reference, ONNX Runtime, and OpenVINO's ONNX reader."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.conformance.odd_inputs.by_openvino import PRECISION, inferred
from irops.conformance.odd_inputs.odd_input import Reply, Request, serialized
from irops.conformance.odd_inputs.refusals import refused
from irops.conformance.odd_inputs.runtime import Runtime
from irops.dialects.onnx.types import number_of
from irops.registry import default_registry
from irops.values.element import element_type_of

OPSET, IR_VERSION = 18, 8


def by_checker(request: Request) -> Reply:
    """Run the checker with shape inference, which ignores values."""
    import onnx

    model = _model(request)
    if isinstance(model, Reply):
        return model
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return refused(error, loaded=False)
    return Reply("accepts")


def by_reference(request: Request) -> Reply:
    from onnx.reference import ReferenceEvaluator

    model = _model(request)
    if isinstance(model, Reply):
        return model
    try:
        evaluator = ReferenceEvaluator(model)
    except Exception as error:  # the Python evaluator raises exceptions of any type
        return refused(error, loaded=False)
    try:
        (output,) = evaluator.run(None, _input_arrays(request))
    except Exception as error:
        return refused(error, loaded=True)
    return Reply("computes", output=serialized(np.asarray(output)))


def by_onnxruntime(request: Request) -> Reply:
    from onnxruntime import InferenceSession, SessionOptions

    model = _model(request)
    if isinstance(model, Reply):
        return model
    options = SessionOptions()
    options.log_severity_level = 4  # errors are raised; do not print them too
    try:
        session = InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common base class
        return refused(error, loaded=False)
    try:
        (output,) = session.run(None, _input_arrays(request))
    except Exception as error:
        return refused(error, loaded=True)
    return Reply("computes", output=serialized(np.asarray(output)))


def by_openvino(request: Request) -> Reply:
    """Run OpenVINO's CPU plug-in on the model as converted by its ONNX reader."""
    from openvino import Core

    model = _model(request)
    if isinstance(model, Reply):
        return model
    core = Core()
    try:
        compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", PRECISION)
    except RuntimeError as error:
        return refused(error, loaded=False, reason_last=True)
    return inferred(compiled, request)


def _input_arrays(request: Request) -> dict[str, Any]:
    return {
        name: array
        for index, (name, array) in enumerate(zip(request.names, request.arrays))
        if index not in request.constants
    }


def _model(request: Request) -> Any:
    """A ModelProto with one node, or a Reply if ONNX does not support the element type."""
    from onnx import helper, numpy_helper

    arrays = dict(zip(request.names, request.arrays))
    numbers: dict[str, Any] = {name: number_of(element_type_of(array)) for name, array in arrays.items()}
    unsupported = next((name for name, number in numbers.items() if number is None), None)
    if unsupported is not None:
        return Reply("unsupported", "ONNX does not support this element type")
    tensors = _input_arrays(request)
    shapes = {
        name: None if index in request.unranked else array.shape
        for index, (name, array) in enumerate(arrays.items())
    }
    infos = [helper.make_tensor_value_info(name, numbers[name], shapes[name]) for name in tensors]
    constants = [
        numpy_helper.from_array(array, name) for name, array in arrays.items() if name not in tensors
    ]
    definition = default_registry().op(request.op).definition
    name = request.names[0]
    output = helper.make_tensor_value_info(definition.outputs[0].name, numbers[name], shapes[name])
    axes: dict[str, Any] = {key: int(text) for key, text in request.attributes.items()}
    node = helper.make_node(definition.type, list(arrays), [output.name], **axes)
    graph = helper.make_graph([node], "odd", infos, [output], constants)
    return helper.make_model(graph, ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", OPSET)])


RUNTIMES = (
    Runtime("openvino-onnx", "OpenVINO, from ONNX", "openvino", ("onnx", "openvino"), by_openvino),
    Runtime("onnx-checker", "ONNX checker", "onnx", ("onnx",), by_checker),
    Runtime("onnx-reference", "onnx.reference", "onnx", ("onnx",), by_reference),
    Runtime("onnxruntime", "ONNX Runtime, CPU", "onnxruntime", ("onnx", "onnxruntime"), by_onnxruntime),
)
