"""One run on the workers of a cluster: what is in flight, what has to be sent again, what has arrived."""

from __future__ import annotations

import pickle
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
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
from irops.cluster.members import Members
from irops.processes.batches import Batch, Batches
from irops.processes.child import unpickled
from irops.processes.outcomes import Died

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
GATHER_SECONDS = 300.0
"""How long the transfer of the results of a task may take."""
END_SECONDS = 10.0
"""How long to wait for workers to end what they work on."""
ALONE, LOST = 2, 4
"""An item whose worker was lost so often is sent alone, and is lost itself."""
SETBACKS = 100
"""So many tasks in succession may be sent back without a result."""


@dataclass(frozen=True, slots=True)
class Task:
    """A batch in flight."""

    batch: Batch
    worker: str
    future: Any


class ClusterRun:
    """A run of items. settings: what the child processes prepare, and their bounds, pickled"""

    def __init__(
        self, connection: Connection, members: Members, settings: bytes, items: Sequence[Any]
    ) -> None:
        self._connection, self._members, self._settings = connection, members, settings
        self._id = uuid4().hex
        self._unfinished = len(items)
        self._batches = Batches(items, 1, seconds=BATCH_SECONDS, largest=LARGEST_BATCH, seconds_per_item=FIRST_ESTIMATE)
        self._tasks: dict[str, Task] = {}
        self._sent = self._setbacks = 0
        self._done: SimpleQueue[str] = SimpleQueue()
        self._losses: Counter[int] = Counter()
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
                lost += self._worker_is_lost(worker, threads)
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
        loads = Counter(task.worker for task in self._tasks.values())
        for ahead in range(1, AHEAD + 1 if self._batches.quick else 2):
            for worker, threads in list(self._members.threads.items()):
                while loads[worker] < ahead * threads:
                    batch = self._next_batch()
                    if not batch:
                        return
                    self._send(batch, worker)
                    loads[worker] += 1

    def _next_batch(self) -> Batch:
        """The next batch. An item with which workers were lost is alone in its batch."""
        batch = self._batches.next()
        suspects = [place for place, (number, _) in enumerate(batch) if self._losses.get(number, 0) >= ALONE]
        if not suspects or len(batch) == 1:
            return batch
        place = suspects[0]
        self._batches.give_back([*batch[:place], *batch[place + 1 :]])
        return [batch[place]]

    def _send(self, batch: Batch, worker: str) -> None:
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
        self._tasks[key] = Task(batch, worker, future)
        future.add_done_callback(lambda _: self._done.put(key))

    def _arrived(self) -> list[tuple[int, Any]]:
        """The results of the tasks that ended; wait for one, but not for long."""
        results: list[tuple[int, Any]] = []
        with suppress(Empty):
            key = self._done.get(timeout=max(self._next_look - monotonic(), 0.0))
            while True:
                if (task := self._tasks.pop(key, None)) is not None:
                    results += self._results_of(task)
                key = self._done.get_nowait()
        return results

    def _results_of(self, task: Task) -> list[tuple[int, Any]]:
        from distributed import CancelledError, KilledWorker

        try:
            result: TaskResult = task.future.result(timeout=GATHER_SECONDS)
        except KilledWorker:
            return self._blamed(task.batch, ALONE if len(task.batch) > 1 else LOST)
        except TimeoutError:
            return self._blamed(task.batch, 1)
        except (CancelledError, OSError) as error:  # the connection was lost, or a worker with its results
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
        """Send what it had again. It worked on the first tasks that it got, as many as it has threads."""
        keys = [key for key, task in self._tasks.items() if task.worker == worker]
        self._recall(keys[threads:])
        lost: list[tuple[int, Any]] = []
        for key in keys[:threads]:
            lost += self._blamed(self._tasks.pop(key).batch, 1)
        return lost

    def _blamed(self, batch: Batch, times: int) -> list[tuple[int, Any]]:
        """Count that workers were lost with a batch. It is sent again, but for an item with which too many were."""
        lost: list[tuple[int, Any]] = []
        for number, _ in batch:
            self._losses[number] += times
            if self._losses[number] >= LOST and len(batch) == 1:
                lost.append((number, Died("the workers that worked on it were lost", lost=True)))
        if not lost:
            self._batches.give_back(batch)
        return lost

    def _set_back(self, batch: Batch, error: Exception) -> None:
        self._batches.give_back(batch)
        self._setbacks += 1
        if self._setbacks > SETBACKS:
            raise ClusterError(f"the scheduler at {self._connection.address} drops all tasks: {error}")

    def _recall(self, keys: Sequence[str]) -> None:
        """Take tasks back whose results are not waited for."""
        for key in reversed(keys):
            self._batches.give_back(self._tasks.pop(key).batch)

    def end(self) -> None:
        """Cancel what is in flight, and end the processes of the run; the workers stay usable."""
        futures = [task.future for task in self._tasks.values()]
        self._tasks.clear()
        ending = threading.Thread(target=self._end, args=(futures,), daemon=True, name="irops end")
        ending.start()
        ending.join(END_SECONDS)

    def _end(self, futures: list[Any]) -> None:
        client = self._connection.client
        with suppress(OSError, TimeoutError, RuntimeError):  # the scheduler is away: processes end when idle
            if futures:
                client.cancel(futures, force=True)
            client.run(end_run, self._id, workers=list(self._members.threads), on_error="ignore")
