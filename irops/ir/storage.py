"""The bytes that the constants of a model lie in: a file, read in part or mapped when first needed, or
memory.
"""

from __future__ import annotations

import mmap
import os
from errno import EACCES
from pathlib import Path
from typing import BinaryIO

from irops.ir.regular import NotRegular, hold_regular, open_regular


class WeightsChanged(ValueError):
    """The file is no longer the one that was there when the model was read."""


class Weights:
    """The bytes of a .bin file, or bytes in memory. Nothing is read before it is asked for; the file is never
    locked.

    What was mapped must not be looked at once the file was cut off: the system ends a process that does. So
        only view maps, which
    evaluation needs; read copies.
    """

    __slots__ = ("_bytes", "_fault", "_file", "_identity", "_size", "path")

    def __init__(self, path: str | None, data: bytes = b"") -> None:
        self.path = path
        self._bytes = memoryview(data) if path is None else None
        self._file: BinaryIO | None = None
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

        Raises:  ValueError where they are not all there; WeightsChanged where the file was changed since the
            model was read
        """
        self._within(offset, size)
        if self._bytes is None:
            self._bytes = self._map()
        self.hold()
        return self._bytes[offset : offset + size]

    def read(self, offset: int, size: int) -> memoryview:
        """A copy of some of the bytes, unless they are in memory anyway; raises as view does."""
        self._within(offset, size)
        if self.path is None:
            return self.view(offset, size)
        with self._opened() as file:
            file.seek(offset)
            found = file.read(size)
        if len(found) < size:
            raise self._changed()
        return memoryview(found)

    def hold(self) -> None:
        """Demand that what is mapped is still what it was. Raises: WeightsChanged"""
        if self._file is not None and _identity(os.fstat(self._file.fileno())) != self._identity:
            raise self._changed()

    def _within(self, offset: int, size: int) -> None:
        if offset < 0 or size < 0 or offset + size > self._size:
            raise ValueError(f"bytes {offset} to {offset + size} of {self._size} are not there")

    def _changed(self) -> WeightsChanged:
        return WeightsChanged(f"{self.name} was changed after the model was read; read the model again")

    def _look(self, path: str) -> None:
        try:
            status = os.stat(path)
            hold_regular(status)
            if not os.access(path, os.R_OK):
                raise PermissionError(EACCES, os.strerror(EACCES))
        except NotRegular as error:
            self._fault = str(error)
        except OSError as error:
            self._fault = (
                "does not exist"
                if isinstance(error, FileNotFoundError)
                else f"cannot be read: {error.strerror}"
            )
        else:
            self._size, self._identity = status.st_size, _identity(status)

    def _map(self) -> memoryview:
        if self._size == 0 or self.path is None:
            return memoryview(b"")
        file = self._opened()
        try:
            found = memoryview(mmap.mmap(file.fileno(), self._size, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:  # ValueError: it was cut off between the two looks
            file.close()
            raise WeightsChanged(f"{self.name} cannot be mapped: {error}") from None
        self._file = file
        return found

    def _opened(self) -> BinaryIO:
        """The file, held to be the one that it was. Raises: WeightsChanged"""
        assert self.path is not None
        try:
            file = open_regular(self.path)
        except OSError as error:
            raise WeightsChanged(
                f"{self.name} could be read when the model was, and cannot now: {error.strerror or error}"
            ) from None
        if _identity(os.fstat(file.fileno())) != self._identity:
            file.close()
            raise self._changed()
        return file

    def __repr__(self) -> str:
        return f"<Weights {self.name}, {self.size} bytes>"


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
