"""Statistics of one constant, computed block by block."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from math import inf, prod

import ml_dtypes
import numpy as np

from irops.debugging.weights.blocks import blocks, elements, is_zero
from irops.debugging.weights.loss import Loss, as_f16, as_int8
from irops.ir.storage import Weights
from irops.ir.weights import Region
from irops.values.element import Array, ElementType


@dataclass(slots=True)
class Statistics:
    """What the elements of a constant are. low, high, mean: of finite elements, None where there is none.

    saturated: codes that are the smallest or the largest of an integer type; equal_rows: rows along the first
    axis that equal an earlier one, None where rows are not compared; f16, int8: what floating-point elements
    would lose; digest: of the bytes, if it is asked for.
    """

    elements: int = 0
    zeros: int = 0
    denormals: int = 0
    nans: int = 0
    infinities: int = 0
    saturated: int = 0
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    equal_rows: int | None = None
    f16: Loss | None = None
    int8: Loss | None = None
    digest: bytes | None = None

    @property
    def magnitude(self) -> float:
        """The largest absolute value."""
        return max(abs(self.low or 0.0), abs(self.high or 0.0))


def has_numbers(element: ElementType) -> bool:
    """Whether elements are numbers that have statistics: neither strings nor codes of a table."""
    return element.bits > 0 and (element.floating or element.integral or element.kind == "boolean")


def statistics_of(weights: Weights, region: Region, *, digest: bool) -> Statistics:
    """The statistics of a constant. digest: whether the digest of its bytes is wanted

    Raises:  ValueError where the file was changed or cut off meanwhile
    """
    found = Statistics(elements=region.elements)
    hasher = blake2b(digest_size=16) if digest else None
    rows = Rows.of(region)
    sums = _Sums()
    if region.element.bits == 0:
        return found
    holes: set[int] = set()
    for number, (raw, count) in enumerate(blocks(weights, region)):
        if hasher is not None:
            hasher.update(raw)
        if rows is not None:
            rows.add(raw)
        if has_numbers(region.element) and not _add(found, sums, raw, region, count):
            holes.add(number)
    _finish(found, sums)
    found.digest = None if hasher is None else hasher.digest()
    found.equal_rows = None if rows is None else rows.equal
    if found.f16 is not None and 0 < found.magnitude < inf:
        found.int8 = _int8_loss(weights, region, found.magnitude, holes)
    return found


@dataclass(slots=True)
class _Sums:
    count: int = 0
    total: float = 0.0


def _add(found: Statistics, sums: _Sums, raw: memoryview, region: Region, count: int) -> bool:
    """Add a block; return whether it has an element other than 0."""
    element = region.element
    if element.floating and found.f16 is None:
        found.f16 = Loss()
    if is_zero(raw) and element.name != "f8e8m0":
        found.zeros += count
        _extend(found, 0.0, 0.0)
        found.saturated += count if element.kind == "unsigned" else 0
        sums.count += count
        return False
    array = elements(raw, region, count)
    with np.errstate(all="ignore"):
        numbers = array.astype(np.float64)
        if element.floating:
            _add_special(found, numbers, array)
            numbers = numbers[np.isfinite(numbers)]
            assert found.f16 is not None
            found.f16.add(numbers, as_f16(numbers))
    found.zeros += int((numbers == 0).sum())
    if element.integral:
        low, high = element.extent
        found.saturated += int(((array == low) | (array == high)).sum())
    if numbers.size:
        _extend(found, float(numbers.min()), float(numbers.max()))
        sums.count += numbers.size
        sums.total += float(numbers.sum())
    return True


def _add_special(found: Statistics, numbers: Array, array: Array) -> None:
    """Count NaN, infinities and denormals."""
    found.nans += int(np.isnan(numbers).sum())
    found.infinities += int(np.isinf(numbers).sum())
    smallest = float(ml_dtypes.finfo(array.dtype).smallest_normal)  # type: ignore[no-untyped-call]
    found.denormals += int(((np.abs(numbers) < smallest) & (numbers != 0)).sum())


def _extend(found: Statistics, low: float, high: float) -> None:
    found.low = low if found.low is None else min(found.low, low)
    found.high = high if found.high is None else max(found.high, high)


def _finish(found: Statistics, sums: _Sums) -> None:
    found.mean = sums.total / sums.count if sums.count else None


def _int8_loss(weights: Weights, region: Region, magnitude: float, holes: set[int]) -> Loss:
    """The loss as int8. holes: the numbers of blocks of zeros, which are not read again"""
    loss = Loss()
    for raw, count in blocks(weights, region, holes):
        with np.errstate(all="ignore"):
            numbers = elements(raw, region, count).astype(np.float64)
            numbers = numbers[np.isfinite(numbers)]
            loss.add(numbers, as_int8(numbers, magnitude))
    return loss


# Rows of a constant that equal an earlier row, found by their digests.

MAX_ROWS = 200_000
"""Constants of more rows are not examined, so that the digests take little memory."""
MIN_ELEMENTS = 4
"""Shorter rows are often equal by chance, and are not examined."""
DIGEST = 16


@dataclass(slots=True)
class Rows:
    """Collects the rows along the first axis. width: the bytes of a row; equal: how many were seen before."""

    width: int
    equal: int = 0
    _seen: set[bytes] = field(default_factory=set)
    _row: blake2b = field(default_factory=lambda: blake2b(digest_size=DIGEST))
    _filled: int = 0

    @classmethod
    def of(cls, region: Region) -> Rows | None:
        """The rows of a constant; None where it has too many, or where they share bytes."""
        if len(region.shape) < 2 or not 2 <= region.shape[0] <= MAX_ROWS or not region.element.bits:
            return None
        elements, bits = prod(region.shape[1:]), region.element.bits
        whole_bytes = (elements * bits) % 8 == 0 and bits >= 4 and bits != 6
        return cls(elements * bits // 8) if elements >= MIN_ELEMENTS and whole_bytes else None

    def add(self, raw: memoryview) -> None:
        """Add the next bytes; rows may begin and end anywhere in them."""
        at = 0
        while at < len(raw):
            part = raw[at : at + self.width - self._filled]
            self._row.update(part)
            self._filled += len(part)
            at += len(part)
            if self._filled == self.width:
                self._finish()

    def _finish(self) -> None:
        digest = self._row.digest()
        self.equal += digest in self._seen
        self._seen.add(digest)
        self._row, self._filled = blake2b(digest_size=DIGEST), 0
