"""Functions of Python libraries that do much the same as Reverse: there are no models to ask them with."""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.conformance.odd_inputs.odd import Question, Reply, sent
from irops.conformance.odd_inputs.refused import refused
from irops.conformance.odd_inputs.runtime import Runtime
from irops.values.element import CODED, Array, element_type_of, tagged

_TORCH = {"bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e8m0": "float8_e8m0fnu"}
"""What torch has and NumPy has not."""


def by_numpy(question: Question) -> Reply:
    data, axes = question.arrays
    why = _not_said(question, axes)
    if why is None and element_type_of(data).name in CODED:
        why = "NumPy has no such elements"
    if why is not None:
        return Reply("lacks", why)
    try:
        return Reply("gives", output=sent(np.asarray(np.flip(data, tuple(axes.tolist())))))
    except (ValueError, TypeError) as error:
        return refused(error, loaded=True)


def by_torch(question: Question) -> Reply:
    import torch

    data, axes = question.arrays
    why = _not_said(question, axes)
    if why is not None:
        return Reply("lacks", why)
    kind = element_type_of(data)
    try:
        tensor: Any = (
            torch.from_numpy(data.view(f"i{data.itemsize}")).view(getattr(torch, _TORCH[kind.name]))
            if kind.name in _TORCH
            else torch.from_numpy(data.copy())
        )
    except TypeError:
        return Reply("lacks", "PyTorch has no such elements, or takes none from NumPy")
    if kind.name in CODED:
        return Reply("lacks", "PyTorch has no such elements")
    try:
        flipped = torch.flip(tensor, tuple(axes.tolist()))
    except (RuntimeError, IndexError, TypeError) as error:
        return refused(error, loaded=True)
    bare = (
        flipped.view(getattr(torch, f"int{data.itemsize * 8}")).numpy().view(data.dtype)
        if kind.name in _TORCH
        else flipped.numpy()
    )
    return Reply("gives", output=sent(tagged(bare, kind)))


def _not_said(question: Question, axes: Array) -> str | None:
    """What these functions have no way to say."""
    if question.attributes.get("mode") != "index":
        return "there is no mode"
    if axes.ndim != 1:
        return "axes are a tuple"
    return None


RUNTIMES = (
    Runtime("numpy-flip", "numpy.flip", "", ("numpy",), by_numpy),
    Runtime("torch-flip", "torch.flip", "torch", ("torch",), by_torch),
)
