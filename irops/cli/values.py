"""Short texts of the values of a tensor."""

from __future__ import annotations

import numpy as np

from irops.diagnostics.printable import printable
from irops.values.dim import Dim
from irops.values.element import BOOLEAN, STRING, Array, element_type_of
from irops.values.fact import holds_dims

SHOWN = 4


def exact(array: Array) -> str:
    """All elements; partly known dims as intervals or symbols."""
    if holds_dims(array):
        return _nested(array.tolist())
    if element_type_of(array) is STRING:
        return printable(repr(array.tolist()))
    numbers = array.astype(np.float64) if element_type_of(array).floating else array
    return _nested(numbers.tolist())


def _nested(items: object) -> str:
    if isinstance(items, list):
        return f"[{', '.join(map(_nested, items))}]"
    if isinstance(items, Dim):
        return items.spelled
    return f"{items:.6g}" if isinstance(items, float) else str(items)


def first_elements(array: Array) -> str:
    """The first elements, and the number of NaNs."""
    kind = element_type_of(array)
    elements = array.ravel()[:SHOWN]
    if kind is STRING:
        words = [printable(repr(str(item))) for item in elements]
    elif kind is BOOLEAN:
        words = [str(bool(item)).lower() for item in elements]
    elif kind.kind == "complex":
        words = [f"{complex(item):.3g}" for item in elements]
    else:
        words = [f"{float(item):.3g}" if kind.floating else str(int(item)) for item in elements]
    more = [*words, "..."] if array.size > SHOWN else words
    nans = int(np.isnan(array.astype(np.float64)).sum()) if kind.floating else 0
    return " ".join((*more, f"({nans} nan)")) if nans else " ".join(more)


def minimum_mean_maximum(array: Array) -> tuple[str, str, str]:
    """The minimum, mean and maximum; empty texts for few elements, or for elements without an order."""
    kind = element_type_of(array)
    if array.size <= SHOWN or kind is STRING or kind.kind == "complex":
        return "", "", ""
    numbers = array.astype(np.float64)
    valid = numbers[~np.isnan(numbers)]
    if valid.size == 0:
        return "", "", ""
    with np.errstate(all="ignore"):
        low, mean, high = (f"{float(number):.4g}" for number in (valid.min(), valid.mean(), valid.max()))
    return ("", mean, "") if kind is BOOLEAN else (low, mean, high)
