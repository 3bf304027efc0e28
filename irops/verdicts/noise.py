"""How much values change by rounding alone: the reference runs again, and every layer rounds otherwise
(stochastic arithmetic).

What two correct implementations may differ by at a layer depends on all layers before it. A run in which each
result is changed by AMPLIFICATION times its rounding error shows it, for this model and these inputs. The
change is larger than what rounding does so that steps are seen: a number that is close to the boundary
between two levels of a FakeQuantize, or to a whole number before a Floor, jumps in these runs, as it may on
another machine, and so does what follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.verdicts.arithmetic import ROUNDOFF, Arithmetic
from irops.verdicts.conditioning import smoothed
from irops.verdicts.question import has_exact_kind, is_float
from irops.verdicts.tolerances import (
    AMPLIFICATION,
    LARGEST_NOISE,
    NOISE_MARGIN,
    PLAIN_MARGIN,
    SMALLEST_TENSOR,
    ULPS,
)

SUMMING_CATEGORIES = ("matrix", "convolution", "normalization", "sequence", "reduction", "pooling", "signals")
"""Categories whose ops add up terms that may cancel, so that errors are relative to the whole tensor."""


@dataclass(frozen=True, slots=True)
class Noise:
    """How noisy runs are, and what they allow.

    amplified: by how much their errors are greater than those of rounding; margin: by how much a difference
    may exceed what rounding does
    """

    amplified: float = AMPLIFICATION
    margin: float = NOISE_MARGIN


WIDE_NOISE = Noise()
"""Rounding, and the jumps that it may cause although runs without noise do not show them."""
PLAIN_NOISE = Noise(1.0, PLAIN_MARGIN)
"""Rounding alone: for values that follow from a layer that is known to be wrong."""


def amplification(arithmetic: Arithmetic, array: Array, amplified: float = AMPLIFICATION) -> float:
    """By how much the noise of an array is greater than its rounding error, at most as much as it should."""
    unit = ULPS * arithmetic.roundoff(element_type_of(array))
    return max(min(amplified, LARGEST_NOISE / unit), 1.0) if unit else 1.0


def noisy_array(
    op: Op,
    array: Array,
    arithmetic: Arithmetic,
    seed: int,
    random: np.random.Generator,
    floor: Array | None = None,
    amplified: float = AMPLIFICATION,
) -> Array:
    """A result with another rounding error.

    Half of the error is of random sign for each element, half is of one sign for the whole tensor, since the
    errors of an implementation may be systematic. Even seeds have the errors of the seed before with the
    other sign. Whole numbers stay: positions, sizes and codes, which implementations compute exactly.
    floor: the magnitude of the numbers that cancel in the op, as of floor_of; amplified: by how much the
    error is greater than that of rounding
    """
    kind = element_type_of(array)
    if not is_float(array) or array.size < SMALLEST_TENSOR or array.dtype.kind == "c":
        return array
    unit = arithmetic.input_roundoff(kind) if has_exact_kind(op) else ULPS * arithmetic.roundoff(kind)
    if not unit:
        return array
    wide = array.astype(np.float64)
    error = random.uniform(-1, 1, array.shape) / 2 + random.choice([-0.5, 0.5])
    with np.errstate(all="ignore"):
        scale = np.abs(wide)
        if op.definition.category in SUMMING_CATEGORIES:
            sizes = scale[(scale > 0) & np.isfinite(scale)]
            scale = scale + (float(np.median(sizes)) if sizes.size else 0.0)  # outliers must not decide
        elif floor is not None:
            scale = scale + np.nan_to_num(floor, posinf=0.0)
        sign = 1 if seed % 2 else -1
        changed = wide + sign * amplification(arithmetic, array, amplified) * unit * scale * error
        greatest = 1 / (4 * arithmetic.roundoff(kind))
        whole = (wide == np.rint(wide)) & (np.abs(wide) <= greatest)
        stays = whole | ~(np.abs(changed) < np.finfo(np.float64).max)
        return np.where(stays, wide, changed).astype(array.dtype)


def change_of(truth: Array, runs: Sequence[Array]) -> Array:
    """The greatest change of each element between the first run and the others, as they are."""
    number = np.complex128 if truth.dtype.kind == "c" else np.float64
    change = np.zeros(truth.shape)
    with np.errstate(all="ignore"):
        for other in runs[1:]:
            if other.shape == runs[0].shape == truth.shape:
                distance = np.abs(other.astype(number) - runs[0].astype(number))
                change = np.maximum(change, np.nan_to_num(distance, posinf=0.0))
    return change


def allowance(
    truth: Array, runs: Sequence[Array], arithmetic: Arithmetic, amplified: float = AMPLIFICATION
) -> Array:
    """What rounding does to each element: what runs of the reference show, smoothed.

    runs: values of the same tensor by the reference: first without noise or with that of another sign, then
    with noise; amplified: by how much this is greater than rounding
    """
    kind = element_type_of(truth)
    number = np.complex128 if truth.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        change = change_of(truth, runs) / amplification(arithmetic, truth, amplified)
        size = np.abs(truth.astype(number))
        floor = ULPS * max(arithmetic.roundoff(kind), ROUNDOFF.get(kind.name, 0.0)) * size
        return smoothed(change, truth.astype(number)) + np.nan_to_num(floor) + arithmetic.smallest(kind)
