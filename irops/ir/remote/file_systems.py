"""The file system of a URL: that of fsspec for its protocol.

Redirects of web servers: followed on one host, or to hosts that the user allows.

What a file system says about the content of a file, without giving the content.

Calls that are given up after a time: a server may never answer.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from fnmatch import fnmatchcase
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple, ParamSpec, TypeVar

from irops.diagnostics.printable import abridged, printable
from irops.diagnostics.suggestions import did_you_mean_word
from irops.files.extras import remedy
from irops.files.limits import Limits
from irops.files.urls import CHAINED, is_url, local_path, without_credentials
from irops.ir.remote.reasons import RemoteError, remote_error

PACKAGES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss", "adl"), "adlfs"),
    **dict.fromkeys(("http", "https"), "aiohttp"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    **dict.fromkeys(("hdfs", "arrow_hdfs"), "pyarrow"),
    "hf": "huggingface_hub",
    "oci": "ocifs",
    "oss": "ossfs",
    "smb": "smbprotocol",
}
"""The package that brings a protocol; of others, fsspec says what they need."""
WEB = ("http", "https")
MOST = 16
"""How many file systems are kept of those that fsspec shares between no threads, or keeps too long."""
_systems: OrderedDict[tuple[object, ...], Any] = OrderedDict()
_lock = Lock()


def file_system(url: str, thread: int) -> tuple[Any, str]:
    """The file system of a URL, and the path in it. All files of one server share theirs within a thread.

    thread: the thread that asks, which need not be the one that calls
    Raises:  RemoteError for a protocol that does not exist, or that needs a package
    """
    fsspec = _library()
    links = url.split(CHAINED)
    for link in links:
        protocol, separator, _ = link.partition("://")
        if separator or link in fsspec.available_protocols():
            _require(fsspec, protocol)
    try:
        system, path = _connected(fsspec, links, thread)
    except Exception as error:
        raise remote_error(error) from None
    return system, path


def forget(system: Any) -> None:
    """Use a file system no more: one of its calls was given up, and its connection may still wait."""
    with _lock:
        for key in [key for key, kept in _systems.items() if kept is system]:
            del _systems[key]


def is_archive(system: Any) -> bool:
    """Whether files of a file system lie in an archive: a part is reached by unpacking what precedes it."""
    return _holds_files(type(system))


def _library() -> Any:
    try:
        import fsspec
    except ImportError:
        raise RemoteError(
            f"URLs require the library fsspec, which is not installed; {remedy('remote')}"
        ) from None
    return fsspec


def _require(fsspec: Any, protocol: str) -> None:
    """Raises: RemoteError if a protocol does not exist, or lacks its package"""
    protocols = fsspec.available_protocols()
    if protocol not in protocols:
        meant = did_you_mean_word(f"{protocol}://", [f"{one}://" for one in protocols])
        raise RemoteError(f"there is no protocol {protocol}://{meant}")
    try:
        fsspec.get_filesystem_class(protocol)
    except ImportError as error:
        package = PACKAGES.get(protocol)
        if package is None:
            raise RemoteError(f"the protocol {protocol} requires a package: {error}") from None
        raise RemoteError(
            f"the protocol {protocol} requires the package {package}, which is not installed;"
            f" pip install {package} installs it"
        ) from None


def _connected(fsspec: Any, links: list[str], thread: int) -> tuple[Any, str]:
    url, beneath = CHAINED.join(links), CHAINED.join(links[1:])
    protocol, separator, path = links[0].partition("://")
    kind = fsspec.get_filesystem_class(protocol if separator else links[0])
    if kind.async_impl or not separator or (beneath and not _holds_files(kind)):
        system, path = fsspec.core.url_to_fs(url, **_careful(links))
        return system, path
    options = sorted(kind._get_kwargs_from_urls(links[0]).items())
    version = _version(beneath, thread) if beneath else ""
    system = _kept(
        (os.getpid(), thread, protocol, repr(options), beneath, version),
        lambda: fsspec.core.url_to_fs(url, skip_instance_cache=True, **_careful(links))[0],
    )
    return system, system._strip_protocol(path if beneath else url)


def _careful(links: list[str]) -> dict[str, Any]:
    """Options for the web servers of a chain of URLs."""
    protocols = {link.partition("://")[0] for link in links}
    return {one: {"get_client": careful_client} for one in protocols.intersection(WEB)}


def _holds_files(kind: Any) -> bool:
    from fsspec.archive import AbstractArchiveFileSystem

    return issubclass(kind, AbstractArchiveFileSystem)


def _kept(key: tuple[object, ...], connect: Callable[[], Any]) -> Any:
    """The file system of a key, which is made if there is none."""
    with _lock:
        system = _systems.get(key)
    if system is None:
        system = connect()
    with _lock:
        _systems[key] = system
        _systems.move_to_end(key)
        while len(_systems) > MOST:
            _systems.popitem(last=False)
    return system


def _version(url: str, thread: int) -> str:
    """What changes with the archive that a URL names."""
    if not is_url(url):
        status = os.stat(local_path(url))
        return f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"
    system, path = file_system(url, thread)
    system.invalidate_cache(path)
    return version_of(system.info(path)).text


VARIABLE = "IROPS_REDIRECT_HOSTS"
"""Names hosts, separated by commas, to which servers may redirect: *.githubusercontent.com, or * for all."""
MAX_URL = 200
"""Characters of a URL in a message."""


async def careful_client(**options: Any) -> Any:
    """The session of aiohttp for fsspec's file system, which refuses redirects to other hosts."""
    import aiohttp

    trace = aiohttp.TraceConfig()
    trace.on_request_redirect.append(_require_allowed)
    return aiohttp.ClientSession(**{**options, "trace_configs": [trace, *options.get("trace_configs", ())]})


