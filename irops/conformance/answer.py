"""The result of a trial on a backend, in a form that processes can send, and whether it is the expected one.

Ops that only move elements are compared bit for bit, others within the tolerance of the element type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irops.backends.backend import Backend, Declined
from irops.backends.one_op import MOVING
from irops.conformance.trial import WRITEABLE, Trial, compute, in_layout
from irops.diagnostics.diagnostic import DiagnosticError
from irops.invocation import OpFault
from irops.spec.binding import Function
from irops.spec.op import Op
from irops.values.element import Array, codes, element_type_of
from irops.values.violation import LimitExceeded, Violation
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


@dataclass(frozen=True, slots=True)
class Answer:
    """kind: computed, declined, refused, raised, changed (its inputs), absent (no kernel) or wrong out; in
    another process also crashed or stalled.
    """

    kind: str
    text: str = ""
    outputs: tuple[Array, ...] = ()


def answer_of(backend: Backend, trial: Trial) -> Answer:
    """Run a trial on a backend, in this process."""
    kernel = backend.kernel(trial.op)
    if kernel is None:
        return Answer("absent")
    arrays = trial.arrays
    try:
        outputs = compute(kernel, trial, arrays)
    except Declined as declined:
        return Answer("declined", declined.reason)
    except (Violation, OpFault, LimitExceeded, DiagnosticError) as refusal:
        return Answer("refused", str(refusal))
    except Exception as error:
        return Answer("raised", f"{type(error).__name__}: {error}".rstrip(": "))
    changed = _changed(arrays, trial.arrays)
    if changed is not None:
        return Answer(
            "changed", trial.op.definition.inputs[min(changed, len(trial.op.definition.inputs) - 1)].name
        )
    if len(outputs) == 1 and getattr(kernel, "takes_out", False):
        reason = _out_mismatch(kernel, trial, outputs[0])
        if reason:
            return Answer("wrong out", reason)
    return Answer("computed", "", tuple(outputs))


def out_for(trial: Trial, result: Array) -> Array:
    """An array of zeros for the `out` argument, in the layout of the first input if it is writeable."""
    first_input = next(trial_input for trial_input in trial.inputs if trial_input is not None)
    layout = first_input.layout if first_input.layout in WRITEABLE else "plain"
    return in_layout(np.zeros_like(result), layout)


def _out_mismatch(kernel: Function, trial: Trial, result: Array) -> str:
    """The error in the array that a kernel fills through `out`, or ''."""
    out = out_for(trial, result)
    try:
        returned = compute(
            lambda *inputs, **attributes: kernel(*inputs, **attributes, out=out), trial, trial.arrays
        )[0]
    except Exception as error:
        return f"with the argument out: {type(error).__name__}: {error}"
    if returned is not out and out.size and not np.shares_memory(returned, out):
        return "it returns another array than the argument out"
    reason = mismatch(trial.op, out, result)
    return f"in the array out, {reason}" if reason else ""


def _changed(after: Sequence[Array | None], before: Sequence[Array | None]) -> int | None:
    """The index of the input that a kernel has written to, if any."""
    for place, (after_array, trial_input) in enumerate(zip(after, before)):
        if (
            after_array is not None
            and trial_input is not None
            and not np.array_equal(codes(after_array), codes(trial_input))
        ):
            return place
    return None
