"""Holding a backend's answer to the truth."""

from __future__ import annotations

from irops.conformance.answer import Answer
from irops.conformance.asked import Asked
from irops.conformance.compare import mismatch
from irops.conformance.trial import Trial, Truth
from irops.conformance.verdict import Status, Verdict
from irops.spec.op import Op

PASSED = Verdict(Status.PASSED)
CHANGED, WRONG_OUT = "changed input", "wrong out"


def judge(backend: Asked, trial: Trial, truth: Truth) -> Verdict:
    """Ask a backend, and say how it does."""
    if truth.unknown:
        return Verdict(Status.FAILED, f"the reference itself fails: {truth.unknown}", "failed reference")
    answer = backend.answer(trial)
    if answer.kind == "declined":
        return Verdict(Status.DECLINED, answer.text)
    fault = _fault(trial, truth, answer)
    return PASSED if fault is None else Verdict(Status.FAILED, fault[1], fault[0])


def _fault(trial: Trial, truth: Truth, answer: Answer) -> tuple[str, str] | None:
    """Which kind of failure an answer is, and what exactly."""
    if answer.kind == "absent":
        return "no kernel", "there is no kernel"
    if answer.kind in ("crashed", "stalled"):
        return f"backend {answer.kind}", answer.text
    if answer.kind == "changed":
        return CHANGED, f"writes into its input {answer.text}, must leave it as it is"
    if truth.broken is not None:
        return None if answer.kind == "refused" else _not_refused(trial.op, truth.broken, answer)
    if answer.kind == "refused":
        return "refused valid inputs", f"refuses valid inputs: {answer.text}"
    if answer.kind == "raised":
        return "failed kernel", f"fails on valid inputs: {answer.text}"
    if answer.kind == "wrong out":
        return WRONG_OUT, answer.text
    return _wrong(trial.op, truth, answer)


def _not_refused(op: Op, broken: str, answer: Answer) -> tuple[str, str]:
    constraint = op.definition.constraints.get(broken)
    why = f"{op.id}:{broken} ({constraint.text})" if constraint else broken
    if answer.kind == "raised":
        return "failed where it must refuse", f"fails with {answer.text}, must raise a Violation of {why}"
    return "computed what must be refused", f"computes what breaks {why}"


def _wrong(op: Op, truth: Truth, answer: Answer) -> tuple[str, str] | None:
    arrays = answer.arrays
    if len(arrays) != len(truth.outputs):
        return "wrong number of outputs", f"gives {len(arrays)} outputs, must give {len(truth.outputs)}"
    for index, (ours, wanted) in enumerate(zip(arrays, truth.outputs)):
        why = "" if wanted is None else mismatch(op, ours, wanted, truth.tolerance)
        if why:
            return "wrong result", f"output {index}: {why}" if len(arrays) > 1 else why
    return None
