"""Fourier transforms of ONNX: real or complex signals on the last axis, with or without the mirrored half."""

from __future__ import annotations

import numpy as np

from irops.ops.conversion import as_numbers
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import Array, as_i64, element_type_of
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

LAST_BUT_ONE = -2
"""The axis that is transformed if none is named."""


@shape("onnx:DFT-17")
def dft_shape(
    input: Fact, dft_length: Fact | None, axis: Fact | None, *, inverse: bool, onesided: bool
) -> Shape:
    rank = input.shape.rank
    if rank is None or (axis is not None and axis.value is None):
        return UNRANKED if rank is None else Shape(ANY for _ in range(rank))
    require(input.shape[-1].can_be(1) or input.shape[-1].can_be(2), "C1", input.shape)
    along = _axis(rank, LAST_BUT_ONE if axis is None or axis.value is None else int(axis.value.item()))
    size = input.shape[along] if dft_length is None else (dft_length.dims or (UNKNOWN,))[0].at_least(0)
    if onesided and inverse:
        size = size if dft_length is not None else (size - 1).at_least(0) * 2
    elif onesided:
        size = size // 2 + 1
    return input.shape.with_dim(along, size).with_dim(-1, 1 if onesided and inverse else 2)


def _axis(rank: int, axis: int) -> int:
    """The axis counted from 0, which is not the last one. Raises: Violation(C2)"""
    along = normal_axes([axis], rank, "C2")[0]
    require(along < rank - 1, "C2", f"axis {axis} at rank {rank}")
    return along


def _complex(data: Array) -> Array:
    wide = as_numbers(data)
    if data.shape[-1] == 1:
        return np.asarray(wide[..., 0])
    return np.ascontiguousarray(wide).view(np.result_type(wide, np.complex64))[..., 0]


def _parts(data: Array, like: Array) -> Array:
    """Real and imaginary parts on a last axis, in the type of another tensor."""
    return np.stack((data.real, data.imag), -1).astype(element_type_of(like).dtype)


@kernel("onnx:DFT-17")
def dft(
    input: Array, dft_length: Array | None, axis: Array | None, *, inverse: bool, onesided: bool
) -> Array:
    along = _axis(input.ndim, LAST_BUT_ONE if axis is None else int(as_i64(axis).item()))
    size = None if dft_length is None else int(as_i64(dft_length).item())
    signal = _complex(input)
    if onesided and inverse:
        restored = np.fft.irfft(signal, size, along)
        return restored[..., np.newaxis].astype(element_type_of(input).dtype)
    if inverse:
        return _parts(np.fft.ifft(signal, size, along), input)
    if onesided:
        return _parts(np.fft.rfft(signal.real, size, along), input)
    return _parts(np.fft.fft(signal, size, along), input)


@shape("onnx:STFT-17")
def stft_shape(
    signal: Fact, frame_step: Fact, window: Fact | None, frame_length: Fact | None, *, onesided: bool
) -> Shape:
    require(window is not None or frame_length is not None, "C1")
    size = window.shape[0] if window is not None else (frame_length.dims or (UNKNOWN,))[0]  # type: ignore[union-attr]
    if window is not None and frame_length is not None and frame_length.dims is not None:
        require(frame_length.dims[0].can_be(size), "C2", frame_length.dims[0], size)
    step = (frame_step.dims or (UNKNOWN,))[0]
    require(step > 0, "C3", step)
    batch, length = signal.shape[0], signal.shape[1]
    require(length >= size, "C4", length, size)
    frames = (length - size).at_least(0) // int(step) + 1 if step.known else ANY
    bins = size.at_least(0) // 2 + 1 if onesided else size.at_least(0)
    return Shape.of(batch, frames, bins, Dim.of(2))


@kernel("onnx:STFT-17")
def stft(
    signal: Array,
    frame_step: Array,
    window: Array | None,
    frame_length: Array | None,
    *,
    onesided: bool,
) -> Array:
    size = len(window) if window is not None else int(as_i64(np.asarray(frame_length)).item())
    step = int(as_i64(frame_step).item())
    starts = np.arange(0, signal.shape[1] - size + 1, step)
    frames = _complex(signal)[:, starts[:, np.newaxis] + np.arange(size)]
    weighted = frames if window is None else frames * as_numbers(window)
    spectrum = np.fft.rfft(weighted.real, axis=-1) if onesided else np.fft.fft(weighted, axis=-1)
    return _parts(spectrum, signal)
