"""What workers of a cluster do: each thread has a bounded process that works on items, and keeps it between
the tasks of a run.
"""

from __future__ import annotations

import pickle
import threading
from collections import deque
from dataclasses import dataclass, field
from math import inf
from time import monotonic, sleep

from irops.processes.batches import Batches
from irops.processes.child import Child
from irops.processes.pool import wait_for

TASK_SECONDS = 3.0
"""A task returns what is done after this time; what is left of its items is sent again."""
TASK_BYTES = 16 << 20
"""The same for results of so many bytes."""
IDLE_SECONDS = 60.0
"""A process that had nothing to do for this time is ended."""
ENDED_RUNS = 64


TaskResult = tuple[list[tuple[list[int], bytes]], float]
"""What a task returns: pickled lists of results, each with the places of their items in the task, and an
estimate of the seconds that an item takes. There is no result for items that are to be sent again.
"""


@dataclass(slots=True)
class _Kept:
    """A process of a run. lock: is held while a thread uses it"""

    run: str
    child: Child
    used: float
    lock: threading.Lock = field(default_factory=threading.Lock)


_kept: dict[tuple[str, int], _Kept] = {}
_ended: deque[str] = deque(maxlen=ENDED_RUNS)
_changing = threading.Lock()


def work_on(run: str, settings: bytes, items: bytes, seconds_per_item: float) -> TaskResult:
    """Work on items in the process that this thread has for a run, until all are done or time is up.

    settings: what the child gets, pickled: what it prepares and its bounds; items: a pickled list
    """
    kept = _child_of(run, settings)
    with kept.lock:
        batches = Batches(pickle.loads(items), 1, seconds_per_item=seconds_per_item)
        try:
            payloads = _worked_through(run, kept.child, batches)
        finally:
            kept.used = monotonic()
            if run in _ended:
                kept.child.end()
    return payloads, batches.seconds_per_item


def _worked_through(run: str, child: Child, batches: Batches) -> list[tuple[list[int], bytes]]:
    payloads: list[tuple[list[int], bytes]] = []
    until, size = monotonic() + TASK_SECONDS, 0
    while True:
        if run not in _ended and monotonic() < until and size < TASK_BYTES:
            child.fill(batches)
        if not child.given:
            return payloads
        wait_for([child])
        for numbers, payload in child.payloads(batches):
            payloads.append((numbers, payload))
            size += len(payload)


def end_run(run: str) -> None:
    """End the processes of a run. A task that uses one returns what it has."""
    _ended.append(run)
    with _changing:
        kept = [_kept.pop(key) for key in list(_kept) if key[0] == run]
    for one in kept:
        one.child.stop()
        if one.lock.acquire(blocking=False):
            one.child.end()


def _child_of(run: str, settings: bytes) -> _Kept:
    key = run, threading.get_ident()
    with _changing:
        kept = _kept.get(key)
        if kept is None:
            prepared, seconds, memory = pickle.loads(settings)
            child = Child(prepared, seconds=seconds, memory=memory)
            kept = _kept[key] = _Kept(run, child, monotonic())
            if len(_kept) == 1:
                threading.Thread(target=_end_idle, daemon=True, name="irops idle").start()
        kept.used = inf
    return kept


def _end_idle() -> None:
    """End what had nothing to do for some time, until there is nothing more to end."""
    while True:
        sleep(IDLE_SECONDS / 4)
        with _changing:
            idle = [key for key, kept in _kept.items() if monotonic() - kept.used > IDLE_SECONDS]
            for one in [_kept.pop(key) for key in idle]:
                one.child.end()
            if not _kept:
                return
