"""The runtimes that unusual inputs are compared with. Each one imports its library when it is first used, in
a separate process.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from irops.backends.openvino import array_of, one_op_model, tensor_of
from irops.conformance.odd_inputs.table import Reply, Request
from irops.dialects.onnx.library import number_of
from irops.files.extras import missing_libraries
from irops.registry import default_registry
from irops.values.element import CODED, Array, element_type_of, foreign_types, tagged

# A runtime or library function to compare with irops.

# Turn the exception of a library into a short message.

MAX_LENGTH = 200
_PREFIXES = re.compile(
    r".*(?:Status Message: | was false\. |Type Error: |Exception during loading: |\[ShapeInferenceError\] |"
    r"Exception from \S+:\s|\[\w+RuntimeError\] : \d+ : \w+ : )"
)
"""Text before the reason: source locations and names of components."""


def refused(error: Exception, *, loaded: bool, reason_last: bool = False) -> Reply:
    """The reply for an exception. reason_last: the reason is on the last line of the message."""
    message = str(error).partition("\nSummary:")[0]
    lines = [line.strip() for line in message.splitlines() if line.strip()] or [type(error).__name__]
    text = _PREFIXES.sub("", lines[-1 if reason_last else 0])
    if type(error).__module__ == "builtins" and not isinstance(error, RuntimeError):
        text = f"{type(error).__name__}: {text}"
    return Reply("refuses", text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…", loaded)


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime or library function to compare with.

    name: identifies it in columns; label: its name on pages; extra: the extra of irops that installs it;
    libraries: the required libraries, the last of which gives the version.
    """

    name: str
    label: str
    extra: str
    libraries: tuple[str, ...]
    reply: Callable[[Request], Reply]

    @property
    def missing(self) -> str | None:
        """A message about libraries that are not installed, or None."""
        return missing_libraries(self.extra, *self.libraries) if self.extra else None

    @property
    def version(self) -> str:
        try:
            return version(self.libraries[-1])
        except PackageNotFoundError:
            return ""


# Run a model of one op on OpenVINO.

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
    tensors = [tensor_of(array) for array in _input_arrays(request)]
    try:
        for index, (tensor, _) in enumerate(tensors):
            infer_request.set_input_tensor(index, tensor)
        infer_request.infer()
        output = array_of(infer_request.get_output_tensor(0))
    except RuntimeError as error:
        return refused(error, loaded=True, reason_last=True)
    return Reply("computes", array=output)


def by_evaluate(request: Request) -> Reply:
    """Run Model.evaluate, which OpenVINO uses for constant folding."""
    from openvino import Tensor

    if _foreign(request):
        return Reply("unsupported", "OpenVINO does not support this element type")
    try:
        model = _model(request)
    except RuntimeError as error:
        return refused(error, loaded=False, reason_last=True)
    tensors = [tensor_of(array) for array in _input_arrays(request)]
    outputs = [Tensor(model.output(0).get_element_type(), request.arrays[0].shape)]
    try:
        if not model.evaluate(outputs, [tensor for tensor, _ in tensors]):
            return Reply("refuses", "evaluate returns false", loaded=True)
    except (RuntimeError, ValueError) as error:
        return refused(error, loaded=True, reason_last=True)
    return Reply("computes", array=array_of(outputs[0]))


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


def _core() -> Any:
    from openvino import Core

    return Core()


_OPENVINO = (
    Runtime("openvino", "OpenVINO, CPU", "openvino", ("openvino",), by_cpu),
    Runtime("openvino-evaluate", "OpenVINO, Model.evaluate", "openvino", ("openvino",), by_evaluate),
)


# Run a model of one node on ONNX's checker and reference, ONNX Runtime, and OpenVINO's ONNX reader.

OPSET, IR_VERSION = 18, 8


def by_checker(request: Request) -> Reply:
    """Run the checker with shape inference, which ignores values."""
    import onnx

    model = _onnx_model(request)
    if isinstance(model, Reply):
        return model
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return refused(error, loaded=False)
    return Reply("accepts")


def by_reference(request: Request) -> Reply:
    from onnx.reference import ReferenceEvaluator

    model = _onnx_model(request)
    if isinstance(model, Reply):
        return model
    try:
        evaluator = ReferenceEvaluator(model)
    except Exception as error:  # the Python evaluator raises exceptions of any type
        return refused(error, loaded=False)
    try:
        (output,) = evaluator.run(None, _arrays_by_name(request))
    except Exception as error:
        return refused(error, loaded=True)
    return Reply("computes", array=np.asarray(output))


