"""What a backend does with a trial, as a value that can be sent from one process to another."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irops.backends.backend import Backend
from irops.backends.declined import Declined
from irops.conformance.compare import codes
from irops.conformance.trial import Trial, compute
from irops.diagnostics.diagnostic import DiagnosticError
from irops.inference.layer import LayerFault
from irops.values.element import Array, ElementType, element_type, element_type_of, tagged
from irops.values.violation import LimitExceeded, Violation


@dataclass(frozen=True, slots=True)
class Answer:
    """kind: gave, declined, refused, raised, changed (its inputs), absent (no kernel); or crashed, stalled, as others see it."""

    kind: str
    text: str = ""
    outputs: tuple[tuple[Array, str], ...] = ()

    @property
    def arrays(self) -> list[Array]:
        return [tagged(array, element_type(kind)) for array, kind in self.outputs]


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
    except (Violation, LayerFault, LimitExceeded, DiagnosticError) as refusal:
        return Answer("refused", str(refusal))
    except Exception as error:
        return Answer("raised", f"{type(error).__name__}: {error}".rstrip(": "))
    changed = _changed(arrays, trial.arrays)
    if changed is not None:
        return Answer("changed", trial.op.definition.inputs[min(changed, len(trial.op.definition.inputs) - 1)].name)
    return Answer("gave", "", tuple((_bare(array, element_type_of(array)), element_type_of(array).name) for array in outputs))


def _changed(after: Sequence[Array | None], before: Sequence[Array | None]) -> int | None:
    """Which input a kernel has written to, if any."""
    for place, (ours, given) in enumerate(zip(after, before)):
        if ours is not None and given is not None and not np.array_equal(codes(ours), codes(given)):
            return place
    return None


def _bare(array: Array, kind: ElementType) -> Array:
    """An array without its tag, which does not travel everywhere."""
    return array.view(np.uint8) if kind.dtype.metadata else np.asarray(array)
