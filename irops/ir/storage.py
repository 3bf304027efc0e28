"""The bytes that the constants of a model lie in: a file that is mapped when first needed, or memory."""
from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path


class Weights:
    """The bytes of a .bin file, or bytes in memory. Nothing is read before it is asked for; the file is never locked."""

    __slots__ = ("_bytes", "_fault", "_size", "path")

    def __init__(self, path: str | None, data: bytes | None = None) -> None:
        self.path = path
        self._bytes: memoryview | None = None if data is None else memoryview(data)
        self._size: int | None = None if data is None else len(data)
        self._fault: str | None = None

    @staticmethod
    def of_file(path: str | os.PathLike[str]) -> Weights:
        return Weights(str(path))

    @staticmethod
    def of_bytes(data: bytes) -> Weights:
        return Weights(None, data)

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return "the weights" if self.path is None else Path(self.path).name

    @property
    def fault(self) -> str | None:
        """Why there are no bytes at all ("does not exist"); None where there are."""
        self._measure()
        return self._fault

    @property
    def size(self) -> int:
        """The number of bytes; 0 where the file does not exist."""
        return self._measure()

    def view(self, offset: int, size: int) -> memoryview:
        """Some of the bytes, uncopied.

        Raises:  ValueError where they are not all there
        """
        if offset < 0 or size < 0 or offset + size > self.size:
            raise ValueError(f"bytes {offset} to {offset + size} of {self.size} are not there")
        if self._bytes is None:
            self._bytes = self._map()
        return self._bytes[offset:offset + size]

    def _measure(self) -> int:
        if self._size is None:
            assert self.path is not None
            try:
                status = os.stat(self.path)
            except OSError as error:
                self._fault = "does not exist" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
            else:
                self._fault = None if stat.S_ISREG(status.st_mode) else "is not a regular file"
            self._size = 0 if self._fault else status.st_size
        return self._size

    def _map(self) -> memoryview:
        if self.size == 0 or self.path is None:
            return memoryview(b"")
        with open(self.path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._size = len(mapped)
        return memoryview(mapped)

    def __repr__(self) -> str:
        return f"<Weights {self.name}, {self.size} bytes>"
