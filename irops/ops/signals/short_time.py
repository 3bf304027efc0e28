"""STFT and ISTFT: the spectra of the frames of a signal, and the signal that they are of."""

from __future__ import annotations

import numpy as np

from irops.ops.entries import entries
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
    wanted = None
    if signal_length is not None:
        require(signal_length.shape.size.can_be(1), "C6", signal_length)
        wanted = entries(signal_length, 1)[0]
        require(wanted >= 0, "C7", wanted)
    if data.shape.dims is None:
        return UNRANKED
    unify(data.shape[-1], 2, "C4")
    unify(data.shape[-3], size // 2 + 1, "C5")
    whole = (data.shape[-2] - 1).at_least(0) * step
    return data.shape[:-3] + Shape.of(
        (whole + (size % 2 if center else size)) if wanted is None else wanted.at_least(0)
    )


def frame(window: Fact, frame_size: Fact, frame_step: Fact) -> tuple[Dim, Dim]:
    """The size of a frame and the way to the next one, as far as they are known."""
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
    spectra = np.fft.rfft(frames * centred(window, size), axis=-1)
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
    shape = centred(window, size)
    frames = np.fft.irfft(numbers[..., 0] + 1j * numbers[..., 1], size, axis=-1) * (
        np.sqrt(size) if normalized else 1
    )
    whole, margin = max(frames.shape[-2] - 1, 0) * step + size, size // 2 if center else 0
    length = whole - 2 * margin if signal_length is None else int(signal_length.reshape(()))
    output = np.zeros((*frames.shape[:-2], length), data.dtype)
    if output.size:
        reach = min(whole, margin + length)
        sums, weights = (
            overlapped(frames * shape, step, reach),
            overlapped(np.broadcast_to(shape * shape, frames.shape[-2:]), step, reach),
        )
        signal = np.divide(sums, weights, out=np.zeros_like(sums), where=weights != 0)
        output[..., : max(reach - margin, 0)] = signal[..., margin:]
    return output


def centred(window: Array, size: int) -> Array:
    """The window in the middle of a frame, zeros around it; where they cannot be equally many, one more
    behind it.
    """
    before = (size - len(window)) // 2
    return np.pad(window.astype(np.float64), (before, size - len(window) - before))


def overlapped(frames: Array, step: int, reach: int) -> Array:
    """The sum of frames[..., F, size], each step elements behind the one before; its first elements, as many
    as reach.
    """
    *others, count, size = frames.shape
    total = np.zeros((*others, reach))
    for place in range(min(count, -(-reach // step))):
        start, stop = place * step, min(place * step + size, reach)
        total[..., start:stop] += frames[..., place, : stop - start]
    return total
