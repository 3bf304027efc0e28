"""Remote files by fsspec: the file system of a URL, sizes, versions, contents, and why one cannot be read."""

import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from functools import cache
from ipaddress import ip_address
from logging import getLogger
from tempfile import gettempdir, mkdtemp
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar
from weakref import finalize

from irops.diagnostics.printable import abridged, printable
from irops.diagnostics.suggestions import did_you_mean_word
from irops.files import urls
from irops.files.limits import Limits
from irops.files.storage import OpenFiles, Weights, WeightsChanged, count_fetched, count_read
from irops.files.urls import Place

P = ParamSpec("P")
T = TypeVar("T")


MAX_TEXT = 300
"""Characters of a message of another library that are quoted."""
REASONS: dict[object, str] = {
    401: "access is denied, the server asks for credentials (HTTP 401)",
    403: "access is denied (HTTP 403)",
    404: "does not exist (HTTP 404)",
    "NoSuchBucket": "does not exist: there is no such bucket",
    "NoSuchKey": "does not exist",
    "AccessDenied": "access is denied",
    "403": "access is denied",
    "404": "does not exist",
    "EndpointConnectionError": "the server cannot be reached",
    "ClientConnectorError": "the server cannot be reached",
    "ClientConnectorDNSError": "the server cannot be reached: its name cannot be resolved",
    "gaierror": "the server cannot be reached: its name cannot be resolved",
    "ConnectionRefusedError": "the server cannot be reached: it refuses the connection",
}
"""By a status of HTTP, the code of an S3 API, or the class of an error: those of botocore and aiohttp are not
imported for that. Others are reported in the words of the library.
"""
MISSING = "does not exist"
"""How the reasons begin that say that there is no such file."""


class RemoteError(OSError):
    """A remote file cannot be read. strerror: the reason, without credentials; rule: that of the finding."""

    def __init__(self, reason: str, rule: str = "") -> None:
        super().__init__(None, reason)
        self.rule = rule or ("file-not-found" if reason.startswith(MISSING) else "unreadable-file")

    def __str__(self) -> str:
        return str(self.strerror)

    @property
    def sentence(self) -> str:
        """The predicate for the name of the file: does not exist; cannot be read: access is denied."""
        return f"cannot be read: {self}" if self.rule == "unreadable-file" else str(self)


def remote_error(error: BaseException) -> RemoteError:
    """The error that says why a file system failed."""
    chain = list(_chain(error))
    for cause in chain:
        if isinstance(cause, RemoteError):
            return cause
    keys = [
        key for cause in chain for key in (_code(cause), getattr(cause, "status", None), type(cause).__name__)
    ]
    for key in keys:
        if key in REASONS:
            return RemoteError(REASONS[key])
    for key in keys:
        if isinstance(key, int):
            return RemoteError(f"the server answers HTTP {key}")
    if any(isinstance(cause, TimeoutError) for cause in chain):
        return RemoteError("the server did not answer in time")
    inner = error.__cause__ if isinstance(error, FileNotFoundError) else None
    if inner is not None and not isinstance(inner, FileNotFoundError) and _code(inner) is None:
        # a web server gave no status: fsspec says then that there is no such file
        return RemoteError(f"the server cannot be reached: {_text(inner)}")
    if any(isinstance(cause, FileNotFoundError) for cause in chain):
        return RemoteError(MISSING)
    denied = next((cause for cause in chain if isinstance(cause, PermissionError)), None)
    return RemoteError(_text(error) if denied is None else f"access is denied: {_text(denied)}")


