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

from irops.cluster.identity import Identity, identity, objection
from irops.processes.batches import Batches
from irops.processes.child import Child
from irops.processes.pool import wait_for

IDLE_SECONDS = 60.0
"""A process that had nothing to do for this time is ended."""
ENDED_RUNS = 64


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


def work_on(run: str, sender: Identity, settings: bytes, item: bytes) -> bytes | Identity:
    """The pickled list with the result of an item, from the process that this thread has for a run.

    Without work on it, what this worker has, if that differs from what the sender has.
    settings: what the process gets, pickled: what it prepares and its bounds; item: pickled
    """
    if objection(sender):
        return identity()
    kept = _child_of(run, settings)
    with kept.lock:
        batches = Batches([pickle.loads(item)], 1)
        try:
            return _worked_through(run, kept.child, batches)
        finally:
            kept.used = monotonic()
            if run in _ended:
                kept.child.end()


def _worked_through(run: str, child: Child, batches: Batches) -> bytes:
    while run not in _ended:
        child.fill(batches)
        wait_for([child])
        for _, payload in child.payloads(batches):
            return payload
    return pickle.dumps([])  # nobody waits for it


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
