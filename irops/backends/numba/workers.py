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
from irops.backends.numba.spinning import FINISHED, SIZE, WAKEUP, await_change, await_count

Job = tuple[Callable[..., Any], tuple[Any, ...], Any]
Integers = npt.NDArray[np.int64]
SPIN_LIMIT = 5000
"""How often a thread looks for work before it sleeps, or for the others to finish: 0.1 to 0.3 milliseconds,
as processors go.
"""


class _ThreadCounters(threading.local):
    """The counters of one thread, for jobs that it runs alone; no thread watches their wake-up integer."""

    def __init__(self) -> None:
        self._counters, self._wakeup = np.zeros(SIZE, np.int64), np.zeros(1, np.int64)
        self._counters[WAKEUP // 8] = address_of(self._wakeup)
        self._address = address_of(self._counters)

    def reset(self) -> int:
        """Their address; they begin at 0."""
        self._counters[0] = 0
        return self._address


class Workers:
    """Threads beside the one that asks."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self._reset()

    def _reset(self) -> None:
        """A forked child has none of its parent's threads."""
        self._lock, self._thread_counters = threading.Lock(), _ThreadCounters()
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._wakeup = np.zeros(1, np.int64)
        self._wakeup_address = address_of(self._wakeup)
        self._started = 0

    def run(
        self, kernel: Callable[..., Any], arguments: tuple[Any, ...], tasks: int, keep_alive: Any
    ) -> None:
        """Run a kernel, whose last argument is the address of its counters, on as many cores as there are
        tasks for.

        held: what must live on as long as the kernel may run
        """
        others = min(self.cores, tasks) - 1
        if others < 1:
            kernel(*arguments, self._thread_counters.reset())
            return
        counters = np.zeros(SIZE, np.int64)
        counters[WAKEUP // 8] = self._wakeup_address
        address = address_of(counters)
        job = (kernel, (*arguments, address), (keep_alive, counters, self._wakeup))
        self._start_threads(others)
        for _ in range(others):
            self._jobs.put(job)
        kernel(*arguments, address)
        while not await_count(address + FINISHED, tasks, SPIN_LIMIT):
            time.sleep(
                1e-4
            )  # whoever has begun a task is about to finish it, if it is not kept from its core

    def _start_threads(self, others: int) -> None:
        if self._started < others:
            with self._lock:
                while self._started < others:
                    threading.Thread(
                        target=_work, args=(self._jobs, self._wakeup), name="irops", daemon=True
                    ).start()
                    self._started += 1


def _work(jobs: SimpleQueue[Job], wakeup: Integers) -> None:
    """Do jobs for ever.

    Kernels change the wake-up integer after they have released the interpreter's lock. A thread that is
    about to wait reads this integer first and the queue second, so it misses no change, and the lock is free
    when it wakes.
    """
    address = address_of(wakeup)
    while True:
        last_value = int(wakeup[0])
        if jobs.empty():
            await_change(address, last_value, SPIN_LIMIT)
        kernel, arguments, keep_alive = jobs.get()
        kernel(*arguments)
        del kernel, arguments, keep_alive


def _cores() -> int:
    requested = os.environ.get("NUMBA_NUM_THREADS", "")
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(available, int(requested) if requested.isdigit() else available))


WORKERS = Workers(_cores())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WORKERS._reset)
