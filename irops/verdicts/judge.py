"""The verdict on two results of one layer."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from irops.diagnostics.printable import plural
from irops.values.element import BOOLEAN, STRING, Array, ElementType, element_type_of
from irops.values.shape import Shape
from irops.verdicts.bounds import ErrorBound, full_bound, quick_bound
from irops.verdicts.metrics import Metrics, as_numbers, differs, metrics_of
from irops.verdicts.policy import LARGE
from irops.verdicts.question import Arithmetic, Judgement, Question, Verdict, is_float, noted
from irops.verdicts.ties import NONE, RANDOM, tie


def in_one_type(one: Array, other: Array) -> tuple[Array, Array]:
    """Two arrays of numbers; floats of different types in the wider of f32 and f64 that holds both."""
    kinds = element_type_of(one), element_type_of(other)
    if kinds[0] is kinds[1] or not (is_float(one) and is_float(other)):
        return one, other
    wider = np.float64 if "f64" in (kinds[0].name, kinds[1].name) else np.float32
    return one.astype(wider), other.astype(wider)


def in_form_of(truth: Array, ours: Array, instead_of: str = "not") -> tuple[Array | None, str]:
    """A value in the element type and shape of another one, and what it declares otherwise: "" for nothing.

    None where it has no such form: its type or shape is another one, or its integers exceed the type.
    instead_of: the word before what the other one declares
    """
    kind, other = element_type_of(truth), element_type_of(ours)
    of_type = f"has element type {other}, {instead_of} {kind}" if kind is not other else ""
    of_shape = ""
    if truth.shape != ours.shape:
        of_shape = f"has shape {Shape(ours.shape)}, {instead_of} {Shape(truth.shape)}"
    if of_type and not _fits(ours, other, kind):
        return None, of_type
    if of_shape and not _has_further_axes(*sorted((truth.shape, ours.shape), key=len)):
        return None, of_shape
    changed = ours.astype(truth.dtype) if of_type else ours
    return changed.reshape(truth.shape), "; ".join(filter(None, (of_type, of_shape)))


def _fits(array: Array, kind: ElementType, other: ElementType) -> bool:
    """Whether an array of one type has elements of another one: both integers, of which none is beyond it."""
    if not (kind.integral and other.integral):
        return False
    low, high = other.extent
    numbers = (
        array if array.dtype.kind in "iu" else array.astype(np.int64)
    )  # as the narrow types of ml_dtypes
    return not array.size or (int(numbers.min()) >= low and int(numbers.max()) <= high)


def _has_further_axes(shorter: tuple[int, ...], longer: tuple[int, ...]) -> bool:
    """Whether a shape is another one with axes of size 1 inserted."""
    rest = list(longer)
    for size in reversed(shorter):
        while rest and rest[-1] != size and rest[-1] == 1:
            rest.pop()
        if not rest or rest.pop() != size:
            return False
    return all(size == 1 for size in rest)


def outside(truth: Array, ours: Array, allowed: Array, arithmetic: Arithmetic) -> Array:
    """Where two results of one type and shape differ by more than is allowed.

    An infinity agrees with itself alone, and what is allowed allows nothing where it is not finite. A number
    may be infinite where what is allowed leads from it beyond the greatest number of its type; but not the
    greatest number itself, which stands where an infinity was clipped.
    """
    with np.errstate(all="ignore"):
        a, b = as_numbers(truth), as_numbers(ours)
        finite_allowance = np.where(np.isfinite(allowed), allowed, 0.0)
        beyond: Array = differs(truth, ours) & ~(np.abs(a - b) <= finite_allowance)
        if a.dtype.kind == "c" or not np.isinf(b[beyond]).any():
            return beyond
        limit, size = arithmetic.overflow(element_type_of(truth)), np.abs(a)
        rounds_up = np.isinf(b) & (np.sign(a) == np.sign(b)) & (size < limit)
        rounds_up &= size != arithmetic.greatest(element_type_of(truth))
        rounds_up &= (finite_allowance > 0) & (size + finite_allowance >= limit)
        still: Array = beyond & ~rounds_up
        return still


def greatest_share(truth: Array, ours: Array, allowed: Array, where: Array | None = None) -> float:
    """The greatest quotient of the difference of two finite elements and what is allowed for them; inf where
    nothing is allowed. where: the elements that count, by default all
    """
    unequal = differs(truth, ours) if where is None else where
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
        clipped = beyond & np.isinf(b) & _saturated(b, a, arithmetic.greatest_numbers(kind))
        infinite = beyond & np.isinf(b) & ~np.isinf(a) & ~clipped
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
        (clipped, f"infinity in place of the greatest number in {_elements(clipped)}"),
        (finite, f"{count(finite)}{more} {excess}"),
    )
    reason = "; ".join(text for where, text in parts if where.any())
    if not_a_number.any() or infinite.any():
        return Verdict.NOT_FINITE, reason
    if overflowing.any():
        return Verdict.OVERFLOW, reason
    return Verdict.SATURATION if (saturated | clipped)[beyond].all() else Verdict.WRONG, reason


def _saturated(a: Array, b: Array, limits: tuple[float, ...]) -> Array:
    """Where an element is the greatest number of a type, and the right one is beyond it on the same side."""
    if a.dtype.kind == "c":
        return np.zeros(a.shape, bool)
    reached = np.logical_or.reduce([(np.abs(a) > limit) & (np.abs(b) == limit) for limit in limits])
    saturated: Array = reached & (np.sign(a) == np.sign(b))
    return saturated


def count(unequal: Array, tied: Array = NONE) -> str:
    """How many elements differ, and whether ties among them are left out."""
    apart = ", apart from ties" if (unequal & tied).any() else ""
    return f"{int((unequal & ~tied).sum()):,} of {unequal.size:,} elements differ{apart}"


def _elements(where: Array) -> str:
    return plural(int(where.sum()), "element")


def judge_layer(question: Question, truth: Sequence[Array], ours: Sequence[Array]) -> tuple[Judgement, ...]:
    """The judgement of every output of a layer."""
    if len(truth) != len(ours):
        gives = f"gives {plural(len(ours), 'output')}, must give {len(truth)}"
        return (Judgement(Verdict.WRONG, gives),)
    return tuple(judge(question, a, b, index) for index, (a, b) in enumerate(zip(truth, ours)))


def judge(question: Question, truth: Array, ours: Array, output: int = 0) -> Judgement:
    """The judgement of one output. truth: by the definition; ours: the result that is judged."""
    formed, note = in_form_of(truth, ours, "must be")
    if formed is None:
        return Judgement(Verdict.WRONG, note, None, output)
    return noted(_of_values(question, truth, formed, output), note)


def _of_values(question: Question, truth: Array, ours: Array, output: int) -> Judgement:
    """The judgement of an output of the right type and shape."""
    if question.type in RANDOM:
        wrong = RANDOM[question.type](question, ours)
        reason = wrong or "the op is random; its range is as defined"
        return Judgement(Verdict.WRONG if wrong else Verdict.RANDOM, reason, metrics_of(truth, ours), output)
    if not truth.size or not differs(truth, ours).any():
        return Judgement(Verdict.EQUAL, "", Metrics(truth.size), output)
    verdict, reason = _difference(question, truth, ours, output)
    return Judgement(verdict, reason, metrics_of(truth, ours), output)


def _difference(question: Question, truth: Array, ours: Array, output: int) -> tuple[Verdict, str]:
    """The verdict on results that differ, and its reason."""
    if element_type_of(truth) is STRING:
        return Verdict.WRONG, count(differs(truth, ours))
    if not is_float(truth):
        return _of_integers(question, truth, ours, output)
    bound = quick_bound(question, truth)
    beyond = outside(truth, ours, bound.values, question.arithmetic)
    if beyond.any():
        better = full_bound(question, truth, output)
        if better is not None:
            bound = better
            beyond = outside(truth, ours, bound.values, question.arithmetic)
    if not beyond.any():
        return Verdict.ROUNDING, f"{_share(truth, ours, bound)} of the error bound of {bound.basis}"
    tied, reason = tie(question, truth, ours, output)
    beyond = beyond & ~tied
    if not beyond.any():
        return Verdict.TIE, reason
    begins = " is here" if _any_not_finite(question) else " begins here"
    excess = f"by up to {_share(truth, ours, bound, beyond)} of the error bound"
    return fault(truth, ours, beyond, question.arithmetic, excess, begins)


def _of_integers(question: Question, truth: Array, ours: Array, output: int) -> tuple[Verdict, str]:
    tied, reason = tie(question, truth, ours, output)
    number = count(differs(truth, ours), tied)
    unequal = differs(truth, ours) & ~tied
    if not unequal.any():
        return Verdict.TIE, reason
    kind = element_type_of(truth)
    if overflow := why_overflowing(truth, question.inputs, question.arithmetic):
        return Verdict.OVERFLOW, f"{number}; {overflow}"
    if kind.integral and kind.bits <= 64:
        low, high = kind.extent
        extreme = (ours == int(low)) | (ours == int(high))
        if extreme[unequal].all():
            return Verdict.SATURATION, f"{number}; all that do are the extremes of {kind}"
    return Verdict.WRONG, number


def why_overflowing(truth: Array, inputs: Sequence[Array | None], arithmetic: Arithmetic) -> str:
    """Why integers of a layer exceed the type that they are computed in; "" where they do not."""
    kind = element_type_of(truth)
    for array in (truth, *inputs) if kind.integral or kind is BOOLEAN else ():
        if array is not None and (own := element_type_of(array)).integral and array.size:
            narrow = arithmetic.integers_in(own)
            low, high = narrow.extent
            if narrow is not own and (int(array.min()) < low or int(array.max()) > high):
                return f"{own} is computed in {narrow}, and numbers exceed it"
    return ""


def _any_not_finite(question: Question) -> bool:
    inputs = (question.inputs[index] for index in question.floats)
    return not all(np.isfinite(as_numbers(array)).all() for array in inputs if array is not None)


def _share(truth: Array, ours: Array, bound: ErrorBound, where: Array | None = None) -> str:
    """The greatest quotient of difference and bound."""
    greatest = greatest_share(truth, ours, bound.values, where)
    if not isfinite(greatest):
        return "infinitely many times"
    if not greatest:
        return "infinity beside the greatest number, within 100%"
    return f"{greatest:.0%}" if greatest < 10 else f"{greatest:.3g} times"
