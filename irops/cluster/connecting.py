"""Connect to the scheduler at an address, or start a cluster of a class."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from irops.cluster.cluster_workers import WAIT_SECONDS, ClusterWorkers
from irops.cluster.workers import ClusterError
from irops.diagnostics.suggestions import did_you_mean_word

CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer for the first time."""
CONFIGURED = "config"
"""Stands for the scheduler that Dask's configuration names."""
NO_PROFILE = {"distributed.worker.profile.enabled": False}
"""Workers would look a hundred times a second at a thread that waits for the process that works."""
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:.%]+\]|[^\s/:\[\]]+):(\d{1,5})")
MISSING = "dask.distributed is not installed; pip install 'irops[cluster]' installs it"


class Connected(ClusterWorkers):
    """Workers whose client, and whose cluster if there is one, are ended with them."""

    def __init__(self, client: Any, cluster: Any, wait_seconds: float) -> None:
        self._own_client, self._own_cluster = client, cluster
        super().__init__(client, wait_seconds=wait_seconds)

    def close(self) -> None:
        """End the connection, and the cluster that was started for it."""
        _end(self._own_client, self._own_cluster)


def connected(
    scheduler: str | None, cluster: str | None = None, *, wait_seconds: float = WAIT_SECONDS
) -> ClusterWorkers:
    """The workers of the scheduler at an address, or of a cluster that is started.

    scheduler: such as tcp://host:8786; "config" for that of Dask's configuration; cluster: a class and the
    arguments for it, such as "dask.distributed.LocalCluster n_workers=2"; wait_seconds: how long to wait for
    workers where there are none
    Raises:  ClusterError, with one sentence
    """
    if (scheduler is None) == (cluster is None):
        raise ClusterError("either the address of a scheduler or the class of a cluster is needed")
    require_distributed()
    started = None if cluster is None else _started(cluster)
    client = None
    try:
        client = _client(started if scheduler is None else _address(scheduler))
        return Connected(client, started, wait_seconds)
    except BaseException:
        _end(client, started)
        raise


def require_distributed() -> None:
    """Raises:  ClusterError that names the extra, if dask.distributed is not installed"""
    try:
        import_module("distributed")
    except ImportError as error:
        raise ClusterError(MISSING if _is_missing(error) else f"{MISSING} ({error})") from None


def _is_missing(error: ImportError) -> bool:
    return isinstance(error, ModuleNotFoundError) and error.name in ("dask", "distributed")


def _address(scheduler: str) -> str:
    if scheduler == CONFIGURED:
        import dask

        scheduler = str(dask.config.get("scheduler-address", None) or "")
        if not scheduler:
            raise ClusterError(
                "Dask's configuration names no scheduler; DASK_SCHEDULER_ADDRESS=tcp://host:8786 does"
            )
    match = _ADDRESS.fullmatch(scheduler)
    if match is None or not 0 < int(match[2]) < 1 << 16:
        raise ClusterError(f"{scheduler!r} is not the address of a scheduler, such as tcp://host:8786")
    return scheduler


def _client(target: Any) -> Any:
    from distributed import Client

    connect: Any = Client
    try:
        with _quiet():
            return connect(target, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError):
        where = target if isinstance(target, str) else "the address of the cluster"
        raise ClusterError(
            f"no scheduler answers at {where} within {CONNECT_SECONDS:g} seconds; dask scheduler starts one"
        ) from None
    except (ValueError, TypeError, RuntimeError) as error:  # TLS without certificates, say
        raise ClusterError(f"cannot connect to {target}: {error}") from None


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


def _started(cluster: str) -> Any:
    try:
        name, *words = shlex.split(cluster)
    except ValueError:
        raise ClusterError(f"{cluster!r} is not the class of a cluster and its arguments") from None
    arguments = dict(map(_argument, words))
    make = _class(name)
    import dask

    try:
        with _quiet(), dask.config.set(NO_PROFILE):
            return make(**arguments)
    except Exception as error:
        first: BaseException = error
        while first.__cause__ is not None:
            first = first.__cause__
        raise ClusterError(f"{name} does not start: {type(first).__name__}: {first}") from None


def _argument(word: str) -> tuple[str, Any]:
    key, sign, text = word.partition("=")
    if not (sign and key.isidentifier()):
        raise ClusterError(f"{word!r} is not an argument for a cluster, such as n_workers=2")
    try:
        return key, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return key, text


def _class(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    if not module:
        raise ClusterError(f"{name!r} is not the class of a cluster, such as dask.distributed.LocalCluster")
    try:
        found = import_module(module)
    except ImportError as error:
        package = module.partition(".")[0].replace("_", "-")
        missing = isinstance(error, ModuleNotFoundError) and module.startswith(error.name or " ")
        reason = (
            f"is not installed; {package} may be the package that has it" if missing else f"fails: {error}"
        )
        raise ClusterError(f"the module {module} of --cluster {reason}") from None
    if not callable(cluster := getattr(found, attribute, None)):
        classes = [one for one, value in vars(found).items() if isinstance(value, type)]
        raise ClusterError(f"{module} has no class {attribute}{did_you_mean_word(attribute, classes)}")
    return cluster


def _end(client: Any, cluster: Any) -> None:
    for one in (client, cluster):
        if one is not None:
            one.close(timeout=CONNECT_SECONDS)
