"""Clients that run a backend for the kit, in this process or in another one, and judge its answers."""

from __future__ import annotations

from typing import Protocol

from irops.backends.backend import Backend
from irops.backends.isolated import IsolatedBackend, has_kernel
from irops.conformance.answer import Answer, answer_of, mismatch
from irops.conformance.trial import Expected, Trial, TrialInput
from irops.conformance.verdict import CaseVerdict, Status
from irops.processes.worker import ProcessDied
from irops.spec.op import Op


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
    return _wrong(trial.op, expected, answer)


def _not_refused(op: Op, violated: str, answer: Answer) -> tuple[str, str]:
    constraint = op.definition.constraints.get(violated)
    why = f"{op.id}:{violated} ({constraint.text})" if constraint else violated
    if answer.kind == "raised":
        return "failed instead of refusing", f"fails with {answer.text}, must raise a Violation of {why}"
    return "computed invalid inputs", f"computes a case that violates {why}"


def _wrong(op: Op, expected: Expected, answer: Answer) -> tuple[str, str] | None:
    arrays = answer.outputs
    if len(arrays) != len(expected.outputs):
        return "wrong number of outputs", f"computes {len(arrays)} outputs, expected {len(expected.outputs)}"
    for index, (ours, wanted) in enumerate(zip(arrays, expected.outputs)):
        why = "" if wanted is None else mismatch(op, ours, wanted, expected.tolerance)
        if why:
            return "wrong result", f"output {index}: {why}" if len(arrays) > 1 else why
    return None
