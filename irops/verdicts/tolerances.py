"""The numbers that decide whether two results agree, each with its reason; docs/comparing.md shows them.

All of irops takes them from here: the conformance kit, the programs that it writes, compare, reduce, why and
the assertions for tests. A tolerance that a person gives takes their place; that of an example stands in its
definition.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from irops.values.element import Array, element_type_of

# Kernels against the definition, and examples.

TOLERANCES = {"f64": (1e-6, 1e-9), "f32": (1e-3, 1e-5), "f16": (5e-3, 2e-3), "bf16": (2e-2, 1e-2)}
"""Relative and absolute, by element type, for kernels of another backend; all other types are exact. They
hold for the sums and functions of all ops on the small arrays of examples and of generated cases, where a
wrong algorithm differs by far more.
"""
SAME_KERNELS = (1e-5, 1e-6)
"""Relative and absolute, where one runtime computes both results: nothing but the models differs, so that
only the order of sums may.
"""

# The error bound of one layer.

ULPS = 4.0
"""Units of roundoff within which functions such as exp and tanh are computed, by either side."""
SAFETY = 8.0
"""By how many standard deviations the error of a sum may exceed 0: more happens to 1 of 10^13 sums. Times the
root of the number of terms it exceeds the worst case for up to 64 terms.
"""
INPUT_CHANGES = 3
"""How often the inputs are changed by their roundoff to see how much the result changes; each change has
random signs, and the mean over the tensor evens out what few of them miss.
"""
JUMP = 4096.0
"""Beyond this many roundoffs of the greatest element, the result of a discrete op has jumped, which is no
error but may be a tie.
"""
TIE_CHANGES = 8
"""How often the inputs of a discrete op are changed to see which results are possible: each result of two, of
which rounding decides by a coin, is missed by one tensor of 256.
"""

# The elements of one tensor: what is measured for some of them holds for others.

GAP = 256.0
"""Tensors whose magnitudes have a gap of this factor are of several parts: masked elements and others."""
SMALLEST_PART = 2.0**-6
"""The least share of elements below a gap; fewer are numbers that happen to be small."""

# Whole runs: the reference runs again with other rounding errors.

NOISE_MARGIN = 32.0
"""By how much a difference may exceed what rounding does in another run: two runs show only a part of what
the many orders of sums and algorithms of runtimes do.
"""
AMPLIFICATION = 16.0
"""By how much a run is noisier than rounding; half of the margin, so that jumps may be twice as large."""
PLAIN_MARGIN = 2.0
"""The margin where runs are as noisy as rounding, for values behind a layer that is known to be wrong."""
LARGEST_NOISE = 2.0**-4
"""The greatest relative change: functions are not linear beyond it."""
NOISE_SEEDS = (1, 2)
"""Two runs with opposite errors: what is close to a boundary jumps in one of them."""
SMALLEST_TENSOR = 2
"""Single numbers stay as they are: sizes of other tensors are computed from them."""
DOUBTFUL = 8.0
"""Up to this excess, a difference may be a jump that two runs with noise do not show."""
FURTHER_SEEDS = (3, 4, 5, 6)
"""The runs that are added for differences in doubt."""
EQUAL_AGAIN = 1 / NOISE_MARGIN
"""The greatest excess of a value that bears no trace of a difference before it: what rounding alone does."""

# Whole results: jumps, scales and means.

JUMP_MARGIN = 2.0
"""By how much jumps may be larger, and more, than those of a run that is noisier than rounding."""
RARE = 2.0**-8
"""The share of elements that may jump although those that rounding makes jump are others."""
SMALLEST_SAMPLE = 256
"""From this number of elements on, a mean over them says more than the elements."""
DEVIATIONS = 3.0
"""By how many standard deviations a mean of noise may differ from 0."""

# Which layer is at fault.

FAR = 20.0
"""A difference whose excess is this factor smaller than that of the whole model is another fault."""
DEFINITE = 5.0
"""How many times a difference exceeds its bound, at least, where that of the whole model has no size."""


def difference(ours: Array, truth: Array) -> str:
    """'' where two arrays are the same within the tolerance of their element type, else in what they
    differ.
    """
    if ours.shape != truth.shape:
        return f"shape {ours.shape}, not {truth.shape}"
    kind, other = element_type_of(ours), element_type_of(truth)
    if kind is not other:
        return f"element type {kind}, not {other}"
    wrong = far_apart(ours, truth, *TOLERANCES.get(kind.name, (0.0, 0.0))) if kind.floating else ours != truth
    count = int(np.count_nonzero(wrong))
    if not count:
        return ""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"{count} of {ours.size} elements differ, the first at {list(place)}: {ours[place]}, not"
        f" {truth[place]}"
    )


def far_apart(
    ours: Array, truth: Array, relative: float, absolute: float | None = None
) -> npt.NDArray[np.bool_]:
    """Where elements differ by more than a tolerance; NaN equals NaN. absolute: by default the relative
    one, as for an example
    """
    a, b = ours.astype(np.float64), truth.astype(np.float64)
    return ~np.isclose(a, b, rtol=relative, atol=relative if absolute is None else absolute, equal_nan=True)
