"""Asking: irops in this process, runtimes each in one of its own."""
from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from irops.comparison.odd import Odd, Reply
from irops.comparison.own import own_reply
from irops.comparison.runtimes import RUNTIMES
from irops.comparison.table import COMPARISONS, Column, Comparison, question
from irops.conformance.process import Died, Process
from irops.registry import default_registry

PATIENCE = 60.0
"""Seconds that a runtime may take for one input, its import among them."""


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
    process = Process("irops.comparison.worker", ("runtime", column.runtime), PATIENCE)
    try:
        return {odd: _asked(process, ("ask", one)) for odd, one in zip(compared.odd, asked)}
    finally:
        process.close()


def _asked(process: Process, request: Sequence[object]) -> Reply:
    try:
        answer: Reply = process.ask(tuple(request))
    except Died as death:
        return Reply("hangs" if death.stalled else "crashes", str(death), loaded=True)
    return answer
