"""Where two floating results differ by more than is allowed, and what kind of fault that is."""

from __future__ import annotations

import numpy as np

from irops.diagnostics.printable import plural
from irops.values.element import Array, element_type_of
from irops.verdicts.arithmetic import Arithmetic
from irops.verdicts.metrics import as_numbers, differs
from irops.verdicts.verdict import Verdict

LARGE = 1 - 2.0**-8
"""Numbers that are greater than this share of the greatest one of a type may exceed it, in any precision."""


def outside(truth: Array, ours: Array, allowed: Array, arithmetic: Arithmetic) -> Array:
    """Where two results of one type and shape differ by more than is allowed.

    An infinity agrees with itself alone, and what is allowed allows nothing where it is not finite. A number
    may be infinite where what is allowed leads from it beyond the greatest number of its type.
    """
    with np.errstate(all="ignore"):
        a, b = as_numbers(truth), as_numbers(ours)
        finite_allowance = np.where(np.isfinite(allowed), allowed, 0.0)
        beyond: Array = differs(truth, ours) & ~(np.abs(a - b) <= finite_allowance)
        if a.dtype.kind == "c" or not np.isinf(b[beyond]).any():
            return beyond
        limit, size = arithmetic.overflow(element_type_of(truth)), np.abs(a)
        rounds_up = np.isinf(b) & (np.sign(a) == np.sign(b)) & (size < limit)
        rounds_up &= (finite_allowance > 0) & (size + finite_allowance >= limit)
        still: Array = beyond & ~rounds_up
        return still


def greatest_share(truth: Array, ours: Array, allowed: Array) -> float:
    """The greatest quotient of the difference of two finite elements and what is allowed for them; inf where
    nothing is allowed.
    """
    unequal = differs(truth, ours)
    with np.errstate(all="ignore"):
        a, b = as_numbers(truth), as_numbers(ours)
        valid = unequal & np.isfinite(a) & np.isfinite(b)
        bound = np.broadcast_to(np.where(np.isfinite(allowed), allowed, 0.0), truth.shape)
        return float((np.abs(a - b)[valid] / bound[valid]).max(initial=0.0))


def fault(
    truth: Array, ours: Array, beyond: Array, arithmetic: Arithmetic, excess: str, begins: str = ""
) -> tuple[Verdict, str]:
    """Why elements that differ by more than is allowed are wrong, each kind of them counted apart.

    excess: by how much finite elements differ ("by up to 12 times of ..."); begins: " begins here", where NaN
    and infinity are not inherited
    """
    with np.errstate(all="ignore"):
        a, b = as_numbers(truth), as_numbers(ours)
        kind = element_type_of(truth)
        not_a_number = beyond & np.isnan(b)
        infinite = beyond & np.isinf(b) & ~np.isinf(a)
        overflowing = infinite & (np.abs(a) >= arithmetic.greatest(kind) * LARGE)
        saturated = beyond & _saturated(a, b, arithmetic.greatest_numbers(kind))
        other_infinity = beyond & np.isinf(a) & np.isinf(b)
        for_nan = beyond & np.isnan(a) & np.isfinite(b)
        for_infinity = beyond & np.isinf(a) & np.isfinite(b) & ~saturated
        finite = beyond & np.isfinite(a) & np.isfinite(b) & ~saturated
    infinite = infinite & ~overflowing
    of_type = f"the numbers exceed the greatest one of {arithmetic.computed_in(kind)}"
    every, number = int(differs(truth, ours).sum()), int(finite.sum())
    more = "" if number == every else " by more than is allowed,"
    parts = (
        (not_a_number, f"NaN{begins} in {_elements(not_a_number)}"),
        (infinite, f"infinity{begins} in {_elements(infinite)}"),
        (overflowing, f"{count(overflowing)}: {of_type}"),
        (other_infinity, f"the other infinity in {_elements(other_infinity)}"),
        (for_nan, f"a number in place of NaN in {_elements(for_nan)}"),
        (for_infinity, f"a number in place of infinity in {_elements(for_infinity)}"),
        (saturated, f"the greatest number in place of greater ones or infinity in {_elements(saturated)}"),
        (finite, f"{count(finite)}{more} {excess}"),
    )
    reason = "; ".join(text for where, text in parts if where.any())
    if not_a_number.any() or infinite.any():
        return Verdict.NOT_FINITE, reason
    if overflowing.any():
        return Verdict.OVERFLOW, reason
    return Verdict.SATURATION if saturated[beyond].all() else Verdict.WRONG, reason


def _saturated(a: Array, b: Array, limits: tuple[float, ...]) -> Array:
    """Where an element is the greatest number of a type, and the right one is beyond it on the same side."""
    if a.dtype.kind == "c":
        return np.zeros(a.shape, bool)
    reached = np.logical_or.reduce([(np.abs(a) > limit) & (np.abs(b) == limit) for limit in limits])
    saturated: Array = reached & (np.sign(a) == np.sign(b))
    return saturated


def count(unequal: Array) -> str:
    """How many elements differ."""
    return f"{int(unequal.sum()):,} of {unequal.size:,} elements differ"


def _elements(where: Array) -> str:
    return plural(int(where.sum()), "element")
