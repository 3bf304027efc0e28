"""Read .npy and .npz files within limits. Pickles are not read."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from math import prod
from typing import IO, BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.files.limits import Limits
from irops.files.limits import notes as limit_notes
from irops.files.urls import without_credentials
from irops.ir.near_files import similar_path
from irops.ir.regular import NotRegular, open_regular
from irops.values.element import Array

_MAGIC = (b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of .npy files, of .npz files, and of .npz files without arrays."""
DEFAULT = Limits()
MAX_RATIO, FREE_BYTES = 1100, 64 << 20
"""The greatest size of what an archive unpacks to, in sizes of the archive: deflate packs at most 1032 bytes
into one, so that only members that share their bytes, or that another method packed, exceed it. Below
FREE_BYTES, any ratio is allowed.
"""
MAX_HEADER = 10_000
"""The greatest number of bytes of the header of an array, as NumPy has it."""
TEXT_BYTES = 64
"""About how many bytes a short text takes as an object."""
DAMAGED = (
    ValueError,
    EOFError,
    OSError,
    MemoryError,
    RuntimeError,  # of encrypted members, and NotImplementedError of unknown compression
    BadZipFile,
    LookupError,
    zlib.error,
    struct.error,
)
"""What NumPy and zipfile raise for a file that is damaged or declares an impossibly large array."""


class UnreadableFileError(ValueError):
    """A file that does not exist, or has no arrays, or not as many as needed; the message says which."""


def load_all(path: str, limits: Limits = DEFAULT) -> dict[str, Array]:
    """The arrays of an .npz file by name.

    Raises:  UnreadableFileError if the file is not an .npz file; DiagnosticError if its arrays exceed
        limits.tensor_bytes
    """
    with _opened(path) as file:
        if _is_npy(file):
            raise UnreadableFileError(f"{path} contains one unnamed array; use --input NAME={path}")
        with ZipFile(file) as archive:
            return _members(path, archive, archive.infolist(), limits)


def member_names(path: str) -> dict[str, str]:
    """The members of an .npz file that are arrays, by the names of the arrays. Raises: UnreadableFileError"""
    with _opened(path) as file:
        if _is_npy(file):
            raise UnreadableFileError(f"{path} contains one unnamed array")
        with ZipFile(file) as archive:
            names = [name for name in archive.namelist() if name.endswith(".npy")]
            return {name.removesuffix(".npy"): name for name in names}


def load_member(path: str, member: str, limits: Limits = DEFAULT) -> Array:
    """One member of an .npz file. Raises the errors of load_all."""
    with _opened(path) as file, ZipFile(file) as archive:
        (array,) = _members(path, archive, [archive.getinfo(member)], limits).values()
        return array


def load_one(path: str, limits: Limits = DEFAULT) -> Array:
    """The array of an .npy file, or the only one of an .npz file. Raises the errors of load_all."""
    with _opened(path) as file:
        if _is_npy(file):
            _require_room(path, _size(file), limits)
            file.seek(0)
            array: Array = np.lib.format.read_array(file, allow_pickle=False)
            return array
        with ZipFile(file) as archive:
            arrays = _members(path, archive, archive.infolist(), limits)
        if len(arrays) != 1:
            raise UnreadableFileError(
                f"{path} contains {len(arrays)} arrays; use --load-inputs, or an .npy file"
            )
        return next(iter(arrays.values()))


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """An .npy or .npz file, open for reading. Errors of the block become an UnreadableFileError."""
    try:
        with open_regular(path) as file:
            if not file.read(len(_MAGIC[0])).startswith(_MAGIC):
                raise UnreadableFileError(f"{path} is not an .npy or .npz file")
            file.seek(0)
            yield file
    except FileNotFoundError:
        meant = similar_path(path, os.path.splitext(path)[1])
        hint = f"; did you mean {meant}?" if meant else ""
        raise UnreadableFileError(f"{path} does not exist{hint}") from None
    except NotRegular as error:
        raise UnreadableFileError(
            f"{without_credentials(path)} {error}; it must be a local .npy or .npz file"
        ) from None
    except PermissionError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror}") from None
    except (DiagnosticError, UnreadableFileError):
        raise
    except DAMAGED as error:
        reason = error or type(error).__name__
        raise UnreadableFileError(f"{path} is not a valid .npy or .npz file: {reason}") from None


def _is_npy(file: BinaryIO) -> bool:
    start = file.read(len(_MAGIC[0]))
    file.seek(0)
    return start == _MAGIC[0]


def _members(path: str, archive: ZipFile, members: list[ZipInfo], limits: Limits) -> dict[str, Array]:
    """The arrays of a zip file. The size of each is read, and the sum compared with the limit, before any."""
    assert archive.fp is not None
    packed = os.fstat(archive.fp.fileno()).st_size
    total = unpacked = 0
    for member in members:
        unpacked += member.file_size
        if unpacked > max(FREE_BYTES, MAX_RATIO * packed):
            raise UnreadableFileError(
                f"{path} has {packed:,} bytes and unpacks to {unpacked:,} or more, which is over"
                f" {MAX_RATIO:,} times as many; pack it with numpy.savez or numpy.savez_compressed"
            )
        with archive.open(member) as stream:
            total += _size(stream)
        _require_room(path, total, limits)
    arrays: dict[str, Array] = {}
    for member in members:
        with archive.open(member) as stream:
            array = np.lib.format.read_array(stream, allow_pickle=False)
            arrays[member.filename.removesuffix(".npy")] = array
    return arrays


def _size(stream: IO[bytes]) -> int:
    """The number of bytes in memory of the array in an .npy file, by its header. Raises: ValueError"""
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"the version of an array is {version}, must be 1.0 or 2.0")
    length = stream.read(2 if version == (1, 0) else 4)
    size = int.from_bytes(length, "little")
    if size > MAX_HEADER:
        raise ValueError(f"the header of an array has {size:,} bytes, may have {MAX_HEADER:,}")
    header = BytesIO(length + stream.read(size))
    reader = np.lib.format.read_array_header_1_0 if len(length) == 2 else np.lib.format.read_array_header_2_0
    shape, _, dtype = reader(header)
    if any(isinstance(size, bool) or size < 0 for size in shape):  # a bool is an int for NumPy's reader
        raise ValueError(f"the shape of an array is {shape}, must be of integers from 0")
    # texts become objects, and elements of no bytes are elements all the same
    return prod(shape) * max(dtype.itemsize, TEXT_BYTES if dtype.kind in "US" else 1)


def _require_room(path: str, size: int, limits: Limits) -> None:
    if size > limits.tensor_bytes:
        message = f"the arrays of {path} take {size:,} bytes; {limits.message('tensor_bytes')}"
        notes = limit_notes("memory-limit")
        raise DiagnosticError([Diagnostic(rule("memory-limit"), message, Location(path), notes=notes)])
