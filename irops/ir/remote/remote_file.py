"""A remote file: its size and version, and parts of its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import get_ident
from typing import Any, ParamSpec, TypeVar

from irops.ir.remote.file_systems import file_system, forget, is_archive, without_cache
from irops.ir.remote.reasons import RemoteError
from irops.ir.remote.versions import Version, version_of
from irops.ir.remote.waiting import NoAnswer, answered
from irops.ir.traffic import count_fetched
from irops.limits import Limits
from irops.urls import protocol_of, without_credentials

P = ParamSpec("P")
T = TypeVar("T")
WEB = ("http", "https")
STEP = 4 << 20
"""Bytes that are asked for at once, within the time that one request may take."""


class NoRanges(RemoteError):
    """The server does not send parts of files."""


class RemoteFileChanged(RemoteError):
    """The file is no longer the one that existed when it was opened."""


class RemoteFile:
    """A file of a file system of fsspec, as it was when this object was made.

    name: the URL without credentials
    """

    __slots__ = ("_path", "_system", "limits", "name", "size", "version")

    def __init__(self, url: str, limits: Limits) -> None:
        """Raises: RemoteError if there is no such file, or the server does not say"""
        self.name, self.limits = without_credentials(url), limits
        self._system, self._path = answered(limits, file_system, url, get_ident())
        info = self._info()
        if info.get("type") == "directory":
            raise RemoteError("is a folder", "not-a-file")
        size = info.get("size")
        self.size: int | None = None if size is None else int(size)
        """The number of bytes; None if the server does not say."""
        self.version: Version = version_of(info)

    def __repr__(self) -> str:
        return f"<remote file {self.name}, {self.size} bytes>"

    def read(self, offset: int, size: int) -> bytes:
        """Some of the bytes. They belong to this version only if require_unchanged passes afterwards.

        Raises:  RemoteFileChanged if the file is shorter; RemoteError
        """
        return b"".join(self._steps(offset, size))

    def _steps(self, offset: int, size: int) -> Iterator[bytes]:
        for start in range(offset, offset + size, STEP):
            step = min(STEP, offset + size - start)
            content = self._answered(self._range, start, step)
            count_fetched(len(content))
            if len(content) != step:
                raise self.changed()
            yield content

    def _range(self, start: int, size: int) -> bytes:
        if protocol_of(self.name) not in WEB:
            return bytes(self._system.cat_file(self._path, start=start, end=start + size))
        # a server that does not know ranges sends the whole file, which may be large: this stops it
        with self._system.open(self._path, "rb", size=self.size, cache_type="none") as file:
            file.seek(start)
            try:
                return bytes(file.read(size))
            except ValueError:
                raise NoRanges("the server sends whole files only, no parts of them") from None

    def in_steps(self, most: float) -> Iterator[bytes]:
        """The content from the start to the end, even if the size is not known or the server sends no parts.

        most: the number of bytes after which no more are read; the last step may exceed it
        Raises:  RemoteError
        """
        if self.size is None or is_archive(self._system):
            yield from self._streamed(most)
            return
        steps = self._steps(0, self.size)
        try:
            first = next(steps, b"")
            second = next(steps, b"")
        except NoRanges:  # the start alone is sent by any server
            yield from self._streamed(most)
            return
        yield from (step for step in (first, second) if step)
        yield from steps

    def _streamed(self, most: float) -> Iterator[bytes]:
        keywords = {"block_size": 0} if protocol_of(self.name) in WEB else {}
        file = self._answered(self._system.open, self._path, "rb", **keywords)
        total = 0
        try:
            while total <= most and (content := self._answered(file.read, STEP)):
                count_fetched(len(content))
                total += len(content)
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
        if version.text != self.version.text:
            raise self.changed()

    def changed(self) -> RemoteFileChanged:
        return RemoteFileChanged("it was changed while it was read; read the model again")

    @property
    def is_concurrent(self) -> bool:
        """Whether several threads may read at the same time."""
        return bool(self._system.async_impl)

    def _info(self) -> Any:
        return self._answered(_info, self._system, self._path)

    def _answered(self, call: Callable[P, T], *args: P.args, **keywords: P.kwargs) -> T:
        try:
            return answered(self.limits, call, *args, **keywords)
        except NoAnswer:
            forget(self._system)
            raise


def _info(system: Any, path: str) -> Any:
    system = without_cache(system)
    system.invalidate_cache(path)  # a listing may be older than the file
    return system.info(path)