async def _require_allowed(_: Any, __: Any, redirect: Any) -> None:
    """Raises: RemoteError, which names the target and how to allow it"""
    headers, source = redirect.response.headers, redirect.url
    try:
        target = source.join(type(source)(headers.get("Location") or headers.get("URI") or ""))
    except ValueError:
        redirect.response.close()
        raise RemoteError("the server redirects to what is no URL") from None
    if not _is_allowed(source, target):
        redirect.response.close()
        shown = printable(abridged(without_credentials(str(target)), MAX_URL))
        host = printable(abridged(target.host or "", MAX_URL))
        raise RemoteError(f"the server redirects to {shown}; {VARIABLE}={host} allows redirects to that host")


def _is_allowed(source: Any, target: Any) -> bool:
    """Whether a redirect stays on its server, perhaps with encryption that it did not have, or is allowed."""
    if target.scheme not in ("http", "https"):
        return False
    host = (target.host or "").lower()
    patterns = (text.strip().lower() for text in os.environ.get(VARIABLE, "").split(","))
    if any(pattern and fnmatchcase(host, pattern) for pattern in patterns):
        return True
    if host != (source.host or "").lower():
        return False
    encrypts = (source.scheme, target.scheme) == ("http", "https")
    ports = (source.port, target.port)
    return ports == (80, 443) if encrypts else (source.scheme, source.port) == (target.scheme, target.port)


CHECKSUMS = (
    *(
        "ETag",
        "etag",
        "e_tag",
        "md5Hash",
        "content_md5",
        "Content-MD5",
        "Digest",
        "crc32c",
        "CRC",
        "checksum",
    ),
    *("VersionId", "version_id", "generation", "sha", "sha256", "blob_id"),
)
TIMES = (
    *("LastModified", "last_modified", "Last-Modified", "mtime", "modified", "updated", "created"),
    *("date_time", "time"),
)
"""The names that file systems of fsspec use, those of checksums and versions, and those of times."""
TICK = 60.0
"""Seconds within which two contents of a file may have the same time: servers count in seconds, and their
clocks differ from that of this machine.
"""


class Version(NamedTuple):
    """What changes with the content of a file. is_certain: another content certainly has another text."""

    text: str
    is_certain: bool


def version_of(info: Mapping[str, Any]) -> Version:
    """The version of a file, by what fsspec gives as its info."""
    checksums = {name: info[name] for name in CHECKSUMS if info.get(name)}
    times = {name: info[name] for name in TIMES if info.get(name)}
    text = " ".join(
        f"{name}={value}" for name, value in {"size": info.get("size"), **checksums, **times}.items()
    )
    weak = all(str(value).startswith("W/") for value in checksums.values())
    return Version(text, not weak or (bool(times) and not any(map(_is_recent, times.values()))))


def _is_recent(value: object) -> bool:
    """Whether a time is so near that it may not show another change; also if it cannot be read."""
    seconds = _seconds(value)
    return seconds is None or time.time() - seconds < TICK


def _seconds(value: object) -> float | None:
    """A time in seconds since the epoch."""
    if isinstance(value, (int, float)):
        return float(value)
    try:
        if isinstance(value, str):
            value = parsedate_to_datetime(value) if "," in value else datetime.fromisoformat(value)
        return value.timestamp() if isinstance(value, datetime) else None
    except (ValueError, OverflowError, OSError):
        return None


P = ParamSpec("P")
T = TypeVar("T")


class NoAnswer(RemoteError):
    """A call was given up; its thread may still wait."""


def answered(limits: Limits, call: Callable[P, T], *args: P.args, **keywords: P.kwargs) -> T:
    """What a call gives, within limits.remote_seconds.

    The call runs in a thread that does not keep the process alive: some libraries wait without end.
    Raises:  RemoteError if the call fails or takes longer
    """
    results: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            results.put((call(*args, **keywords), None))
        except BaseException as error:  # reported by the thread that waits
            results.put((None, error))

    Thread(target=work, name="irops remote file", daemon=True).start()
    try:
        result, error = results.get(timeout=min(limits.remote_seconds, 1e8))
    except Empty:
        seconds = f"{limits.remote_seconds:g} seconds; {limits.message('remote_seconds')}"
        raise NoAnswer(f"the server did not answer within {seconds}") from None
    if error is not None:
        if isinstance(error, MemoryError):
            raise error
        raise remote_error(error) from None
    return result  # type: ignore[return-value]
