"""Processes that may crash over what they are asked: OpenVINO and ONNX Runtime, for a model's results."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from ctypes import string_at
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from irops.debugging.sources.openvino_device import _array, _tensor
from irops.values.element import STRING, Array, element_type, element_type_of
from irops.work.worker import Process, ProcessDied

SECONDS = 250.0
"""How long a result may take."""


class DeclinedError(Exception):
    """A runtime does not run a model, or ended over it; says why. whole: all lines of its message"""

    def __init__(self, why: str, whole: str = "") -> None:
        super().__init__(why)
        self.whole = whole or why


class Runtimes(Process):
    """The process that runs models."""

    def __init__(self) -> None:
        super().__init__(_running, (), SECONDS)

    def run(self, runtime: str, path: object, inputs: Sequence[Array]) -> list[Array]:
        """The results of the model in a file, in order. runtime: openvino (its CPU plug-in), folding (the
        constants that OpenVINO folds the results to), shapes (a text for each result, its type and shape as
        OpenVINO infers them), onnxruntime, or checker, which gives none and declines what the full check of
        onnx refuses; inputs: in the order of the model's.

        Raises:  DeclinedError
        """
        try:
            results: list[Array] = self.ask((runtime, str(path), list(inputs)))
        except ProcessDied:
            raise DeclinedError("crashed") from None
        return results


def _running() -> Callable[[Any], Any]:
    def answer(question: Any) -> Any:
        runtime, path, inputs = question
        try:
            return RUNTIMES[runtime](path, inputs)
        except Exception as error:  # whatever a runtime raises is its refusal
            return DeclinedError(str(error).strip().splitlines()[-1], str(error))

    return answer


def _openvino(path: str, inputs: Sequence[Array]) -> list[Array]:
    from openvino import Core

    compiled = Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request, tensors = compiled.create_infer_request(), list(map(_tensor, inputs))
    for place, (tensor, _) in enumerate(tensors):
        request.set_input_tensor(place, tensor)
    request.infer()
    return [_array(request.get_output_tensor(place)) for place in range(len(request.model_outputs))]


def _folding(path: str, _: Sequence[Array]) -> list[Array]:
    from openvino import Core
    from openvino.passes import ConstantFolding, Manager

    model, passes = Core().read_model(path), Manager()
    passes.register_pass(ConstantFolding())
    passes.run_passes(model)
    values = [result.input_value(0).get_node() for result in model.get_results()]
    if any(value.get_type_name() != "Constant" for value in values):
        raise ValueError("does not fold")
    return [_array(value.tensor_view) for value in values]


def _shapes(path: str, _: Sequence[Array]) -> list[Array]:
    from openvino import Core

    outputs = Core().read_model(path).outputs
    texts = [f"{port.element_type.get_type_name()}{port.partial_shape}" for port in outputs]
    return [np.array(texts, object)]


def _attributes(path: str, kind: str) -> dict[str, str]:
    from lxml import etree
    from openvino import Core, serialize

    serialize(Core().read_model(path), f"{path}.written.xml", f"{path}.written.bin")
    layers = etree.parse(f"{path}.written.xml").iter("layer")
    layer = next((layer for layer in layers if layer.get("type").lower() == kind.lower()), None)
    data = None if layer is None else layer.find("data")
    return {} if data is None else dict(data.attrib)


def _onnxruntime(path: str, inputs: Sequence[Array]) -> list[Array]:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.log_severity_level = 4  # the error alone reports what is wrong
    session = InferenceSession(path, options, providers=["CPUExecutionProvider"])
    named = dict(zip((port.name for port in session.get_inputs()), inputs, strict=True))
    if any(element_type_of(array) is STRING for array in inputs):  # ONNX Runtime takes these as arrays alone
        return list(map(np.asarray, session.run(None, named)))
    values = session.run_with_ort_values(None, {name: _value(array) for name, array in named.items()})
    return list(map(_of_onnxruntime, values))


def _checker(path: str, _: Sequence[Array]) -> list[Array]:
    from onnx.checker import check_model

    check_model(path, full_check=True)
    return []


RUNTIMES = {
    "openvino": _openvino,
    "folding": _folding,
    "shapes": _shapes,
    "attributes": _attributes,
    "onnxruntime": _onnxruntime,
    "checker": _checker,
}
BITS = {"tensor(bfloat16)": "bf16", "tensor(float8e4m3fn)": "f8e4m3", "tensor(float8e5m2)": "f8e5m2"}
"""Types that ONNX Runtime and Python exchange as bits."""
NUMBERS = {"bf16": 16, "f8e4m3": 17, "f8e5m2": 19}


def _value(given: Array) -> Any:
    from onnxruntime import OrtValue

    array, number = np.asarray(given, order="C"), NUMBERS.get(element_type_of(given).name)
    if number is None:
        return OrtValue.ortvalue_from_numpy(array)
    return OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(f"u{array.itemsize}"), number)


def _of_onnxruntime(value: Any) -> Array:
    kind = BITS.get(value.data_type())
    if kind is None:
        return np.asarray(value.numpy())
    dtype, shape = element_type(kind).dtype, tuple(value.shape())
    raw = string_at(value.data_ptr(), int(np.prod(shape)) * dtype.itemsize)
    return np.frombuffer(raw, np.uint8).view(dtype).reshape(shape)


Reading = dict[str, str] | str
"""The attributes of the first layer of a type as text, or why OpenVINO does not read the model."""


def read_all(questions: Iterable[tuple[str, str, bytes]]) -> Iterator[Reading]:
    """For each type, text of a model and weights: the attributes of the layer of that type as OpenVINO reads,
    validates and serializes them.
    """
    with TemporaryDirectory() as folder, closing(Runtimes()) as runtimes:
        path = Path(folder, "m.xml")
        for kind, text, weights in questions:
            path.write_text(text)
            path.with_suffix(".bin").write_bytes(weights)
            try:
                yield runtimes.ask(("attributes", str(path), kind))
            except DeclinedError as why:
                yield str(why)
            except ProcessDied:
                yield "a crash, or no answer"


def same_bits(one: Array, two: Array) -> bool:
    """Whether two tensors are of one type and shape, and the same bit by bit."""
    if element_type_of(one) is not element_type_of(two) or one.shape != two.shape:
        return False
    if one.dtype == object:
        return one.tolist() == two.tolist()
    return np.asarray(one, order="C").tobytes() == np.asarray(two, order="C").tobytes()
