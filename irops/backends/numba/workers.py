"""The other cores: threads that wait for work, and take their share of it piece by piece.

A kernel counts its tasks up in shared memory, so whoever is free takes the next; if no other thread wakes in time, the one that
asked does all by itself and waits for nobody. numba's own parallel loops launch slower, and abort the process where two threads
or a forked child use them.
"""
from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np

Job = tuple[Callable[..., Any], tuple[Any, ...], Any]
DONE = 8
"""Where in the counter's array finished tasks are counted: a cache line away from those that are begun."""


class _Counter(threading.local):
    """A counter that each thread has for itself, for what it does alone."""

    def __init__(self) -> None:
        self._array = np.zeros(2 * DONE, np.int64)
        self._address = self._array.ctypes.data

    def fresh(self) -> int:
        """Its address; it begins at 0."""
        self._array[0] = 0
        return self._address


class Workers:
    """Threads beside the one that asks."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self._forget()

    def _forget(self) -> None:
        """A forked child has none of its parent's threads."""
        self._lock, self._own = threading.Lock(), _Counter()
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._started = 0

    def run(self, kernel: Callable[..., Any], arguments: tuple[Any, ...], tasks: int, held: Any) -> None:
        """Run a kernel, whose last argument is the address of its counters, on as many cores as there are tasks for.

        held: what must live on as long as the kernel may run
        """
        others = min(self.cores, tasks) - 1
        if others < 1:
            kernel(*arguments, self._own.fresh())
            return
        counter = np.zeros(2 * DONE, np.int64)
        complete = (*arguments, counter.ctypes.data)
        self._call(others)
        for _ in range(others):
            self._jobs.put((kernel, complete, (held, counter)))
        kernel(*complete)
        _until(counter, tasks)

    def _call(self, others: int) -> None:
        if self._started < others:
            with self._lock:
                while self._started < others:
                    threading.Thread(target=self._work, args=(self._jobs,), name="irops", daemon=True).start()
                    self._started += 1

    @staticmethod
    def _work(jobs: SimpleQueue[Job]) -> None:
        while True:
            kernel, arguments, held = jobs.get()
            kernel(*arguments)
            del kernel, arguments, held


def _until(counter: Any, tasks: int) -> None:
    """Wait until all tasks are finished; whoever has begun one is about to."""
    turns = 0
    while counter[DONE] < tasks:
        turns += 1
        time.sleep(0 if turns < 1000 else 1e-4)


def _cores() -> int:
    wanted = os.environ.get("NUMBA_NUM_THREADS", "")
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(there, int(wanted) if wanted.isdigit() else there))


WORKERS = Workers(_cores())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WORKERS._forget)
