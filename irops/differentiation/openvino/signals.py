"""The derivatives of Fourier transforms, of bags of embeddings, and of ranges."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, prod, sqrt
from typing import Any

import numpy as np

from irops.differentiation.deriving import (
    Cotangents,
    Derivation,
    composition,
    derivative,
    part_of_formula,
)


def _plan(d: Derivation, shape: Sequence[int]) -> tuple[list[int], list[int]]:
    """The axes of a transform, from 0, and the sizes to which the signal is cropped or padded."""
    axes = [int(axis) % len(shape) for axis in d.constant_of("axes")]
    asked = [-1] * len(axes)
    if d.optional("signal_size") is not None:
        asked = [int(size) for size in d.constant_of("signal_size")]
    return axes, [shape[axis] if size == -1 else size for axis, size in zip(axes, asked)]


def _back_to_data(d: Derivation, term: Any, axes: Sequence[int]) -> Any:
    shape = d.fixed_shape(d.input("data"))
    return d.sized(term, {axis: shape[axis] for axis in axes})


@derivative("DFT-7", "IDFT-7")
def fourier(d: Derivation) -> Cotangents:
    """The transform in the other direction; the inverse one divides by the number of elements."""
    axes, sizes = _plan(d, d.fixed_shape(d.input("data"))[:-1])
    other = "IDFT-7" if d.op.id == "DFT-7" else "DFT-7"
    count = float(prod(sizes))
    found = d.add(other, d.cot, np.array(axes, np.int64)) * (count if other == "IDFT-7" else 1 / count)
    return {"data": _back_to_data(d, found, axes)}


@derivative("RDFT-9")
def real_fourier(d: Derivation) -> Cotangents:
    """The real part of the inverse transform of the half spectrum, padded with zeros."""
    axes, sizes = _plan(d, d.fixed_shape(d.input("data")))
    rank = len(d.fixed_shape(d.cot))
    full = d.sized(d.cot, {axes[-1]: sizes[-1]})
    found = d.add("IDFT-7", full, np.array(axes, np.int64)) * float(prod(sizes))
    real = d.add("Gather-8", found, d.at(0), d.at(rank - 1))
    return {"data": _back_to_data(d, real, axes)}


@derivative("IRDFT-9")
def real_inverse_fourier(d: Derivation) -> Cotangents:
    """The half spectrum of the cotangent; all but the first and the middle frequency count twice."""
    shape = d.fixed_shape(d.input("data"))
    axes, sizes = _plan(d, shape[:-1])
    last = axes[-1]
    sizes[-1] = d.fixed_shape(d.cot)[last]
    weights = np.full(sizes[-1] // 2 + 1, 2.0)
    weights[0] = 1
    if sizes[-1] % 2 == 0:
        weights[-1] = 1
    weights = weights.reshape([-1 if n == last else 1 for n in range(len(shape))]) / prod(sizes)
    found = d.add("RDFT-9", d.cot, np.array(axes, np.int64))
    weighted = found * weights.astype(d.kind_of(d.cot).dtype)
    return {"data": _back_to_data(d, weighted, axes)}


def _window(d: Derivation, size: int) -> Any:
    """The window, padded with zeros to a frame."""
    window = d.input("window")
    length = d.fixed_shape(window)[0]
    before = (size - length) // 2
    pads = np.array([before], np.int64), np.array([size - length - before], np.int64)
    return d.add("Pad-12", window, *pads, d.nought(window), pad_mode="constant")


def _swapped(d: Derivation, term: Any) -> Any:
    """A tensor [..., a, b, 2] as [..., b, a, 2]."""
    rank = len(d.builder.fact(term).shape)
    return d.transposed(term, [*range(rank - 3), rank - 2, rank - 3, rank - 1])


@composition("STFT-15")
def stft(d: Derivation) -> Sequence[Any]:
    size, step = (int(d.constant_of(name)[0]) for name in ("frame_size", "frame_step"))
    length = d.fixed_shape(d.input("signal"))[-1]
    places = np.arange(0, length - size + 1, step)[:, None] + np.arange(size)
    frames = d.add("Gather-8", d.input("signal"), places, d.at(-1)) * _window(d, size)
    # as a product of cosines and sines: RDFT has no f64
    angles = 2 * pi * np.arange(size)[:, None] * np.arange(size // 2 + 1) / size
    matrix = np.stack([np.cos(angles), -np.sin(angles)], -1).reshape(size, -1)
    spectra = frames @ matrix.astype(d.kind_of(frames).dtype)
    found = d.in_shape(spectra, [*d.fixed_shape(frames)[:-1], size // 2 + 1, 2])
    return [_swapped(d, found) if d.attributes["transpose_frames"] else found]


def _real_frames(d: Derivation, spectra: Any, size: int) -> Any:
    """The inverse real transforms of spectra [..., frequencies, 2], as products with cosines and sines."""
    *outer, count, _ = d.fixed_shape(spectra)
    count = min(count, size // 2 + 1)
    frequencies = np.arange(count)[:, None]
    angles = 2 * pi * frequencies * np.arange(size) / size
    weights = np.where((frequencies == 0) | (2 * frequencies == size), 1, 2) / size
    matrix = np.stack([weights * np.cos(angles), -weights * np.sin(angles)], 1).reshape(2 * count, size)
    cut = d.sized(spectra, {len(outer): count})
    return d.in_shape(cut, [*outer, 2 * count]) @ matrix.astype(d.kind_of(spectra).dtype)


@composition("ISTFT-16")
def istft(d: Derivation) -> Sequence[Any]:
    """The frames times the window, added where they overlap, over the sum of the squares of the window."""
    size, step = (int(d.constant_of(name)[0]) for name in ("frame_size", "frame_step"))
    spectra = _swapped(d, d.input("data"))
    kind = d.kind_of(spectra).dtype
    frames = _real_frames(d, spectra, size)
    if d.attributes["normalized"]:
        frames = frames * sqrt(size)
    window = _window(d, size)
    *outer, count, _ = d.fixed_shape(frames)
    covered, margin = max(count - 1, 0) * step + size, size // 2 if d.attributes["center"] else 0
    length = covered - 2 * margin
    if d.optional("signal_length") is not None:
        length = int(d.constant_of("signal_length")[0])
    places = (np.arange(count)[:, None] * step + np.arange(size)).ravel()

    def added(term: Any, shape: Sequence[int]) -> Any:
        target = np.zeros((*shape, covered), kind)
        indices = np.broadcast_to(places, (*shape, count * size)).astype(np.int64)
        flat = d.in_shape(term, [*shape, count * size])
        return d.add("ScatterElementsUpdate-12", target, indices, flat, d.at(-1), reduction="sum")

    squares = d.add("Broadcast-3", window * window, np.array([count, size], np.int64))
    weights = added(squares, ())
    is_covered = d.add("NotEqual-1", weights, 0)
    signal = d.where(is_covered, added(frames * window, outer) / d.where(is_covered, weights, 1.0), 0.0)
    end = min(covered, margin + length)
    one = np.array([1], np.int64)
    cut = d.add("Slice-8", signal, one * margin, one * max(end, margin), one, one * len(outer))
    return [d.sized(cut, {len(outer): length})]


# Bags of embeddings: sums of rows of a table.


def _bags(d: Derivation, table: Any, indices: Any, bags: Any, count: int, weights: Any) -> Any:
    """The sums of the rows of each bag. bags: the number of the bag of each index, from 1; 0 for none"""
    rows = d.add("Gather-8", table, indices, d.at(0))
    shape = d.fixed_shape(table)
    if weights is not None:
        rows = rows * d.in_shape(weights, [-1] + [1] * (len(shape) - 1))
    default, kind = d._places.get("default_index"), d.kind_of(table).dtype
    places = d.add("Unsqueeze-1", bags, d.at(1))
    target = np.zeros((count + 1, *shape[1:]), kind)
    sums = d.add("ScatterNDUpdate-15", target, places, rows, reduction="sum")
    ones = np.ones(d.fixed_shape(indices), kind)
    sizes = d.add("ScatterNDUpdate-15", np.zeros(count + 1, kind), places, ones, reduction="sum")
    sizes = d.in_shape(sizes, [-1] + [1] * (len(shape) - 1))
    if d.attributes.get("reduction", "sum") == "mean":
        sums = sums / d.add("Maximum-1", sizes, 1.0)
    if default is not None and d.optional("default_index") is not None:
        index = d.add("Maximum-1", d.optional("default_index"), 0)
        row = d.add("Gather-8", table, d.in_shape(index, [1]), d.at(0))
        is_given = d.add("GreaterEqual-1", d.in_shape(d.optional("default_index"), [1] * len(shape)), 0)
        is_empty = d.add("LogicalAnd-1", d.add("Equal-1", sizes, 0), is_given)
        sums = d.where(is_empty, row, sums)
    one = np.array([1], np.int64)
    return d.add("Slice-8", sums, one, one * (count + 1), one, one * 0)


@composition("EmbeddingBagPackedSum-3", "EmbeddingBagPacked-15")
def packed_bags(d: Derivation) -> Sequence[Any]:
    count, size = d.fixed_shape(d.input("indices"))
    bags = np.repeat(np.arange(1, count + 1), size)
    weights = d.optional("per_sample_weights")
    weights = None if weights is None else d.in_shape(weights, [-1])
    return [_bags(d, d.input("emb_table"), d.in_shape(d.input("indices"), [-1]), bags, count, weights)]


@composition("EmbeddingBagOffsetsSum-3", "EmbeddingBagOffsets-15")
def bags_by_offsets(d: Derivation) -> Sequence[Any]:
    indices, offsets = d.input("indices"), d.input("offsets")
    (length,), (count,) = d.fixed_shape(indices), d.fixed_shape(offsets)
    wide = d.add("Convert-1", offsets, destination_type="i64")
    begun = d.add("LessEqual-1", d.add("Unsqueeze-1", wide, d.at(1)), np.arange(length)[None])
    bags = d.add("ReduceSum-1", d.add("Convert-1", begun, destination_type="i64"), np.array([0]))
    return [_bags(d, d.input("emb_table"), indices, bags, count, d.optional("per_sample_weights"))]


@composition("EmbeddingSegmentsSum-3")
def segment_bags(d: Derivation) -> Sequence[Any]:
    bags = d.add("Convert-1", d.input("segment_ids"), destination_type="i64") + 1
    count = int(d.constant_of("num_segments")[0])
    return [_bags(d, d.input("emb_table"), d.input("indices"), bags, count, d.optional("per_sample_weights"))]


for _name in ("start", "step"):  # where constants, they say how many elements there are
    part_of_formula("Range-1", _name, lambda _: True)
    part_of_formula("Range-4", _name, lambda _: True)


@derivative("Range-1", "Range-4")
def ranges(d: Derivation) -> Cotangents:
    """The elements are start + n * step; their number changes in steps only."""
    (count,) = d.fixed_shape(d.cot)
    found = {}
    for name, factors in (("start", np.ones(count)), ("step", np.arange(count))):
        kind = d.kind_of(d.input(name))
        if d.wants(name):
            total = d.total(d.cot * factors.astype(d.kind_of(d.cot).dtype), [0])
            found[name] = d.as_shape(d.typed(total, kind), d.input(name))
    return found
