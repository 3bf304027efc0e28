"""The workers of a Dask cluster."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Sequence
from math import inf
from typing import Any

from irops.cluster.calls import pickled_call
from irops.cluster.cluster_run import ClusterRun
from irops.cluster.connection import Connection
from irops.cluster.faults import ClusterError
from irops.cluster.identity import unseen
from irops.cluster.members import WAIT_SECONDS, Members
from irops.processes.serving import Work

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
