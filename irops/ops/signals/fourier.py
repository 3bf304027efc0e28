"""Discrete Fourier transforms over given axes: DFT, IDFT, RDFT and IRDFT; STFT and ISTFT."""

import numpy as np

from irops.ops.partial import entries
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, slack, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

Axes = tuple[int, ...]


@shape("DFT-7", "IDFT-7")
def dft_shape(data: Fact, axes: Fact, signal_size: Fact | None = None) -> Shape:
    sizes = resized_shape(complex_sizes(data.shape), axes, signal_size)[0]
    return data.shape if signal_size is None else sizes + Shape.of(2)


@shape("RDFT-9")
def rdft_shape(data: Fact, axes: Fact, signal_size: Fact | None = None) -> Shape:
    require(axes.shape[0] > 0, "C6", axes)
    sizes, over, _ = resized_shape(data.shape, axes, signal_size)
    return (sizes.with_dim(over[-1], halved(sizes[over[-1]])) if over else sizes) + Shape.of(2)


@shape("IRDFT-9")
def irdft_shape(data: Fact, axes: Fact, signal_size: Fact | None = None) -> Shape:
    require(axes.shape[0] > 0, "C6", axes)
    before = complex_sizes(data.shape)
    sizes, over, requested = resized_shape(before, axes, signal_size)
    if not over:
        return sizes
    last = over[-1]
    full = (before[last] - 1).at_least(0) * 2
    return sizes.with_dim(last, requested_size(requested[-1], full))


def requested_size(requested: Dim, default: Dim) -> Dim:
    """The size of an axis: as requested by signal_size, where -1 stands for the default."""
    if requested == -1:
        return default
    return default.union(requested.at_least(0)) if requested.can_be(-1) else requested


def complex_sizes(shape: Shape) -> Shape:
    """The shape without its last axis, which holds real and imaginary parts."""
    if shape.dims is not None:
        unify(shape[-1], 2, "C1")
    return shape[:-1]


def resized_shape(sizes: Shape, axes: Fact, signal_size: Fact | None) -> tuple[Shape, Axes, tuple[Dim, ...]]:
    """The sizes after cropping and padding; the axes, counted from 0; and signal_size for each of them.

    If axes or the rank is unknown, no axes are returned.
    """
    if signal_size is not None:
        unify(axes.shape[0], signal_size.shape[0], "C4")
        require(all(size >= -1 for size in signal_size.dims or ()), "C5", signal_size.known)
    if sizes.dims is None:
        return UNRANKED, (), ()
    require(axes.shape[0] <= len(sizes), "C2", f"{axes.shape[0]} axes of {len(sizes)}")
    if axes.value is None:
        return Shape((ANY,) * len(sizes)), (), ()
    over = normal_axes(map(int, axes.value), len(sizes), "C2", "C3")
    requested = entries(signal_size, len(over), absent=-1)
    for axis, size in zip(over, requested):
        sizes = sizes.with_dim(axis, requested_size(size, sizes[axis]))
    return sizes, over, requested


def halved(size: Dim) -> Dim:
    """The number of frequencies of a real signal that are kept: size // 2 + 1, or 0 if it is empty."""
    half = size.at_least(1) // 2 + 1
    return half if size.low > 0 else Dim(0, half.high if size.high > 0 else 0)


@kernel("DFT-7")
def dft(data: Array, axes: Array, signal_size: Array | None) -> Array:
    over, sizes = _plan(axes, signal_size, data.shape[:-1])
    return _parts(resized(_complex(data), over, sizes), over, False).astype(data.dtype)


@kernel("IDFT-7")
def idft(data: Array, axes: Array, signal_size: Array | None) -> Array:
    over, sizes = _plan(axes, signal_size, data.shape[:-1])
    return _parts(resized(_complex(data), over, sizes), over, True).astype(data.dtype)


@kernel("RDFT-9")
def rdft(data: Array, axes: Array, signal_size: Array | None) -> Array:
    over, sizes = _plan(axes, signal_size, data.shape)
    last = resized(data.astype(np.float64), over, sizes)
    if last.size:
        half = np.fft.rfft(last, axis=over[-1])
    else:
        half = last[_head(over[-1], int(halved(Dim.of(sizes[-1]))))].astype(np.complex128)
    return _parts(half, over[:-1], False).astype(data.dtype)


@kernel("IRDFT-9")
def irdft(data: Array, axes: Array, signal_size: Array | None) -> Array:
    over, sizes = _plan(axes, signal_size, data.shape[:-1])
    last = over[-1]
    if signal_size is None or int(signal_size[-1]) == -1:
        sizes = (*sizes[:-1], 2 * max(data.shape[last] - 1, 0))
    half = _transformed(resized(_complex(data), over, (*sizes[:-1], sizes[-1] // 2 + 1)), over[:-1], True)
    if not half.size or not sizes[-1]:
        return np.zeros((*half.shape[:last], sizes[-1], *half.shape[last + 1 :]), data.dtype)
    return np.fft.irfft(half, sizes[-1], axis=last).astype(data.dtype)


def _plan(axes: Array, signal_size: Array | None, shape: tuple[int, ...]) -> tuple[Axes, tuple[int, ...]]:
    """The axes, counted from 0, and the size to which each is cropped or padded."""
    over = normal_axes(map(int, axes), len(shape), "C2", "C3")
    requested = [-1] * len(over) if signal_size is None else [int(size) for size in as_i64(signal_size)]
    return over, tuple(shape[axis] if size == -1 else size for axis, size in zip(over, requested))


def resized(data: Array, axes: Axes, sizes: tuple[int, ...]) -> Array:
    """data cropped or zero-padded at the end of the given axes to the given sizes."""
    for axis, size in zip(axes, sizes):
        data = data[_head(axis, size)]
    padding = {axis: (0, size - data.shape[axis]) for axis, size in zip(axes, sizes)}
    return np.pad(data, [padding.get(axis, (0, 0)) for axis in range(data.ndim)])


def _head(axis: int, size: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(size))


def _complex(data: Array) -> Array:
    wide = data.astype(np.float64)
    return np.asarray(wide[..., 0] + 1j * wide[..., 1])


def _transformed(data: Array, axes: Axes, inverse: bool) -> Array:
    if not axes or not data.size:
        return data
    return np.asarray((np.fft.ifftn if inverse else np.fft.fftn)(data, axes=axes))


def _parts(data: Array, axes: Axes, inverse: bool) -> Array:
    """The transform over axes, with real and imaginary part along an additional last axis."""
    spectrum = _transformed(data, axes, inverse)
    return np.stack([spectrum.real, spectrum.imag], axis=-1)


# STFT and ISTFT: the short-time Fourier transform and its inverse.


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
