"""Results of backends compared with those of the reference, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

from irops.invocation import OpFault
from irops.runtime.plan import Step
from irops.runtime.record import Record
from irops.spec.op import Op
from irops.values.element import Array
from irops.values.tensors import result_array
from irops.verdicts.judge import judge
from irops.verdicts.question import Question


def verify(
    record: Record, backend: str, step: Step, arrays: Sequence[Array | None], results: Sequence[Array]
) -> None:
    """Compare the results of a layer with the reference; record what was compared.

    backend: what computed them. Raises: OpFault where they differ by more than rounding
    """
    key = (step.node.path, step.layer.id)
    reason = _why_not_compared(step.op, backend)
    if reason:
        record.unverified[key] = reason
        return
    record.compared[key] = backend
    question = Question.of(step.invocation, arrays)
    for index, (ours, reference) in enumerate(zip(results, question.again(arrays))):
        judgement = judge(question, result_array(reference, step.facts.outputs[index]), ours, index)
        record.verdicts[judgement.verdict] += 1
        if judgement.is_fault:
            message = (
                f"output {index} of {step.op.id} by backend {backend} differs from the reference:"
                f" {judgement.reason}"
            )
            raise OpFault("incorrect-kernel-result", message)


def _why_not_compared(op: Op, backend: str) -> str:
    """Why the result of a layer is not compared with the reference; empty if it is."""
    if backend == "reference" or op.functions.kernel is None:
        return "computed by the reference"
    if op.definition.bodies:
        return "with bodies, whose layers are compared"
    return "with a state" if op.definition.stateful else ""
