"""Collect replies to unusual inputs: irops runs in this process, each runtime in a separate one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from irops.conformance.odd_inputs.irops_reply import irops_reply
from irops.conformance.odd_inputs.odd_input import OddInput, Reply, Request
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.conformance.odd_inputs.table import COMPARISONS, Column, Comparison, request_for
from irops.processes.worker import Process, ProcessDied
from irops.registry import default_registry

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
    process = Process("irops.conformance.odd_inputs.worker", ("runtime", column.runtime), TIMEOUT)
    try:
        return dict(zip(compared.odd, replies_of(process, requests)))
    finally:
        process.close()


def replies_of(process: Process, requests: Sequence[Request]) -> Iterator[Reply]:
    """The reply to each request; requests stop after MAX_TIMEOUTS timeouts."""
    timeouts = 0
    for request in requests:
        if timeouts == MAX_TIMEOUTS:
            yield Reply("hangs", f"not run, after {MAX_TIMEOUTS} timeouts")
            continue
        try:
            yield process.ask(("ask", request))
        except ProcessDied as error:
            timeouts += error.stalled
            yield Reply("hangs" if error.stalled else "crashes", str(error), loaded=True)
