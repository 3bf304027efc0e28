"""One run on the workers of a cluster: what is in flight, what has to be sent again, what has arrived."""

from __future__ import annotations

import pickle
import threading
from asyncio import CancelledError as AsyncCancelledError
from asyncio import run_coroutine_threadsafe
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any
from uuid import uuid4

from irops.cluster.bounded import TaskResult, end_run, work_on
from irops.cluster.calls import pickled_call
from irops.cluster.connection import Connection
from irops.cluster.faults import ClusterError
from irops.cluster.losses import SUSPECT, Losses
from irops.cluster.members import Members
from irops.processes.batches import Batch, Batches
from irops.processes.child import unpickled

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
