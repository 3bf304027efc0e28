"""The workers of a Dask cluster: they get items in batches, bounded, and again where a machine is lost."""

from __future__ import annotations

import os
import pickle
import threading
from asyncio import CancelledError as AsyncCancelledError
from asyncio import run_coroutine_threadsafe
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

from irops.work.cluster.faults import ClusterError
from irops.work.cluster.members import WAIT_SECONDS, Connection, Members, pickled_call, unseen
from irops.work.processes.pool import Batch, Batches, Child, unpickled, wait_for
from irops.work.processes.serving import Died, Work

# Which items to blame for workers that were lost while they worked on them.

SUSPECT, LOST = 2, 4
"""An item whose workers were lost so often gets a worker that does nothing else, and is given up."""


class Losses:
    """Counts losses by index of item. suspects: items that wait for a worker that does nothing else"""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self.suspects: deque[Batch] = deque()

    def blame(self, batch: Batch, alone: bool, batches: Batches, times: int = 1) -> list[tuple[int, Died]]:
        """Count a loss for each item of a batch and return the items that are given up. The others are sent
        again: first in a batch as before, later each by itself.

        alone: whether the worker did nothing else, so that it is certain what it was lost with; times: how
        often it was lost
        """
        for number, _ in batch:
            self._counts[number] += times
        if alone and self._counts[batch[0][0]] >= LOST:
            return [(batch[0][0], Died("the workers that worked on it were lost", lost=True))]
        again = [item for item in batch if self._counts[item[0]] < SUSPECT]
        self.suspects += [[item] for item in batch if self._counts[item[0]] >= SUSPECT]
        batches.give_back(again)
        return []


# What workers of a cluster do: each thread has a bounded process that works on items, and keeps it between
# the tasks of a run.

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


# One run on the workers of a cluster: what is in flight, what has to be sent again, what has arrived.

BATCH_SECONDS, LARGEST_BATCH, FIRST_ESTIMATE = 1.0, 1024, 0.2
"""How large batches grow, since a task costs a scheduler and a worker some milliseconds, and the seconds that
an item is expected to take before one is done.
"""
BATCH_BYTES = 4 << 20
"""A batch with more bytes of items is divided."""
AHEAD = 2
"""Tasks in flight for each thread of a worker: one that it works on, and one that waits."""
LOOK_SECONDS = 0.5
"""How often to look which workers there are."""
END_SECONDS = 10.0
"""How long to wait for workers to end what they work on."""
SETBACKS = 100
"""So many tasks in succession may be sent back without a result."""


@dataclass(slots=True)
class Task:
    """A batch in flight. future: of Dask; alone: whether its worker has nothing else to do;
    transfer: brings its result here, once there is one
    """

    batch: Batch
    worker: str
    future: Any
    alone: bool
    transfer: Future[TaskResult] | None = None


