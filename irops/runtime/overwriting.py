"""Results that are written into the array of an input, where nothing else refers to that array."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irops.ops.elementwise import UFUNC
from irops.runtime.plan import Step
from irops.values.element import Array

COUNTS_REFERENCES = hasattr(sys, "getrefcount") and getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether the number of references to an object says who else may use it."""
PLAIN = ("f32", "f64")
UNSHARED = 3
"""The references to an array that only the values of a run have: theirs, and two of `unshared` itself."""


def ufunc_of(step: Step, kernel: Callable[..., Any]) -> np.ufunc | None:
    """What computes a step on its arrays as they are, in place of the kernel; None where nothing does."""
    ufunc: np.ufunc | None = getattr(kernel, UFUNC, None)
    facts = [*step.facts.inputs, *step.facts.outputs]
    kinds = {None if fact is None else fact.element_type.name for fact in facts}
    shapes = {None if fact is None else fact.shape.to_tuple() for fact in step.facts.inputs}
    aligned = len(shapes) == 1 or (step.keywords or {}).get("auto_broadcast") == "numpy"
    return ufunc if len(kinds) == 1 and kinds <= set(PLAIN) and aligned else None


def in_order(arrays: Sequence[Array | None]) -> bool:
    """Whether all arrays lie in C order: a fresh result then does too, and sums of it round alike."""
    return all(array is not None and array.flags.c_contiguous for array in arrays)


def unshared(values: Sequence[Array | None], slots: Sequence[int]) -> Array | None:
    """The first array of some slots that nothing but the values refers to, no view of it either."""
    for slot in slots:
        array = values[slot]
        if array is not None and sys.getrefcount(array) == UNSHARED and array.flags.owndata:
            return array
    return None
