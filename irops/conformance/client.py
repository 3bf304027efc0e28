"""Clients that run a backend for the kit, in this process or in another one, and judge its answers.

Ops that only move elements are compared bit for bit, others within the tolerance of the element type.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from irops.analysis.invocation import OpFault
from irops.backends.backend import Backend, Declined
from irops.backends.isolated import IsolatedBackend, has_kernel
from irops.backends.one_op import MOVING
from irops.conformance.cases import WRITEABLE, Expected, Trial, TrialInput, compute, in_layout
from irops.conformance.verdict import CaseVerdict, Status
from irops.diagnostics.diagnostic import DiagnosticError
from irops.spec.binding import Function
from irops.spec.op import Op
from irops.values.element import Array, codes, element_type_of
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.metrics import difference
from irops.work.worker import ProcessDied


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
    differ = f"{int(np.count_nonzero(differing))} of {ours.size} elements differ"
    return f"{differ}, the first at {list(place)}: {got}, must be {expected_element}{bits}"


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


def _out_mismatch(kernel: Function, trial: Trial, result: Array) -> str:
    """The error in the array that a kernel fills through `out`, or ''."""
    first_input = next(trial_input for trial_input in trial.inputs if trial_input is not None)
    layout = first_input.layout if first_input.layout in WRITEABLE else "plain"
    out = in_layout(np.zeros_like(result), layout)
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


class BackendClient(Protocol):
    """Runs trials on a backend. unreproduced_crashes: crashes that no single case reproduces."""

    unreproduced_crashes: list[str]

    def has(self, op: Op) -> bool: ...
    def answer(self, trial: Trial) -> Answer: ...
    def close(self) -> None: ...


class LocalBackend:
    """Runs a backend in this process."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.unreproduced_crashes: list[str] = []

    def has(self, op: Op) -> bool:
        return self.backend.kernel(op) is not None

    def answer(self, trial: Trial) -> Answer:
        return answer_of(self.backend, trial)

    def close(self) -> None:
        pass


class IsolatedClient:
    """Runs a backend by its name in a process, which is started on first use and restarted after it died."""

    def __init__(self, backend: IsolatedBackend) -> None:
        self.unreproduced_crashes: list[str] = []
        self._backend = backend
        self._answered_trials = 0

    def has(self, op: Op) -> bool:
        """Whether the backend has a kernel.

        Raises:  DiagnosticError if the backend does not exist or is unavailable; ProcessDied
        """
        return bool(self._backend.ask(has_kernel, op))

    def answer(self, trial: Trial) -> Answer:
        """The backend's answer. A crash counts as a failure of a case only if the case alone reproduces it in
        a new process.
        """
        try:
            answer: Answer = self._backend.ask(
                _answer, trial.op, trial.inputs, dict(trial.attributes), died=self._note_crash
            )
        except ProcessDied as error:
            self._answered_trials = 0
            return Answer("stalled" if error.stalled else "crashed", str(error))
        self._answered_trials += 1
        return answer

    def _note_crash(self, death: ProcessDied) -> None:
        self.unreproduced_crashes.append(
            f"{death} after {self._answered_trials} cases; the last case alone does not reproduce it"
        )
        self._answered_trials = 0

    def close(self) -> None:
        """End the process; the next request starts a new one."""
        self._backend.close()
        self._answered_trials = 0


def _answer(
    backend: Backend, op: Op, inputs: tuple[TrialInput | None, ...], attributes: dict[str, str]
) -> Answer:
    return answer_of(backend, Trial(op, inputs, attributes))


PASSED = CaseVerdict(Status.PASSED)
CHANGED, WRONG_OUT = "changed input", "wrong out"


def judge(backend: BackendClient, trial: Trial, expected: Expected) -> CaseVerdict:
    """Run a trial on a backend and return the verdict."""
    if expected.reference_error:
        return CaseVerdict(
            Status.FAILED, f"the reference itself fails: {expected.reference_error}", "failed reference"
        )
    answer = backend.answer(trial)
    if answer.kind == "declined":
        return CaseVerdict(Status.DECLINED, answer.text)
    fault = _fault(trial, expected, answer)
    return PASSED if fault is None else CaseVerdict(Status.FAILED, fault[1], fault[0])


def _fault(trial: Trial, expected: Expected, answer: Answer) -> tuple[str, str] | None:
    """The kind of failure of an answer and its description; None if there is none."""
    if answer.kind == "absent":
        return "no kernel", "the backend has no kernel"
    if answer.kind in ("crashed", "stalled"):
        return f"backend {answer.kind}", answer.text
    if answer.kind == "changed":
        return CHANGED, f"writes to its input {answer.text}, which must not change"
    if expected.violated is not None:
        return None if answer.kind == "refused" else _not_refused(trial.op, expected.violated, answer)
    if answer.kind == "refused":
        return "refused valid inputs", f"refuses valid inputs: {answer.text}"
    if answer.kind == "raised":
        return "failed kernel", f"fails on valid inputs: {answer.text}"
    if answer.kind == "wrong out":
        return WRONG_OUT, answer.text
    arrays = answer.outputs
    if len(arrays) != len(expected.outputs):
        return "wrong number of outputs", f"computes {len(arrays)} outputs, expected {len(expected.outputs)}"
    for index, (ours, wanted) in enumerate(zip(arrays, expected.outputs)):
        why = "" if wanted is None else mismatch(trial.op, ours, wanted, expected.tolerance)
        if why:
            return "wrong result", f"output {index}: {why}" if len(arrays) > 1 else why
    return None


def _not_refused(op: Op, violated: str, answer: Answer) -> tuple[str, str]:
    constraint = op.definition.constraints.get(violated)
    why = f"{op.id}:{violated} ({constraint.text})" if constraint else violated
    if answer.kind == "raised":
        return "failed instead of refusing", f"fails with {answer.text}, must raise a Violation of {why}"
    return "computed invalid inputs", f"computes a case that violates {why}"
