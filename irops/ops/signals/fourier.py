"""DFT, IDFT, RDFT and IRDFT: discrete Fourier transforms over given axes."""

import numpy as np

from irops.ops.partial import entries
from irops.ops.stock import normal_axes
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, unify
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
