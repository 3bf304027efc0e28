"""The workers of a Dask cluster: of the same irops as this process, given items within
bounds of time and memory. Each thread of theirs has a bounded process, and keeps it between tasks of a run.
"""

import asyncio
import os
import pickle
import re
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from math import inf
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any
from uuid import uuid4

from irops.spec.releases import PACKAGE, schemas_folder
from irops.work.outcomes import Died
from irops.work.serving import Work
from irops.work.workers import ClusterError, ItemProcess, Workers, unpickled

TEXTS = (".py", ".xml", ".rng")  # what decides on results; .pyc differ from machine to machine


@dataclass(frozen=True, slots=True)
class Identity:
    """The versions that a process works with, and its machine. digest: that of code and definitions"""

    version: str
    digest: str
    python: str
    host: str


def identity() -> Identity:
    """That of this process."""
    return Identity(own_version(), content(), ".".join(map(str, sys.version_info[:2])), socket.gethostname())


def own_version() -> str:
    """The version of irops. The package is not imported for it: that would import what uses this module."""
    return str(vars(sys.modules["irops"])["__version__"])


@cache
def content() -> str:
    """A digest of the code and the definitions, which is the same on every machine that has the same."""
    digest, schemas = sha256(), schemas_folder()
    for root in (PACKAGE, schemas):
        for path in sorted(path for path in root.rglob("*") if path.suffix in TEXTS):
            if root == PACKAGE and path.is_relative_to(schemas):
                continue
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


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
        return f"runs Python {theirs.python}, but this is {ours.python}"
    if theirs.version != ours.version:  # before the digest, which then differs as well
        return f"has irops {theirs.version}, but this is {ours.version}"
    if theirs.digest != ours.digest:
        return f"has irops {theirs.version} with other code ({theirs.digest[:8]}, not {ours.digest[:8]})"
    return ""


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


IDLE_SECONDS = 60.0
"""A process that had nothing to do for this time is ended."""
ENDED_RUNS = 64
"""A task may arrive after the end of its run, and must not start a process that nobody ends."""


class _Kept(ItemProcess):
    """A process that a thread keeps for a run. It ends when it had nothing to do for some time."""

    def __init__(self, prepared: bytes, seconds: float, memory: float) -> None:
        super().__init__(prepared, seconds, memory)
        self._using, self._idle = threading.Lock(), threading.Timer(0, self._end)

    def payload(self, item: bytes) -> bytes:
        self._idle.cancel()
        with self._using:
            payload = super().payload(item)
        self._idle = threading.Timer(IDLE_SECONDS, self._end)
        self._idle.daemon = True
        self._idle.start()
        return payload

    def _end(self) -> None:
        with self._using:
            self.process.close()


_kept: dict[tuple[str, int], _Kept] = {}
"""By run and thread."""
_ended: deque[str] = deque(maxlen=ENDED_RUNS)


def work_on(run: str, sender: Identity, settings: bytes, item: bytes) -> bytes | Identity:
    """The pickled result of an item, from the process that this thread has for a run.

    Without work on it, what this worker has, if that differs from what the sender has.
    settings: what the process gets, pickled: what it prepares and its bounds; item: pickled
    """
    if objection(sender):
        return identity()
    if run in _ended:  # nobody waits for the result
        return pickle.dumps(None)
    key = run, threading.get_ident()
    child = _kept.get(key)
    if child is None:
        child = _kept[key] = _Kept(*pickle.loads(settings))
    return child.payload(item)


def end_run(run: str) -> None:
    """End the processes of a run. A task that uses one fails."""
    _ended.append(run)
    for key in list(_kept):
        if key[0] == run:
            child = _kept.pop(key)
            child.process.stop()
            child.process.close()


