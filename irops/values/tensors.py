"""Arrays as tensors: what callers and kernels give, with an element type. A value that is not a tensor is a
list, None or a dict.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from irops.values.dim import Dim
from irops.values.element import DYNAMIC, I64, STRING, Array, ElementType, element_type_of, tagged
from irops.values.fact import Fact, MapFact, NoTensor, OptionalFact, SequenceFact
from irops.values.shape import Shape

CPU = {1: "the CPU", 3: "the CPU (pinned for CUDA)"}
"""The devices of DLPack whose memory a CPU reads."""
DEVICES = {
    2: "CUDA",
    4: "OpenCL",
    7: "Vulkan",
    8: "Metal",
    10: "ROCm",
    13: "CUDA",
    14: "oneAPI",
    15: "WebGPU",
}
TORCH_CODES = {
    "bfloat16": "int16",
    "float8_e4m3fn": "uint8",
    "float8_e5m2": "uint8",
    "float8_e8m0fnu": "uint8",
}
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
    if tensor.requires_grad:
        raise ValueError(
            "it requires a gradient, which irops.call and irops.vjp compute; pass it with .detach()"
        )
    if str(tensor.layout) != "torch.strided":
        raise ValueError(f"it has the layout {tensor.layout}; pass it with .to_dense()")
    tensor = tensor.resolve_conj().resolve_neg()
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
        return _to_torch(array)
    namespace = getattr(model, "__array_namespace__", None)
    return array if namespace is None else namespace().asarray(array)


def _to_torch(array: Array) -> Any:
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


# Tensors.


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
        other = next((item for item in array.flat if not isinstance(item, (str, bytes))), "")
        if not isinstance(other, (str, bytes)):
            raise ValueError(f"it has {other!r} among its elements, which is neither a number nor a string")
    element_type_of(array)
    return array


def as_value(given: Any, fact: Fact) -> Any:
    """The value for kernels from a caller's, where a Fact is declared: as as_tensor, but also a list of
    values, None for an optional value that is absent, a dict.

    Raises:  ValueError, as as_tensor does, and where the kind of the value is not the declared one
    """
    if isinstance(fact, OptionalFact):
        return None if given is None else as_value(given, fact.content)
    if isinstance(fact, SequenceFact):
        if not isinstance(given, (list, tuple)):
            raise ValueError(f"it is a {type(given).__name__}, must be a list")
        return [as_value(item, fact.content) for item in given]
    if isinstance(fact, MapFact):
        if not isinstance(given, dict):
            raise ValueError(f"it is a {type(given).__name__}, must be a dict")
        return given
    return as_tensor(given, fact.content.element_type if isinstance(fact, NoTensor) else fact.element_type)


def fact_of(array: Any, *, with_value: bool = False) -> Fact:
    """The Fact of a value: of an array its element type and shape, and its value if asked for."""
    value = array if with_value else None
    if array is None:
        return OptionalFact(present=False)
    if isinstance(array, list):
        facts = map(fact_of, array)
        return SequenceFact(reduce(Fact.union, facts) if array else None, Dim.of(len(array)), value)
    if isinstance(array, dict):
        keys = {STRING if isinstance(key, str) else I64 for key in array}
        values = [fact_of(np.asarray(item)) for item in array.values() if isinstance(item, np.ndarray)]
        content = reduce(Fact.union, values) if values and len(values) == len(array) else None
        return MapFact(keys.pop() if len(keys) == 1 else DYNAMIC, content, value)
    return Fact(element_type_of(array), Shape(array.shape), value)


def fact_where(declared: Fact | None, value: Any, *, with_value: bool = False) -> Fact:
    """The Fact of a value, where a Fact is declared: that of an optional value says whether it is there,
    that of an empty sequence what it might have.
    """
    if isinstance(declared, OptionalFact):
        if value is None:
            return OptionalFact(declared.content, present=False)
        content = fact_where(declared.content, value, with_value=with_value)
        return OptionalFact(content, True, value if with_value else None)
    if isinstance(declared, SequenceFact) and value == []:
        return SequenceFact(declared.content, Dim.of(0), value if with_value else None)
    return fact_of(value, with_value=with_value)


def form_of(value: Any) -> object:
    """What plans depend on of a value: shape and dtype of each array in it."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype
    if isinstance(value, list):
        return (list, *map(form_of, value))
    return type(value), *(value if isinstance(value, dict) else ())


def arrays_in(name: str, value: Any) -> Iterator[tuple[str, Array]]:
    """The arrays that a value of a name consists of: those of a list are name[0], name[1] ...; of a dict
    name[key].
    """
    if isinstance(value, dict):
        for key, item in value.items():
            yield from arrays_in(f"{name}[{key}]", item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from arrays_in(f"{name}[{index}]", item)
    elif value is not None:
        yield name, np.asarray(value)


def value_bytes(value: Any) -> int:
    """The bytes that a value takes in memory: of its arrays."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, (list, dict)):
        return sum(map(value_bytes, value.values() if isinstance(value, dict) else value))
    return 0


def result_value(result: Any, fact: Fact) -> Any:
    """The result of a kernel as a value of the inferred type: an array, or a list, None, a dict."""
    if isinstance(fact, SequenceFact) and isinstance(result, list):
        return [result_value(item, fact.content) for item in result]
    if result is None or isinstance(result, (list, dict)):
        return result
    return (
        result_value(result, fact.content) if isinstance(fact, OptionalFact) else result_array(result, fact)
    )


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
