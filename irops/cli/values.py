"""Short texts of the values of a tensor."""

from collections.abc import Iterator

import numpy as np

from irops.diagnostics.printable import printable, shown
from irops.values.dim import Dim
from irops.values.element import BOOLEAN, STRING, Array, element_type_of
from irops.values.fact import holds_dims

SHOWN = 4
BLOCK = 1 << 16
"""How many elements are converted at a time."""


def exact(array: Array) -> str:
    """All elements; partly known dims as intervals or symbols. Of none, [], however many axes there are."""
    if not array.size:
        return "[]"
    if holds_dims(array):
        return _nested(array.tolist())
    if element_type_of(array) is STRING:
        return printable(repr(array.tolist()))
    with np.errstate(all="ignore"):  # a signalling NaN
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
        words = [shown(repr(str(item))) for item in elements]
    elif kind is BOOLEAN:
        words = [str(bool(item)).lower() for item in elements]
    elif kind.kind == "complex":
        words = [f"{complex(item):.3g}" for item in elements]
    else:
        words = [f"{float(item):.3g}" if kind.floating else str(int(item)) for item in elements]
    more = [*words, "..."] if array.size > SHOWN else words
    nans = sum(int(np.isnan(numbers).sum()) for numbers in _blocks(array)) if kind.floating else 0
    return " ".join((*more, f"({nans} nan)")) if nans else " ".join(more)


def minimum_mean_maximum(array: Array) -> tuple[str, str, str]:
    """The minimum, mean and maximum; empty texts for few elements, or for elements without an order."""
    kind = element_type_of(array)
    if array.size <= SHOWN or kind is STRING or kind.kind == "complex":
        return "", "", ""
    low, high, mean, count = np.inf, -np.inf, np.float64(0), 0
    with np.errstate(all="ignore"):
        for numbers in _blocks(array):
            valid = numbers[~np.isnan(numbers)]
            if valid.size:
                low, high = min(low, valid.min()), max(high, valid.max())
                count += valid.size
                share = valid.size / count  # of the block in all elements so far
                mean = valid.mean() if share == 1 else mean * (1 - share) + valid.mean() * share
    if count == 0:
        return "", "", ""
    texts = tuple(f"{float(number):.4g}" for number in (low, mean, high))
    return ("", texts[1], "") if kind is BOOLEAN else (texts[0], texts[1], texts[2])


def _blocks(array: Array) -> Iterator[Array]:
    """The elements as float64, a block at a time: the whole array in that type may not fit in memory."""
    array = np.asarray(array)
    flat = array.flat if array.ndim <= 32 else array.ravel()  # more axes than a flat iterator takes
    for start in range(0, array.size, BLOCK):
        with np.errstate(all="ignore"):  # a signalling NaN
            numbers = flat[start : start + BLOCK].astype(np.float64)
        yield numbers