def by_onnxruntime(request: Request) -> Reply:
    from onnxruntime import InferenceSession, SessionOptions

    model = _onnx_model(request)
    if isinstance(model, Reply):
        return model
    options = SessionOptions()
    options.log_severity_level = 4  # errors are raised; do not print them too
    try:
        session = InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common base class
        return refused(error, loaded=False)
    try:
        (output,) = session.run(None, _arrays_by_name(request))
    except Exception as error:
        return refused(error, loaded=True)
    return Reply("computes", array=np.asarray(output))


def by_openvino(request: Request) -> Reply:
    """Run OpenVINO's CPU plug-in on the model as converted by its ONNX reader."""
    from openvino import Core

    model = _onnx_model(request)
    if isinstance(model, Reply):
        return model
    core = Core()
    try:
        compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", PRECISION)
    except RuntimeError as error:
        return refused(error, loaded=False, reason_last=True)
    return inferred(compiled, request)


def _arrays_by_name(request: Request) -> dict[str, Any]:
    return {
        name: array
        for index, (name, array) in enumerate(zip(request.names, request.arrays))
        if index not in request.constants
    }


def _onnx_model(request: Request) -> Any:
    """A ModelProto with one node, or a Reply if ONNX does not support the element type."""
    from onnx import helper, numpy_helper

    arrays = dict(zip(request.names, request.arrays))
    numbers: dict[str, Any] = {name: number_of(element_type_of(array)) for name, array in arrays.items()}
    unsupported = next((name for name, number in numbers.items() if number is None), None)
    if unsupported is not None:
        return Reply("unsupported", "ONNX does not support this element type")
    tensors = _arrays_by_name(request)
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


_ONNX = (
    Runtime("openvino-onnx", "OpenVINO, from ONNX", "openvino", ("onnx", "openvino"), by_openvino),
    Runtime("onnx-checker", "ONNX checker", "onnx", ("onnx",), by_checker),
    Runtime("onnx-reference", "onnx.reference", "onnx", ("onnx",), by_reference),
    Runtime("onnxruntime", "ONNX Runtime, CPU", "onnxruntime", ("onnx", "onnxruntime"), by_onnxruntime),
)


# Run functions of Python libraries that are similar to Reverse; they take arguments instead of a model.

_TORCH = {"bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e8m0": "float8_e8m0fnu"}
"""Element types that torch has and NumPy does not."""


def by_numpy(request: Request) -> Reply:
    data, axes = request.arrays
    why = _not_expressible(request, axes)
    if why is None and element_type_of(data).name in CODED:
        why = "NumPy does not support this element type"
    if why is not None:
        return Reply("unsupported", why)
    try:
        return Reply("computes", array=np.asarray(np.flip(data, tuple(axes.tolist()))))
    except (ValueError, TypeError) as error:
        return refused(error, loaded=True)


def by_torch(request: Request) -> Reply:
    import torch

    data, axes = request.arrays
    why = _not_expressible(request, axes)
    if why is not None:
        return Reply("unsupported", why)
    kind = element_type_of(data)
    try:
        tensor: Any = (
            torch.from_numpy(data.view(f"i{data.itemsize}")).view(getattr(torch, _TORCH[kind.name]))
            if kind.name in _TORCH
            else torch.from_numpy(data.copy())
        )
    except TypeError:
        return Reply(
            "unsupported", "PyTorch does not support this element type, or cannot convert it from NumPy"
        )
    if kind.name in CODED:
        return Reply("unsupported", "PyTorch does not support this element type")
    try:
        flipped = torch.flip(tensor, tuple(axes.tolist()))
    except (RuntimeError, IndexError, TypeError) as error:
        return refused(error, loaded=True)
    bare = (
        flipped.view(getattr(torch, f"int{data.itemsize * 8}")).numpy().view(data.dtype)
        if kind.name in _TORCH
        else flipped.numpy()
    )
    return Reply("computes", array=tagged(bare, kind))


def _not_expressible(request: Request, axes: Array) -> str | None:
    """Why the functions cannot express the input, or None."""
    if request.attributes.get("mode") != "index":
        return "the function has no mode"
    if axes.ndim != 1:
        return "the function takes axes as a tuple"
    return None


_SIMILAR = (
    Runtime("numpy-flip", "numpy.flip", "", ("numpy",), by_numpy),
    Runtime("torch-flip", "torch.flip", "torch", ("torch",), by_torch),
)


RUNTIMES = {runtime.name: runtime for runtime in (*_OPENVINO, *_ONNX, *_SIMILAR)}
"""By name in columns."""
