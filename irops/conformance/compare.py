"""Compare a backend's output with the expected one: bit for bit for ops that only move elements, within the
tolerance of the element type for the others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from irops.backends.requirements import MOVING
from irops.spec.op import Op
from irops.values.element import Array, codes, element_type_of
from irops.verdicts.metrics import difference


def mismatch(op: Op, ours: Array, expected: Array, tolerance: float | None = None) -> str:
    """The difference between an output and the expected one, or ''.

    tolerance: relative and absolute, from an example; None: that of the element type.
    """
    element_type, expected_type = element_type_of(ours), element_type_of(expected)
    if ours.shape != expected.shape:
        return f"shape {list(ours.shape)}, must be {list(expected.shape)}"
    if element_type is not expected_type:
        return f"element type {element_type}, must be {expected_type}"
    if op.definition.category in MOVING or not element_type.floating:
        differing = codes(ours) != codes(expected)
        return _description(ours, expected, differing) if differing.any() else ""
    if tolerance is None:
        return difference(ours, expected)
    wide, wide_expected = ours.astype(np.float64), expected.astype(np.float64)
    differing = ~np.isclose(wide, wide_expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    return _description(ours, expected, differing) if differing.any() else ""


def _description(ours: Array, expected: Array, differing: npt.NDArray[np.bool_]) -> str:
    place = tuple(int(i) for i in np.argwhere(differing)[0])
    got, expected_element = ours[place], expected[place]
    bits = ""
    if str(got) == str(expected_element):
        bits = f" (bits {_bits(ours, place):#x} and {_bits(expected, place):#x})"
    return (
        f"{int(np.count_nonzero(differing))} of {ours.size} elements differ, the first at {list(place)}:"
        f" {got}, must be {expected_element}{bits}"
    )


def _bits(array: Array, place: tuple[int, ...]) -> int:
    return int.from_bytes(codes(array)[place].tobytes(), "little")
