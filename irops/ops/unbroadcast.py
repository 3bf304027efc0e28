"""Gradients of what several ops do: sums over broadcast axes, and attenuation."""

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.values.element import Array, element_type_of


def attenuated(gradient: Array, coefficient: float) -> Array:
    """The gradient times the coefficient, in the type of the gradient; with coefficient 1 the same array.

    Follows IEEE 754, so that 0 times infinity is NaN. f16 and bf16 are multiplied in f32. The real and the
    imaginary parts of complex numbers are multiplied separately.
    """
    if coefficient == 1:
        return gradient
    if gradient.dtype.kind == "c":
        parts = np.ascontiguousarray(gradient).view(gradient.real.dtype)
        return np.asarray(parts * parts.dtype.type(coefficient)).view(gradient.dtype)
    numbers = as_numbers(gradient)
    return converted(numbers * numbers.dtype.type(coefficient), element_type_of(gradient))


Sizes = tuple[int, ...]


def unbroadcast(gradient: Array, shape: Sizes) -> Array:
    """The gradient of a tensor of the given shape, which NumPy broadcast to the shape of `gradient`.

    Sums are computed in f64 (complex numbers in c128) and rounded once.
    """
    if gradient.shape == shape:
        return gradient
    new = gradient.ndim - len(shape)
    sizes = zip(shape, gradient.shape[new:])
    repeated = (*range(new), *(new + k for k, (size, of) in enumerate(sizes) if size == 1 and of != 1))
    if not repeated:
        return gradient.reshape(shape)
    widest = np.complex128 if gradient.dtype.kind == "c" else np.float64
    total = gradient.astype(widest).sum(axis=repeated, keepdims=True)
    return np.asarray(total.astype(gradient.dtype)).reshape(shape)
