"""The result of running a trial on a backend, in a form that can be sent between processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irops.backends.backend import Backend
from irops.backends.declined import Declined
from irops.conformance.compare import mismatch
from irops.conformance.layouts import WRITEABLE, in_layout
from irops.conformance.trial import Trial, compute
from irops.diagnostics.diagnostic import DiagnosticError
from irops.invocation import OpFault
from irops.spec.binding import Function
from irops.values.element import Array, codes
from irops.values.violation import LimitExceeded, Violation


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
