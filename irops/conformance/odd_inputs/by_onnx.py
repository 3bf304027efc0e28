"""ONNX's checker and reference, ONNX Runtime, and OpenVINO's reader of ONNX, asked with a model of one
node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.conformance.odd_inputs.odd import Question, Reply, sent
from irops.conformance.odd_inputs.refused import refused
from irops.conformance.odd_inputs.runtime import Runtime
from irops.dialects.onnx.types import number_of
from irops.registry import default_registry
from irops.values.element import element_type_of

OPSET, IR_VERSION = 18, 8


def by_checker(question: Question) -> Reply:
    """The checker with its shape inference, which looks at no values."""
    import onnx

    model = _model(question)
    if isinstance(model, Reply):
        return model
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return refused(error, loaded=False)
    return Reply("takes")


def by_reference(question: Question) -> Reply:
    from onnx.reference import ReferenceEvaluator

    model = _model(question)
    if isinstance(model, Reply):
        return model
    try:
        evaluator = ReferenceEvaluator(model)
    except Exception as error:  # it is of Python, and raises whatever comes
        return refused(error, loaded=False)
    try:
        (output,) = evaluator.run(None, _given(question))
    except Exception as error:
        return refused(error, loaded=True)
    return Reply("gives", output=sent(np.asarray(output)))


def by_onnxruntime(question: Question) -> Reply:
    from onnxruntime import InferenceSession, SessionOptions

    model = _model(question)
    if isinstance(model, Reply):
        return model
    options = SessionOptions()
    options.log_severity_level = 4  # what is wrong is told by the error alone
    try:
        session = InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no class in common
        return refused(error, loaded=False)
    try:
        (output,) = session.run(None, _given(question))
    except Exception as error:
        return refused(error, loaded=True)
    return Reply("gives", output=sent(np.asarray(output)))


def by_openvino(question: Question) -> Reply:
    """OpenVINO's CPU plug-in, with a model that its reader of ONNX has converted."""
    from openvino import Core

    from irops.conformance.odd_inputs.by_openvino import PRECISION, inferred

    model = _model(question)
    if isinstance(model, Reply):
        return model
    core = Core()
    try:
        compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", PRECISION)
    except RuntimeError as error:
        return refused(error, loaded=False, last=True)
    return inferred(compiled, question)


def _given(question: Question) -> dict[str, Any]:
    return {
        name: array
        for place, (name, array) in enumerate(zip(question.names, question.arrays))
        if place not in question.constants
    }


def _model(question: Question) -> Any:
    """A ModelProto of one node; a reply where ONNX has no such elements."""
    from onnx import helper, numpy_helper

    arrays = dict(zip(question.names, question.arrays))
    numbers: dict[str, Any] = {name: number_of(element_type_of(array)) for name, array in arrays.items()}
    strange = next((name for name, number in numbers.items() if number is None), None)
    if strange is not None:
        return Reply("lacks", "ONNX has no such elements")
    given = _given(question)
    shapes = {
        name: None if place in question.unranked else array.shape
        for place, (name, array) in enumerate(arrays.items())
    }
    infos = [helper.make_tensor_value_info(name, numbers[name], shapes[name]) for name in given]
    constants = [numpy_helper.from_array(array, name) for name, array in arrays.items() if name not in given]
    definition = default_registry().op(question.op).definition
    name = question.names[0]
    output = helper.make_tensor_value_info(definition.outputs[0].name, numbers[name], shapes[name])
    axes: dict[str, Any] = {key: int(text) for key, text in question.attributes.items()}
    node = helper.make_node(definition.type, list(arrays), [output.name], **axes)
    graph = helper.make_graph([node], "odd", infos, [output], constants)
    return helper.make_model(graph, ir_version=IR_VERSION, opset_imports=[helper.make_opsetid("", OPSET)])


RUNTIMES = (
    Runtime("openvino-onnx", "OpenVINO, from ONNX", "openvino", ("onnx", "openvino"), by_openvino),
    Runtime("onnx-checker", "ONNX checker", "onnx", ("onnx",), by_checker),
    Runtime("onnx-reference", "onnx.reference", "onnx", ("onnx",), by_reference),
    Runtime("onnxruntime", "ONNX Runtime, CPU", "onnxruntime", ("onnx", "onnxruntime"), by_onnxruntime),
)
