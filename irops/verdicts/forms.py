"""Values that two sources declare otherwise: integers of other types, shapes with further axes of size 1."""

from __future__ import annotations

import numpy as np

from irops.values.element import Array, ElementType, element_type_of
from irops.values.shape import Shape


def in_form_of(truth: Array, ours: Array, instead_of: str = "not") -> tuple[Array | None, str]:
    """A value in the element type and shape of another one, and what it declares otherwise: "" for nothing.

    None where it has no such form: its type or shape is another one, or its integers exceed the type.
    instead_of: the word before what the other one declares
    """
    kind, other = element_type_of(truth), element_type_of(ours)
    of_type = f"has element type {other}, {instead_of} {kind}" if kind is not other else ""
    of_shape = (
        f"has shape {Shape(ours.shape)}, {instead_of} {Shape(truth.shape)}"
        if truth.shape != ours.shape
        else ""
    )
    if of_type and not _fits(ours, other, kind):
        return None, of_type
    if of_shape and not _has_further_axes(*sorted((truth.shape, ours.shape), key=len)):
        return None, of_shape
    changed = ours.astype(truth.dtype) if of_type else ours
    return changed.reshape(truth.shape), "; ".join(filter(None, (of_type, of_shape)))


def _fits(array: Array, kind: ElementType, other: ElementType) -> bool:
    """Whether an array of one type has elements of another one: both integers, of which none is beyond it."""
    if not (kind.integral and other.integral):
        return False
    low, high = other.extent
    numbers = (
        array if array.dtype.kind in "iu" else array.astype(np.int64)
    )  # as the narrow types of ml_dtypes
    return not array.size or (int(numbers.min()) >= low and int(numbers.max()) <= high)


def _has_further_axes(shorter: tuple[int, ...], longer: tuple[int, ...]) -> bool:
    """Whether a shape is another one with axes of size 1 inserted."""
    rest = list(longer)
    for size in reversed(shorter):
        while rest and rest[-1] != size and rest[-1] == 1:
            rest.pop()
        if not rest or rest.pop() != size:
            return False
    return all(size == 1 for size in rest)
