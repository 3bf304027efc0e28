"""The precision in which a source computes, and the rounding errors that follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from irops.values.element import ElementType, element_type

ROUNDOFF = {
    "f64": 2.0**-53,
    "f32": 2.0**-24,
    "f16": 2.0**-11,
    "bf16": 2.0**-8,
    "f8e4m3": 2.0**-4,
    "f8e5m2": 2.0**-3,
    "f8e8m0": 2.0**-1,
    "f4e2m1": 2.0**-2,
}
"""The unit roundoff of each floating type: half of the distance from 1 to the next number."""
GREATEST = {
    "f64": float(np.finfo(np.float64).max),
    "f32": 3.4028234663852886e38,
    "f16": 65504.0,
    "bf16": 3.3895313892515355e38,
    "f8e4m3": 448.0,
    "f8e5m2": 57344.0,
    "f8e8m0": 2.0**127,
    "f4e2m1": 6.0,
}
"""The greatest finite number of each floating type."""
SMALLEST = {"f64": 2.0**-1022, "f32": 2.0**-126, "bf16": 2.0**-126, "f16": 2.0**-24}
"""The smallest normal number, which may be flushed to 0; f16 has so few that its subnormals are kept."""
COMPLEX = {"complex64": "f32", "complex128": "f64"}


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """How a source computes. precision: the name of the type that floating tensors of more bits are rounded
    to ("bf16"), empty where each layer computes in the types that it declares; converted: types without
    kernels, each with the type that is computed in its place.
    """

    precision: str = ""
    converted: tuple[tuple[str, str], ...] = ()

    def integers_in(self, kind: ElementType) -> ElementType:
        """The type in which integers of a type are computed."""
        return element_type(dict(self.converted).get(kind.name, kind.name))

    def computed_in(self, kind: ElementType) -> str:
        """The type in which elements of a floating type are multiplied."""
        name = COMPLEX.get(kind.name, kind.name)
        name = dict(self.converted).get(name, name)
        if self.precision and ROUNDOFF.get(name, 1.0) < ROUNDOFF[self.precision]:
            return self.precision
        return name

    def no_finer_than(self, *kinds: ElementType) -> Arithmetic:
        """The arithmetic in the narrowest of these types and of its own precision."""
        names = [*(kind.name for kind in kinds), *filter(None, [self.precision])]
        return replace(self, precision=max(names, key=lambda name: ROUNDOFF.get(name, 0.0)))

    def narrows(self, kind: ElementType) -> bool:
        """Whether elements of a type are rounded to another one."""
        return self.computed_in(kind) != COMPLEX.get(kind.name, kind.name)

    def roundoff(self, kind: ElementType) -> float:
        """The unit roundoff of results of a type."""
        return ROUNDOFF.get(self.computed_in(kind), 0.0)

    def sum_roundoff(self, kind: ElementType) -> float:
        """The unit roundoff of sums that give a type: narrow types are added in f32."""
        return min(self.roundoff(kind), ROUNDOFF["f32"]) if self.roundoff(kind) else 0.0

    def input_roundoff(self, kind: ElementType) -> float:
        """The relative error of an input before anything is computed."""
        return self.roundoff(kind) if self.narrows(kind) else 0.0

    def smallest(self, kind: ElementType) -> float:
        """The absolute error that flushing subnormal numbers makes."""
        return SMALLEST.get(self.computed_in(kind), 0.0)

    def smallest_term(self, kind: ElementType) -> float:
        """The absolute error of a sum where one subnormal term is flushed; narrow types are added in f32."""
        return SMALLEST["f64" if self.computed_in(kind) == "f64" else "f32"]

    def greatest(self, kind: ElementType) -> float:
        """The greatest finite number."""
        return GREATEST.get(self.computed_in(kind), GREATEST["f64"])

    def greatest_numbers(self, kind: ElementType) -> tuple[float, ...]:
        """The greatest finite numbers of a type, and of that which its elements are computed in."""
        return self.greatest(kind), GREATEST.get(COMPLEX.get(kind.name, kind.name), GREATEST["f64"])

    def overflow(self, kind: ElementType) -> float:
        """The least number that rounds to infinity: half a unit beyond the greatest one."""
        greatest, unit = self.greatest(kind), self.roundoff(kind)
        return inf if greatest == GREATEST["f64"] else greatest * (1 + unit / (2 - 2 * unit))


DECLARED = Arithmetic()
"""Each layer computes in the types that it declares."""
