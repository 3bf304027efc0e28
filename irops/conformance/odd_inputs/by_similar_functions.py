"""Run functions of Python libraries that are similar to Reverse; they take arguments instead of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.conformance.odd_inputs.odd_input import Reply, Request, serialized
from irops.conformance.odd_inputs.refusals import refused
from irops.conformance.odd_inputs.runtime import Runtime
from irops.values.element import CODED, Array, element_type_of, tagged

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
        return Reply("computes", output=serialized(np.asarray(np.flip(data, tuple(axes.tolist())))))
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
    return Reply("computes", output=serialized(tagged(bare, kind)))


def _not_expressible(request: Request, axes: Array) -> str | None:
    """Why the functions cannot express the input, or None."""
    if request.attributes.get("mode") != "index":
        return "the function has no mode"
    if axes.ndim != 1:
        return "the function takes axes as a tuple"
    return None


RUNTIMES = (
    Runtime("numpy-flip", "numpy.flip", "", ("numpy",), by_numpy),
    Runtime("torch-flip", "torch.flip", "torch", ("torch",), by_torch),
)
