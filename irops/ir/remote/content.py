"""The content of a remote file, read from the start as that of an open file is."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from irops.ir.remote.remote_file import NoRanges, RemoteFile
from irops.limits import Limits

AT_ONCE = 1 << 20
"""Bytes that are asked for at least, if the file has them."""


class RemoteContent:
    """A remote file as an open file. size: 0 if the server does not say how many bytes it has."""

    def __init__(self, url: str, limits: Limits) -> None:
        """Raises: RemoteError"""
        self._file = RemoteFile(url, limits)
        self.size = self._file.size or 0
        self._buffer = b""
        self._position = 0
        self._steps: Iterator[bytes] | None = None

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end. Raises: RemoteFileChanged; RemoteError"""
        while len(self._buffer) < size and (more := self._more(size - len(self._buffer))):
            self._buffer += more
        content, self._buffer = self._buffer[:size], self._buffer[size:]
        return content

    def _more(self, size: int) -> bytes:
        if self._steps is None and self._file.size is None:
            self._steps = self._file.in_steps(inf)
        if self._steps is None:
            try:
                return self._part(min(max(size, AT_ONCE), self.size - self._position))
            except NoRanges:
                self._steps = _behind(self._position, self._file.in_steps(inf))
        step = next(self._steps, b"")
        if step:
            self._file.require_unchanged()
        return step

    def _part(self, size: int) -> bytes:
        if size <= 0:
            return b""
        content = self._file.read(self._position, size)
        self._file.require_unchanged()
        self._position += size
        return content


def _behind(start: int, steps: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes of some steps without the first ones."""
    for step in steps:
        if len(step) > start:
            yield step[start:]
        start = max(start - len(step), 0)
