"""Whether a backend's output is the truth: bit for bit where elements are moved, within the tolerance of
their type elsewhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from irops.backends.requirements import MOVING
from irops.runtime.verify import difference
from irops.spec.op import Op
from irops.values.element import STRING, Array, element_type_of


def mismatch(op: Op, ours: Array, truth: Array, tolerance: float | None = None) -> str:
    """'' where an output is the truth, else in what it differs. tolerance: relative and absolute, of an
    example; None: the type's.
    """
    kind, other = element_type_of(ours), element_type_of(truth)
    if ours.shape != truth.shape:
        return f"shape {list(ours.shape)}, must be {list(truth.shape)}"
    if kind is not other:
        return f"element type {kind}, must be {other}"
    if op.definition.category in MOVING or not kind.floating:
        wrong = codes(ours) != codes(truth)
        return _told(ours, truth, wrong) if wrong.any() else ""
    if tolerance is None:
        return difference(ours, truth)
    wide, wanted = ours.astype(np.float64), truth.astype(np.float64)
    wrong = ~np.isclose(wide, wanted, rtol=tolerance, atol=tolerance, equal_nan=True)
    return _told(ours, truth, wrong) if wrong.any() else ""


def codes(array: Array) -> Array:
    """The bits of elements as unsigned integers, of elements of 16 bytes as bytes; strings as they are."""
    kind = element_type_of(array)
    if kind is STRING:
        return array
    bits: Array = array.view(f"u{array.itemsize}" if array.itemsize <= 8 else f"V{array.itemsize}")
    return bits & np.uint8((1 << kind.bits) - 1) if kind.bits < 8 else bits


def _told(ours: Array, truth: Array, wrong: npt.NDArray[np.bool_]) -> str:
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    got, must = ours[place], truth[place]
    bits = ""
    if str(got) == str(must):
        bits = f" (bits {_bits(ours, place):#x} and {_bits(truth, place):#x})"
    return (
        f"{int(np.count_nonzero(wrong))} of {ours.size} elements differ, the first at {list(place)}: {got},"
        f" must be {must}{bits}"
    )


def _bits(array: Array, place: tuple[int, ...]) -> int:
    return int.from_bytes(codes(array)[place].tobytes(), "little")
