"""Processes that may crash over what they are asked: OpenVINO and ONNX Runtime, for a model's results."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from ctypes import string_at
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from irops.values.element import STRING, Array, element_type, element_type_of, tagged
from irops.values.packing import unpack


class DeclinedError(Exception):
    """A runtime does not run a model, or ended over it; says why."""


class Answering:
    """A process that answers questions, started when first asked, and again after it has died.

    prepare: called in the process, gives what answers a question; seconds: how long an answer may take
    """

    def __init__(self, prepare: Callable[[], Callable[[Any], Any]], seconds: float | None = None) -> None:
        self._prepare, self._seconds = prepare, seconds
        self._process: Any = None
        self._pipe: Any = None

    def ask(self, question: Any) -> Any:
        """The answer; None where the process crashed over it, or took too long."""
        if self._process is None:
            context = get_context("spawn")
            self._pipe, other = context.Pipe()
            self._process = context.Process(target=_serve, args=(self._prepare, other), daemon=True)
            self._process.start()
            other.close()
        with suppress(EOFError, BrokenPipeError, ConnectionResetError):
            self._pipe.send(question)
            if self._seconds is None or self._pipe.poll(self._seconds):
                return self._pipe.recv()
        self.close()
        return None

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None


def _serve(prepare: Callable[[], Callable[[Any], Any]], pipe: Connection) -> None:
    answer = prepare()
    with suppress(EOFError):
        while True:
            pipe.send(answer(pipe.recv()))


class Runtimes(Answering):
    """The process that runs models."""

    def __init__(self) -> None:
        super().__init__(_running)

    def run(self, runtime: str, path: object, inputs: Sequence[Array]) -> list[Array]:
        """The results of the model in a file, in order. runtime: openvino (its CPU plug-in), folding (the
        constants that OpenVINO folds the results to), shapes (a text for each result, its type and shape as
        OpenVINO infers them), onnxruntime, or checker, which gives none and declines what the full check of
        onnx refuses; inputs: in the order of the model's.

        Raises:  DeclinedError
        """
        answer = self.ask((runtime, str(path), [(str(element_type_of(a)), a) for a in inputs]))
        if answer is None:
            raise DeclinedError("crashed")
        if isinstance(answer, str):
            raise DeclinedError(answer)
        return [tagged(array, element_type(kind)) for kind, array in answer]


def _running() -> Callable[[Any], Any]:
    def answer(question: Any) -> Any:
        runtime, path, inputs = question
        try:
            return RUNTIMES[runtime](path, inputs)
        except Exception as error:  # whatever a runtime raises is its refusal
            return str(error).strip().splitlines()[-1]

    return answer


def _openvino(path: str, inputs: Sequence[tuple[str, Array]]) -> list[tuple[str, Array]]:
    from openvino import Core, Shape, Tensor, Type

    core = Core()
    request = core.compile_model(
        core.read_model(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    ).create_infer_request()
    for place, (kind, given) in enumerate(inputs):
        if kind == "string":
            request.set_input_tensor(place, Tensor(given.astype(str)))
            continue
        array = np.asarray(given, order="C")
        request.set_input_tensor(
            place, Tensor(array.reshape(-1).view(np.uint8), Shape(list(array.shape)), getattr(Type, kind))
        )
    request.infer()
    return [_of_openvino(request.get_output_tensor(place)) for place in range(len(request.model_outputs))]


def _folding(path: str, inputs: Sequence[tuple[str, Array]]) -> list[tuple[str, Array]]:
    from openvino import Core
    from openvino.passes import ConstantFolding, Manager

    model, passes = Core().read_model(path), Manager()
    passes.register_pass(ConstantFolding())
    passes.run_passes(model)
    values = [result.input_value(0).get_node() for result in model.get_results()]
    if any(value.get_type_name() != "Constant" for value in values):
        raise ValueError("does not fold")
    return [_of_openvino(value.tensor_view) for value in values]


def _shapes(path: str, inputs: Sequence[tuple[str, Array]]) -> list[tuple[str, Array]]:
    from openvino import Core

    outputs = Core().read_model(path).outputs
    texts = [f"{port.element_type.get_type_name()}{port.partial_shape}" for port in outputs]
    return [("string", np.array(texts, object))]


def _of_openvino(tensor: Any) -> tuple[str, Array]:
    kind = element_type(tensor.get_element_type().get_type_name())
    if kind is STRING:
        return "string", np.array(tensor.str_data, object)
    return kind.name, unpack(np.array(tensor.data, copy=True).tobytes(), kind, tuple(tensor.shape))


def _onnxruntime(path: str, inputs: Sequence[tuple[str, Array]]) -> list[tuple[str, Array]]:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.log_severity_level = 4  # the error alone reports what is wrong
    session = InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [port.name for port in session.get_inputs()]
    if any(kind == "string" for kind, _ in inputs):  # which ONNX Runtime takes as arrays alone
        arrays = session.run(None, {name: array for name, (_, array) in zip(names, inputs, strict=True)})
        return [(str(element_type_of(array)), array) for array in arrays]
    values = session.run_with_ort_values(
        None, {name: _value(*given) for name, given in zip(names, inputs, strict=True)}
    )
    return [_of_onnxruntime(value) for value in values]


def _checker(path: str, inputs: Sequence[tuple[str, Array]]) -> list[tuple[str, Array]]:
    from onnx.checker import check_model

    check_model(path, full_check=True)
    return []


RUNTIMES = {
    "openvino": _openvino,
    "folding": _folding,
    "shapes": _shapes,
    "onnxruntime": _onnxruntime,
    "checker": _checker,
}
BITS = {"tensor(bfloat16)": "bf16", "tensor(float8e4m3fn)": "f8e4m3", "tensor(float8e5m2)": "f8e5m2"}
"""Types that ONNX Runtime and Python exchange as bits."""
NUMBERS = {"bf16": 16, "f8e4m3": 17, "f8e5m2": 19}


def _value(kind: str, given: Array) -> Any:
    from onnxruntime import OrtValue

    array = np.asarray(given, order="C")
    if kind not in NUMBERS:
        return OrtValue.ortvalue_from_numpy(array)
    return OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(f"u{array.itemsize}"), NUMBERS[kind])


def _of_onnxruntime(value: Any) -> tuple[str, Array]:
    kind = BITS.get(value.data_type())
    if kind is None:
        array = np.asarray(value.numpy())
        return str(element_type_of(array)), array
    dtype, shape = element_type(kind).dtype, tuple(value.shape())
    raw = string_at(value.data_ptr(), int(np.prod(shape)) * dtype.itemsize)
    return kind, np.frombuffer(raw, np.uint8).view(dtype).reshape(shape)


def same_bits(one: Array, two: Array) -> bool:
    """Whether two tensors are of one type and shape, and the same bit by bit."""
    if element_type_of(one) is not element_type_of(two) or one.shape != two.shape:
        return False
    if one.dtype == object:
        return one.tolist() == two.tolist()
    return np.asarray(one, order="C").tobytes() == np.asarray(two, order="C").tobytes()
