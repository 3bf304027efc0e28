"""Depthwise convolution: one filter for each channel, added up tap by tap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from irops.ops.blocks import blocks
from irops.ops.sliding import Numbers, Slide
from irops.values.element import Array

BLOCK_ELEMENTS = 1 << 15
"""The elements of the output that are computed at once."""


def depthwise(data: Array, filters: Array, slides: Sequence[Slide]) -> Array:
    """Convolve each channel with its own filter. Only for floats: sums of integers would not saturate.

    Shapes:  data[N, C, sizes...], filters[C, taps...] -> [N, C, positions...]
    """
    channels, layout = len(filters), Layout.of(slides)
    output = np.empty((len(data), channels, *layout.positions), data.dtype)
    weights = filters.reshape(channels, -1)
    each = min(next(blocks(channels, layout.length, BLOCK_ELEMENTS)).stop, channels)
    phases = np.zeros((len(layout.phases), each, prod(layout.sizes)), data.dtype)
    sums, products = (np.empty((each, prod(layout.sizes)), data.dtype) for _ in range(2))
    for item, results in zip(data, output):
        for block in blocks(channels, layout.length, BLOCK_ELEMENTS):
            count = len(results[block])
            layout.fill(phases[:, :count], item[block])
            layout.convolve(phases[:, :count], weights[block], sums[:count], products[:count])
            results[block] = layout.at_positions(sums[:count])
    return output


@dataclass(frozen=True, slots=True)
class Layout:
    """How padded channels are stored, so that a tap reads one contiguous slice of elements at all positions.

    Elements whose distance is a multiple of the strides form a phase; with strides of 1 there is one. A tap
    reads, at position p, the element p + shift of its phase. Phases are larger than the output: what is
    computed between the rows of the output is ignored.

    phases: for each, the windows of a single tap that read its elements; sizes: of a phase; taps: for each
    tap its phase and its shift; positions: of the output; length: from its first position to its last
    """

    phases: tuple[tuple[Slide, ...], ...]
    sizes: Numbers
    taps: tuple[tuple[int, int], ...]
    positions: Numbers
    length: int

    @classmethod
    def of(cls, slides: Sequence[Slide]) -> Layout:
        positions = tuple(slide.positions for slide in slides)
        sizes = tuple(s.positions + (s.taps - 1) * s.dilation // s.stride for s in slides)
        steps = [prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
        numbers: dict[Numbers, int] = {}
        taps = []
        for tap in np.ndindex(*(slide.taps for slide in slides)):
            apart = [divmod(t * slide.dilation, slide.stride) for t, slide in zip(tap, slides)]
            number = numbers.setdefault(tuple(rest for _, rest in apart), len(numbers))
            taps.append((number, sum(shift * step for (shift, _), step in zip(apart, steps))))
        phases = tuple(
            tuple(
                replace(slide, taps=1, dilation=1, before=slide.before - rest, positions=size)
                for slide, rest, size in zip(slides, phase, sizes)
            )
            for phase in numbers
        )
        length = sum((count - 1) * step for count, step in zip(positions, steps)) + 1
        return cls(phases, sizes, tuple(taps), positions, length)

    def fill(self, phases: Array, data: Array) -> None:
        """Copy data[C, sizes...] to phases[phase, C, elements], where padding is 0 already."""
        for number, slides in enumerate(self.phases):
            positions, elements = zip(*(slide.meet(0) for slide in slides))
            phase = phases[number].reshape(len(data), *self.sizes)
            phase[(slice(None), *positions)] = data[(slice(None), *elements)]

    def convolve(self, phases: Array, weights: Array, sums: Array, products: Array) -> None:
        """Write the sum over all taps of elements times weights[C, taps] to sums. products: overwritten."""
        total, product = sums[:, : self.length], products[:, : self.length]
        total[...] = 0
        for (phase, shift), weight in zip(self.taps, weights.T):
            elements = phases[phase, :, shift : shift + self.length]
            total += np.multiply(elements, weight[:, np.newaxis], out=product)

    def at_positions(self, sums: Array) -> Array:
        """The sums at the positions of the output: [C, positions...]."""
        return sums.reshape(len(sums), *self.sizes)[(slice(None), *map(slice, self.positions))]
