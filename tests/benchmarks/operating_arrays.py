"""Arrays and constants for models of one op; random numbers of one seed."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Table = dict[str, tuple[list[Array], Any]]
"""The arrays of each case, and what makes its op, or its outputs."""
RNG = np.random.default_rng(0)
IMAGE = (1, 64, 112, 112)
TOKENS = (1, 128, 768)
HIDDEN = (1, 128, 3072)


def reals(*shape: int) -> Array:
    return RNG.random(shape, np.float32)


def signed(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def whole(high: int, *shape: int) -> Array:
    return RNG.integers(0, high, shape)


def fixed(value: Any, kind: Any = np.int64) -> Any:
    """A constant of OpenVINO."""
    from openvino import opset13

    return opset13.constant(np.array(value, kind))


def real(value: Any) -> Any:
    """A constant of f32."""
    return fixed(value, np.float32)


def weights(*shape: int) -> Any:
    """A constant of small random numbers."""
    from openvino import opset13

    return opset13.constant(signed(*shape) * np.float32(0.1))
