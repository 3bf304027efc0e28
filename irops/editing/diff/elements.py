"""How much the elements of two weights differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irops.values.element import Array

_FEW = 8
"""Up to so many elements are shown."""
_STEP = 1 << 20
"""Elements that are compared at a time, so that large weights are not copied."""


@dataclass(frozen=True, slots=True)
class Elements:
    """The greatest difference, as it is and divided by the greatest element, and the share that differs.

    count: of all elements; elements: of both, where they are few
    """

    greatest: float
    relative: float
    share: float
    count: int
    elements: str = ""

    def __str__(self) -> str:
        if self.elements:
            return self.elements
        return (
            f"greatest difference {self.greatest:.3g} ({self.relative:.3g} of the greatest element),"
            f" {self._how_many()}"
        )

    def _how_many(self) -> str:
        different = round(self.share * self.count)
        if different == self.count:
            return f"all {self.count:,} elements"
        share = f"{self.share:.1%}" if self.share >= 0.001 else f"{different:,}"
        return f"{share} of {self.count:,} elements"


def compared(a: Array, b: Array) -> Elements | None:
    """What differs between the elements of two arrays of one shape and type; None if they are equal."""
    if a.dtype == object:
        different = int(np.sum(a != b))
        few = f"{_spelled(a)} -> {_spelled(b)}" if a.size <= _FEW else ""
        return Elements(float("nan"), float("nan"), different / a.size, a.size, few) if different else None
    one, other = a.reshape(-1), b.reshape(-1)
    different, greatest, scale = 0, 0.0, 0.0
    for start in range(0, one.size, _STEP):
        x, y = one[start : start + _STEP], other[start : start + _STEP]
        with np.errstate(all="ignore"):
            wide = x.astype(np.float64), y.astype(np.float64)
            scale = max(scale, float(np.nanmax(np.abs(wide[0]), initial=0)))
            if x.tobytes() == y.tobytes():
                continue
            unequal = ~((wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1])))
            distance = np.abs(wide[0] - wide[1])[unequal]
        different += int(unequal.sum())
        greatest = max(greatest, float(np.max(np.nan_to_num(distance, nan=np.inf), initial=0)))
    if not different:
        return None
    few = f"{_spelled(a)} -> {_spelled(b)}" if a.size <= _FEW else ""
    return Elements(
        greatest, greatest / scale if scale else float("inf"), different / one.size, one.size, few
    )


def _spelled(array: Array) -> str:
    return str(array.tolist()).replace(" ", "")