WAIT_SECONDS = 60.0
"""How long to wait for workers where there are none."""
ANSWER_SECONDS = 10.0
"""How long the scheduler may take to answer a question, and workers to end what they work on."""
NO_ANSWER = (OSError, TimeoutError, RuntimeError, AttributeError, CancelledError, asyncio.CancelledError)
"""Exceptions of a client that lost its scheduler, or was closed meanwhile."""
LOOK_SECONDS = 0.5
"""How often to look which workers there are."""
AHEAD = 2
"""Items in flight for each thread of a worker: one that it works on, and one that waits."""
RETRIES = 2
"""How often a task is tried again that fails for another reason than its item."""
LOOKED_AT = 64
"""The number of files that workers are asked for: of each folder, the first."""
NAMED = 3
"""A message names so many workers."""


class _Call:
    """Becomes the result of a function when its pickle is read."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._call


def pickled_call(function: Callable[..., Any], *arguments: Any) -> bytes:
    """The argument of pickle.loads, which is the function of each task: the scheduler of Dask reads function
    and arguments, and must not have to import what they name.
    """
    return pickle.dumps(_Call(function, *arguments), pickle.HIGHEST_PROTOCOL)


class ClusterWorkers(Workers):
    """The workers of a scheduler. Each thread of a worker has a process that is bounded in time and memory.

    client: a distributed.Client; wait_seconds: how long to wait for workers where there are none; owned:
    whether the client is closed with the workers
    Raises:  ClusterError if there are none, or if one has another irops or another Python than this process
    """

    def __init__(self, client: Any, *, wait_seconds: float = WAIT_SECONDS, owned: bool = False) -> None:
        if not hasattr(client, "asynchronous"):
            raise ClusterError(f"client is a {type(client).__name__}, must be a distributed.Client")
        if client.asynchronous:
            raise ClusterError("the client is asynchronous; irops needs one that is not")
        if client.status != "running":
            raise ClusterError(f"the client is not connected to a scheduler: it is {client.status}")
        self.client, self.wait_seconds, self._is_owned = client, wait_seconds, owned
        self.address: str = client.scheduler.address
        with suppress(TimeoutError):
            client.wait_for_workers(1, timeout=max(wait_seconds, LOOK_SECONDS))
        if not self.threads():
            raise ClusterError(self.absence())
        self.require_same_irops()

    @property
    def count(self) -> int:
        """The number of threads of the workers; at least 1, as more may come."""
        return max(sum(self.threads().values()), 1)

    def threads(self) -> dict[str, int]:
        """The number of threads of each worker by its address. Raises: ClusterError if there is no answer"""
        try:
            return dict(self.client.nthreads(callback_timeout=ANSWER_SECONDS))
        except NO_ANSWER:
            raise self.lost() from None

    def lost(self) -> ClusterError:
        """The error that the scheduler does not answer."""
        return ClusterError(f"the connection to the scheduler at {self.address} was lost")

    def absence(self) -> str:
        """One sentence on why there is nobody to work."""
        return (
            f"the scheduler at {self.address} has no workers, and got none within {self.wait_seconds:g}"
            f" seconds; dask worker {self.address} starts one"
        )

    def require_same_irops(self) -> None:
        """Raises:  ClusterError that names the workers with another irops or another Python"""
        reasons = []
        for address, answer in self._ask(pickled_call(identity)).items():
            if reason := objection(answer):
                host = f" on {answer.host}" if isinstance(answer, Identity) else ""
                reasons.append(f"worker {address}{host} {reason}")
        if reasons:
            more = f", and {len(reasons) - NAMED} more" if len(reasons) > NAMED else ""
            named = f"{', '.join(reasons[:NAMED])}{more}"
            raise ClusterError(f"{named}; all workers need the irops and the Python of this machine")

    def run(
        self,
        prepare: Callable[..., Work],
        arguments: tuple[Any, ...],
        items: Sequence[Any],
        *,
        seconds: float = inf,
        memory: float = inf,
    ) -> Generator[tuple[int, Any], None, None]:
        """See Workers.run. Dask sends items of a worker that is lost to others; Died.lost is true for an item
        of which Dask gave up to do so, also while nothing else was worked on.

        Raises:  ClusterError if the scheduler or all workers are lost, or a worker joined that cannot be used
        """
        prepared = pickle.dumps((prepare, arguments), pickle.HIGHEST_PROTOCOL)
        settings = pickle.dumps((prepared, seconds, memory), pickle.HIGHEST_PROTOCOL)
        run = _Run(self, settings, items)
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
        machines = {address.rpartition(":")[0]: address for address in self.threads()}
        answers = self._ask(pickled_call(unseen, tuple(first.values())), *machines.values())
        for worker, path in answers.items():
            if isinstance(path, str) and path:
                must = "workers must have the files under the same paths, or read them from a URL"
                raise ClusterError(f"worker {worker} does not see {path} as it is here; {must}")

    def _ask(self, call: bytes, *workers: str) -> dict[str, Any]:
        """The answers of workers, or the exceptions that they raise, without lost workers.

        workers: their addresses; all by default
        Raises:  ClusterError if the scheduler does not answer
        """
        try:
            answers = self.client.run(pickle.loads, call, workers=list(workers) or None, on_error="return")
        except NO_ANSWER:
            raise self.lost() from None
        return {address: answer for address, answer in answers.items() if not isinstance(answer, OSError)}

    def close(self) -> None:
        """End the connection, if it was made for these workers."""
        if self._is_owned:
            self.client.close(timeout=CONNECT_SECONDS)


class _Run:
    """A run of items. settings: pickled: what the processes prepare, seconds, memory"""

    def __init__(self, workers: ClusterWorkers, settings: bytes, items: Sequence[Any]) -> None:
        self._workers, self._settings, self._items = workers, settings, items
        self._id = uuid4().hex
        self._next = self._sent = 0
        self._suspects: deque[int] = deque()
        self._alone: str | None = None
        self._tasks: dict[str, tuple[int, Any]] = {}
        self._done: SimpleQueue[str] = SimpleQueue()
        self._threads = 0
        self._next_look = 0.0
        self._workless_since: float | None = None

    def results(self) -> Iterator[tuple[int, Any]]:
        """The index of each item with its result, as results arrive. Raises: ClusterError"""
        while self._tasks or self._suspects or self._next < len(self._items):
            self._look()
            self._hand_out()
            with suppress(Empty):
                yield from self._result(self._done.get(timeout=LOOK_SECONDS))

    def _look(self) -> None:
        """See how many threads there are. Raises: ClusterError if there have been none for too long"""
        if monotonic() < self._next_look:
            return
        self._next_look = monotonic() + LOOK_SECONDS
        self._threads = sum(self._workers.threads().values())
        if self._threads:
            self._workless_since = None
            return
        self._workless_since = self._workless_since or monotonic()
        if monotonic() - self._workless_since > self._workers.wait_seconds:
            raise ClusterError(self._workers.absence())

    def _hand_out(self) -> None:
        """Keep workers busy; at the end, try what may have killed workers, one after the other."""
        if self._alone is not None:
            return
        while self._next < len(self._items) and len(self._tasks) < AHEAD * self._threads:
            self._send(self._next)
            self._next += 1
        if self._suspects and not self._tasks and self._next == len(self._items):
            self._alone = self._send(self._suspects.popleft())

    def _send(self, number: int) -> str:
        key = f"irops-{self._id}-{self._sent}"  # not the number of the item, which may be sent again
        self._sent += 1
        item = pickle.dumps(self._items[number], pickle.HIGHEST_PROTOCOL)
        call = pickled_call(work_on, self._id, identity(), self._settings, item)
        try:
            future = self._workers.client.submit(pickle.loads, call, key=key, pure=False, retries=RETRIES)
        except NO_ANSWER:
            raise self._workers.lost() from None
        self._tasks[key] = number, future
        future.add_done_callback(lambda _: self._done.put(key))
        return key

    def _result(self, key: str) -> Iterator[tuple[int, Any]]:
        """The result of a task that ended, unless it has to be sent again."""
        from distributed import KilledWorker

        number, future = self._tasks.pop(key)
        is_alone = self._alone == key
        try:
            payload = future.result(timeout=LOOK_SECONDS)
        except TimeoutError:  # the worker that had it was lost: another one works on it
            self._tasks[key] = number, future
            self._done.put(key)
            return
        except KilledWorker:
            if is_alone:
                yield number, Died("the workers that worked on it were lost", lost=True)
            else:
                self._suspects.append(number)
        except (CancelledError, asyncio.CancelledError):
            raise self._workers.lost() from None
        except Exception as error:
            self._workers.require_same_irops()
            raise ClusterError(f"a worker fails: {type(error).__name__}: {error}") from None
        else:
            if isinstance(payload, Identity):  # it has another irops, and did nothing
                self._workers.require_same_irops()
                self._send(number)
            else:
                yield number, unpickled(payload)
        if is_alone:
            self._alone = None

    def end(self) -> None:
        """Cancel what is in flight, and end the processes of the run; the workers stay usable."""
        ending = threading.Thread(target=self._end, daemon=True, name="irops end")
        ending.start()
        ending.join(ANSWER_SECONDS)

    def _end(self) -> None:
        client = self._workers.client
        with suppress(*NO_ANSWER):
            if self._tasks:
                client.cancel([future for _, future in self._tasks.values()], force=True)
            client.run(pickle.loads, pickled_call(end_run, self._id), on_error="ignore")


CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer for the first time."""
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:.%]+\]|[^\s/:\[\]]+):(\d{1,5})")
MISSING = "dask.distributed is not installed; pip install 'irops[cluster]' installs it"


