"""What a backend does with a trial, as a value that can be sent from one process to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irops.backends.backend import Backend
from irops.backends.declined import Declined
from irops.conformance.compare import codes, mismatch
from irops.conformance.layouts import WRITEABLE, laid_out
from irops.conformance.trial import Trial, compute
from irops.diagnostics.diagnostic import DiagnosticError
from irops.invocation import OpFault
from irops.spec.binding import Function
from irops.values.element import Array, ElementType, element_type, element_type_of, tagged
from irops.values.violation import LimitExceeded, Violation


@dataclass(frozen=True, slots=True)
class Answer:
    """kind: gave, declined, refused, raised, changed (its inputs), absent (no kernel), wrong out; or crashed,
    stalled, as others see it.
    """

    kind: str
    text: str = ""
    outputs: tuple[tuple[Array, str], ...] = ()

    @property
    def arrays(self) -> list[Array]:
        return [tagged(array, element_type(kind, foreign=True)) for array, kind in self.outputs]


def answer_of(backend: Backend, trial: Trial) -> Answer:
    """Ask a backend, in this process."""
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
        why = _filled_otherwise(kernel, trial, outputs[0])
        if why:
            return Answer("wrong out", why)
    return Answer(
        "gave",
        "",
        tuple((_bare(array, element_type_of(array)), element_type_of(array).name) for array in outputs),
    )


def out_for(trial: Trial, result: Array) -> Array:
    """An array to fill, in the layout of the first input as far as it can be written to; of zeros where the
    result has few.
    """
    first = next(given for given in trial.inputs if given is not None)
    layout = first.layout if first.layout in WRITEABLE else "plain"
    return laid_out(np.zeros_like(result), layout)


def _filled_otherwise(kernel: Function, trial: Trial, result: Array) -> str:
    """What is wrong with an array that the kernel was given to fill; '' if nothing is."""
    out = out_for(trial, result)
    try:
        returned = compute(
            lambda *inputs, **attributes: kernel(*inputs, **attributes, out=out), trial, trial.arrays
        )[0]
    except Exception as error:
        return f"given an array to fill: {type(error).__name__}: {error}"
    if returned is not out and out.size and not np.shares_memory(returned, out):
        return "given an array to fill, it returns another"
    why = mismatch(trial.op, out, result)
    return f"in the array that it was given to fill, {why}" if why else ""


def _changed(after: Sequence[Array | None], before: Sequence[Array | None]) -> int | None:
    """Which input a kernel has written to, if any."""
    for place, (ours, given) in enumerate(zip(after, before)):
        if ours is not None and given is not None and not np.array_equal(codes(ours), codes(given)):
            return place
    return None


def _bare(array: Array, kind: ElementType) -> Array:
    """An array without its tag, which does not travel everywhere."""
    return array.view(np.uint8) if kind.dtype.metadata else np.asarray(array)
