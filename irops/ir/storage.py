"""The bytes that the constants of a model lie in: a file that is mapped when first needed, or memory."""
from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path


class WeightsChanged(ValueError):
    """The file is no longer the one that was there when the model was read."""


class Weights:
    """The bytes of a .bin file, or bytes in memory. Nothing is read before it is asked for; the file is never locked."""

    __slots__ = ("_bytes", "_fault", "_identity", "_size", "path")

    def __init__(self, path: str | None, data: bytes = b"") -> None:
        self.path = path
        self._bytes = memoryview(data) if path is None else None
        self._size, self._identity, self._fault = len(data), (0, 0, 0, 0), ""
        if path is not None:
            self._look(path)

    @staticmethod
    def of_file(path: str | os.PathLike[str]) -> Weights:
        """The bytes of a file, which need not exist: fault then says so."""
        return Weights(os.fspath(path))

    @staticmethod
    def of_bytes(data: bytes) -> Weights:
        return Weights(None, data)

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return "the .bin" if self.path is None else Path(self.path).name

    @property
    def fault(self) -> str | None:
        """Why there are no bytes at all ("does not exist"); None where there are."""
        return self._fault or None

    @property
    def size(self) -> int:
        """The number of bytes; 0 where there is no file."""
        return self._size

    def view(self, offset: int, size: int) -> memoryview:
        """Some of the bytes, uncopied.

        Raises:  ValueError where they are not all there; WeightsChanged where the file was replaced since the model was read
        """
        if offset < 0 or size < 0 or offset + size > self._size:
            raise ValueError(f"bytes {offset} to {offset + size} of {self._size} are not there")
        if self._bytes is None:
            self._bytes = self._map()
        return self._bytes[offset:offset + size]

    def _look(self, path: str) -> None:
        try:
            status = os.stat(path)
        except OSError as error:
            self._fault = "does not exist" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
            return
        if not stat.S_ISREG(status.st_mode):
            self._fault = "is not a regular file"
            return
        self._size, self._identity = status.st_size, _identity(status)

    def _map(self) -> memoryview:
        if self._size == 0 or self.path is None:
            return memoryview(b"")
        try:
            with open(self.path, "rb") as file:
                if _identity(os.fstat(file.fileno())) != self._identity:
                    raise WeightsChanged(f"{self.name} was changed after the model was read; read the model again")
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except OSError as error:
            raise WeightsChanged(f"{self.name} could be read when the model was, and cannot now: {error.strerror}") from None

    def __repr__(self) -> str:
        return f"<Weights {self.name}, {self.size} bytes>"


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