def connected(scheduler: str, *, wait_seconds: float = WAIT_SECONDS) -> ClusterWorkers:
    """The workers of the scheduler at an address.

    scheduler: such as tcp://host:8786; wait_seconds: how long to wait for workers where there are none
    Raises:  ClusterError, with one sentence
    """
    require_distributed()
    client = _client(_address(scheduler))
    try:
        return ClusterWorkers(client, wait_seconds=wait_seconds, owned=True)
    except BaseException:
        client.close(timeout=CONNECT_SECONDS)
        raise


def require_distributed() -> None:
    """Raises:  ClusterError that names the extra, if dask.distributed is not installed"""
    try:
        import_module("distributed")
    except ImportError as error:
        is_missing = isinstance(error, ModuleNotFoundError) and error.name in ("dask", "distributed")
        raise ClusterError(MISSING if is_missing else f"{MISSING} ({error})") from None


def _address(scheduler: str) -> str:
    match = _ADDRESS.fullmatch(scheduler)
    if match is None or not 0 < int(match[2]) < 1 << 16:
        raise ClusterError(f"{scheduler!r} is not the address of a scheduler, such as tcp://host:8786")
    return scheduler


def _client(address: str) -> Any:
    from distributed import Client

    connect: Any = Client
    try:
        with _quiet():
            asyncio.run(asyncio.wait_for(_greet(address), CONNECT_SECONDS))
            return connect(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError):
        seconds = f"within {CONNECT_SECONDS:g} seconds"
        message = f"no scheduler answers at {address} {seconds}; dask scheduler starts one"
    except Exception as error:  # of TLS without certificates, or whatever another server's answer causes
        message = f"cannot connect to {address}, which may be no scheduler: {str(error) or repr(error)}"
    raise ClusterError(message)


async def _greet(address: str) -> None:
    """Exchange greetings with a scheduler. A Client waits for these without end."""
    from distributed.comm.core import connect
    from distributed.security import Security

    greet: Any = connect
    security: Any = Security
    comm = await greet(address, timeout=CONNECT_SECONDS, **security().get_connection_args("client"))
    comm.abort()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the log of attempts to connect from the screen: the message says what came of them."""
    import logging

    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
