"""AvgPool: the mean over a sliding window."""

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from irops.ops.conversion import as_numbers, low_bits
from irops.ops.pooling.windows import Window, pooled_shape, windows
from irops.ops.sliding import Slide, at
from irops.spec.binding import kernel, shape
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


@shape("AvgPool-1", "AvgPool-14")
def avg_pool_shape(data: Fact, *, exclude_pad: bool, **window: Any) -> Shape:
    return _pooled(data.shape, windows(**window), exclude_pad)


@shape("AvgPool-16")
def avg_pool_16_shape(data: Fact, *, exclude_pad: bool, **window: Any) -> Shape:
    warn_unless(window["dilations"], "C10")
    return _pooled(data.shape, windows(**window), exclude_pad)


def _pooled(data: Shape, along: Sequence[Window], exclude_pad: bool) -> Shape:
    """The output shape. Raises: Violation(C5) if a window may lie on padding alone, and the other ones of
    pooled_shape.
    """
    pooled = pooled_shape(data, list(along))
    if exclude_pad and data.dims is not None:
        for window, size in zip(along, data[2:]):
            fits = not size.known or max(window.padding(int(size))) < window.reach
            padding = f"padding {window.before} and {window.after}"
            require(fits, "C5", padding, f"a window of {window.reach}")
    return pooled


@kernel("AvgPool-1", "AvgPool-14", "AvgPool-16", widen=True)
def avg_pool(data: Array, *, exclude_pad: bool, **window: Any) -> Array:
    along = windows(**window)
    slides = [window.slide(size) for window, size in zip(along, data.shape[2:])]
    padded = any(any(window.padding(size)) for window, size in zip(along, data.shape[2:]))
    covered = reduce(np.multiply.outer, (slide.counts() for slide in slides))
    counts = np.asarray(prod(one.taps for one in along)) if padded and not exclude_pad else covered
    # 0 for a count of 0; integers are rounded, ties to even
    kind = element_type_of(data)
    if kind.floating:
        means: Array = _sums(data, slides) / np.maximum(counts, 1).astype(data.dtype)
        return means
    wide = np.uint64 if kind.name == "u64" else np.int64
    divisors = np.maximum(counts, 1).astype(wide)
    quotients, remainders = np.divmod(_sums(as_numbers(data).astype(wide), slides), divisors)
    round_up = (2 * remainders > divisors) | ((2 * remainders == divisors) & (quotients % 2 == 1))
    return low_bits(quotients + round_up.astype(wide), kind)


def _sums(data: Array, slides: Sequence[Slide]) -> Array:
    """The sums of the elements under each window, computed one axis after the other."""
    for axis, slide in reversed(list(enumerate(slides, 2))):
        total = np.zeros((*data.shape[:axis], slide.positions, *data.shape[axis + 1 :]), data.dtype)
        if slide.taps <= slide.positions:
            for positions, elements in map(slide.meet, range(slide.taps)):
                total[at(axis, positions)] += data[at(axis, elements)]
        else:
            for position in range(slide.positions):
                total[at(axis, position)] = data[at(axis, slide.cover(position))].sum(axis=axis)
        data = total
    return data
