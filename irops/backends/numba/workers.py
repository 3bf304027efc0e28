"""The other cores: threads that wait for work, and take their share of it piece by piece.

A kernel counts its tasks up in shared memory, so whoever is free takes the next; if no other thread wakes in
time, the one that asked does all by itself and waits for nobody. numba's own parallel loops launch slower,
and abort the process
where two threads or a forked child use them.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np
import numpy.typing as npt

from irops.backends.numba.addresses import address_of
from irops.backends.numba.waiting import BELL, DONE, SIZE, await_change, await_count

Job = tuple[Callable[..., Any], tuple[Any, ...], Any]
Integers = npt.NDArray[np.int64]
PATIENCE = 5000
"""How often a thread looks for work before it sleeps, or for the others to finish: 0.1 to 0.3 milliseconds,
as processors go.
"""


class _OwnCounters(threading.local):
    """Counters that each thread has for itself, for what it does alone; their bell is heard by nobody."""

    def __init__(self) -> None:
        self._counters, self._bell = np.zeros(SIZE, np.int64), np.zeros(1, np.int64)
        self._counters[BELL // 8] = address_of(self._bell)
        self._address = address_of(self._counters)

    def fresh(self) -> int:
        """Their address; they begin at 0."""
        self._counters[0] = 0
        return self._address


class Workers:
    """Threads beside the one that asks."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self._forget()

    def _forget(self) -> None:
        """A forked child has none of its parent's threads."""
        self._lock, self._own = threading.Lock(), _OwnCounters()
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._bell = np.zeros(1, np.int64)
        self._bell_address = address_of(self._bell)
        self._started = 0

    def run(self, kernel: Callable[..., Any], arguments: tuple[Any, ...], tasks: int, held: Any) -> None:
        """Run a kernel, whose last argument is the address of its counters, on as many cores as there are
        tasks for.

        held: what must live on as long as the kernel may run
        """
        others = min(self.cores, tasks) - 1
        if others < 1:
            kernel(*arguments, self._own.fresh())
            return
        counters = np.zeros(SIZE, np.int64)
        counters[BELL // 8] = self._bell_address
        address = address_of(counters)
        job = (kernel, (*arguments, address), (held, counters, self._bell))
        self._call(others)
        for _ in range(others):
            self._jobs.put(job)
        kernel(*arguments, address)
        while not await_count(address + DONE, tasks, PATIENCE):
            time.sleep(
                1e-4
            )  # whoever has begun a task is about to finish it, if it is not kept from its core

    def _call(self, others: int) -> None:
        if self._started < others:
            with self._lock:
                while self._started < others:
                    threading.Thread(
                        target=_work, args=(self._jobs, self._bell), name="irops", daemon=True
                    ).start()
                    self._started += 1


def _work(jobs: SimpleQueue[Job], bell: Integers) -> None:
    """Do jobs for ever.

    The bell is rung by kernels, once they have let go of the interpreter's lock: whoever is about to wait
    looks at the bell first, at the queue then, so that it misses no ring, and finds the lock free when it has
    heard one.
    """
    address = address_of(bell)
    while True:
        known = int(bell[0])
        if jobs.empty():
            await_change(address, known, PATIENCE)
        kernel, arguments, held = jobs.get()
        kernel(*arguments)
        del kernel, arguments, held


def _cores() -> int:
    wanted = os.environ.get("NUMBA_NUM_THREADS", "")
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(there, int(wanted) if wanted.isdigit() else there))


WORKERS = Workers(_cores())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WORKERS._forget)