def _text(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return abridged(urls.scrubbed(" ".join(str(text).split())), MAX_TEXT)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that led to it."""
    passed: set[int] = set()
    while error is not None and id(error) not in passed:
        passed.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _code(error: BaseException) -> object:
    response = getattr(error, "response", None)
    return response.get("Error", {}).get("Code") if isinstance(response, dict) else None


def answered(limits: Limits, call: Callable[P, T], *args: P.args, **keywords: P.kwargs) -> T:
    """The result of a call, within limits.remote_seconds.

    The call runs in a thread that does not keep the process alive: some libraries wait without end.
    Raises:  RemoteError if the call fails or takes longer
    """
    answer: Future[T] = Future()

    def work() -> None:
        try:
            answer.set_result(call(*args, **keywords))
        except BaseException as error:  # reported by the thread that waits
            answer.set_exception(error)

    Thread(target=work, name="irops remote file", daemon=True).start()
    if not wait((answer,), min(limits.remote_seconds, 1e8)).done:  # three years; wait() refuses inf
        seconds = f"{limits.remote_seconds:g} seconds; {limits.message('remote_seconds')}"
        raise RemoteError(f"the server did not answer within {seconds}")
    error = answer.exception()
    if error is not None and not isinstance(error, MemoryError):
        raise remote_error(error) from None
    return answer.result()


IDENTIFYING = (
    *("size", "ETag", "etag", "e_tag", "md5Hash", "content_md5", "Content-MD5", "Digest", "crc32c", "CRC"),
    *("checksum", "VersionId", "version_id", "generation", "sha", "sha256", "blob_id"),
    *("LastModified", "last_modified", "Last-Modified", "mtime", "modified", "updated"),
    *("created", "date_time", "time"),
)
"""The names that file systems of fsspec use for sizes, checksums, versions and times."""


def version_of(info: Mapping[str, Any]) -> str:
    """A text that changes with the content of a file, from what fsspec gives as its info."""
    return " ".join(f"{name}={info[name]}" for name in IDENTIFYING if info.get(name) is not None)


def file_system(place: Place) -> tuple[Any, str]:
    """The file system of a URL, and the path in it. fsspec keeps those that threads may share.

    Raises:  RemoteError for a protocol that does not exist, or that needs a package
    """
    try:
        import fsspec
    except ImportError:
        raise RemoteError(
            "URLs require the library fsspec, which is not installed; pip install 'irops[remote]' installs it"
        ) from None
    options: dict[str, Any] = {}
    links = os.fspath(place).split(urls.CHAINED)
    for link in reversed(links):
        protocol, separator, _ = link.partition("://")
        if separator or link in fsspec.available_protocols():
            _require(fsspec, protocol)
            if protocol in WEB:
                options[protocol] = _web_options(fsspec, protocol)
    try:
        # one of its own for an archive, which may be replaced, and for a connection that one thread may use
        options["skip_instance_cache"] = not fsspec.get_filesystem_class(protocol).async_impl
        system, path = fsspec.core.url_to_fs(os.fspath(place), **options)
    except Exception as error:
        raise remote_error(error) from None
    return system, path


def _require(fsspec: Any, protocol: str) -> None:
    """Raises: RemoteError if a protocol does not exist, or lacks its package"""
    protocols = fsspec.available_protocols()
    if protocol not in protocols:
        meant = did_you_mean_word(f"{protocol}://", [f"{name}://" for name in protocols])
        raise RemoteError(f"there is no protocol {protocol}://{meant}")
    try:
        fsspec.get_filesystem_class(protocol)
    except ImportError as error:
        raise RemoteError(f"the protocol {protocol} requires a package: {error}") from None


@cache
def _tracing() -> Any:
    """A tracing that calls a function for each redirect. One object: by it, fsspec knows its clients."""
    from aiohttp import TraceConfig

    tracing = TraceConfig()
    tracing.on_request_redirect.append(_redirected)
    return tracing


def _web_options(fsspec: Any, protocol: str) -> dict[str, Any]:
    """Arguments of the file system of a web server. `answered` bounds the time."""
    from aiohttp import ClientTimeout

    configured = fsspec.config.conf.get(protocol, {}).get("client_kwargs", {})
    traces = [*configured.get("trace_configs", ()), _tracing()]
    return {"client_kwargs": {"timeout": ClientTimeout(), **configured, "trace_configs": traces}}


_reported: set[tuple[str, str]] = set()
"""Redirects that were reported, by the two hosts."""


async def _redirected(_session: Any, _context: Any, request: Any) -> None:
    """Report a redirect to another host. Raises: RemoteError where it leads into a private network"""
    asked, headers = request.url, request.response.headers
    target = asked.join(type(asked)(headers.get("Location") or headers.get("URI") or ""))
    if target.host == asked.host:
        return
    if await _is_private(target.host) and not await _is_private(asked.host):
        raise RemoteError(f"{asked.host} redirects to {target.host}, an address of a private network")
    if (asked.host, target.host) not in _reported:
        _reported.add((asked.host, target.host))
        shown = (urls.without_credentials(str(url)) for url in (asked, target))
        getLogger("irops").warning("%s is redirected to %s", *map(printable, shown))


async def _is_private(host: str) -> bool:
    """Whether the name of a host stands for an address that the public network does not have."""
    from asyncio import get_running_loop  # takes longer to import than a small check

    try:
        found = await get_running_loop().getaddrinfo(host, None)
    except OSError:  # the connection fails for the same reason
        return False
    return not all(ip_address(str(address[0]).partition("%")[0]).is_global for *_, address in found)


WEB = ("http", "https")
STEP, AT_ONCE = 4 << 20, 1 << 20
"""Bytes that are asked for within the time that one request may take; and at first, as the start of a file
may say enough.
"""


class NoRanges(RemoteError):
    """The server does not send parts of files."""


class RemoteFileChanged(RemoteError):
    """The file is no longer the one that existed when it was opened."""


class RemoteFile:
    """A file of a file system of fsspec, as it was when this object was made."""

    __slots__ = ("_path", "_system", "limits", "place", "size", "version")

    def __init__(self, place: Place, limits: Limits) -> None:
        """Raises: RemoteError if there is no such file, or the server does not say"""
        self.place, self.limits = place, limits
        self._system, self._path = answered(limits, file_system, place)
        info = self._info()
        if info.get("type") == "directory":
            raise RemoteError("is a folder", "not-a-file")
        size = info.get("size")
        self.size: int | None = None if size is None else int(size)
        """The number of bytes; None if the server does not say."""
        self.version = version_of(info)

    def __repr__(self) -> str:
        return f"<remote file {self.place}, {self.size} bytes>"

    def read(self, offset: int, size: int) -> bytes:
        """Some of the bytes. They belong to this version only if require_unchanged passes afterwards.

        Raises:  RemoteFileChanged if the file is shorter; RemoteError
        """
        parts = []
        for start in range(offset, offset + size, STEP):
            step = min(STEP, offset + size - start)
            parts.append(answered(self.limits, self._range, start, step))
            count_fetched(len(parts[-1]))
            if len(parts[-1]) != step:
                raise self.changed()
        return b"".join(parts)

    def _range(self, start: int, size: int) -> bytes:
        if self.place.protocol not in WEB:
            return bytes(self._system.cat_file(self._path, start=start, end=start + size))
        # a server that does not know ranges sends the whole file, which may be large: this stops it
        with self._system.open(self._path, "rb", size=self.size, cache_type="none") as file:
            file.seek(start)
            try:
                return bytes(file.read(size))
            except ValueError:
                raise NoRanges("the server sends whole files only, no parts of them") from None

    def in_steps(self) -> Iterator[bytes]:
        """The content from the start to the end, even if the size is not known or the server sends no parts.

        Raises:  RemoteError
        """
        start = b"" if self.size is None else self.read(0, min(AT_ONCE, self.size))
        if start:
            yield start
        if len(start) == self.size:
            return
        way = {"block_size": 0} if self.place.protocol in WEB else {"cache_type": "none"}
        file = answered(self.limits, self._system.open, self._path, "rb", **way)
        try:
            answered(self.limits, _part_of, file, len(start))  # once more: not all servers send parts
            while content := answered(self.limits, _part_of, file, STEP):
                count_fetched(len(content))
                yield content
        finally:
            with suppress(RemoteError):
                answered(self.limits, file.close)

    def require_unchanged(self) -> None:
        """Raises: RemoteFileChanged if the file is not the one that it was; RemoteError"""
        try:
            version = version_of(self._info())
        except RemoteError as error:
            if error.rule == "file-not-found":
                raise self.changed() from None
            raise
        if version != self.version:
            raise self.changed()

    def changed(self) -> RemoteFileChanged:
        return RemoteFileChanged("it was changed while it was read; read the model again")

    @property
    def is_concurrent(self) -> bool:
        """Whether several threads may read at the same time."""
        return bool(self._system.async_impl)

    def _info(self) -> Any:
        return answered(self.limits, _info, self._system, self._path)


def _info(system: Any, path: str) -> Any:
    from fsspec.implementations.cached import CachingFileSystem

    system = system.fs if isinstance(system, CachingFileSystem) else system  # not what it keeps copies of
    system.invalidate_cache(path)  # a listing may be older than the file
    return system.info(path)


def _part_of(file: Any, size: int) -> bytes:
    """The next bytes of an open file, fewer only at the end: what arrives together may be less."""
    parts: list[bytes] = []
    while size > 0 and (part := file.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class RemoteContent:
    """A remote file as an open file. size: 0 if the server does not say how many bytes it has."""

    def __init__(self, place: Place, limits: Limits) -> None:
        """Raises: RemoteError"""
        self._file = RemoteFile(place, limits)
        self.size = self._file.size or 0
        self._steps, self._buffer = self._file.in_steps(), b""

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end. Raises: RemoteFileChanged; RemoteError"""
        steps = [self._buffer]
        have = len(self._buffer)
        while have < size and (step := next(self._steps, b"")):
            steps.append(step)
            have += len(step)
        if len(steps) > 1:
            self._file.require_unchanged()
        content = b"".join(steps)
        self._buffer = content[size:]
        return content[:size]


MAGIC = re.compile(r"[*\[]")


def files_at(folder: Place) -> list[Place]:
    """The files of a folder and its subfolders but hidden ones, sorted; of a pattern, in which ** stands for
    any folders, those that match it, and .bin files. Listing takes at most limits.seconds.

    Raises:  RemoteError if there is no such folder, or it cannot be listed
    """
    from fsspec.utils import glob_translate

    root, pattern = folder.path.rstrip("/"), None
    if magic := MAGIC.search(folder.path):
        root = folder.path[: max(folder.path.rfind("/", 0, magic.start()), 0)]
        pattern = folder.path.removeprefix(root).lstrip("/")
    limits = Limits()
    patient = replace(limits, remote_seconds=max(limits.remote_seconds, limits.seconds))
    system, base = answered(patient, file_system, replace(folder, path=root))
    base = base.rstrip("/")
    is_web = "://" in base  # paths of web servers are URLs, and folders end with a slash
    system.invalidate_cache(base)
    depth = None if pattern is None or "**" in pattern else pattern.count("/") + 1
    found = answered(patient, system.find, f"{base}/" if is_web else base, maxdepth=depth)
    names = sorted(name.removeprefix(base).lstrip("/") for name in found if name.startswith(base))
    if not names and answered(limits, system.info, base).get("type") != "directory":
        raise RemoteError("is not a folder, and has no suffix of a model", "not-a-file")
    matches = None if pattern is None else re.compile(glob_translate(pattern)).match
    return [
        replace(folder, path=f"{root}/{name}" if root else name)
        for name in names
        if not any(part.startswith(".") for part in name.split("/")[:-1])
        and (matches is None or matches(name) or name.endswith(".bin"))
    ]


class RemoteWeights(Weights):
    """The bytes of a remote file.

    read and copy_to ask the server for parts; view fetches the whole file, once, to a temporary file that is
    removed with this object. path: the URL without credentials
    """

    __slots__ = ("_blocks", "_fetching", "_folder", "_limits", "_local", "_place", "_remote")

    def __init__(self, place: Place, limits: Limits, remote: RemoteFile | None = None) -> None:
        """remote: the file, if it was opened before"""
        super().__init__(None)
        self._place, self._limits, self.path = place, limits, str(place)
        self._remote = self._bytes = None
        self._local: Weights | None = None
        self._folder: _Folder | None = None  # that of the temporary file
        self._fetching = Lock()
        try:
            remote = remote or RemoteFile(place, limits)
            if remote.size is None:
                raise RemoteError("the server does not say how large it is")
        except RemoteError as error:
            self._fault = error.sentence
        else:
            self._remote, self._blocks, self._size = remote, Blocks(remote), remote.size

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes, which have the same version of the file or report that it was changed."""
        return RemoteWeights, (self._place, self._limits, self._remote)

    @property
    def name(self) -> str:
        return self._place.name

    def view(self, offset: int, size: int) -> memoryview:
        self._within(offset, size)
        return self._whole().view(offset, size)

    def read(self, offset: int, size: int, files: OpenFiles | None = None) -> memoryview:
        """A copy of some of the bytes. Raises the errors of view."""
        self._within(offset, size)
        if self._local is not None or size == 0:
            return self._local.read(offset, size, files) if self._local else memoryview(b"")
        content = self._content(offset, size)
        if content is None:
            return self._whole().read(offset, size, files)
        count_read(size)
        return memoryview(content)

    def expect(self, places: Iterable[tuple[int, int]]) -> None:
        if self._remote is not None:
            self._blocks.expect((at, size) for at, size in places if at + size <= self._size)

    def keep_open(self) -> None:
        """Nothing is written over a remote file."""

    def local_path(self) -> str | None:
        """The temporary file, which stays there as long as these weights are in use."""
        return self._whole().local_path()

    def _content(self, offset: int, size: int) -> bytes | None:
        """Some of the bytes; None if the server sends no parts."""
        remote = self._remote
        assert remote is not None
        try:
            if size <= BLOCK:
                return self._blocks.read(offset, size)
            content = remote.read(offset, size)
            remote.require_unchanged()
            return content
        except NoRanges:
            return None
        except OSError as error:
            raise self._unreadable(error) from None

    def _whole(self) -> Weights:
        """The temporary file, to which the content is fetched once."""
        with self._fetching:
            if self._local is None:
                if self._size == 0 or self._remote is None:
                    return Weights.of_bytes(b"")
                try:
                    self._local = self._fetched(self._remote, self._size)
                except OSError as error:
                    raise self._unreadable(error) from None
            return self._local

    def _fetched(self, remote: RemoteFile, size: int) -> Weights:
        free = shutil.disk_usage(gettempdir()).free
        if free < size:
            where = f"{gettempdir()} has {free:,} left; TMPDIR names another folder"
            raise RemoteError(f"it has {size:,} bytes to fetch, {where}")
        self._folder = _Folder()
        path = os.path.join(self._folder.name, "weights.bin")
        with open(path, "xb") as file:
            written = 0
            for step in remote.in_steps():
                written += file.write(step)
                if written > size:
                    break
            if written != size:
                raise remote.changed()
        remote.require_unchanged()
        return Weights.of_file(path)

    def _unreadable(self, error: OSError) -> WeightsChanged:
        if isinstance(error, RemoteFileChanged):
            return self._changed()
        return WeightsChanged(f"{self.name} cannot be read: {error.strerror or error}")


class _Folder:
    """A temporary folder, which the process that made it removes with this object."""

    def __init__(self) -> None:
        self.name = mkdtemp(prefix="irops-")
        finalize(self, _remove, self.name, os.getpid())


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # not in a forked child
        shutil.rmtree(folder, ignore_errors=True)


# Small parts of a remote file: read in blocks that stay in memory, several that are expected together.

BLOCK = 1 << 16
GAP = 2 * BLOCK
"""Up to this many bytes that nobody needs are read between two parts: another request takes longer."""
REQUESTS = 8
"""How many requests a server gets at the same time."""
EXPECTED = 512
"""How many blocks are fetched because they are probably needed."""
IN_MEMORY = 1024
"""How many blocks of one file stay in memory."""


class Blocks:
    """The blocks of one version of a file, by their numbers."""

    def __init__(self, file: RemoteFile) -> None:
        self._file, self._size = file, file.size or 0
        self._expected: set[int] = set()
        self._blocks: dict[int, bytes] = {}

    def expect(self, places: Iterable[tuple[int, int]]) -> None:
        """Name offsets and sizes that are probably read: their blocks are fetched with the first one."""
        numbers = {number for offset, size in places for number in _numbers(offset, size)}
        self._expected = set(sorted(numbers - self._blocks.keys())[:EXPECTED])

    def read(self, offset: int, size: int) -> bytes:
        """Some of the bytes. Raises: RemoteFileChanged; RemoteError"""
        numbers, blocks = _numbers(offset, size), self._blocks
        if not blocks.keys() >= set(numbers):
            kept = blocks if len(blocks) < IN_MEMORY else {}
            blocks = self._blocks = {**kept, **self._fetched({*numbers, *self._expected} - kept.keys())}
        content = b"".join([blocks[number] for number in numbers])
        return content[offset % BLOCK :][:size]

    def _fetched(self, numbers: Collection[int]) -> dict[int, bytes]:
        """Blocks of the version that the file had when it was opened, near ones in one request."""
        from fsspec.utils import merge_offset_ranges  # is installed where a remote file was opened

        self._expected = set()
        starts = [number * BLOCK for number in sorted(numbers)]
        ends = [min(start + BLOCK, self._size) for start in starts]
        _, starts, ends = merge_offset_ranges([""] * len(starts), starts, ends, max_gap=GAP)
        sizes = [end - start for start, end in zip(starts, ends)]
        with ThreadPoolExecutor(REQUESTS if self._file.is_concurrent else 1) as threads:
            contents = list(threads.map(self._file.read, starts, sizes))
        self._file.require_unchanged()
        return {
            (start + at) // BLOCK: content[at : at + BLOCK]
            for start, content in zip(starts, contents)
            for at in range(0, len(content), BLOCK)
        }


def _numbers(offset: int, size: int) -> range:
    """The numbers of the blocks that hold some bytes."""
    return range(offset // BLOCK, -(-(offset + size) // BLOCK))
