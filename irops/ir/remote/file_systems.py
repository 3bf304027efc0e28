"""The file system of a URL: that of fsspec for its protocol."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

from irops.diagnostics.suggestions import did_you_mean_word
from irops.ir.remote.reasons import RemoteError, remote_error
from irops.ir.remote.versions import version_of
from irops.urls import CHAINED, is_url, local_path

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


def without_cache(system: Any) -> Any:
    """The file system whose files another one keeps copies of, such as filecache; any other system itself."""
    from fsspec.implementations.cached import CachingFileSystem

    return system.fs if isinstance(system, CachingFileSystem) else system


def _library() -> Any:
    try:
        import fsspec
    except ImportError:
        raise RemoteError(
            "URLs require the library fsspec, which is not installed; pip install 'irops[remote]' installs it"
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
        system, path = fsspec.core.url_to_fs(url)
        return system, path
    options = sorted(kind._get_kwargs_from_urls(links[0]).items())
    version = _version(beneath, thread) if beneath else ""
    system = _kept(
        (os.getpid(), thread, protocol, repr(options), beneath, version),
        lambda: fsspec.core.url_to_fs(url, skip_instance_cache=True)[0],
    )
    return system, system._strip_protocol(path if beneath else url)


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
