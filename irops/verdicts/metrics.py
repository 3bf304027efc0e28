"""How much two tensors differ, and whether that is more than their element type explains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite, isnan, log10, nan, sqrt
from typing import Any

import numpy as np

from irops.values.element import STRING, Array, element_type_of

BLOCK = 1 << 18
"""How many elements are converted to f64 at a time."""
DECADES = tuple(range(-10, 2))
"""Powers of ten: an element is counted under the last one that its relative difference reaches."""
WITH_ULP = ("f64", "f32", "f16", "bf16")


@dataclass(frozen=True, slots=True)
class Metrics:
    """How far the second of two tensors is from the first.

    elements: how many there are; differing: how many differ; nans: of these, where one of the two is NaN;
    infinities: of the others, where one of the two is infinite. All figures are of elements that are finite
    in both: max_abs: the greatest difference; max_rel: the greatest quotient of difference and first element,
    inf where that is 0; max_ulp: the greatest number of numbers of the element type between two elements,
    None for other types; cosine: of the angle between both as vectors; snr: signal to noise in dB, inf where
    nothing differs. They are NaN where none of the elements that differ is finite in both. worst: the index
    of the greatest difference with both elements there, None where nothing differs; one that is not finite
    is greater than all others.
    """

    elements: int
    differing: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    max_ulp: float | None = None
    cosine: float = 1.0
    snr: float = inf
    worst: tuple[int, ...] | None = None
    first: Any = None
    second: Any = None
    histogram: tuple[int, ...] = ()
    """How many finite elements differ by each of DECADES, relative to the greatest element."""
    nans: int = 0
    infinities: int = 0

    @property
    def not_finite(self) -> int:
        """How many elements differ that are NaN or infinite in one of the two."""
        return self.nans + self.infinities

    @property
    def relative_error(self) -> float:
        """Noise to signal: 0 where nothing differs, inf where an element that differs is not finite."""
        return inf if self.not_finite or isnan(self.snr) else 10.0 ** (-self.snr / 20)  # dB are of squares

    @property
    def share(self) -> float:
        """The share of elements that differ, from 0 to 1."""
        return self.differing / self.elements if self.elements else 0.0

    def to_json(self) -> dict[str, Any]:
        """The metrics for machines; numbers that JSON lacks are texts."""
        return {
            "elements": self.elements,
            "differing": self.differing,
            "nans": self.nans,
            "infinities": self.infinities,
            "max_abs": number(self.max_abs),
            "max_rel": number(self.max_rel),
            "max_ulp": None if self.max_ulp is None else number(self.max_ulp),
            "cosine": number(self.cosine),
            "snr_db": number(self.snr),
            "worst": None if self.worst is None else list(self.worst),
            "histogram": list(self.histogram),
            "a": number(self.first),
            "b": number(self.second),
        }


def number(item: Any) -> Any:
    """An element as JSON can represent it."""
    if isinstance(item, complex):
        return [number(item.real), number(item.imag)]
    if isinstance(item, float) and not isfinite(item):
        return str(item)
    return item


def metrics_of(a: Array, b: Array) -> Metrics:
    """Compare two tensors of one shape, a block at a time."""
    kind = element_type_of(a)
    if kind is STRING or element_type_of(b) is STRING:
        return _of_texts(a, b)
    totals = _Totals(with_ulp=kind.name in WITH_ULP and a.dtype == b.dtype, scale=_greatest(a))
    for start, one, other in _blocks(a, b):
        totals.add(start, one, other)
    return totals.metrics(a, b)


def as_numbers(array: Array) -> Array:
    """The elements as f64, or as complex128."""
    with np.errstate(invalid="ignore"):  # a signalling NaN
        return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def differs(a: Array, b: Array) -> Array:
    """Where two tensors of numbers differ; NaN equals NaN, and 0 equals -0."""
    with np.errstate(all="ignore"):
        unequal: Array = a != b
        if a.dtype.kind in "fc":
            return unequal & ~(np.isnan(a) & np.isnan(b))
        if a.dtype.kind == "V":  # the narrow types of ml_dtypes
            return unequal & ~(np.isnan(a.astype(np.float32)) & np.isnan(b.astype(np.float32)))
        return unequal


def _blocks(a: Array, b: Array) -> Iterator[tuple[int, Array, Array]]:
    one, other = a.reshape(-1), b.reshape(-1)
    for start in range(0, one.size, BLOCK):
        yield start, one[start : start + BLOCK], other[start : start + BLOCK]


class _Totals:
    """Sums and extremes over blocks. scale: a number near the greatest element, by which squares are divided
    so that they do not overflow
    """

    def __init__(self, *, with_ulp: bool, scale: float) -> None:
        self._scale = scale
        self._differing = self._nans = self._infinities = 0
        self._decades = np.zeros(len(DECADES), np.int64)
        self._max_abs = self._max_rel = 0.0
        self._max_ulp: float | None = 0.0 if with_ulp else None
        self._aa = self._bb = self._ab = self._dd = 0.0
        self._worst, self._worst_distance = -1, -1.0

    def add(self, start: int, one: Array, other: Array) -> None:
        """Take in a block that starts at an index of the flat tensors."""
        unequal = differs(one, other)
        with np.errstate(all="ignore"):
            a, b = as_numbers(one), as_numbers(other)
            valid = np.isfinite(a) & np.isfinite(b)
            self._add_squares(a[valid] / self._scale, b[valid] / self._scale)
            if not unequal.any():
                return
            distance = np.where(unequal, np.where(valid, np.abs(a - b), inf), 0.0)
            place = int(np.argmax(distance))
            if distance[place] > self._worst_distance:
                self._worst, self._worst_distance = start + place, float(distance[place])
            either_nan = np.isnan(a) | np.isnan(b)
            self._differing += int(np.count_nonzero(unequal))
            self._nans += int(np.count_nonzero(unequal & either_nan))
            self._infinities += int(np.count_nonzero(unequal & ~valid & ~either_nan))
            finite = unequal & valid
            if finite.any():
                self._add_finite(one[finite], other[finite], distance[finite])

    def _add_squares(self, a: Array, b: Array) -> None:
        self._aa += float(np.vdot(a, a).real)
        self._bb += float(np.vdot(b, b).real)
        self._ab += float(np.vdot(a, b).real)
        self._dd += float(np.vdot(a - b, a - b).real)

    def _add_finite(self, one: Array, other: Array, distance: Array) -> None:
        """Take in finite elements that differ."""
        decades = np.floor(np.log10(distance / self._scale))
        places = np.clip(np.nan_to_num(decades, posinf=DECADES[-1]), DECADES[0], DECADES[-1])
        self._decades += np.bincount(places.astype(np.int64) - DECADES[0], minlength=len(DECADES))
        self._max_abs = max(self._max_abs, float(distance.max()))
        self._max_rel = max(self._max_rel, float((distance / np.abs(as_numbers(one))).max()))
        if self._max_ulp is not None:
            self._max_ulp = max(self._max_ulp, float(_steps(one, other).max()))

    def metrics(self, a: Array, b: Array) -> Metrics:
        if not self._differing:
            return Metrics(a.size, max_ulp=self._max_ulp)
        some, norms = self._differing > self._nans + self._infinities, sqrt(self._aa) * sqrt(self._bb)
        worst = tuple(int(i) for i in np.unravel_index(self._worst, a.shape))
        return Metrics(
            a.size,
            self._differing,
            self._max_abs if some else nan,
            self._max_rel if some else nan,
            self._max_ulp if some or self._max_ulp is None else nan,
            self._ab / norms if some and norms else nan,
            _decibels(self._aa, self._dd) if some else nan,
            worst,
            _item(a[worst]),
            _item(b[worst]),
            tuple(int(count) for count in self._decades),
            self._nans,
            self._infinities,
        )


def _greatest(array: Array) -> float:
    """The greatest finite element, 1 where there is none."""
    greatest = 0.0
    flat = array.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        with np.errstate(all="ignore"):
            sizes = np.abs(as_numbers(flat[start : start + BLOCK]))
            greatest = max(greatest, float(np.max(sizes[np.isfinite(sizes)], initial=0.0)))
    return greatest or 1.0


def _decibels(signal: float, noise: float) -> float:
    if not noise:
        return inf
    return 10 * (log10(signal) - log10(noise)) if signal else -inf


def _steps(a: Array, b: Array) -> Array:
    """How many steps there are from one floating-point number to the other, each to its neighbour."""
    mask = (1 << (8 * a.dtype.itemsize - 1)) - 1  # without the sign: bits are then in the order of floats
    one, other = (array.view(f"i{array.dtype.itemsize}").astype(np.int64) for array in (a, b))
    far, near = one & mask, other & mask  # how many steps from 0
    same_sign = (one < 0) == (other < 0)
    return np.where(same_sign, np.abs(far - near).astype(np.float64), far.astype(np.float64) + near)


def _item(element: Any) -> Any:
    """An element as a Python number."""
    if isinstance(element, (bool, np.bool_)):
        return bool(element)
    if isinstance(element, np.generic) and element.dtype.kind in "iuc":
        return element.item()
    return element if isinstance(element, str) else float(element)


def _of_texts(a: Array, b: Array) -> Metrics:
    unequal = np.asarray(a != b)
    count = int(np.count_nonzero(unequal))
    if not count:
        return Metrics(a.size)
    worst = tuple(int(i) for i in np.argwhere(unequal)[0])
    return Metrics(a.size, count, inf, inf, None, nan, -inf, worst, str(a[worst]), str(b[worst]))


TOLERANCES = {"f64": (1e-6, 1e-9), "f32": (1e-3, 1e-5), "f16": (5e-3, 2e-3), "bf16": (2e-2, 1e-2)}
"""Relative and absolute, by element type; all others are exact."""


def difference(ours: Array, truth: Array) -> str:
    """'' where two arrays are the same within the tolerance of their element type, else in what they
    differ.
    """
    if ours.shape != truth.shape:
        return f"shape {ours.shape}, not {truth.shape}"
    kind, other = element_type_of(ours), element_type_of(truth)
    if kind is not other:
        return f"element type {kind}, not {other}"
    if not kind.floating:
        wrong = ours != truth
    else:
        relative, absolute = TOLERANCES.get(kind.name, (0.0, 0.0))
        wrong = ~np.isclose(
            ours.astype(np.float64), truth.astype(np.float64), rtol=relative, atol=absolute, equal_nan=True
        )
    count = int(np.count_nonzero(wrong))
    if not count:
        return ""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    first = f"the first at {list(place)}: {ours[place]}, not {truth[place]}"
    return f"{count} of {ours.size} elements differ, {first}"
