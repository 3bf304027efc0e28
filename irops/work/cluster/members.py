"""The members of a Dask cluster: how to reach them, who they are, and what each of them has."""

from __future__ import annotations

import os
import pickle
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

from irops.files.cache.identity import content, own_version
from irops.work.cluster.faults import ClusterError

# Calls that are sent to workers so that nothing but the worker has to import what they name.
#
# The scheduler of Dask reads the function and the arguments of each task. The function is therefore that of
# Python which reads a pickle, and its argument a pickle whose reading calls the function that is meant.


class PickledCall:
    """Becomes the result of a function when its pickle is read."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._call


def pickled_call(function: Callable[..., Any], *arguments: Any) -> bytes:
    """The argument of pickle.loads, the function of a task."""
    return pickle.dumps(PickledCall(function, *arguments), pickle.HIGHEST_PROTOCOL)


# The connection to a scheduler of Dask, which is made again when it is lost.

ANSWER_SECONDS = 10.0
"""How long the scheduler may take to answer a question."""
RECONNECT_SECONDS = 60.0
"""How long the scheduler may be away."""
POLL_SECONDS = 0.1


class Connection:
    """A client with the address of its scheduler. client: a distributed.Client

    Raises:  ClusterError for a client that cannot be used
    """

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            raise ClusterError("the client is asynchronous; irops needs one that is not")
        if client.status != "running":
            raise ClusterError(f"the client is not connected to a scheduler: it is {client.status}")
        self.client = client
        self.address: str = client.scheduler.address
        self._security = client.security
        self._made_here = False

    @property
    def is_up(self) -> bool:
        """Whether the client is connected, as far as it knows."""
        return bool(self.client.status == "running")

    def threads(self) -> dict[str, int] | None:
        """The number of threads of each worker by its address; None if the scheduler does not answer."""
        try:
            return dict(self.client.nthreads(callback_timeout=ANSWER_SECONDS))
        except (OSError, TimeoutError, RuntimeError, AttributeError):  # closed meanwhile: no scheduler to ask
            return None

    def restore(self) -> None:
        """Wait until the client is connected again; replace it if it gave up.

        Raises:  ClusterError if there is no connection after RECONNECT_SECONDS
        """
        until = monotonic() + RECONNECT_SECONDS
        while not self.is_up:
            if monotonic() > until:
                raise ClusterError(
                    f"the connection to the scheduler at {self.address} was lost, and could not be made"
                    f" again within {RECONNECT_SECONDS:g} seconds"
                )
            if self.client.status == "closed":
                self._replace(until - monotonic())
            sleep(POLL_SECONDS)

    def _replace(self, seconds: float) -> None:
        from distributed import Client

        with suppress(OSError):  # it is still away, which restore() counts
            connect: Any = Client
            self.client = connect(
                self.address,
                security=self._security,
                timeout=max(min(seconds, ANSWER_SECONDS), 1),
                set_as_default=False,
            )
            self._made_here = True

    def close(self) -> None:
        """Close the client if it was made here, in place of one that gave up."""
        if self._made_here:
            self.client.close(timeout=ANSWER_SECONDS)


# Whether a worker has what this process has: the same irops, and a Python of the same version.


@dataclass(frozen=True, slots=True)
class Identity:
    """What a process works with, and the machine that it is on. digest: that of code and definitions"""

    version: str
    digest: str
    python: tuple[int, int]
    host: str


def identity() -> Identity:
    """That of this process."""
    return Identity(own_version(), content(), sys.version_info[:2], socket.gethostname())


def objection(theirs: Identity | Exception) -> str:
    """Why a worker cannot be used, as in "has irops 1.0, but this is 1.1"; empty if it can."""
    ours = identity()
    if isinstance(theirs, ModuleNotFoundError):
        name = theirs.name or ""
        if name.split(".")[0] != "irops":
            return f"cannot import irops: {theirs}"
        return "does not have irops" if name == "irops" else f"has another irops, without {name}"
    if isinstance(theirs, Exception):
        return f"cannot import irops: {type(theirs).__name__}: {theirs}"
    if theirs.python != ours.python:
        return f"runs Python {_dotted(theirs.python)}, but this is {_dotted(ours.python)}"
    if theirs.version != ours.version:
        return f"has irops {theirs.version}, but this is {ours.version}"
    if theirs.digest != ours.digest:
        return f"has irops {theirs.version} with other code ({theirs.digest[:8]}, not {ours.digest[:8]})"
    return ""


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def unseen(files: tuple[tuple[str, int], ...]) -> str:
    """The first of some files that this process cannot read or that has another size here; empty if none."""
    for path, size in files:
        try:
            same = os.path.getsize(path) == size and os.access(path, os.R_OK)
        except OSError:
            same = False
        if not same:
            return path
    return ""


# The workers of a scheduler. Each is asked what it has before it gets work.

WAIT_SECONDS = 60.0
"""How long to wait for workers where there are none."""
NAMED = 3
"""A message names so many workers."""


class Members:
    """The workers by address. threads: how many of each that can be used; refused: why others cannot be"""

    def __init__(self, connection: Connection, wait_seconds: float = WAIT_SECONDS) -> None:
        self._connection, self.wait_seconds = connection, wait_seconds
        self.threads: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self._asked: dict[str, Any] = {}

    @property
    def count(self) -> int:
        """How many items can be worked on at a time."""
        return sum(self.threads.values())

    def forget(self) -> None:
        """Ask all again: another scheduler may have taken the place of the one that was lost."""
        self.threads.clear()
        self._asked.clear()

    def refresh(self, when_answered: Callable[[], object] = lambda: None) -> dict[str, int]:
        """Look who came, who answered and who left; return those that left, with their threads.

        when_answered: called from another thread when one that was asked has answered
        """
        alive = self._connection.threads()
        if alive is None:
            return {}
        for address in self._asked.keys() - alive.keys():
            del self._asked[address]
        gone = {address: self.threads.pop(address) for address in self.threads.keys() - alive.keys()}
        for address in alive.keys() - self.threads.keys() - self.refused.keys() - self._asked.keys():
            future = self._connection.client.submit(
                pickle.loads,
                pickled_call(identity),
                key=f"irops-identity-{address}-{monotonic()}",
                workers=[address],
                priority=1,
                pure=False,
            )
            self._asked[address] = future
            future.add_done_callback(lambda _: when_answered())
        for address, future in list(self._asked.items()):
            if future.done():
                del self._asked[address]
                self._judge(address, alive[address], future)
        return gone

    def _judge(self, address: str, threads: int, future: Any) -> None:
        if future.status not in ("finished", "error"):
            return  # cancelled or lost: it is asked again
        answer: Identity | Exception = future.exception() or future.result()
        reason = objection(answer)
        if not reason:
            self.threads[address] = threads
            return
        host = f" on {answer.host}" if isinstance(answer, Identity) else ""
        self.refused[address] = f"worker {address}{host} {reason}"

    def require(self) -> None:
        """Wait until every worker has answered, or some have and the others are busy.

        Raises:  ClusterError if one cannot be used, or if there is none that can
        """
        until = monotonic() + self.wait_seconds
        while True:
            self.refresh()
            if self.refused:
                raise ClusterError(self.refusal())
            if self.threads and not self._asked:
                return
            if monotonic() > until:
                break
            sleep(POLL_SECONDS)
        if not self.threads:
            raise ClusterError(self.absence())

    def refusal(self) -> str:
        """One sentence on the workers that cannot be used."""
        reasons = list(self.refused.values())
        more = f", and {len(reasons) - NAMED} more" if len(reasons) > NAMED else ""
        return (
            f"{', '.join(reasons[:NAMED])}{more}; all workers need the irops and the Python of this machine"
        )

    def absence(self) -> str:
        """One sentence on why there is nobody to work."""
        address = self._connection.address
        if self._asked:
            return (
                f"the {len(self._asked)} workers of the scheduler at {address} are busy: none has answered"
                f" within {self.wait_seconds:g} seconds"
            )
        return (
            f"the scheduler at {address} has no workers, and got none within {self.wait_seconds:g} seconds;"
            f" dask worker {address} starts one"
        )
