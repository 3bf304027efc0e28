"""The gradient of broadcasting: the gradient of a repeated tensor is the sum over its repetitions."""

from __future__ import annotations

import numpy as np

from irops.values.element import Array

Sizes = tuple[int, ...]


def unbroadcast(gradient: Array, shape: Sizes) -> Array:
    """The gradient of a tensor of the given shape, which NumPy broadcast to the shape of `gradient`.

    Sums are computed in f64 (complex numbers in c128) and rounded once.
    """
    if gradient.shape == shape:
        return gradient
    new = gradient.ndim - len(shape)
    repeated = (
        *range(new),
        *(new + axis for axis, size in enumerate(shape) if size == 1 and gradient.shape[new + axis] != 1),
    )
    if not repeated:
        return gradient.reshape(shape)
    widest = np.complex128 if gradient.dtype.kind == "c" else np.float64
    total = gradient.astype(widest).sum(axis=repeated, keepdims=True)
    return np.asarray(total.astype(gradient.dtype)).reshape(shape)