class ClusterRun:
    """A run of items. settings: pickled: what the processes prepare, seconds, memory"""

    def __init__(
        self, connection: Connection, members: Members, settings: bytes, items: Sequence[Any]
    ) -> None:
        self._connection, self._members, self._settings = connection, members, settings
        self._id = uuid4().hex
        self._unfinished = len(items)
        self._batches = Batches(
            items, 1, seconds=BATCH_SECONDS, largest=LARGEST_BATCH, seconds_per_item=FIRST_ESTIMATE
        )
        self._tasks: dict[str, Task] = {}
        self._sent = self._setbacks = 0
        self._done: SimpleQueue[str] = SimpleQueue()
        self._losses = Losses()
        self._next_look = 0.0
        self._workless_since: float | None = None

    def results(self) -> Iterator[tuple[int, Any]]:
        """The index of each item with its result, as results arrive.

        Raises:  ClusterError if the scheduler or all workers stay away
        """
        while self._unfinished:
            for number, result in [*self._look(), *self._arrived()]:
                self._unfinished -= 1
                yield number, result

    def _look(self) -> list[tuple[int, Any]]:
        """See which workers there are, and hand out work; return results of items that are lost."""
        lost: list[tuple[int, Any]] = []
        if not self._connection.is_up:
            self._recall(list(self._tasks))
            self._connection.restore()
            self._members.forget()
            self._next_look = 0.0
        if monotonic() >= self._next_look:
            for worker, threads in self._members.refresh(lambda: self._done.put("")).items():
                lost += [*self._arrived(wait=False), *self._worker_is_lost(worker, threads)]
            self._next_look = monotonic() + LOOK_SECONDS
            self._require_workers()
        self._hand_out()
        return lost

    def _require_workers(self) -> None:
        if self._members.threads:
            self._workless_since = None
            return
        self._workless_since = self._workless_since or monotonic()
        if monotonic() - self._workless_since > self._members.wait_seconds:
            refused = f"; {self._members.refusal()}" if self._members.refused else ""
            raise ClusterError(f"{self._members.absence()}{refused}")

    def _hand_out(self) -> None:
        self._batches.processes = max(self._members.count, 1)
        loads: Counter[str] = Counter()
        for task in self._tasks.values():
            loads[task.worker] += AHEAD * self._members.count if task.alone else 1
        free = dict(self._members.threads)
        while self._losses.suspects and free:
            worker = min(free, key=loads.__getitem__)
            del free[worker]  # it gets nothing else, even if it has to finish what it has first
            if loads[worker]:
                break
            self._send(self._losses.suspects.popleft(), worker, alone=True)
        for ahead in range(1, AHEAD + 1 if self._batches.quick else 2):
            for worker, threads in free.items():
                while loads[worker] < ahead * threads:
                    if not (batch := self._batches.next()):
                        return
                    self._send(batch, worker)
                    loads[worker] += 1

    def _send(self, batch: Batch, worker: str, alone: bool = False) -> None:
        items = pickle.dumps([item for _, item in batch], pickle.HIGHEST_PROTOCOL)
        while len(items) > BATCH_BYTES and len(batch) > 1:
            self._batches.give_back(batch[len(batch) // 2 :])
            batch = batch[: len(batch) // 2]
            items = pickle.dumps([item for _, item in batch], pickle.HIGHEST_PROTOCOL)
        key = f"irops-{self._id}-{self._sent}"
        self._sent += 1
        call = pickled_call(work_on, self._id, self._settings, items, self._batches.seconds_per_item)
        future = self._connection.client.submit(
            pickle.loads, call, key=key, workers=[worker], allow_other_workers=False, pure=False
        )
        self._tasks[key] = Task(batch, worker, future, alone)
        future.add_done_callback(lambda _: self._done.put(key))

    def _arrived(self, wait: bool = True) -> list[tuple[int, Any]]:
        """The results of the tasks that ended. wait: for one, but not for long"""
        results: list[tuple[int, Any]] = []
        with suppress(Empty):
            key = self._done.get(wait, max(self._next_look - monotonic(), 0.0))
            while True:
                if (task := self._tasks.get(key)) is not None:
                    results += self._advanced(key, task)
                key = self._done.get_nowait()
        return results

    def _advanced(self, key: str, task: Task) -> list[tuple[int, Any]]:
        """The results of a task that have been transferred; begin the transfer if it is to be.

        It does not hold up others, and a worker may be lost during it.
        """
        if task.transfer is None:
            client = self._connection.client
            transfer = client.gather(task.future, asynchronous=True)
            task.transfer = run_coroutine_threadsafe(transfer, client.loop.asyncio_loop)
            task.transfer.add_done_callback(lambda _: self._done.put(key))
            return []
        if not task.transfer.done():
            return []
        del self._tasks[key]
        return self._results_of(task, task.transfer)

    def _results_of(self, task: Task, transfer: Future[TaskResult]) -> list[tuple[int, Any]]:
        from distributed import KilledWorker

        try:
            result = transfer.result()
        except KilledWorker:
            return self._losses.blame(task.batch, task.alone, self._batches, SUSPECT)
        except (CancelledError, AsyncCancelledError, OSError) as error:  # the connection was lost
            self._set_back(task.batch, error)
            return []
        self._setbacks = 0
        return self._unpacked(task.batch, *result)

    def _unpacked(
        self, batch: Batch, payloads: list[tuple[list[int], bytes]], seconds_per_item: float
    ) -> list[tuple[int, Any]]:
        results: dict[int, Any] = {}
        for places, payload in payloads:
            results.update(zip(places, unpickled(payload, len(places))))
        if results:
            self._batches.took(seconds_per_item * len(results), len(results))
        self._batches.give_back([item for place, item in enumerate(batch) if place not in results])
        return [(batch[place][0], result) for place, result in results.items()]

    def _worker_is_lost(self, worker: str, threads: int) -> list[tuple[int, Any]]:
        """Send what it had again. Of the tasks that it had not finished it worked on the first, as many as it
        has threads.
        """
        mine = {key: task for key, task in self._tasks.items() if task.worker == worker}
        begun = [key for key, task in mine.items() if task.transfer is None][:threads]
        self._recall([key for key in mine if key not in begun])
        self._recall(begun, give_back=False)
        lost = [self._losses.blame(mine[key].batch, mine[key].alone, self._batches) for key in begun]
        return [pair for pairs in lost for pair in pairs]

    def _set_back(self, batch: Batch, error: BaseException) -> None:
        self._batches.give_back(batch)
        self._setbacks += 1
        if self._setbacks > SETBACKS:
            raise ClusterError(f"the scheduler at {self._connection.address} drops all tasks: {error}")

    def _recall(self, keys: Sequence[str], give_back: bool = True) -> None:
        """Cancel tasks whose results are not waited for, and return their items, if they are to be sent."""
        tasks = [self._tasks.pop(key) for key in keys]
        if give_back:
            for task in reversed(tasks):
                self._batches.give_back(task.batch)
        client = self._connection.client
        if tasks and self._connection.is_up:
            cancelled = client.cancel([task.future for task in tasks], force=True, asynchronous=True)
            run_coroutine_threadsafe(cancelled, client.loop.asyncio_loop)

    def end(self) -> None:
        """Cancel what is in flight, and end the processes of the run; the workers stay usable."""
        futures = [task.future for task in self._tasks.values()]
        self._tasks.clear()
        if not self._connection.is_up:
            return  # the processes end when they have had nothing to do for some time
        ending = threading.Thread(target=self._end, args=(futures,), daemon=True, name="irops end")
        ending.start()
        ending.join(END_SECONDS)

    def _end(self, futures: list[Any]) -> None:
        client = self._connection.client
        with suppress(OSError, TimeoutError, RuntimeError):  # meanwhile it was lost
            if futures:
                client.cancel(futures, force=True)
            client.run(end_run, self._id, workers=list(self._members.threads), on_error="ignore")


# The workers of a Dask cluster.

LOOKED_AT = 64
"""The number of files that workers are asked for: of each folder, the first."""


class ClusterWorkers:
    """The workers of a scheduler. Each thread of a worker has a process that is bounded in time and memory.

    client: a distributed.Client; wait_seconds: how long to wait for workers where there are none
    Raises:  ClusterError if there are none, or if one has another irops or another Python than this process
    """

    def __init__(self, client: Any, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._connection = Connection(client)
        self._members = Members(self._connection, wait_seconds)
        self._members.require()

    @property
    def count(self) -> int:
        """The number of threads of the workers."""
        return self._members.count

    @property
    def refused(self) -> tuple[str, ...]:
        """A sentence for each worker that came later and gets no work."""
        return tuple(self._members.refused.values())

    @property
    def dashboard(self) -> str:
        """The address of Dask's dashboard."""
        return str(self._connection.client.dashboard_link)

    def run(
        self,
        prepare: Callable[..., Work],
        arguments: tuple[Any, ...],
        items: Sequence[Any],
        *,
        seconds: float = inf,
        memory: float = inf,
    ) -> Generator[tuple[int, Any], None, None]:
        """See Workers.run. Items of a worker that is lost are sent to others; Died.lost is true for an item
        whose workers were lost again and again.

        Raises:  ClusterError if the scheduler or all workers stay away
        """
        settings = pickle.dumps(((prepare, arguments), seconds, memory), pickle.HIGHEST_PROTOCOL)
        run = ClusterRun(self._connection, self._members, settings, items)
        try:
            yield from run.results()
        finally:
            run.end()

    def require_files(self, paths: Sequence[str]) -> None:
        """See Workers.require_files. One worker of each machine is asked for one file of each folder."""
        first: dict[str, tuple[str, int]] = {}
        for path in paths:
            folder = os.path.dirname(path)
            if folder not in first and len(first) < LOOKED_AT and os.path.isfile(path):
                first[folder] = path, os.path.getsize(path)
        if not first:
            return
        for worker, path in self._ask(pickled_call(unseen, tuple(first.values()))):
            if path:
                raise ClusterError(
                    f"worker {worker} does not see {path} as it is here; workers must have the files under"
                    " the same paths, or read them from a URL"
                )

    def _ask(self, call: bytes) -> list[tuple[str, str]]:
        """What one worker of each machine answers."""
        machines = {address.rpartition(":")[0]: address for address in self._members.threads}
        client = self._connection.client
        futures = {
            worker: client.submit(pickle.loads, call, workers=[worker], priority=1, pure=False)
            for worker in machines.values()
        }
        try:
            return [(worker, f.result(timeout=self._members.wait_seconds)) for worker, f in futures.items()]
        except TimeoutError:
            return []  # all are busy; what they do not see is in the results of the items

    def close(self) -> None:
        """Close the connection if it was made again here; the client is the caller's."""
        self._connection.close()
