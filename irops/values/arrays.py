"""Arrays as tensors: those of callers, kernels and other libraries, and Python expressions that give them."""

import base64
import re
import sys
import zlib
from typing import Any

import numpy as np

from irops.values.element import CODED, DYNAMIC, STRING, Array, ElementType, codes, element_type_of, tagged
from irops.values.fact import Fact
from irops.values.shape import Shape

CPU = {1: "the CPU", 3: "the CPU (pinned for CUDA)"}
"""The devices of DLPack whose memory a CPU reads."""
DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm"}
DEVICES |= {13: "CUDA", 14: "oneAPI", 15: "WebGPU"}
TORCH_CODES = dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"), "uint8")
TORCH_CODES |= {"bfloat16": "int16"}
"""The types of torch that NumPy has by ml_dtypes alone, and integers of their size."""


def is_foreign(item: Any) -> bool:
    """Whether an object is an array of another library than NumPy that offers DLPack."""
    return not isinstance(item, (np.ndarray, np.generic)) and hasattr(type(item), "__dlpack__")


def is_torch(item: Any) -> bool:
    """Whether an object is a tensor of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(item, torch.Tensor)


def array_of(item: Any) -> Array:
    """The NumPy array in the memory of a foreign one. Raises: ValueError where it is not in the CPU's"""
    if is_torch(item):
        return _of_torch(item)
    device = int(item.__dlpack_device__()[0])
    if device not in CPU:
        raise ValueError(_elsewhere(f"{DEVICES.get(device, 'another device')} (DLPack device {device})"))
    try:
        return np.asarray(item) if hasattr(item, "__array__") else np.from_dlpack(item)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ValueError(f"its {type(item).__name__} does not become a NumPy array: {error}") from None


def _of_torch(tensor: Any) -> Array:
    if tensor.device.type != "cpu":
        raise ValueError(_elsewhere(str(tensor.device)))
    if tensor.requires_grad and sys.modules["torch"].is_grad_enabled():
        message = "it requires a gradient, which irops.vjp computes from arrays; pass it with .detach()"
        raise ValueError(message)
    if str(tensor.layout) != "torch.strided":
        raise ValueError(f"it has the layout {tensor.layout}; pass it with .to_dense()")
    tensor = tensor.detach().resolve_conj().resolve_neg()
    code = TORCH_CODES.get(str(tensor.dtype).removeprefix("torch."))
    if code is None:
        array: Array = tensor.numpy()
        return array
    import ml_dtypes

    name = str(tensor.dtype).removeprefix("torch.")
    codes: Array = tensor.view(getattr(sys.modules["torch"], code)).numpy()
    return codes.view(getattr(ml_dtypes, name))


def _elsewhere(device: str) -> str:
    return f"it is on {device}, and irops computes on the CPU; move it there first"


def like(array: Array, model: Any) -> Any:
    """An array as one of the library of another: of torch, or of the namespace that the other one names.

    An array of a library that names none stays a NumPy array. Raises: ValueError for a type that it lacks
    """
    if is_torch(model):
        torch = sys.modules["torch"]
        name = array.dtype.name
        code = TORCH_CODES.get(name)
        plain = np.ascontiguousarray(array) if any(stride < 0 for stride in array.strides) else array
        plain = (plain if plain.flags.writeable else plain.copy()).reshape(array.shape)
        try:
            if code is not None and array.dtype.metadata is None:
                return torch.from_numpy(plain.view(code)).view(getattr(torch, name))
            return torch.from_numpy(plain)
        except TypeError:
            raise ValueError(f"the output is of the NumPy type {name}, which torch does not have") from None
    namespace = getattr(model, "__array_namespace__", None)
    return array if namespace is None else namespace().asarray(array)


_SURROGATE = re.compile("[\ud800-\udfff]")


def as_tensor(given: Any, wanted: ElementType = DYNAMIC) -> Array:
    """The array for kernels from a caller's value: strings become objects, codes are tagged.

    wanted: the declared element type, which distinguishes packed types that share a dtype
    Raises:  ValueError if the dtype of the array has no element type, or the array is on another device
    """
    array = array_of(given) if is_foreign(given) else np.asarray(given)
    if array.dtype.kind in "UST":
        array = array.astype(object)
    if wanted is not DYNAMIC and array.dtype == np.uint8 and wanted.dtype == np.uint8:
        array = tagged(array, wanted)
    if array.dtype == object:
        for item in array.ravel():
            if not isinstance(item, (str, bytes)):
                raise ValueError(
                    f"it has {item!r} among its elements, which is neither a number nor a string"
                )
            if isinstance(item, str) and _SURROGATE.search(item):
                raise ValueError(f"it has {item!r} among its elements, which UTF-8 cannot represent")
    element_type_of(array)
    return array


def fact_of(array: Array, *, with_value: bool = False) -> Fact:
    """The Fact of an array: its element type and shape, and its value if asked for."""
    return Fact(element_type_of(array), Shape(array.shape), array if with_value else None)


def result_array(result: Any, fact: Fact) -> Array:
    """The result of a kernel as an array of the inferred type; NumPy gives scalars for rank 0."""
    if isinstance(result, np.ndarray):
        array = result
    elif fact.element_type is STRING:
        array = np.empty((), dtype=object)
        array[()] = result
    else:
        array = np.asarray(result)
    return tagged(array, fact.element_type) if array.dtype == np.uint8 else array


LONG = 256
"""Arrays of more elements are written compressed."""


def literal(value: Any) -> str:
    """The value of an attribute."""
    return repr(str(value)) if isinstance(value, (ElementType, Shape)) else repr(value)


def array_literal(array: Array) -> str:
    """An array as an expression; for types that neither NumPy nor ml_dtypes has, an array of codes."""
    kind = element_type_of(array)
    if kind is STRING:
        return f"np.array({array.ravel().tolist()!r}, object){_shaped(array.shape)}"
    if kind.name in CODED:
        return _numbers(array.view(np.uint8), "uint8")
    known = array.dtype.type.__module__ == "numpy"
    if known and (not kind.floating or np.isfinite(array).all()):
        return _numbers(array, array.dtype.name)
    if kind.integral:
        return f"{_numbers(array.astype(np.int8), 'int8')}.astype(ml_dtypes.{array.dtype.name})"
    bits = codes(array)
    return f"{_numbers(bits, bits.dtype.name)}.view({'np' if known else 'ml_dtypes'}.{array.dtype.name})"


def _numbers(array: Array, dtype: str) -> str:
    name = "np.bool_" if dtype == "bool" else f"np.{dtype}"
    if array.size == 0:
        return f"np.zeros({array.shape}, {name})"
    if array.size <= LONG:
        return f"np.array({array.tolist()}, {name})"
    packed = base64.b85encode(zlib.compress(array.tobytes(), 9)).decode()
    return (
        f"np.frombuffer(zlib.decompress(base64.b85decode({packed!r})), {name}){_shaped(array.shape)}.copy()"
    )


def _shaped(shape: tuple[int, ...]) -> str:
    return "" if len(shape) == 1 else f".reshape({shape})"
