"""Collect replies to unusual inputs: irops runs in this process, each runtime in a separate one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from irops.conformance.cases import outcome
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.conformance.odd_inputs.table import (
    COMPARISONS,
    Column,
    Comparison,
    OddInput,
    Reply,
    Request,
    request_for,
)
from irops.diagnostics.diagnostic import Diagnostic, errors_of
from irops.registry import default_registry
from irops.spec.definition import Case, Tensor
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.literals import codes
from irops.values.shape import Shape
from irops.work.processes.requests import Process, ProcessDied

# Run an unusual input on irops.

TOLERANCE = 0.0


def irops_reply(op: Op, request: Request) -> Reply:
    """The reply of irops: inference with the values of constants only, then evaluation."""
    arrays = request.arrays
    tensors = tuple(
        Tensor(name, element_type_of(array), Shape.of(*array.shape), array, output=False)
        for name, array in zip(request.names, arrays)
    )
    static_tensors = tuple(_statically_known(request, index, tensor) for index, tensor in enumerate(tensors))
    errors = errors_of(_outcome(op, request, static_tensors)[1])
    if errors:
        return Reply("refuses", _summary(errors[0]))
    outputs, diagnostics = _outcome(op, request, tensors)
    errors = errors_of(diagnostics)
    if errors:
        return Reply("refuses", _summary(errors[0]), loaded=True)
    return Reply("computes", array=outputs[0], warnings=tuple(dict.fromkeys(map(_summary, diagnostics))))


def _statically_known(request: Request, index: int, tensor: Tensor) -> Tensor:
    """An input as known before the model runs."""
    if index in request.constants:
        return tensor
    return replace(tensor, value=None, shape=Shape(None) if index in request.unranked else tensor.shape)


def _outcome(op: Op, request: Request, tensors: tuple[Tensor, ...]) -> tuple[list[Array], list[Diagnostic]]:
    return outcome(op, Case(None, dict(request.attributes), tensors, None, TOLERANCE, None, 0))


def _summary(diagnostic: Diagnostic) -> str:
    """The number and text of the violated constraint, or the code of the rule and the message."""
    where = (diagnostic.constraint or "").rpartition(":")[2]
    return (
        f"{where or diagnostic.code}: {diagnostic.message.partition(' requires: ')[2] or diagnostic.message}"
    )


TIMEOUT = 60.0
"""Seconds that a runtime may take for one input, including its import."""
MAX_TIMEOUTS = 3
"""After this many timeouts, a runtime gets no further requests."""


def comparison(name: str) -> Comparison:
    """The comparison with this name. Raises: KeyError"""
    by_name = {item.name: item for item in COMPARISONS}
    return by_name[name]


def replies(compared: Comparison, column: Column) -> dict[OddInput, Reply]:
    """The reply to each unusual input in one column; empty if the runtime is not installed."""
    if column.runtime and RUNTIMES[column.runtime].missing is not None:
        return {}
    return _measured(compared.name, column)


@cache
def _measured(name: str, column: Column) -> dict[OddInput, Reply]:
    compared, op = comparison(name), default_registry().op(column.op)
    requests = [request_for(odd, op) for odd in compared.odd]
    if not column.runtime:
        return {odd: irops_reply(op, request) for odd, request in zip(compared.odd, requests)}
    process = Process(_replying, (column.runtime,), TIMEOUT)
    try:
        return dict(zip(compared.odd, replies_of(process, requests)))
    finally:
        process.close()


def _replying(runtime: str) -> Callable[[Request], Reply]:
    return RUNTIMES[runtime].reply


def replies_of(process: Process, requests: Sequence[Request]) -> Iterator[Reply]:
    """The reply to each request; requests stop after MAX_TIMEOUTS timeouts."""
    timeouts = 0
    for request in requests:
        if timeouts == MAX_TIMEOUTS:
            yield Reply("hangs", f"not run, after {MAX_TIMEOUTS} timeouts")
            continue
        try:
            yield process.ask(request)
        except ProcessDied as error:
            timeouts += error.stalled
            yield Reply("hangs" if error.stalled else "crashes", str(error), loaded=True)


# Compare the reply of a runtime with that of irops.


@dataclass(frozen=True, slots=True)
class Verdict:
    """tone: same, accepts (what irops refuses), refuses (what irops computes), differs, or incomparable; for
    irops itself computes, warns or rejects.
    """

    tone: str
    word: str


WORDS = {
    "same": "same as irops: bit-identical elements, or also refused, or accepted",
    "accepts": "accepts an input that is invalid by the definition",
    "refuses": "refuses an input that is valid by the definition",
    "differs": "computes another result, crashes or hangs",
    "incomparable": "not comparable: not representable there, or a check that ignores values",
}
"""The tones with their meaning, for the legend."""


def irops_verdict(ours_reply: Reply) -> Verdict:
    """The verdict on the reply of irops itself."""
    if ours_reply.kind == "refuses":
        return Verdict("rejects", f"refuses: {_constraint_or_rule(ours_reply.text)}")
    if ours_reply.warnings:
        return Verdict("warns", f"warns: {', '.join(map(_constraint_or_rule, ours_reply.warnings))}")
    return Verdict("computes", "computes")


def _constraint_or_rule(text: str) -> str:
    """The number of the constraint, or the code of the rule, at the start of a message of irops."""
    return text.partition(":")[0]


def verdict(ours_reply: Reply, other: Reply) -> Verdict:
    """The verdict on the reply of a runtime, compared with that of irops for the same op."""
    if other.kind == "unsupported":
        return Verdict("incomparable", "not representable")
    if other.kind in ("crashes", "hangs"):
        return Verdict("differs", other.kind)
    if ours_reply.kind == "refuses":
        return _of_refused(ours_reply, other)
    if other.kind == "refuses":
        return Verdict("refuses", "refuses")
    if other.kind == "accepts":
        return Verdict("same", "accepts")
    assert ours_reply.array is not None
    assert other.array is not None
    return (
        Verdict("same", "the same")
        if _identical(ours_reply.array, other.array)
        else Verdict("differs", "differs")
    )


def _of_refused(ours_reply: Reply, other: Reply) -> Verdict:
    if other.kind == "refuses":
        return Verdict("same", "refuses")
    if other.kind == "accepts" and ours_reply.loaded:
        return Verdict("incomparable", "ignores values")
    return Verdict("accepts", "accepts it")


def _identical(ours: Array, other: Array) -> bool:
    kind = element_type_of(ours)
    if ours.shape != other.shape or kind is not element_type_of(other):
        return False
    return bool((codes(ours) == codes(other)).all())
