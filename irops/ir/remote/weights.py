"""The weights of a model in a remote file: of which little is read for a check, and all for a run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, Any, BinaryIO

from irops.files.cache.downloads import NoRoom
from irops.files.cache.entries import key_of
from irops.files.cache.remote import VARIABLE, downloads
from irops.files.limits import Limits
from irops.files.urls import name_of, without_credentials
from irops.ir.open_files import OpenFiles
from irops.ir.remote.blocks import Blocks
from irops.ir.remote.reasons import RemoteError
from irops.ir.remote.remote_file import NoRanges, RemoteFile, RemoteFileChanged
from irops.ir.storage import Weights, WeightsChanged
from irops.ir.traffic import count_read

LARGE = 1 << 20
"""Bytes from which a part is not read in blocks and not kept: files are read so from one end to the other."""


class RemoteWeights(Weights):
    """The bytes of a remote file.

    read and copy_to ask the server for parts, view fetches the whole file into the cache.
    path: the URL without credentials
    """

    __slots__ = ("_blocks", "_kept", "_local", "_remote")
    is_remote = True

    def __init__(self, url: str, limits: Limits) -> None:
        remote: RemoteFile | None = None
        try:
            remote = RemoteFile(url, limits)
            if remote.size is None:
                raise RemoteError("the server does not say how large it is")
        except RemoteError as error:
            self._set(None, without_credentials(url), error.sentence)
        else:
            self._set(remote, remote.name, "")

    def _set(self, remote: RemoteFile | None, path: str, fault: str) -> None:
        super().__init__(None)
        self.path: str | None = path
        self._remote, self._fault = remote, fault
        self._bytes = None
        self._local: Weights | None = None
        self._kept: BinaryIO | None = None  # keeps the file in the cache
        if remote is not None:
            self._blocks, self._size = Blocks(remote), remote.size or 0

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes, which have the same version of the file or report that it was changed."""
        return _restored, (self._remote, self.path, self._fault)

    @property
    def name(self) -> str:
        return name_of(self.path or "")

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

    def copy_to(self, target: IO[bytes], offset: int, size: int) -> None:
        self._within(offset, size)
        for start in range(offset, offset + size, LARGE << 3):
            target.write(self.read(start, min(LARGE << 3, offset + size - start)))

    def expect(self, places: Iterable[tuple[int, int]]) -> None:
        if self._remote is not None:
            self._blocks.expect((at, size) for at, size in places if at + size <= self._size)

    def keep_open(self) -> None:
        """Nothing is written over a remote file."""

    def local_path(self) -> str | None:
        """The file in the cache, which stays there as long as these weights are in use."""
        return self._whole().local_path()

    def _content(self, offset: int, size: int) -> bytes | None:
        """Some of the bytes, from the server or from what is kept of the file; None if it sends no parts."""
        remote = self._remote
        assert remote is not None
        try:
            if size <= LARGE:
                return self._blocks.read(offset, size)
            content = remote.read(offset, size)
            remote.require_unchanged()
            return content
        except NoRanges:
            return None
        except OSError as error:
            raise self._unreadable(error) from None

    def _whole(self) -> Weights:
        """The file in the cache, to which it is fetched once."""
        if self._local is None:
            if self._size == 0 or self._remote is None:
                return Weights.of_bytes(b"")
            try:
                self._local = self._fetched(self._remote, self._size)
            except OSError as error:
                raise self._unreadable(error) from None
        return self._local

    def _fetched(self, remote: RemoteFile, size: int) -> Weights:
        def fetch(file: IO[bytes]) -> None:
            if sum(file.write(step) for step in remote.in_steps(size)) != size:
                raise remote.changed()
            remote.require_unchanged()

        # what may be another content next time is kept for this process alone
        certain = b"" if remote.version.is_certain else os.urandom(8)
        key = key_of(remote.identity.encode(), remote.version.text.encode(), certain)
        self._kept = downloads().fetched(key, size, fetch)
        return Weights.of_file(self._kept.name)

    def _unreadable(self, error: OSError) -> WeightsChanged:
        if isinstance(error, RemoteFileChanged):
            return self._changed()
        if isinstance(error, NoRoom):
            hint = f"; {VARIABLE} sets how much it keeps, IROPS_CACHE_DIR where"
            return WeightsChanged(f"{self.name} cannot be fetched into the cache: {error.strerror}{hint}")
        reason = (
            error
            if isinstance(error, RemoteError)
            else f"the cache cannot keep it: {error.strerror or error}"
        )
        return WeightsChanged(f"{self.name} cannot be read: {reason}")


def _restored(remote: RemoteFile | None, path: str, fault: str) -> RemoteWeights:
    weights = RemoteWeights.__new__(RemoteWeights)
    weights._set(remote, path, fault)
    return weights
