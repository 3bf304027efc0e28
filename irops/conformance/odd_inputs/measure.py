"""Asking: irops in this process, runtimes each in one of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from irops.conformance.odd_inputs.odd import Odd, Question, Reply
from irops.conformance.odd_inputs.own import own_reply
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.conformance.odd_inputs.table import COMPARISONS, Column, Comparison, question
from irops.conformance.process import Died, Process
from irops.registry import default_registry

PATIENCE = 60.0
"""Seconds that a runtime may take for one input, its import among them."""
ENOUGH = 3
"""Questions without an answer, after which a runtime is asked no more."""


def comparison(name: str) -> Comparison:
    """The comparison of a name. Raises: KeyError"""
    found = {item.name: item for item in COMPARISONS}
    return found[name]


def replies(compared: Comparison, column: Column) -> dict[Odd, Reply]:
    """What becomes of each odd input in one column; nothing where the runtime is not installed."""
    if column.runtime and RUNTIMES[column.runtime].missing is not None:
        return {}
    return _measured(compared.name, column)


@cache
def _measured(name: str, column: Column) -> dict[Odd, Reply]:
    compared, op = comparison(name), default_registry().op(column.op)
    asked = [question(odd, op) for odd in compared.odd]
    if not column.runtime:
        return {odd: own_reply(op, one) for odd, one in zip(compared.odd, asked)}
    process = Process("irops.conformance.odd_inputs.worker", ("runtime", column.runtime), PATIENCE)
    try:
        return dict(zip(compared.odd, answers(process, asked)))
    finally:
        process.close()


def answers(process: Process, questions: Sequence[Question]) -> Iterator[Reply]:
    """The reply to each question; one that has hung too often is asked no more."""
    hung = 0
    for one in questions:
        if hung == ENOUGH:
            yield Reply("hangs", f"not asked, after {ENOUGH} questions without an answer")
            continue
        try:
            yield process.ask(("ask", one))
        except Died as death:
            hung += death.stalled
            yield Reply("hangs" if death.stalled else "crashes", str(death), loaded=True)
