"""Depthwise convolution: one filter for each channel."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irops.ops.reals import blocks
from irops.ops.sliding import Slide
from irops.values.element import Array

BLOCK_ELEMENTS = 1 << 15
"""The elements of the output that are computed at once."""


def depthwise(data: Array, filters: Array, slides: Sequence[Slide]) -> Array:
    """Convolve each channel with its own filter. Only for floats: sums of integers would not saturate.

    Shapes:  data[N, C, sizes...], filters[C, taps...] -> [N, C, positions...]
    """
    channels, positions = len(filters), tuple(slide.positions for slide in slides)
    output = np.empty((*data.shape[:2], *positions), data.dtype)
    if not output.size:
        return output
    sums = output.reshape(len(data), channels, prod(positions))
    weights = filters.reshape(channels, filters.shape[1], -1)
    each = min(next(blocks(channels, prod(positions), BLOCK_ELEMENTS)).stop, channels)
    shared = slides[0].stride == 1 and prod(positions[1:]) > 1
    columns = np.zeros((each, *_column_shape(slides, shared)), data.dtype)
    for item, results in zip(data, sums):
        for block in blocks(channels, prod(positions), BLOCK_ELEMENTS):
            elements = columns[: len(results[block])]
            _fill(elements, item[block], slides, shared)
            by_tap = _by_tap(elements, slides, shared)
            np.einsum("cijp,cij->cp", by_tap, weights[block], out=results[block])
    return output


def _column_shape(slides: Sequence[Slide], shared: bool) -> tuple[int, ...]:
    """The elements under each tap at each position: [taps..., positions...].

    shared: the taps along the first axis share the elements, which then are all rows under any tap:
        [1, taps..., rows, positions...].
    """
    first = slides[0]
    taps, rows = (first.taps, first.positions)
    if shared:
        taps, rows = 1, first.positions + (first.taps - 1) * first.dilation
    return (taps, *(s.taps for s in slides[1:]), rows, *(s.positions for s in slides[1:]))


def _fill(columns: Array, data: Array, slides: Sequence[Slide], shared: bool) -> None:
    """Copy data[C, sizes...] to columns[C, *_column_shape], whose padding is 0 already."""
    if shared:
        first, *others = slides
        rows = columns.shape[len(slides) + 1]
        slides = (Slide(first.size, 1, 1, 1, first.before, rows), *others)
    for tap in np.ndindex(columns.shape[1 : len(slides) + 1]):
        positions, elements = zip(*(slide.meet(t) for slide, t in zip(slides, tap)))
        columns[(slice(None), *tap, *positions)] = data[(slice(None), *elements)]


def _by_tap(columns: Array, slides: Sequence[Slide], shared: bool) -> Array:
    """The elements under each tap: [C, taps of the first axis, taps of the others, positions]."""
    first, *others = slides
    count, row = prod(slide.positions for slide in slides), prod(slide.positions for slide in others)
    flat = columns.reshape(len(columns), columns.shape[1], prod(slide.taps for slide in others), -1)
    if not shared:
        return flat
    channel, _, other, element = flat.strides
    return as_strided(
        flat,
        (len(flat), first.taps, flat.shape[2], count),
        (channel, first.dilation * row * element, other, element),
        writeable=False,
    )
