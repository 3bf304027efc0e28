"""A pool of threads that share the tasks of a kernel.

Kernels take tasks from a counter in shared memory, so a thread that is free takes the next one. Threads wait
for each other by polling, since to sleep and to be woken takes longer than to move most tensors. If no other
thread wakes up in time, the calling thread executes all tasks and does not wait. numba's parallel loops
start more slowly, and abort the process if two threads or a forked child use them.
"""

import os
import threading
import time
from collections.abc import Callable
from ctypes import addressof, c_char
from queue import SimpleQueue
from typing import Any

import numpy as np
import numpy.typing as npt

from irops.backends.numba.vectors import compiled, fetch_add, load_i64, load_i64_atomic, yield_core
from irops.values.element import Array

STARTED, FINISHED, WAKEUP = 0, 64, 128
"""Byte offsets of a job's counters: the tasks started, the tasks finished, and the address of the wakeup
counter, which workers poll.
"""
SIZE = (WAKEUP + 64) // 8
"""The size of the counters in integers of 64 bits; each counter has its own cache line."""
YIELD_INTERVAL = 64
"""The number of polls, one or two microseconds, after which a thread yields its core."""


def address_of(array: Array) -> int:
    """The address of the first element of an array, which must not be empty."""
    flags = array.flags
    if flags.writeable and flags.c_contiguous and array.dtype.isbuiltin == 1:  # these support buffers
        return addressof(c_char.from_buffer(array))  # type: ignore[arg-type]  # twice as fast as ctypes.data
    address: int = array.ctypes.data
    return address


def _notify(counter: int) -> None:
    """Increment the wakeup counter of a job."""
    fetch_add(load_i64(counter + WAKEUP))


def _await_change(address: int, last_value: int, spins: int) -> None:
    """Poll until an integer differs from last_value, at most spins times."""
    while spins and load_i64_atomic(address) == last_value:
        spins -= 1
        if spins % YIELD_INTERVAL == 0:
            yield_core()


def _await_count(address: int, minimum: int, spins: int) -> bool:
    """Poll until an integer is at least minimum, at most spins times; return whether it is."""
    while load_i64_atomic(address) < minimum:
        if not spins:
            return False
        spins -= 1
        if spins % YIELD_INTERVAL == 0:
            yield_core()
    return True


notify, await_change, await_count = compiled(_notify), compiled(_await_change), compiled(_await_count)


Job = tuple[Callable[..., Any], tuple[Any, ...], Any]
Integers = npt.NDArray[np.int64]
SPIN_LIMIT = 5000
"""The number of polls before a thread sleeps, while it waits for work or for other threads: 0.1 to 0.3
milliseconds on current processors.
"""


class ThreadPool:
    """The threads in addition to the calling one."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self._reset()

    def _reset(self) -> None:
        """Set the initial state, also in a forked child, which has none of its parent's threads."""
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._wakeup = np.zeros(1, np.int64)
        self._wakeup_address = address_of(self._wakeup)
        self._started = 0

    def run(
        self, kernel: Callable[..., Any], arguments: tuple[Any, ...], tasks: int, keep_alive: Any
    ) -> None:
        """Run a kernel on up to as many cores as there are tasks; its last argument is the address of its
        counters.

        keep_alive: objects whose memory the kernel uses
        """
        others = min(self.cores, tasks) - 1
        counters = np.zeros(SIZE, np.int64)
        counters[WAKEUP // 8] = self._wakeup_address
        address = address_of(counters)
        job = (kernel, (*arguments, address), (keep_alive, counters, self._wakeup))
        self._start_threads(others)
        for _ in range(others):
            self._jobs.put(job)
        kernel(*arguments, address)
        while not await_count(address + FINISHED, tasks, SPIN_LIMIT):
            time.sleep(1e-4)  # another thread is still in a task, perhaps without a core

    def _start_threads(self, others: int) -> None:
        if self._started < others:
            with self._lock:
                while self._started < others:
                    threading.Thread(
                        target=_work, args=(self._jobs, self._wakeup), name="irops", daemon=True
                    ).start()
                    self._started += 1


def _work(jobs: SimpleQueue[Job], wakeup: Integers) -> None:
    """Execute jobs for ever.

    A kernel increments the wakeup counter after it has released the GIL. A thread reads the counter before it
    looks at the queue, so that it misses no increment, and finds the GIL free when it sees one.
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


WORKERS = ThreadPool(_cores())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WORKERS._reset)
