"""STFT and ISTFT: the short-time Fourier transform and its inverse."""

import numpy as np

from irops.ops.partial import entries
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, slack, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require


@shape("STFT-15")
def stft_shape(
    signal: Fact, window: Fact, frame_size: Fact, frame_step: Fact, *, transpose_frames: bool
) -> Shape:
    size, step = frame(window, frame_size, frame_step)
    if signal.shape.dims is None:
        return UNRANKED
    frames = slack(signal.shape[-1], size, "C4") // step + 1
    spectrum = size // 2 + 1
    return signal.shape[:-1] + (
        Shape.of(spectrum, frames, 2) if transpose_frames else Shape.of(frames, spectrum, 2)
    )


@shape("ISTFT-16")
def istft_shape(
    data: Fact,
    window: Fact,
    frame_size: Fact,
    frame_step: Fact,
    signal_length: Fact | None = None,
    *,
    center: bool,
) -> Shape:
    size, step = frame(window, frame_size, frame_step)
    requested = None
    if signal_length is not None:
        require(signal_length.shape.size.can_be(1), "C6", signal_length)
        requested = entries(signal_length, 1)[0]
        require(requested >= 0, "C7", requested)
    if data.shape.dims is None:
        return UNRANKED
    unify(data.shape[-1], 2, "C4")
    unify(data.shape[-3], size // 2 + 1, "C5")
    if requested is not None:
        return data.shape[:-3] + Shape.of(requested.at_least(0))
    last_start = (data.shape[-2] - 1).at_least(0) * step
    return data.shape[:-3] + Shape.of(last_start + (size % 2 if center else size))


def frame(window: Fact, frame_size: Fact, frame_step: Fact) -> tuple[Dim, Dim]:
    """The frame size and the frame step."""
    size, step = entries(frame_size, 1)[0], entries(frame_step, 1)[0]
    require(size >= 1, "C1", size)
    require(step >= 1, "C2", step)
    require(window.shape[0] >= 1 and window.shape[0] <= size, "C3", window, f"frames of {size}")
    return size.at_least(1), step.at_least(1)


@kernel("STFT-15")
def stft(
    signal: Array, window: Array, frame_size: Array, frame_step: Array, *, transpose_frames: bool
) -> Array:
    size, step = int(frame_size), int(frame_step)
    frames = np.lib.stride_tricks.sliding_window_view(signal.astype(np.float64), size, axis=-1)[
        ..., ::step, :
    ]
    spectra = np.fft.rfft(frames * centered(window, size), axis=-1)
    parts = np.stack([spectra.real, spectra.imag], axis=-1).astype(signal.dtype)
    return np.swapaxes(parts, -3, -2) if transpose_frames else parts


@kernel("ISTFT-16")
def istft(
    data: Array,
    window: Array,
    frame_size: Array,
    frame_step: Array,
    signal_length: Array | None,
    *,
    center: bool,
    normalized: bool,
) -> Array:
    size, step = int(frame_size), int(frame_step)
    numbers = np.swapaxes(data, -3, -2).astype(np.float64)
    factors = centered(window, size)
    frames = np.fft.irfft(numbers[..., 0] + 1j * numbers[..., 1], size, axis=-1) * (
        np.sqrt(size) if normalized else 1
    )
    covered, margin = max(frames.shape[-2] - 1, 0) * step + size, size // 2 if center else 0
    length = covered - 2 * margin if signal_length is None else int(signal_length.reshape(()))
    output = np.zeros((*frames.shape[:-2], length), data.dtype)
    if output.size:
        end = min(covered, margin + length)
        squares = np.broadcast_to(factors * factors, frames.shape[-2:])
        sums, weights = overlapped(frames * factors, step, end), overlapped(squares, step, end)
        signal = np.divide(sums, weights, out=np.zeros_like(sums), where=weights != 0)
        output[..., : max(end - margin, 0)] = signal[..., margin:]
    return output


def centered(window: Array, size: int) -> Array:
    """The window, zero-padded to a frame; if it cannot be centered exactly, one more zero follows it."""
    before = (size - len(window)) // 2
    return np.pad(window.astype(np.float64), (before, size - len(window) - before))


def overlapped(frames: Array, step: int, length: int) -> Array:
    """Add up frames[..., F, size] that start step elements apart, and return the first `length` elements."""
    *others, count, size = frames.shape
    total = np.zeros((*others, length))
    for frame_index in range(min(count, -(-length // step))):
        start, stop = frame_index * step, min(frame_index * step + size, length)
        total[..., start:stop] += frames[..., frame_index, : stop - start]
    return total
