"""The file system of a URL: that of fsspec for its protocol."""

from __future__ import annotations

import os
from collections import OrderedDict
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
ARCHIVES = 4
"""How many archives stay open between files: to read the list of what is in one takes time."""
_archives: OrderedDict[tuple[int, str, str], Any] = OrderedDict()
_lock = Lock()


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it. All files of one server share theirs.

    Raises:  RemoteError for a protocol that does not exist, or that needs a package
    """
    fsspec = _library()
    links = url.split(CHAINED)
    for link in links:
        protocol, separator, _ = link.partition("://")
        if separator or link in fsspec.available_protocols():
            _require(fsspec, protocol)
    try:
        system, path = _connected(fsspec, links)
    except Exception as error:
        raise remote_error(error) from None
    return system, path


def is_archive(system: Any) -> bool:
    """Whether files of a file system lie in an archive: a part is reached by unpacking what precedes it."""
    from fsspec.archive import AbstractArchiveFileSystem

    return isinstance(system, AbstractArchiveFileSystem)


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


def _connected(fsspec: Any, links: list[str]) -> tuple[Any, str]:
    from fsspec.archive import AbstractArchiveFileSystem

    url, beneath = CHAINED.join(links), CHAINED.join(links[1:])
    protocol, separator, path = links[0].partition("://")
    kind = fsspec.get_filesystem_class(protocol) if separator else None
    if not beneath or kind is None or not issubclass(kind, AbstractArchiveFileSystem):
        system, path = fsspec.core.url_to_fs(url)
        return system, path
    key = os.getpid(), url[: len(protocol)] + CHAINED + beneath, _version(beneath)
    with _lock:
        system = _archives.pop(key, None)
        if system is None:  # fsspec itself keeps archives that were replaced meanwhile
            system, _ = fsspec.core.url_to_fs(url, skip_instance_cache=True)
        _archives[key] = system
        while len(_archives) > ARCHIVES:
            _archives.popitem(last=False)
    return system, system._strip_protocol(path)


def _version(url: str) -> str:
    """What changes with the archive that a URL names."""
    if not is_url(url):
        status = os.stat(local_path(url))
        return f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"
    system, path = file_system(url)
    system.invalidate_cache(path)
    return version_of(system.info(path)).text
