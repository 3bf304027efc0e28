"""Judge a backend's answer by the expected result."""

from __future__ import annotations

from irops.conformance.answer import Answer
from irops.conformance.client import BackendClient
from irops.conformance.compare import mismatch
from irops.conformance.trial import Expected, Trial
from irops.conformance.verdict import Status, Verdict
from irops.spec.op import Op

PASSED = Verdict(Status.PASSED)
CHANGED, WRONG_OUT = "changed input", "wrong out"


def judge(backend: BackendClient, trial: Trial, expected: Expected) -> Verdict:
    """Run a trial on a backend and return the verdict."""
    if expected.reference_error:
        return Verdict(
            Status.FAILED, f"the reference itself fails: {expected.reference_error}", "failed reference"
        )
    answer = backend.answer(trial)
    if answer.kind == "declined":
        return Verdict(Status.DECLINED, answer.text)
    fault = _fault(trial, expected, answer)
    return PASSED if fault is None else Verdict(Status.FAILED, fault[1], fault[0])


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
