"""Arrays of other libraries: torch tensors, and whatever offers DLPack. No library is imported here."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from irops.values.element import Array

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
