"""Windows of signals, and the matrix of the mel scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irops.dialects.onnx.ops.cast import cast
from irops.ops.conversion import as_numbers
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim
from irops.values.element import Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


def length(number: Fact, constraint: str) -> Dim:
    """The size that a single element gives. Raises: Violation(constraint) if it is negative, or not one"""
    require(number.shape.size.can_be(1), constraint, number)
    dims = number.dims
    size = dims[0] if dims else ANY
    require(size >= 0, constraint, size)
    return size.at_least(0)


@shape("onnx:HannWindow-17", "onnx:HammingWindow-17", "onnx:BlackmanWindow-17")
def window_shape(size: Fact, *, output_datatype: ElementType) -> Fact:
    return Fact(output_datatype, Shape.of(length(size, "C1")))


def cosines(size: Array, periodic: bool, factors: Sequence[float], to: ElementType) -> Array:
    """The sum of factors[k] * cos(2 pi k n / N) at the positions n of a window."""
    count = int(as_i64(size).item())
    require(count >= 0, "C1", count)
    turns = 2 * np.pi * np.arange(count) / np.float64(count if periodic else count - 1)
    terms = [np.full(count, factors[0]), *(f * np.cos(k * turns) for k, f in enumerate(factors) if k)]
    return cast(np.asarray(sum(terms)), to=to)


@kernel("onnx:HannWindow-17")
def hann_window(size: Array, *, periodic: bool, output_datatype: ElementType) -> Array:
    return cosines(size, periodic, (0.5, -0.5), output_datatype)


@kernel("onnx:HammingWindow-17")
def hamming_window(size: Array, *, periodic: bool, output_datatype: ElementType) -> Array:
    return cosines(size, periodic, (25 / 46, -21 / 46), output_datatype)


@kernel("onnx:BlackmanWindow-17")
def blackman_window(size: Array, *, periodic: bool, output_datatype: ElementType) -> Array:
    return cosines(size, periodic, (0.42, -0.5, 0.08), output_datatype)


@shape("onnx:MelWeightMatrix-17")
def mel_weight_matrix_shape(
    num_mel_bins: Fact,
    dft_length: Fact,
    sample_rate: Fact,
    lower_edge_hertz: Fact,
    upper_edge_hertz: Fact,
    *,
    output_datatype: ElementType,
) -> Fact:
    for single in (sample_rate, lower_edge_hertz, upper_edge_hertz):
        require(single.shape.size.can_be(1), "C1", single)
    bands, points = length(num_mel_bins, "C1"), length(dft_length, "C1")
    rate = sample_rate.dims
    require(not rate or rate[0] > 0, "C2", rate)
    return Fact(output_datatype, Shape.of(points // 2 + 1, bands))


@kernel("onnx:MelWeightMatrix-17")
def mel_weight_matrix(
    num_mel_bins: Array,
    dft_length: Array,
    sample_rate: Array,
    lower_edge_hertz: Array,
    upper_edge_hertz: Array,
    *,
    output_datatype: ElementType,
) -> Array:
    bands, points, rate = (int(as_i64(number).item()) for number in (num_mel_bins, dft_length, sample_rate))
    lowest, highest = (
        2595 * np.log10(1 + as_numbers(edge).astype(np.float64).item() / 700)
        for edge in (lower_edge_hertz, upper_edge_hertz)
    )
    mels = lowest + np.arange(bands + 2) * (highest - lowest) / (bands + 2)
    bins = np.floor((points + 1) * (700 * (10 ** (mels / 2595) - 1)) / rate)
    left, center, right = bins[:-2], bins[1:-1], bins[2:]
    row = np.arange(points // 2 + 1)[:, np.newaxis]
    rising = np.where(center > left, (row - left) / (center - left), 1.0)
    falling = (right - row) / (right - center)
    up, down = (left <= row) & (row <= center), (center < row) & (row < right)
    return cast(np.where(up, rising, np.where(down, falling, 0.0)), to=output_datatype)
